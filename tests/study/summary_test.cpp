// Summaries against the definitions, computed here from the replications themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "base/sqlite.h"
#include "lab/student.h"
#include "lab/worlds.h"
#include "study/store.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

using test::TemporaryDirectory;

constexpr std::uint32_t kReplications = 23;

// One study, run once, and the same replications straight from the engine.
class Summaries : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory;
    const StudyPlan plan =
        test::plan_of(test::kSmallStudy, {"replications=" + std::to_string(kReplications)});
    run_study(plan, directory_->path(), test::on_threads(2));
    result_ = new StudyResult(read_results(directory_->path()));
  }
  static void TearDownTestSuite() {
    delete result_;
    delete directory_;
  }

  static BlockResult replay(const PlannedCell& planned) {
    const std::uint64_t seed = result_->plan.study.seed;
    Cell cell;
    cell.world =
        world_source(InstanceSource(planned.instance, planned.horizon, seed), planned.horizon);
    cell.policy = planned.policy;
    cell.horizon = planned.horizon;
    cell.seed = seed;
    cell.checkpoints = log_checkpoints(planned.horizon, result_->plan.study.checkpoints);
    cell.follow_shares = true;
    const std::atomic<bool> never{false};
    return run_block(cell, {0, kReplications}, never);
  }

  static const TemporaryDirectory* directory_;
  static const StudyResult* result_;
};
const TemporaryDirectory* Summaries::directory_ = nullptr;
const StudyResult* Summaries::result_ = nullptr;

// The slow and obvious one, type 7.
double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= values.size()) return values.back();
  return values[below] + (at - static_cast<double>(below)) * (values[below + 1] - values[below]);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void expect_spread(const Spread& spread, const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / (n - 1));
  const double tolerance = 1e-12 * (1 + std::abs(mean) + deviation);
  EXPECT_EQ(spread.count, values.size());
  EXPECT_NEAR(spread.mean, mean, tolerance);
  EXPECT_NEAR(spread.deviation, deviation, tolerance);
  EXPECT_NEAR(spread.standard_error, deviation / std::sqrt(n), tolerance);
  EXPECT_NEAR(spread.high() - spread.mean, student_t95(values.size() - 1) * spread.standard_error,
              tolerance);
  EXPECT_NEAR(spread.mean - spread.low(), spread.high() - spread.mean, tolerance);
  // To the last bit: the same formula on the same order statistics.
  EXPECT_EQ(spread.least, *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(spread.q05, quantile(values, 0.05));
  EXPECT_EQ(spread.q25, quantile(values, 0.25));
  EXPECT_EQ(spread.median, quantile(values, 0.5));
  EXPECT_EQ(spread.q75, quantile(values, 0.75));
  EXPECT_EQ(spread.q95, quantile(values, 0.95));
  EXPECT_EQ(spread.most, *std::max_element(values.begin(), values.end()));
}

TEST_F(Summaries, CurvesAndSimpleRegret) {
  ASSERT_EQ(result_->cells.size(), 18u);
  for (const CellSummary& summary : result_->cells) {
    const BlockResult block = replay(summary.cell);
    ASSERT_EQ(summary.curve.size(), block.replications[0].regret.size());
    EXPECT_EQ(summary.curve.back().round, summary.cell.horizon);
    for (std::size_t i = 0; i < summary.curve.size(); ++i) {
      std::vector<double> values;
      for (const Replication& replication : block.replications)
        values.push_back(replication.regret[i]);
      expect_spread(summary.curve[i].regret, values);
    }
    std::vector<double> simple;
    for (const Replication& replication : block.replications)
      simple.push_back(replication.simple_regret);
    EXPECT_NEAR(summary.simple_regret, mean_of(simple), 1e-12);
  }
}

TEST_F(Summaries, PullsAreSumsOverReplications) {
  for (const CellSummary& summary : result_->cells) {
    std::vector<std::uint64_t> sums(summary.cell.actions);
    for (const Replication& replication : replay(summary.cell).replications)
      for (std::size_t a = 0; a < sums.size(); ++a) sums[a] += replication.pulls[a];
    ASSERT_EQ(summary.pulls.size(), sums.size());
    for (std::size_t a = 0; a < sums.size(); ++a)
      EXPECT_EQ(summary.pulls[a], static_cast<double>(sums[a]) / kReplications);
    EXPECT_NEAR(std::accumulate(summary.pulls.begin(), summary.pulls.end(), 0.0),
                static_cast<double>(summary.cell.horizon), 1e-9);
  }
}

TEST_F(Summaries, SharesOfABalancerAtEveryCheckpoint) {
  for (const CellSummary& summary : result_->cells) {
    if (summary.cell.policy != "db") {
      EXPECT_TRUE(summary.shares.empty());
      continue;
    }
    const BlockResult block = replay(summary.cell);
    ASSERT_EQ(summary.shares.size(), 2u);
    for (const ShareCurve& curve : summary.shares) {
      ASSERT_EQ(curve.share.size(), summary.curve.size());
      for (std::size_t i = 0; i < curve.share.size(); ++i) {
        std::vector<double> values;
        for (const Replication& replication : block.replications)
          for (const Diagnostic& share : replication.shares[i])
            if (share.name == "share(" + curve.learner + ")") values.push_back(share.value);
        ASSERT_EQ(values.size(), kReplications);
        EXPECT_NEAR(curve.share[i], mean_of(values), 1e-12);
      }
    }
  }
}

