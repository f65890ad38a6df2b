#include "lab/student.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace armature
