#include "policies/index/confidence.h"

#include <gtest/gtest.h>

#include "armature/error.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

Problem problem_with_horizon(Round horizon) {
  return test::problem_of({{0.5, 0.5}, {0.25, 0.75}}, horizon);
}

Width width_of(const std::string& text, Round horizon, std::uint32_t count) {
  const Arguments arguments("policy test", TextForm::parse(text), index_parameters());
  return confidence_width(problem_with_horizon(horizon), arguments, count);
}

TEST(Confidence, PaperWidthHasTheUnionOverQuantitiesAndRounds) {
  // δ = 1/T = 0.1, L = log(2·3·10/0.1) = log 600 = 6.39693; w(1) = sqrt(L/2) = 1.78843.
  const Width width = width_of("test", 10, 3);
  EXPECT_DOUBLE_EQ(width(1), std::sqrt(std::log(600.0) / 2));
  EXPECT_NEAR(width(1), 1.78843, 1e-5);
  EXPECT_DOUBLE_EQ(width(4), width(1) / 2);
}

TEST(Confidence, HorizonOneKeepsDeltaBelowOne) {
  // δ = 1/max(1,2) = 1/2: L = log(2·3·1·2) = log 12.
  EXPECT_DOUBLE_EQ(width_of("test", 1, 3)(1), std::sqrt(std::log(12.0) / 2));
}

TEST(Confidence, BilodeauWidthKnowsNeitherCountNorUnion) {
  // δ = 1/T² = 1/100: sqrt(log 100/2), whatever the number of quantities.
  EXPECT_DOUBLE_EQ(width_of("test:confidence=bilodeau", 10, 3)(1), std::sqrt(std::log(100.0) / 2));
  EXPECT_DOUBLE_EQ(width_of("test:confidence=bilodeau", 10, 300)(1),
                   std::sqrt(std::log(100.0) / 2));
}

TEST(Confidence, GivenDeltaAndScaleAreUsed) {
  // L = log(2·3·10/0.25) = log 240.
  EXPECT_DOUBLE_EQ(width_of("test:delta=0.25,scale=0.5", 10, 3)(2),
                   0.5 * std::sqrt(std::log(240.0) / 4));
  EXPECT_DOUBLE_EQ(width_of("test:confidence=bilodeau,delta=0.25", 10, 3)(2),
                   std::sqrt(std::log(4.0) / 4));
}

TEST(Confidence, DeltaTooSmallToDivideByIsRefused) {
  try {
    width_of("test:delta=1e-320", 10, 3);
    FAIL() << "2kT/1e-320 is not a number";
  } catch (const Error& error) {
    EXPECT_EQ(error.report().field, "policy test: delta");
  }
}

TEST(Confidence, ParametersRefuseWhatHasNoMeaning) {
  for (const char* text : {"test:delta=0", "test:delta=1", "test:scale=0", "test:scale=-1",
                           "test:confidence=guess", "test:ties=highest"})
    EXPECT_THROW(width_of(text, 10, 3), Error) << text;
}

TEST(Statistics, UnplayedHasMeanZeroAndTheWidthOfOneSample) {
  const Statistics statistics(2);
  const Width width(2, 1);  // w(n) = sqrt(1/n)
  EXPECT_EQ(statistics.count(1), 0u);
  EXPECT_EQ(statistics.floored_count(1), 1u);
  EXPECT_EQ(statistics.mean(1), 0);
  EXPECT_EQ(statistics.upper(1, width), 1);
}

TEST(Statistics, AddsUpMeansAndUppers) {
  Statistics statistics(2);
  const Width width(2, 1);
  for (const double reward : {1.0, 0.0, 0.5, 0.5}) statistics.add(0, reward);
  EXPECT_EQ(statistics.count(0), 4u);
  EXPECT_EQ(statistics.sum(0), 2);
  EXPECT_EQ(statistics.mean(0), 0.5);
  EXPECT_EQ(statistics.upper(0, width), 0.5 + 0.5);
  EXPECT_EQ(statistics.count(1), 0u);
}

}  // namespace
}  // namespace armature
