#include "policies/tools/confidence.h"

#include <gtest/gtest.h>

#include "armature/error.h"
#include "base/kl.h"
#include "base/refusal.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;

constexpr Round kNone = 0;  // no horizon

Problem problem_with_horizon(Round horizon) {
  Problem problem = test::problem_of({{0.5, 0.5}, {0.25, 0.75}}, horizon);
  if (horizon == kNone) problem.horizon.reset();
  return problem;
}

Confidence confidence_of(const std::string& text, Round horizon, std::uint32_t count) {
  const Arguments arguments("policy test", TextForm::parse(text), index_parameters());
  const Problem problem = problem_with_horizon(horizon);
  return confidence_for(confidence_family(problem, arguments), problem, arguments, count);
}

// The width above a mean of 1/2, where the family is not told more than n.
double width_of(const std::string& text, Round horizon, std::uint32_t count, std::uint64_t n) {
  return confidence_of(text, horizon, count).up(0.5, n);
}

std::string family_of(const std::string& text, Round horizon, const std::string& fallback) {
  const Arguments arguments("policy test", TextForm::parse(text), index_parameters());
  return confidence_family(problem_with_horizon(horizon), arguments, fallback);
}

TEST(Confidence, PaperWidthHasTheUnionOverQuantitiesAndRounds) {
  // δ = 1/T = 0.1, L = log(2·3·10/0.1) = log 600 = 6.39693; w(1) = sqrt(L/2) = 1.78843.
  EXPECT_DOUBLE_EQ(width_of("test", 10, 3, 1), std::sqrt(std::log(600.0) / 2));
  EXPECT_NEAR(width_of("test", 10, 3, 1), 1.78843, 1e-5);
  EXPECT_DOUBLE_EQ(width_of("test", 10, 3, 4), width_of("test", 10, 3, 1) / 2);
}

TEST(Confidence, HorizonOneKeepsDeltaBelowOne) {
  // δ = 1/max(1,2) = 1/2: L = log(2·3·1·2) = log 12.
  EXPECT_DOUBLE_EQ(width_of("test", 1, 3, 1), std::sqrt(std::log(12.0) / 2));
}

TEST(Confidence, BilodeauWidthKnowsNeitherCountNorUnion) {
  // δ = 1/T² = 1/100: sqrt(log 100/2), whatever the number of quantities.
  for (const std::uint32_t count : {3u, 300u})
    EXPECT_DOUBLE_EQ(width_of("test:confidence=bilodeau", 10, count, 1),
                     std::sqrt(std::log(100.0) / 2));
}

TEST(Confidence, GivenDeltaAndScaleAreUsed) {
  // L = log(2·3·10/0.25) = log 240.
  EXPECT_DOUBLE_EQ(width_of("test:delta=0.25,scale=0.5", 10, 3, 2),
                   0.5 * std::sqrt(std::log(240.0) / 4));
  EXPECT_DOUBLE_EQ(width_of("test:confidence=bilodeau,delta=0.25", 10, 3, 2),
                   std::sqrt(std::log(4.0) / 4));
  // 10.4·3/0.25 = 124.8
  EXPECT_DOUBLE_EQ(
      width_of("test:confidence=anytime,delta=0.25,scale=0.5", 10, 3, 2),
      0.5 * (0.85 * std::sqrt((std::log(std::log(4.0)) + 0.72 * std::log(124.8)) / 2)));
}

TEST(Confidence, AnytimeWidthByHand) {
  // k = 20, δ = 0.05: 10.4·20/0.05 = 4160, log = 8.33327, ·0.72 = 5.99995.
  // n = 1: log log 2 = −0.36651; 0.85·sqrt(5.63344) = 2.017464.
  // n = 100: log log 200 = log 5.29832 = 1.66739; 0.85·sqrt(7.66734/100) = 0.235365.
  EXPECT_NEAR(width_of("test:confidence=anytime", 10, 20, 1), 2.017464, 1e-6);
  EXPECT_NEAR(width_of("test:confidence=anytime", 10, 20, 100), 0.235365, 1e-6);
  // No horizon in it, and none needed.
  EXPECT_EQ(width_of("test:confidence=anytime", kNone, 20, 100),
            width_of("test:confidence=anytime", 1'000'000, 20, 100));
}

