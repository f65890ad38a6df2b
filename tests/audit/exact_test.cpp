#include "audit/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/statistics.h"

namespace armature {
namespace {

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

double log_score(const SuccessTable& table) {
  double score = 0;
  for (std::size_t a = 0; a < table.rows.size(); ++a)
    score +=
        log_choose(static_cast<double>(table.rows[a]), static_cast<double>(table.successes[a]));
  return score;
}

// Every table with the same totals, with its probability.
void every_table(const SuccessTable& like,
                 const std::function<void(const SuccessTable&, double)>& each) {
  std::uint64_t rows = 0, successes = 0;
  for (const std::uint64_t n : like.rows) rows += n;
  for (const std::uint64_t s : like.successes) successes += s;
  const double all = log_choose(static_cast<double>(rows), static_cast<double>(successes));
  SuccessTable table{like.rows, std::vector<std::uint64_t>(like.rows.size())};
  const std::function<void(std::size_t, std::uint64_t)> deal = [&](std::size_t a,
                                                                   std::uint64_t left) {
    if (a == table.rows.size()) {
      if (left == 0) each(table, std::exp(log_score(table) - all));
      return;
    }
    for (std::uint64_t s = 0; s <= std::min(left, table.rows[a]); ++s) {
      table.successes[a] = s;
      deal(a + 1, left - s);
    }
  };
  deal(0, successes);
}

double by_enumeration(const SuccessTable& seen) {
  const double limit = log_score(seen) + 1e-7;
  double sum = 0;
  every_table(seen, [&](const SuccessTable& table, double probability) {
    if (log_score(table) <= limit) sum += probability;
  });
  return sum;
}

SuccessTable random_table(std::size_t actions, std::uint32_t most, std::uint32_t number) {
  Stream stream({11, number, Purpose::kTest});
  SuccessTable table;
  for (std::size_t a = 0; a < actions; ++a) {
    table.rows.push_back(uniform_index(stream, most + 1));
    table.successes.push_back(
        uniform_index(stream, static_cast<std::uint32_t>(table.rows.back()) + 1));
  }
  return table;
}

// The lady tasting tea: (1 + 16 + 16 + 1)/70.
TEST(FreemanHalton, LadyTastingTea) {
  EXPECT_NEAR(fisher_exact({{4, 4}, {3, 1}}), 34.0 / 70, 1e-12);
  EXPECT_NEAR(fisher_exact({{4, 4}, {4, 0}}), 2.0 / 70, 1e-12);
  EXPECT_NEAR(fisher_exact({{4, 4}, {2, 2}}), 1, 1e-12);
  // So far out that every term is 0: there is no tail to walk down, for 10^12 rows neither.
  constexpr std::uint64_t kMany = 1'000'000'000'000;
  EXPECT_EQ(fisher_exact({{kMany, kMany}, {kMany / 4, kMany / 2}}), 0);
}

TEST(FreemanHalton, NetworkIsEnumeration) {
  int compared = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const SuccessTable table = random_table(2 + i % 4, 8, i);
    Stream stream({1, i, Purpose::kTest});
    const TestResult result = freeman_halton(table, stream);
    if (result.method == "none") continue;
    EXPECT_EQ(result.method, "exact");
    EXPECT_NEAR(result.p_value, by_enumeration(table), 1e-9) << i;
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

TEST(FreemanHalton, TwoActionsOfAnySize) {
  for (std::uint32_t i = 0; i < 100; ++i) {
    const SuccessTable table = random_table(2, 60, i);
    if (table.rows[0] == 0 || table.rows[1] == 0) continue;
    EXPECT_NEAR(fisher_exact(table), by_enumeration(table), 1e-9) << i;
  }
  // 10^6 rows: as the normal law has it, z = 4.
  const double p = fisher_exact({{500'000, 500'000}, {251'000, 249'000}});
  EXPECT_NEAR(p, 6.3e-5, 5e-6);
}

// A p-value is never small too often: exactly, for every table with these totals.
TEST(FreemanHalton, NeverRejectsTooOften) {
  const SuccessTable like{{7, 5, 9, 4}, {3, 4, 2, 3}};
  std::vector<std::pair<double, double>> values;  // p-value, probability
  every_table(like, [&](const SuccessTable& table, double probability) {
    Stream stream({1, 1, Purpose::kTest});
    values.emplace_back(freeman_halton(table, stream).p_value, probability);
  });
  for (const double level : {0.001, 0.01, 0.05, 0.2, 0.5}) {
    double rejected = 0;
    for (const auto& [p, probability] : values) rejected += p <= level ? probability : 0;
    EXPECT_LE(rejected, level + 1e-9) << level;
  }
}

// Without steps for the network tables are drawn; the error it states is true: 4.9 of it has a
// false-alarm rate of 1e-6 each.
TEST(FreemanHalton, MonteCarloAgreesWithinItsError) {
  for (std::uint32_t i = 0; i < 20; ++i) {
    const SuccessTable table = random_table(4, 15, 1000 + i);
    Stream stream({2, i, Purpose::kTest});
    const TestResult drawn = freeman_halton(table, stream, {.steps = 0, .trials = {}});
    const TestResult exact = freeman_halton(table, stream);
    if (exact.method == "none") continue;
    EXPECT_EQ(drawn.method, "Monte Carlo");
    EXPECT_NEAR(drawn.p_value, exact.p_value,
                test::kNormalBound * std::max(drawn.standard_error, 1e-4))
        << i;
  }
}

TEST(FreemanHalton, NothingToTest) {
  Stream stream({1, 1, Purpose::kTest});
  EXPECT_EQ(freeman_halton({{5}, {2}}, stream).method, "none");
  EXPECT_EQ(freeman_halton({{5, 0}, {2, 0}}, stream).p_value, 1);
  EXPECT_EQ(freeman_halton({{5, 4}, {0, 0}}, stream).p_value, 1);
  EXPECT_EQ(freeman_halton({{5, 4, 3}, {5, 4, 3}}, stream).p_value, 1);
}

}  // namespace
}  // namespace armature
