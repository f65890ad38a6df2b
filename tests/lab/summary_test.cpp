// The one summary, of a record made by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "armature/lab.h"

namespace armature {
namespace {

Replication replication_of(std::vector<double> regret, std::vector<std::uint64_t> pulls,
                           double simple_regret, Diagnostics diagnostics = {}) {
  Replication result;
  result.regret = std::move(regret);
  result.pulls = std::move(pulls);
  result.simple_regret = simple_regret;
  result.diagnostics = std::move(diagnostics);
  return result;
}

std::vector<PlannedCell> plan_of(std::vector<std::string> policies) {
  std::vector<PlannedCell> plan;
  for (std::string& policy : policies) {
    PlannedCell cell;
    cell.id = static_cast<std::uint32_t>(plan.size());
    cell.policy = std::move(policy);
    cell.horizon = 20;
    cell.actions = 2;
    plan.push_back(std::move(cell));
  }
  return plan;
}

// Three replications with checkpoints at 10 and 20, in blocks of two and one, the second one first.
void add_three(MemoryRecorder& recorder, std::uint32_t cell = 0) {
  BlockResult first;
  first.replications = {replication_of({1, 3}, {15, 5}, 0, {{"switched", 1}, {"switch_round", 8}}),
                        replication_of({2, 5}, {10, 10}, 0.5, {{"switched", 0}})};
  first.seconds = 0.25;
  BlockResult second;
  second.replications = {
      replication_of({3, 10}, {5, 15}, 0.5, {{"switched", 1}, {"switch_round", 4}})};
  second.seconds = 0.5;
  recorder.add(cell, 2, second);
  recorder.add(cell, 0, first);
}

TEST(Summary, OfThreeReplications) {
  MemoryRecorder recorder(1, 3, {10, 20});
  add_three(recorder);
  const Results results = summarize(recorder, plan_of({"ucb"}), 3);
  EXPECT_TRUE(results.complete);
  ASSERT_EQ(results.cells.size(), 1u);
  const CellSummary& summary = results.cells[0];
  ASSERT_EQ(summary.curve.size(), 2u);
  EXPECT_EQ(summary.curve[0].round, 10u);
  EXPECT_DOUBLE_EQ(summary.curve[0].regret.mean, 2);
  const Spread& regret = summary.final_regret();
  EXPECT_EQ(regret.count, 3u);
  EXPECT_DOUBLE_EQ(regret.mean, 6);  // (3 + 5 + 10)/3
  // Squares about the mean: 9 + 1 + 16 = 26, over 2.
  EXPECT_DOUBLE_EQ(regret.deviation, std::sqrt(13.0));
  EXPECT_DOUBLE_EQ(regret.standard_error, std::sqrt(13.0 / 3));
  EXPECT_DOUBLE_EQ(regret.median, 5);
  EXPECT_DOUBLE_EQ(regret.q95, 9.5);  // position 1.9: 5 + 0.9·5
  EXPECT_DOUBLE_EQ(summary.simple_regret, 1.0 / 3);
  EXPECT_EQ(summary.pulls, (std::vector<double>{10, 10}));
  EXPECT_EQ(summary.seconds, 0.75);
  EXPECT_EQ(summary.engine, "step");
}

TEST(Summary, QuantilesAreLinearBetweenOrderStatistics) {
  // Type 7: position q·(n − 1) in the sorted list 1, 2, 4, 8.
  MemoryRecorder recorder(1, 4, {20});
  BlockResult block;
  for (const double value : {8.0, 1.0, 4.0, 2.0})
    block.replications.push_back(replication_of({value}, {20, 0}, 0));
  recorder.add(0, 0, block);
  const Spread spread = summarize(recorder, plan_of({"ucb"}), 4).cells[0].final_regret();
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.most, 8);
  EXPECT_EQ(spread.median, 3);         // position 1.5: between 2 and 4
  EXPECT_DOUBLE_EQ(spread.q95, 7.4);   // position 2.85: 4 + 0.85·4
  EXPECT_DOUBLE_EQ(spread.q25, 1.75);  // position 0.75
}

TEST(Summary, DiagnosticsAverageOverTheReplicationsThatHadThem) {
  MemoryRecorder recorder(1, 3, {10, 20});
  add_three(recorder);
  const CellSummary summary = summarize(recorder, plan_of({"hac-ucb"}), 3).cells[0];
  ASSERT_EQ(summary.diagnostics.size(), 2u);  // by name
  EXPECT_EQ(summary.diagnostics[0].name, "switch_round");
  EXPECT_DOUBLE_EQ(summary.diagnostics[0].mean, 6);  // (8 + 4)/2
  EXPECT_EQ(summary.diagnostics[0].replications, 2u);
  EXPECT_EQ(summary.diagnostics[1].name, "switched");
  EXPECT_DOUBLE_EQ(summary.diagnostics[1].mean, 2.0 / 3);
  EXPECT_EQ(summary.diagnostics[1].replications, 3u);
}

TEST(Summary, WhatIsMissingCountsForNothing) {
  MemoryRecorder recorder(2, 5, {10, 20});
  add_three(recorder, 1);
  const Results results = summarize(recorder, plan_of({"ucb", "ts"}), 5);
  EXPECT_FALSE(results.complete);
  EXPECT_EQ(results.replications_done, 3u);
  EXPECT_EQ(results.replications_total, 10u);
  ASSERT_EQ(results.cells.size(), 1u);
  EXPECT_EQ(results.cells[0].cell.policy, "ts");
  const auto missing = recorder.missing(1);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].first, 3u);
  EXPECT_EQ(missing[0].count, 2u);
}

