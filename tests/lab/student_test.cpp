#include "lab/student.h"

#include <gtest/gtest.h>

#include <cmath>

namespace armature {
namespace {

// From the printed tables of Student's t, two-sided 5%.
TEST(Student, QuantilesOfTheTables) {
  const std::pair<std::uint64_t, double> table[] = {
      {1, 12.706204736}, {2, 4.302652730},  {3, 3.182446305},  {4, 2.776445105},  {5, 2.570581836},
      {6, 2.446911851},  {7, 2.364624252},  {8, 2.306004135},  {9, 2.262157163},  {10, 2.228138852},
      {15, 2.131449546}, {20, 2.085963447}, {29, 2.045229642}, {30, 2.042272456}, {49, 2.009575237},
      {60, 2.000297822}, {99, 1.984216952}, {120, 1.979930405}};
  for (const auto& [degrees, t] : table) EXPECT_NEAR(student_t95(degrees), t, 2e-9) << degrees;
}

TEST(Student, GoesOverIntoTheExpansionAndTheNormalWithoutAStep) {
  // 200 degrees are the last by sums, 201 the first by the expansion: t falls by about 6e-5 there.
  EXPECT_NEAR(student_t95(200), 1.971896224, 2e-9);
  EXPECT_NEAR(student_t95(201), 1.971836507, 5e-9);
  EXPECT_NEAR(student_t95(1000), 1.962339081, 1e-8);
  EXPECT_NEAR(student_t95(1'000'000'000), 1.959963985, 1e-8);
  for (std::uint64_t degrees = 1; degrees < 400; ++degrees)
    EXPECT_GT(student_t95(degrees), student_t95(degrees + 1)) << degrees;
}

// By mpmath, the incomplete beta function; 0 degrees is the normal law.
TEST(Student, TailsOnOneSide) {
  EXPECT_NEAR(student_tail(1, 1), 0.25, 1e-13);
  EXPECT_NEAR(student_tail(2, 2), 0.091751709536137, 1e-13);
  EXPECT_NEAR(student_tail(2.5, 7), 0.0204961092928764, 1e-13);
  EXPECT_NEAR(student_tail(2, 99), 0.0241198466863165, 1e-13);
  EXPECT_NEAR(student_tail(3, 4095), 0.00135802795199891, 1e-13);
  EXPECT_NEAR(student_tail(-2, 2), 1 - 0.091751709536137, 1e-13);
  EXPECT_NEAR(student_tail(0, 5), 0.5, 1e-13);
  EXPECT_NEAR(student_tail(1, 0), 0.158655253931457, 1e-13);
  EXPECT_NEAR(student_tail(2.9999, 0), 0.00135034128295492, 1e-15);
  EXPECT_NEAR(student_tail(3, 0), 0.00134989803163009, 1e-16);
  EXPECT_NEAR(student_tail(5, 0), 2.86651571879194e-7, 1e-20);
  EXPECT_EQ(student_tail(HUGE_VAL, 3), 0);
  EXPECT_EQ(student_tail(-HUGE_VAL, 0), 1);
}

}  // namespace
}  // namespace armature
