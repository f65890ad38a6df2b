// When HAC-UCB switches, and when it must not.
#include <cmath>

#include "armature/lab.h"
#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

class Switching : public test::ReleaseOnly {};

constexpr std::uint32_t kReplications = 500;

double share_switched(const std::string& policy, const std::string& instance, Round horizon) {
  Simulation simulation;
  simulation.instance = instance;
  simulation.policies = {policy};
  simulation.horizon = horizon;
  simulation.replications = kReplications;
  const CellSummary summary = simulate(simulation).cells[0];
  for (const DiagnosticSummary& diagnostic : summary.diagnostics)
    if (diagnostic.name == "switched") return diagnostic.mean;
  ADD_FAILURE() << "it does not tell";
  return 0;
}

TEST_F(Switching, NearlyAlwaysInTheConfoundedWorld) {
  EXPECT_GE(share_switched("hac-ucb", "bilodeau-confounded", 5000), 0.99);
  EXPECT_GE(share_switched("hac-ucb:variant=paper", "bilodeau-confounded", 5000), 0.99);
}

// In a benign world with exact marginals the test fails only if some interval of a mean fails: then
// u(a) ≤ μ(a) + 2w(n(a)) or p(a) ≥ μ(a), or one of the other two, is wrong. By Hoeffding an
// interval fails on one side with probability δ = 1/T²; there are two sides, |A| + |Z| means and at
// most T sample sizes: level 2(|A|+|Z|)T/T² = 2·22/3000 = 0.0147.
TEST_F(Switching, InABenignWorldAtMostAtItsLevel) {
  constexpr double kLevel = 2 * 22 / 3000.0;
  const int bound = test::most_failures_by_luck(kReplications, kLevel, test::kFalseAlarmRate);
  EXPECT_LE(share_switched("hac-ucb", "bilodeau-benign", 3000) * kReplications, bound + 0.5);
  EXPECT_LE(share_switched("hac-ucb", "pareto-benign:gap=0.2", 3000) * kReplications, bound + 0.5);
}

// The arms that would show the contradiction are played in the sweeps alone: at this horizon it is
// seldom seen. It is seen once T is about (|A| log T/gap²)².
TEST_F(Switching, SeldomWhereTheBestArmHides) {
  EXPECT_LE(share_switched("hac-ucb", "hidden-arm", 10'000), 0.1);
}

TEST_F(Switching, TheBoundOnLuckByHand) {
  // Ten fair coins: P(more than 9 heads) = 1/1024, P(more than 8) = 11/1024.
  EXPECT_EQ(test::most_failures_by_luck(10, 0.5, 0.001), 9);
  EXPECT_EQ(test::most_failures_by_luck(10, 0.5, 0.0009), 10);
  EXPECT_EQ(test::most_failures_by_luck(10, 0.5, 0.011), 8);
}

}  // namespace
}  // namespace armature