TEST(Summary, TheOrderOfArrivalLeavesNoTrace) {
  const auto block_of = [](double regret) {
    BlockResult block;
    block.replications = {replication_of({regret}, {20, 0}, 0)};
    return block;
  };
  // Sums of these depend on their order in the last bit.
  const std::vector<double> values = {0.1, 1e15, 0.3, -1e15, 0.7};
  MemoryRecorder forward(1, 5, {20}), backward(1, 5, {20});
  for (std::uint32_t i = 0; i < 5; ++i) forward.add(0, i, block_of(values[i]));
  for (std::uint32_t i = 5; i-- > 0;) backward.add(0, i, block_of(values[i]));
  EXPECT_EQ(summarize(forward, plan_of({"ucb"}), 5).cells[0].final_regret().mean,
            summarize(backward, plan_of({"ucb"}), 5).cells[0].final_regret().mean);
}

// The mean of actions 7, 3 and 7 would be 5.67, which is none.
TEST(Summary, NamesAreCounted) {
  MemoryRecorder recorder(1, 4, {20});
  const auto add = [&](std::uint32_t number, Diagnostics diagnostics) {
    BlockResult block;
    block.replications = {replication_of({1}, {20, 0}, 0, std::move(diagnostics))};
    recorder.add(0, number, block);
  };
  add(3, {action_diagnostic("rejection_action", 7), {"learner", 0, "ucb"}});
  add(1, {});
  add(0, {action_diagnostic("rejection_action", 3), {"learner", 1, "c-ucb"}});
  add(2, {action_diagnostic("rejection_action", 7)});
  const CellSummary summary = summarize(recorder, plan_of({"sentry"}), 4).cells[0];
  using Counts = std::vector<std::pair<std::string, std::uint32_t>>;
  ASSERT_EQ(summary.diagnostics.size(), 2u);
  EXPECT_EQ(summary.diagnostics[0].name, "learner");
  EXPECT_EQ(summary.diagnostics[0].counts, (Counts{{"c-ucb", 1}, {"ucb", 1}}));  // equals by word
  EXPECT_EQ(summary.diagnostics[1].counts, (Counts{{"7", 2}, {"3", 1}}));
  EXPECT_EQ(summary.diagnostics[1].replications, 3u);
  EXPECT_EQ(summary.diagnostics[1].mean, 0);
  EXPECT_TRUE(summary.diagnostics[1].is_name());
}

}  // namespace
}  // namespace armature