TEST_F(Summaries, DiagnosticsAtTheHorizon) {
  for (const CellSummary& summary : result_->cells) {
    const BlockResult block = replay(summary.cell);
    std::map<std::string, std::vector<double>> values;
    for (const Replication& replication : block.replications)
      for (const Diagnostic& diagnostic : replication.diagnostics)
        values[diagnostic.name].push_back(diagnostic.value);
    ASSERT_EQ(summary.diagnostics.size(), values.size());
    for (const DiagnosticSummary& diagnostic : summary.diagnostics) {
      EXPECT_EQ(diagnostic.replications, values[diagnostic.name].size());
      if (!diagnostic.is_name())
        EXPECT_NEAR(diagnostic.mean, mean_of(values[diagnostic.name]), 1e-9) << diagnostic.name;
    }
  }
}

TEST_F(Summaries, DifferencesArePairedByReplicationAndStartFromTheBest) {
  EXPECT_EQ(result_->differences.size(), 6u * 2);  // six worlds and horizons, two rivals each
  for (const PairedDifference& pair : result_->differences) {
    const PlannedCell& first = result_->plan.cells[pair.first];
    const PlannedCell& second = result_->plan.cells[pair.second];
    EXPECT_EQ(first.instance, second.instance);
    EXPECT_EQ(first.horizon, second.horizon);
    const BlockResult one = replay(first);
    const BlockResult other = replay(second);
    std::vector<double> differences;
    double better = 0;
    for (std::uint32_t i = 0; i < kReplications; ++i) {
      const double difference =
          one.replications[i].regret.back() - other.replications[i].regret.back();
      differences.push_back(difference);
      better += difference < 0 ? 1 : difference == 0 ? 0.5 : 0;
    }
    expect_spread(pair.difference, differences);
    EXPECT_LE(pair.difference.mean, 1e-12);
    EXPECT_NEAR(pair.share_better, better / kReplications, 1e-12);
  }
}

// The same cell by `simulate` and by `run`: the same numbers to the last digit.
TEST_F(Summaries, SimulateSaysTheSameToTheLastBit) {
  for (const CellSummary& stored : result_->cells) {
    Simulation simulation;
    simulation.instance = stored.cell.instance;
    simulation.policies = {stored.cell.policy};
    simulation.horizon = stored.cell.horizon;
    simulation.replications = kReplications;
    simulation.seed = result_->plan.study.seed;
    simulation.checkpoints = result_->plan.study.checkpoints;
    simulation.follow_shares = true;
    const CellSummary summary = simulate(simulation, test::on_threads(2)).cells.at(0);
    ASSERT_EQ(summary.curve.size(), stored.curve.size());
    for (std::size_t i = 0; i < stored.curve.size(); ++i) {
      const Spread &ours = summary.curve[i].regret, &theirs = stored.curve[i].regret;
      EXPECT_EQ(summary.curve[i].round, stored.curve[i].round);
      EXPECT_EQ(ours.mean, theirs.mean);
      EXPECT_EQ(ours.deviation, theirs.deviation);
      EXPECT_EQ(ours.standard_error, theirs.standard_error);
      EXPECT_EQ(ours.q05, theirs.q05);
      EXPECT_EQ(ours.median, theirs.median);
      EXPECT_EQ(ours.most, theirs.most);
    }
    EXPECT_EQ(stored.finals.size(), kReplications);
    EXPECT_EQ(summary.finals, stored.finals);
    EXPECT_EQ(summary.simple_regret, stored.simple_regret);
    EXPECT_EQ(summary.pulls, stored.pulls);
    EXPECT_EQ(summary.engine, stored.engine);
    ASSERT_EQ(summary.diagnostics.size(), stored.diagnostics.size());
    for (std::size_t i = 0; i < stored.diagnostics.size(); ++i) {
      EXPECT_EQ(summary.diagnostics[i].name, stored.diagnostics[i].name);
      EXPECT_EQ(summary.diagnostics[i].mean, stored.diagnostics[i].mean);
      EXPECT_EQ(summary.diagnostics[i].counts, stored.diagnostics[i].counts);
    }
    ASSERT_EQ(summary.shares.size(), stored.shares.size());
    for (std::size_t i = 0; i < stored.shares.size(); ++i)
      EXPECT_EQ(summary.shares[i].share, stored.shares[i].share);
  }
}

TEST(Spread, OfOneValueIsThatValue) {
  const TemporaryDirectory directory;
  run_study(test::plan_of(test::kSmallStudy, {"replications=1"}), directory.path());
  for (const CellSummary& summary : read_results(directory.path()).cells) {
    const Spread& spread = summary.final_regret();
    EXPECT_EQ(spread.count, 1u);
    EXPECT_FALSE(spread.error_known());
    EXPECT_EQ(spread.deviation, 0);
    for (const double value : {spread.low(), spread.high(), spread.least, spread.q05, spread.median,
                               spread.q95, spread.most})
      EXPECT_EQ(value, spread.mean);
  }
}

TEST(Differences, LeaveTheOracleOut) {
  const TemporaryDirectory directory;
  const StudyPlan plan = test::plan_of(test::kSmallStudy, {"policies=['oracle','ucb','uniform']"});
  run_study(plan, directory.path());
  for (const PairedDifference& pair : read_results(directory.path()).differences)
    for (const std::uint32_t cell : {pair.first, pair.second})
      EXPECT_NE(plan.cells[cell].policy, "oracle");
}

}  // namespace
}  // namespace armature
