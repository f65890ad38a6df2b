#include "audit/permutation.h"

#include <gtest/gtest.h>

#include <numeric>

#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

// Two actions with rewards 0, ½ and ½, 1: means ¼ and ¾, all rewards together of variance 1/8.
// Each variance is (1/8 + 1/8)/2 = 1/8, each weight 2/(1/8) = 16, distances from the middle ¼:
// 2·16/16 = 2.
TEST(Permutation, StatisticByHand) {
  const RewardSample sample{{0, 0, 1, 1}, {0, 0.5, 0.5, 1}};
  EXPECT_NEAR(studentised_spread(sample, 2), 2, 1e-12);
  EXPECT_EQ(studentised_spread({{0, 1}, {0.3, 0.3}}, 2), 0);
}

TEST(Permutation, NothingToTest) {
  Stream stream({1, 1, Purpose::kTest});
  EXPECT_EQ(permutation_test({{}, {}}, 3, stream, {.draws = 99}).method, "none");
  EXPECT_EQ(permutation_test({{1, 1}, {0.2, 0.4}}, 3, stream, {.draws = 99}).method, "none");
  EXPECT_EQ(permutation_test({{0, 1}, {0.4, 0.4}}, 3, stream, {.draws = 99}).p_value, 1);
}

// Rejections at 0.1 of equal laws, then of equal means and laws that differ (where studentising
// matters: the small group varies most): at most what Binomial(500, 0.1) and, for the second, which
// holds for many rows only, Binomial(500, 0.13) exceed once in 10^6.
TEST(Permutation, FalseAlarms) {
  constexpr int kRuns = 500;
  int equal_laws = 0;
  int equal_means = 0;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    Stream stream({3, run, Purpose::kTest});
    RewardSample one, other;
    for (std::uint32_t i = 0; i < 60; ++i) {
      one.actions.push_back(i % 3);
      one.rewards.push_back(beta_variate(stream, 0.5, 1));
    }
    for (std::uint32_t i = 0; i < 100; ++i) {
      const bool small = i < 25;
      other.actions.push_back(small ? 0 : 1);
      other.rewards.push_back(small ? (stream.uniform() < 0.5 ? 0.1 : 0.9)
                                    : 0.45 + 0.1 * stream.uniform());
    }
    equal_laws += permutation_test(one, 3, stream, {.draws = 199}).p_value <= 0.1 ? 1 : 0;
    equal_means += permutation_test(other, 2, stream, {.draws = 199}).p_value <= 0.1 ? 1 : 0;
  }
  EXPECT_LE(equal_laws, test::most_failures_by_luck(kRuns, 0.1, test::kFalseAlarmRate));
  EXPECT_GE(equal_laws, kRuns / 20);  // and it is a test, not a stamp
  EXPECT_LE(equal_means, test::most_failures_by_luck(kRuns, 0.13, test::kFalseAlarmRate));
}

TEST(Permutation, FindsADifference) {
  Stream stream({4, 1, Purpose::kTest});
  RewardSample sample;
  for (std::uint32_t i = 0; i < 200; ++i) {
    sample.actions.push_back(i % 2);
    sample.rewards.push_back(0.8 * stream.uniform() + (i % 2 == 0 ? 0.2 : 0));
  }
  const TestResult result = permutation_test(sample, 2, stream, {.draws = 999});
  EXPECT_EQ(result.p_value, 1e-3);
  EXPECT_EQ(result.draws, 999u);
}

TEST(Permutation, StopsEarlyWhereNothingIs) {
  Stream stream({5, 1, Purpose::kTest});
  RewardSample sample;
  for (std::uint32_t i = 0; i < 200; ++i) {
    sample.actions.push_back(i % 2);
    sample.rewards.push_back(stream.uniform());
  }
  EXPECT_LT(permutation_test(sample, 2, stream, {.draws = 99'999}).draws, 9999u);
}

// Each of 40 rows is kept by a reservoir of 10 in a quarter of 2000 runs: chi-square over the rows.
TEST(Reservoir, KeepsAllRowsAlike) {
  constexpr std::uint32_t kRuns = 2000;
  std::vector<std::uint64_t> kept(40);
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    Reservoir reservoir(10, run);
    for (std::uint32_t i = 0; i < 40; ++i) {
      LogRow row;
      row.action = i;
      reservoir.add(row);
    }
    EXPECT_FALSE(reservoir.all());
    for (const Reservoir::Kept& row : reservoir.rows()) ++kept[row.action];
  }
  EXPECT_LT(test::chi_square(kept, std::vector<double>(40, 1.0 / 40)), test::chi_square_bound(39));
}

TEST(Reservoir, ARowOfWeightThreeIsThreeRows) {
  Reservoir reservoir(10, 1);
  LogRow row;
  row.weight = 3;
  reservoir.add(row);
  EXPECT_EQ(reservoir.rows().size(), 3u);
  EXPECT_TRUE(reservoir.all());
}

// A row that stands for 10^12 is drawn, not counted off: nine of ten rows are its copies. Of 1000
// kept ones that is 900 ± 9.5; five times that is a false alarm of 1e-6.
TEST(Reservoir, HeavyRowsCostNoMore) {
  Reservoir reservoir(1000, 1);
  LogRow row;
  row.weight = 1e11;
  reservoir.add(row);
  row.action = 1;
  row.weight = 9e11;
  reservoir.add(row);
  double kept = 0;
  for (const Reservoir::Kept& one : reservoir.rows()) kept += one.action;
  EXPECT_NEAR(kept, 900, 48);
  EXPECT_FALSE(reservoir.all());
}

}  // namespace
}  // namespace armature