TEST(Confidence, ExceptForKlTheMeanDoesNotMatterAndBothSidesAreEqual) {
  for (const char* text : {"test", "test:confidence=bilodeau", "test:confidence=anytime"}) {
    const Confidence confidence = confidence_of(text, 100, 3);
    for (const double mean : {0.0, 0.3, 1.0}) {
      EXPECT_EQ(confidence.up(mean, 7), confidence.up(0.5, 7)) << text;
      EXPECT_EQ(confidence.widths(mean, 7).down, confidence.up(0.5, 7)) << text;
    }
  }
}

// β(n) = 1.1·log(2k(j+1)(j+2)/(δ/2)), j = floor(log n/log 1.1).
TEST(Confidence, AnytimeKlIsTheTighterOfTwoIntervals) {
  const Confidence confidence = Confidence::anytime_kl(3, 0.1, 1);
  // Mean 0, n = 100: log 100/log 1.1 = 48.3, j = 48: β = 1.1·log(2·3·49·50/0.05) = 1.1·log 294000 =
  // 1.1·12.591335 = 13.850468. kl(0,u) = −log(1−u): u = 1 − exp(−0.13850468) = 0.129341.
  EXPECT_NEAR(confidence.up(0, 100), 0.129341, 1e-6);
  EXPECT_NEAR(confidence.widths(1, 100).down, 0.129341, 1e-6);
  EXPECT_EQ(confidence.widths(0, 100).down, 0);  // nothing is below 0
  EXPECT_EQ(confidence.up(1, 100), 0);
  // In the middle Hoeffding's is tighter: kl there is 2(u−p)² and the stitching of kl costs more.
  // The width is that of anytime at half the level.
  EXPECT_EQ(confidence.up(0.5, 100), Confidence::anytime(3, 0.05, 1).up(0.5, 100));
  for (const std::uint64_t n : {1ull, 2ull, 10ull, 1000ull, 1'000'000ull})
    for (const double mean : {0.0, 0.01, 0.3, 0.5, 0.99, 1.0}) {
      const double most = Confidence::anytime(3, 0.05, 1).up(mean, n);
      EXPECT_LE(confidence.up(mean, n), most);
      EXPECT_LE(confidence.widths(mean, n).down, most);
      EXPECT_LE(mean + confidence.up(mean, n), std::max(1.0, mean + most));
      EXPECT_NEAR(confidence.up(mean, n), confidence.widths(1 - mean, n).down, 1e-9);  // mirrored
    }
}

