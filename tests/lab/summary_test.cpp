#include "lab/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace armature {
namespace {

TEST(Quantile, IsLinearBetweenOrderStatistics) {
  // Type 7: position q·(n − 1) in the sorted list 1, 2, 4, 8.
  const std::vector<double> values{8, 1, 4, 2};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 1), 8);
  EXPECT_EQ(quantile(values, 0.5), 3);             // position 1.5: between 2 and 4
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 7.4);   // position 2.85: 4 + 0.85·4
  EXPECT_DOUBLE_EQ(quantile(values, 1.0 / 3), 2);  // position 1
}

TEST(Quantile, OfOneValueAndOfNone) {
  EXPECT_EQ(quantile({5}, 0.3), 5);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

Replication replication_of(std::vector<double> regret, std::vector<std::uint64_t> pulls,
                           double simple_regret, Diagnostics diagnostics = {}) {
  return {std::move(regret), std::move(pulls), simple_regret, std::move(diagnostics), {}};
}

// Three replications with checkpoints at 10 and 20, in blocks of two and one.
std::vector<BlockSummary> two_blocks() {
  BlockResult first;
  first.replications = {replication_of({1, 3}, {15, 5}, 0, {{"switched", 1}, {"switch_round", 8}}),
                        replication_of({2, 5}, {10, 10}, 0.5, {{"switched", 0}})};
  first.seconds = 0.25;
  BlockResult second;
  second.replications = {
      replication_of({3, 10}, {5, 15}, 0.5, {{"switched", 1}, {"switch_round", 4}})};
  second.seconds = 0.5;
  return {condense(first), condense(second)};
}

Cell cell_named(const std::string& policy) { return {{}, policy, 20, 1, {10, 20}, {}}; }

TEST(Summary, ByHand) {
  const PolicySummary summary = summarize(cell_named("ucb"), two_blocks());
  EXPECT_EQ(summary.policy, "ucb");
  EXPECT_EQ(summary.replications, 3u);
  EXPECT_DOUBLE_EQ(summary.mean_regret, 6);  // (3 + 5 + 10)/3
  // Squares 9 + 1 + 16 = 26, variance 13, standard error sqrt(13/3).
  EXPECT_DOUBLE_EQ(summary.standard_error, std::sqrt(13.0 / 3));
  EXPECT_EQ(summary.median, 5);
  EXPECT_DOUBLE_EQ(summary.q95, 9.5);  // position 1.9: 5 + 0.9·5
  EXPECT_DOUBLE_EQ(summary.simple_regret, 1.0 / 3);
  EXPECT_EQ(summary.final_regret, (std::vector<double>{3, 5, 10}));
  EXPECT_EQ(summary.pulls, (std::vector<double>{10, 10}));
  EXPECT_EQ(summary.seconds, 0.75);
}

TEST(Summary, CheckpointsCarryTheirRounds) {
  const PolicySummary summary = summarize(cell_named("ucb"), two_blocks());
  ASSERT_EQ(summary.checkpoints.size(), 2u);
  EXPECT_EQ(summary.checkpoints[0].round, 10u);
  EXPECT_DOUBLE_EQ(summary.checkpoints[0].mean, 2);
  EXPECT_DOUBLE_EQ(summary.checkpoints[0].standard_error, std::sqrt(1.0 / 3));
  EXPECT_EQ(summary.checkpoints[1].round, 20u);
}

TEST(Summary, DiagnosticsAverageOverTheReplicationsThatHadThem) {
  const PolicySummary summary = summarize(cell_named("hac-ucb"), two_blocks());
  ASSERT_EQ(summary.diagnostics.size(), 2u);
  EXPECT_EQ(summary.diagnostics[0].name, "switched");
  EXPECT_DOUBLE_EQ(summary.diagnostics[0].mean, 2.0 / 3);
  EXPECT_EQ(summary.diagnostics[0].replications, 3u);
  EXPECT_EQ(summary.diagnostics[1].name, "switch_round");
  EXPECT_DOUBLE_EQ(summary.diagnostics[1].mean, 6);  // (8 + 4)/2
  EXPECT_EQ(summary.diagnostics[1].replications, 2u);
}

TEST(Summary, BlocksThatNeverRanCountForNothing) {
  std::vector<BlockSummary> blocks = two_blocks();
  blocks.insert(blocks.begin() + 1, BlockSummary{});
  EXPECT_EQ(summarize(cell_named("ucb"), blocks).replications, 3u);
  const PolicySummary nothing = summarize(cell_named("ucb"), {BlockSummary{}});
  EXPECT_EQ(nothing.replications, 0u);
  EXPECT_TRUE(nothing.checkpoints.empty());
}

TEST(Quantile, LevelsAndValuesThatAreNoneAbort) {
  for (const double level : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_DEATH(quantile({1, 2}, level), "a quantile's level");
  EXPECT_DEATH(quantile({1, std::numeric_limits<double>::quiet_NaN()}, 0.5), "not a number");
}

}  // namespace
}  // namespace armature
