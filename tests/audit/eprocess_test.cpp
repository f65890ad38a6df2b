#include "audit/eprocess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "audit/simulated_log.h"
#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

LogRow row_of(std::uint32_t action, std::uint32_t context, double reward) {
  LogRow row;
  row.action = action;
  row.context = context;
  row.reward = reward;
  return row;
}

double log_value(const AuditTable& table) {
  std::vector<double> of_contexts;
  for (std::size_t z = 0; z < table.contexts(); ++z)
    of_contexts.push_back(log_context_evidence(table, z));
  return log_evidence(of_contexts, table.known_contexts());
}

// Two rows in one context, action 0 won and action 1 lost. L of a single row is ½; the null's best
// is ½·½. So (½·½)/(¼) = 1 for either pair and for all apart: E(z) = ½·(1/3 + 1/3) + ½ = 5/6, a
// sixth waits for actions yet to come. Over contexts: ½·(½·5/6 + ½) + ½·(½ + ½·5/6) = 11/12.
TEST(EvidenceProcess, ByHand) {
  AuditTable table;
  table.name(2, 1);
  table.add(row_of(0, 0, 1));
  table.add(row_of(1, 0, 0));
  EXPECT_NEAR(log_pair_evidence({1, 1}, {1, 0}), 0, 1e-12);
  EXPECT_NEAR(log_value(table), std::log(11.0 / 12), 1e-12);
  // Two wins and two losses: L(2 wins) = B(2.5,½)/π = 3/8, the null's best 1/16: (9/64)·16 = 9/4.
  // E(z) = 5/6·9/4 = 15/8; one context: ½·(½·15/8 + ½) + ½·(½ + ½·15/8) = 23/16.
  table.add(row_of(0, 0, 1));
  table.add(row_of(1, 0, 0));
  EXPECT_NEAR(log_context_evidence(table, 0), std::log(1.875), 1e-12);
  EXPECT_NEAR(log_value(table), std::log(23.0 / 16), 1e-12);
}

// The expectation at a stopping time, exactly: every path of outcomes is followed. Actions are
// chosen greedily and play stops when the process is high, which is as unfair as a policy gets.
class ExpectedEvidence {
 public:
  ExpectedEvidence(std::vector<double> values, std::vector<double> probabilities, int rounds)
      : values_(std::move(values)), probabilities_(std::move(probabilities)), rounds_(rounds) {}

  /// Names are known beforehand, or come as they are seen.
  double stopped_at(double bound, bool named = true) const {
    AuditTable table;
    if (named) table.name(3, 2);
    return follow(table, 0, bound);
  }

 private:
  double follow(const AuditTable& table, int round, double bound) const {
    const double value = table.rows() == 0 ? 0 : log_value(table);
    if (round == rounds_ || value >= std::log(bound)) return std::exp(value);
    std::uint32_t best = 0;  // the action with the best mean so far, unplayed ones first
    double best_mean = -1;
    for (std::uint32_t a = 0; a < 3; ++a) {
      const AuditCell played = a < table.actions() ? table.of_action(a) : AuditCell();
      const double mean = played.rows == 0 ? 2 : played.mean();
      if (mean > best_mean) {
        best_mean = mean;
        best = a;
      }
    }
    double expected = 0;
    for (std::uint32_t z = 0; z < 2; ++z)  // each context half of the time
      for (std::size_t i = 0; i < values_.size(); ++i) {
        // In context 1 rewards are turned: another mean, the same for all actions.
        AuditTable next = table;
        next.add(row_of(best, z, z == 0 ? values_[i] : 1 - values_[i]));
        expected += 0.5 * probabilities_[i] * follow(next, round + 1, bound);
      }
    return expected;
  }

  std::vector<double> values_, probabilities_;
  int rounds_;
};

TEST(EvidenceProcess, ExpectationIsAtMostOneForEveryPath) {
  for (const double mean : {0.1, 0.3, 0.5})
    for (const double bound : {1.05, 1.5, 100.0})
      EXPECT_LE(ExpectedEvidence({0, 1}, {1 - mean, mean}, 7).stopped_at(bound), 1 + 1e-9)
          << mean << " " << bound;
  for (const double bound : {1.05, 100.0})
    EXPECT_LE(ExpectedEvidence({0, 1}, {0.7, 0.3}, 7).stopped_at(bound, false), 1 + 1e-9);
  for (const double bound : {1.05, 100.0})
    EXPECT_LE(ExpectedEvidence({0, 0.5, 1}, {0.2, 0.5, 0.3}, 5).stopped_at(bound), 1 + 1e-9);
}

// Ten ways to decide when to look, on logs of learning policies in worlds where Z separates. The
// process passes 1/α = 5 in at most a fifth of the runs, whatever the rule; how often that is by
// luck at most is known to 1e-6 each.
struct Path {
  std::vector<double> values;   // log E after each look
  std::vector<double> best;     // share of the most played action
  std::vector<double> rewards;  // mean so far
};

Path path_of(LogSource& log) {
  Path path;
  AuditTable table;
  table.name(log.actions().size(), log.contexts().size());
  double sum = 0;
  LogRow row;
  while (log.next(row)) {
    table.add(row);
    sum += row.reward;
    if (table.rows() % 10 != 0) continue;
    path.values.push_back(log_value(table));
    std::uint64_t most = 0;
    for (std::size_t a = 0; a < table.actions(); ++a)
      most = std::max(most, table.of_action(a).rows);
    path.best.push_back(static_cast<double>(most) / static_cast<double>(table.rows()));
    path.rewards.push_back(sum / static_cast<double>(table.rows()));
  }
  return path;
}