// 1.1^j, rounded, belongs to epoch j: log 1.1^j/log 1.1 must not come out below j for the n where
// it matters, or at least β must not fall with n.
TEST(Confidence, AnytimeKlWidthsShrinkWithSamples) {
  const Confidence confidence = Confidence::anytime_kl(2, 0.05, 1);
  for (std::uint64_t n = 1000; n < 10'000; n += 1) {
    // Between neighbours β grows by at most one epoch: the width may rise a little there, and by
    // no more than sqrt of β's ratio.
    const double before = confidence.up(0.01, n);
    const double after = confidence.up(0.01, n + 1);
    ASSERT_LT(after, before * 1.01) << n;
  }
  EXPECT_LT(confidence.up(0.01, 10'000), confidence.up(0.01, 1000) / 2);
}

TEST(Confidence, ScaleShrinksAnytimeKlToo) {
  EXPECT_DOUBLE_EQ(Confidence::anytime_kl(3, 0.1, 0.5).up(0, 100),
                   Confidence::anytime_kl(3, 0.1, 1).up(0, 100) / 2);
}

TEST(Confidence, DefaultIsThePolicysOwnWithAHorizonAndAnytimeWithout) {
  EXPECT_EQ(family_of("test", 10, "paper"), "paper");
  EXPECT_EQ(family_of("test", 10, "anytime"), "anytime");
  EXPECT_EQ(family_of("test", kNone, "paper"), "anytime");
  EXPECT_EQ(family_of("test:confidence=paper", 10, "anytime"), "paper");
  EXPECT_EQ(family_of("test:confidence=anytime-kl", kNone, "paper"), "anytime-kl");
  // The anytime default level is 0.05.
  EXPECT_EQ(width_of("test", kNone, 3, 5), Confidence::anytime(3, 0.05, 1).up(0.5, 5));
}

TEST(Confidence, FamiliesThatNeedAHorizonAreRefusedWithoutOne) {
  for (const char* family : {"paper", "bilodeau"}) {
    const std::string said =
        refusal([&] { family_of(std::string("test:confidence=") + family, kNone, "paper"); });
    EXPECT_TRUE(contains(said, "policy test: confidence")) << said;
    EXPECT_TRUE(contains(said, std::string(family) + " without a horizon")) << said;
    EXPECT_TRUE(contains(said, "anytime")) << said;
  }
}

TEST(Confidence, DeltaTooSmallToDivideByIsRefused) {
  for (const char* text : {"test:delta=1e-320", "test:confidence=anytime,delta=1e-320",
                           "test:confidence=anytime-kl,delta=1e-320"})
    EXPECT_TRUE(contains(refusal([&] { confidence_of(text, 10, 3); }), "policy test: delta"))
        << text;
}

TEST(Confidence, ParametersRefuseWhatHasNoMeaning) {
  for (const char* text : {"test:delta=0", "test:delta=1", "test:scale=0", "test:scale=-1",
                           "test:confidence=guess", "test:ties=highest"})
    EXPECT_THROW(confidence_of(text, 10, 3), Error) << text;
}

TEST(Statistics, UnplayedHasMeanZeroAndTheWidthOfOneSample) {
  const Statistics statistics(2);
  const Confidence confidence = Confidence::fixed(2, 1);  // w(n) = sqrt(1/n)
  EXPECT_EQ(statistics.count(1), 0u);
  EXPECT_EQ(statistics.floored_count(1), 1u);
  EXPECT_EQ(statistics.mean(1), 0);
  EXPECT_EQ(statistics.upper(1, confidence), 1);
  EXPECT_EQ(statistics.widths(1, confidence).down, 1);
}

TEST(Statistics, AddsUpMeansAndBounds) {
  Statistics statistics(2);
  const Confidence confidence = Confidence::fixed(2, 1);
  for (const double reward : {1.0, 0.0, 0.5, 0.5}) statistics.add(0, reward);
  EXPECT_EQ(statistics.count(0), 4u);
  EXPECT_EQ(statistics.sum(0), 2);
  EXPECT_EQ(statistics.mean(0), 0.5);
  EXPECT_EQ(statistics.upper(0, confidence), 0.5 + 0.5);
  EXPECT_EQ(statistics.widths(0, confidence).down, 0.5);
  EXPECT_EQ(statistics.count(1), 0u);
}

// An unplayed quantity has mean 0 by convention only: kl must not take it for a sample of 0, which
// would hold its upper bound down.
TEST(Statistics, UnplayedIsNotASampleOfZeroForKlEither) {
  Statistics statistics(2);
  statistics.add(0, 0);
  const Confidence confidence = Confidence::anytime_kl(3, 0.1, 1);
  const double hoeffding = Confidence::anytime(3, 0.05, 1).up(0, 1);
  EXPECT_LT(statistics.upper(0, confidence), 1);
  EXPECT_EQ(statistics.upper(1, confidence), hoeffding);
  EXPECT_EQ(statistics.widths(1, confidence).down, hoeffding);
  EXPECT_EQ(statistics.widths(1, confidence).up, hoeffding);
}

// With anytime-kl the two sides of a mean near 0 differ.
TEST(Statistics, EachSideHasItsOwnWidth) {
  Statistics statistics(1);
  for (int i = 0; i < 100; ++i) statistics.add(0, 0);
  const Confidence confidence = Confidence::anytime_kl(3, 0.1, 1);
  EXPECT_EQ(statistics.widths(0, confidence).down, 0);
  EXPECT_NEAR(statistics.upper(0, confidence), 0.129341, 1e-6);
}

}  // namespace
}  // namespace armature
