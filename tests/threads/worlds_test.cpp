// Every policy in every family, prompt and with late, batched and lost feedback, on two threads.
// Run under all sanitizers, this is the wide net.
#include "support/worlds.h"

#include <gtest/gtest.h>

#include "armature/lab.h"

namespace armature::test {
namespace {

class Worlds : public testing::TestWithParam<std::string> {
 protected:
  static SimulationResult run(const Feedback& feedback, const std::string& keys) {
    Simulation simulation;
    simulation.instance = GetParam() + keys;
    simulation.policies = all_policy_texts();
    simulation.policies.push_back("hac-ucb:variant=paper");
    simulation.policies.push_back("c-ucb:ties=random,confidence=bilodeau");
    simulation.horizon = 400;
    simulation.replications = 4;
    simulation.feedback = feedback;
    RunHooks hooks;
    hooks.threads = 2;
    return simulate(simulation, hooks);
  }

  // No policy's regret can leave [0, T]; the first policy is the oracle.
  static void expect_sane(const SimulationResult& result) {
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.cells.front().final_regret().mean, 0);
    for (const CellSummary& summary : result.cells) {
      EXPECT_EQ(summary.final_regret().count, 4u) << summary.cell.policy;
      EXPECT_GE(summary.final_regret().mean, 0) << summary.cell.policy;
      EXPECT_LE(summary.final_regret().mean, 400) << summary.cell.policy;
      double pulls = 0;
      for (const double count : summary.pulls) pulls += count;
      EXPECT_DOUBLE_EQ(pulls, 400) << summary.cell.policy;
    }
  }
};

TEST_P(Worlds, EveryPolicyRuns) { expect_sane(run({}, "")); }

TEST_P(Worlds, EveryPolicyBearsLateBatchedAndLostFeedback) {
  Feedback feedback = Feedback::parse_delay("geometric:mean=10");
  feedback.batch = 7;
  feedback.loss = 0.1;
  expect_sane(run(feedback, ""));
}

TEST_P(Worlds, EveryPolicyBearsWrongMarginals) { expect_sane(run({}, ":epsilon=0.1")); }

INSTANTIATE_TEST_SUITE_P(AllFamilies, Worlds, testing::ValuesIn(all_family_texts()),
                         [](const auto& family) {
                           std::string name = family.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace armature::test