using StoppingRule = std::function<std::size_t(const Path&)>;

std::size_t first_where(const Path& path, const std::function<bool(std::size_t)>& holds) {
  for (std::size_t i = 0; i < path.values.size(); ++i)
    if (holds(i)) return i;
  return path.values.size() - 1;
}

std::vector<std::pair<const char*, StoppingRule>> stopping_rules() {
  const auto at = [](double share) {
    return [share](const Path& path) {
      return static_cast<std::size_t>(share * static_cast<double>(path.values.size() - 1));
    };
  };
  const double bound = std::log(5.0);
  return {
      {"the end", at(1)},
      {"the middle", at(0.5)},
      {"early", at(0.05)},
      {"as soon as it is high",
       [=](const Path& p) {
         return first_where(p, [&](std::size_t i) { return p.values[i] >= bound; });
       }},
      {"high after a quarter",
       [=](const Path& p) {
         return first_where(
             p, [&](std::size_t i) { return i > p.values.size() / 4 && p.values[i] >= bound; });
       }},
      {"when it has risen three times in a row",
       [](const Path& p) {
         return first_where(p, [&](std::size_t i) {
           return i > 2 && p.values[i] > p.values[i - 1] && p.values[i - 1] > p.values[i - 2] &&
                  p.values[i - 2] > p.values[i - 3];
         });
       }},
      {"when one action has most plays",
       [](const Path& p) {
         return first_where(p, [&](std::size_t i) { return p.best[i] > 0.5; });
       }},
      {"when rewards are good",
       [](const Path& p) {
         return first_where(p, [&](std::size_t i) { return i > 5 && p.rewards[i] > 0.6; });
       }},
      {"when rewards are bad",
       [](const Path& p) {
         return first_where(p, [&](std::size_t i) { return i > 5 && p.rewards[i] < 0.4; });
       }},
      {"at its highest of the first half",  // looks back, and still may not pass
       [](const Path& p) {
         return static_cast<std::size_t>(
             std::max_element(p.values.begin(),
                              p.values.begin() + static_cast<std::ptrdiff_t>(p.values.size() / 2)) -
             p.values.begin());
       }},
  };
}

class EvidenceValidity : public testing::TestWithParam<const char*> {};

TEST_P(EvidenceValidity, AtTenStoppingRules) {
  constexpr int kRuns = 150;
  const int by_luck = test::most_failures_by_luck(kRuns, 0.2, test::kFalseAlarmRate);
  std::vector<int> passed(stopping_rules().size());
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    test::VectorSource log =
        test::simulated_log("random-benign:actions=4,contexts=2", GetParam(), 600, run);
    const Path path = path_of(log);
    const auto rules = stopping_rules();
    for (std::size_t i = 0; i < rules.size(); ++i)
      passed[i] += path.values[rules[i].second(path)] >= std::log(5.0) ? 1 : 0;
  }
  for (std::size_t i = 0; i < passed.size(); ++i)
    EXPECT_LE(passed[i], by_luck) << stopping_rules()[i].first;
}

INSTANTIATE_TEST_SUITE_P(Policies, EvidenceValidity,
                         testing::Values("uniform", "ucb", "sentry", "ts"));

// Whether names are known or not: all weights there can be sum to 1.
TEST(EvidenceProcess, WeightsOfNamesSumToOne) {
  for (const std::size_t known : {0, 1, 5}) {
    double sum = 0;
    for (std::size_t i = 0; i < 1000; ++i) sum += name_weight(i, known);
    EXPECT_NEAR(sum, 1 - 1.0 / 1001, 1e-12);
  }
}

TEST(EvidenceProcess, FindsAHiddenArmInALogOfUcb) {
  int found = 0;
  for (std::uint32_t run = 0; run < 20; ++run) {
    test::VectorSource log = test::simulated_log("hidden-arm:actions=5,gap=0.3", "ucb", 3000, run);
    AuditTable table;
    LogRow row;
    while (log.next(row)) table.add(row);
    found += log_value(table) >= std::log(20.0) ? 1 : 0;
  }
  EXPECT_GE(found, 18);
}

TEST(EvidenceProcess, KeepsItsLargestValueWhateverNamesCome) {
  AuditTable table;
  EvidenceProcess process;
  for (int i = 0; i < 20; ++i) {
    table.add(row_of(0, 0, 1));
    table.add(row_of(1, 0, 0));
    process.look(table);
  }
  const double high = process.log_largest();
  EXPECT_GT(high, 5);
  for (int i = 0; i < 200; ++i) {
    table.add(row_of(0, 0, i % 2));
    table.add(row_of(1, 0, i % 2));
  }
  process.look(table);
  EXPECT_LT(process.log_now(), high);
  EXPECT_GE(process.log_largest(), high);
  const double of_cell = process.log_largest(1, 0);
  table.add(row_of(2, 1, 0));
  process.look(table);
  EXPECT_GE(process.log_largest(), high);
  EXPECT_GE(process.log_largest(1, 0), of_cell);
  EXPECT_EQ(process.log_largest(2, 1), 0);
}

}  // namespace
}  // namespace armature
