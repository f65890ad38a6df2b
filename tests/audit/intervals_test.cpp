#include "audit/intervals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/discrete.h"

namespace armature {
namespace {

AuditCell cell_of(const std::vector<double>& rewards) {
  AuditTable table;
  table.widen(1, 1);
  for (const double reward : rewards) {
    LogRow row;
    row.reward = reward;
    table.add(row);
  }
  return table.cell(0, 0);
}

// 0 of n: (0, 1 − (δ/2)^(1/n)).
TEST(Intervals, ClopperPearsonByHand) {
  const Interval none = binomial_interval(0, 10, 0.05);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - std::pow(0.025, 0.1), 1e-12);
  const Interval all = binomial_interval(10, 10, 0.05);
  EXPECT_NEAR(all.low, std::pow(0.025, 0.1), 1e-12);
  EXPECT_EQ(all.high, 1);
  const Interval some = binomial_interval(7, 20, 0.05);
  EXPECT_NEAR(some.low, 0.1539092, 1e-6);
  EXPECT_NEAR(some.high, 0.5921885, 1e-6);
}

// Exactly: the probability of all counts whose interval holds the truth.
TEST(Intervals, ClopperPearsonCovers) {
  for (const double p : {0.02, 0.3, 0.5, 0.9})
    for (const std::uint64_t n : {5u, 40u}) {
      double covered = 0;
      for (std::uint64_t x = 0; x <= n; ++x) {
        const Interval interval = binomial_interval(x, n, 0.1);
        if (interval.low <= p && p <= interval.high) covered += std::exp(log_binomial_pmf(n, p, x));
      }
      EXPECT_GE(covered, 0.9) << p << " " << n;
    }
}

// Rewards that hardly vary have narrow intervals, and all of them hold the mean.
TEST(Intervals, BoundedMeansUseTheVariance) {
  std::vector<double> rewards;
  for (int i = 0; i < 1000; ++i) rewards.push_back(0.5 + 0.01 * (i % 3 - 1));
  const Interval steady = bounded_mean_interval(cell_of(rewards), 0.05);
  EXPECT_LT(steady.high - steady.low, 0.03);
  for (int i = 0; i < 1000; ++i) rewards[static_cast<std::size_t>(i)] = i % 2;
  const Interval wild = bounded_mean_interval(cell_of(rewards), 0.05);
  EXPECT_GT(wild.high - wild.low, 0.08);
  EXPECT_LT(wild.low, 0.5);
  EXPECT_GT(wild.high, 0.5);
}

// Newcombe's own example: 56/70 against 48/80 is 0.2 with (0.0524, 0.3339).
TEST(Intervals, DifferenceAsPublished) {
  const Interval interval = difference_interval({56, 70}, {48, 80}, 0.05);
  EXPECT_NEAR(interval.low, 0.0524, 1e-4);
  EXPECT_NEAR(interval.high, 0.3339, 1e-4);
  const Interval few = difference_interval({3, 3}, {50, 100}, 0.05);  // all of three is not sure
  EXPECT_LT(few.low, 0);
}

TEST(Intervals, AnytimeIsWider) {
  const Interval fixed = binomial_interval(30, 100, 0.05);
  const Interval anytime = anytime_interval(30, 100, 0.05);
  EXPECT_LT(anytime.low, fixed.low);
  EXPECT_GT(anytime.high, fixed.high);
  EXPECT_EQ(anytime_interval(0, 0, 0.05).high, 1);
}

// k = 2: sqrt(2·log(2/δ)/n).
TEST(Intervals, MarginalRadius) {
  EXPECT_NEAR(marginal_radius(1000, 2, 0.05), std::sqrt(2 * std::log(2 / 0.05) / 1000), 1e-12);
  EXPECT_NEAR(marginal_radius(1000, 3, 0.05), std::sqrt(2 * std::log(6 / 0.05) / 1000), 1e-12);
  EXPECT_EQ(marginal_radius(0, 3, 0.05), 2);
  EXPECT_EQ(marginal_radius(1, 3, 0.05), 2);
  EXPECT_NEAR(anytime_marginal_radius(1000, 2, 0.05),
              std::sqrt(2 * std::log(2 * 1000 * 1001 / 0.05) / 1000), 1e-12);
  for (const Validity validity : {Validity::kFixed, Validity::kAnytime}) {
    const double rows = rows_for_radius(0.01, 5, 0.05, validity);
    const auto at = [&](double n) {
      return validity == Validity::kFixed ? marginal_radius(n, 5, 0.05)
                                          : anytime_marginal_radius(n, 5, 0.05);
    };
    EXPECT_LE(at(rows), 0.01);
    EXPECT_GT(at(rows - 1), 0.01);
  }
}

// The radius holds for empirical marginals: of 400 draws of 200 rows over 4 contexts fewer than 0.1
// are outside at δ = 0.1 (Weissman's bound is far from tight; more than 68 would be a chance of
// 1e-6).
TEST(Intervals, MarginalRadiusCovers) {
  const std::vector<double> truth{0.1, 0.2, 0.3, 0.4};
  int outside = 0;
  for (std::uint32_t run = 0; run < 400; ++run) {
    Stream stream({7, run, Purpose::kTest});
    std::vector<std::uint64_t> counts(4);
    multinomial(stream, 200, truth, counts);
    double distance = 0;
    for (std::size_t z = 0; z < 4; ++z)
      distance += std::abs(static_cast<double>(counts[z]) / 200 - truth[z]);
    outside += distance > marginal_radius(200, 4, 0.1) ? 1 : 0;
  }
  EXPECT_LE(outside, 68);
}

}  // namespace
}  // namespace armature
