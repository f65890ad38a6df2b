#include <gtest/gtest.h>

#include <cmath>

#include "armature/error.h"
#include "armature/lab.h"

namespace armature {
namespace {

Simulation small_simulation() {
  Simulation simulation;
  simulation.instance = "pareto-benign:actions=5";
  simulation.policies = {"ucb", "c-ucb", "oracle"};
  simulation.horizon = 200;
  simulation.replications = 6;
  simulation.seed = 4;
  return simulation;
}

TEST(Simulate, EchoesWhatWasRun) {
  const SimulationResult result = simulate(small_simulation());
  EXPECT_EQ(result.simulation.instance, "pareto-benign:actions=5");
  EXPECT_EQ(result.simulation.horizon, 200u);
  EXPECT_EQ(result.simulation.replications, 6u);
  EXPECT_EQ(result.simulation.seed, 4u);
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.cells.size(), 3u);
  EXPECT_EQ(result.cells[1].cell.policy, "c-ucb");
  EXPECT_EQ(result.cells[2].cell.policy, "oracle");
  EXPECT_EQ(result.cells[2].final_regret().mean, 0);
  for (const CellSummary& summary : result.cells) {
    EXPECT_EQ(summary.final_regret().count, 6u);
    EXPECT_EQ(result.final_regrets(summary.cell.id).size(), 6u);
    EXPECT_EQ(summary.curve.back().round, 200u);
    EXPECT_EQ(summary.engine, "step");
  }
}

TEST(Simulate, TextFormsBecomeCanonical) {
  Simulation simulation = small_simulation();
  simulation.instance = "pareto-benign:gap=2e-2,actions=5";
  simulation.policies = {"ucb:scale=1.0"};
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.simulation.instance, "pareto-benign:actions=5");
  EXPECT_EQ(result.cells[0].cell.policy, "ucb");
}

TEST(Simulate, FormulasBecomeNumbers) {
  Simulation simulation = small_simulation();
  simulation.instance = "pareto-benign:gap=1/50,actions=T/40";
  simulation.policies = {"ucb:scale=A/10", "c-ucb:delta=1/T"};
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.simulation.instance, "pareto-benign:actions=5");
  EXPECT_EQ(result.cells[0].cell.policy, "ucb:scale=0.5");
  EXPECT_EQ(result.cells[1].cell.policy, "c-ucb:delta=0.005");
}

// Common random numbers: whatever else is run beside it, a policy has the same luck; and two
// policies that decide alike end alike to the last bit.
TEST(Simulate, APolicyHasTheSameLuckInAnyCompany) {
  Simulation alone = small_simulation();
  alone.policies = {"c-ucb"};
  Simulation together = small_simulation();
  together.policies = {"uniform", "ts", "c-ucb", "ucb"};
  const SimulationResult one = simulate(alone);
  const SimulationResult other = simulate(together);
  EXPECT_EQ(one.final_regrets(0), other.final_regrets(2));
}

TEST(Simulate, PoliciesThatDecideAlikeEndAlike) {
  Simulation simulation = small_simulation();
  simulation.instance = "semi-benign";
  simulation.policies = {"ucb:scale=1e-6", "ucb:confidence=bilodeau,scale=1e-6"};
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.final_regrets(0), result.final_regrets(1));
}

TEST(Simulate, AllPoliciesOfAReplicationFaceTheSameWorld) {
  // A random family: a fresh world per replication, with its own best arm for the oracle and its
  // own gap of arm 0.
  Simulation simulation = small_simulation();
  simulation.instance = "random-benign";
  simulation.policies = {"oracle", "fixed:arm=0"};
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.final_regrets(0), std::vector<double>(6, 0));
  const InstanceSource source("random-benign", 200, 4);
  for (std::uint32_t replication = 0; replication < 6; ++replication)
    EXPECT_DOUBLE_EQ(result.final_regrets(1)[replication],
                     200 * source.instance(replication)->gap(0));
}

TEST(Simulate, SeedsMatter) {
  Simulation simulation = small_simulation();
  simulation.policies = {"ts"};
  const SimulationResult one = simulate(simulation);
  simulation.seed = 5;
  EXPECT_NE(one.final_regrets(0), simulate(simulation).final_regrets(0));
}

TEST(Simulate, MoreReplicationsContinueTheSameRun) {
  Simulation simulation = small_simulation();
  const SimulationResult few = simulate(simulation);
  simulation.replications = 9;
  const SimulationResult more = simulate(simulation);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(few.final_regrets(0)[i], more.final_regrets(0)[i]);
}

TEST(Simulate, CheckpointsAskedForAreThere) {
  Simulation simulation = small_simulation();
  simulation.checkpoints = 1;
  simulation.also_at = {150, 7};
  const SimulationResult result = simulate(simulation);
  ASSERT_EQ(result.cells[0].curve.size(), 3u);
  EXPECT_EQ(result.cells[0].curve[0].round, 7u);
  EXPECT_EQ(result.cells[0].curve[1].round, 150u);
}

TEST(Simulate, PoliciesAreToldTheGivenProblem) {
  // Told that all arms lead to the same contexts, c-ucb cannot tell them apart and stays with arm
  // 0.
  Simulation simulation = small_simulation();
  simulation.instance = "bilodeau-benign:actions=3";
  simulation.policies = {"c-ucb"};
  Problem given;
  given.action_names = numbered_names('a', 3);
  given.context_names = numbered_names('z', 2);
  Matrix same(3, 2);
  for (Arm a = 0; a < 3; ++a) same(a, 0) = same(a, 1) = 0.5;
  given.marginals = std::make_shared<const Matrix>(same);
  simulation.given = given;
  EXPECT_EQ(simulate(simulation).cells[0].pulls, (std::vector<double>{200, 0, 0}));
}

TEST(Simulate, PairsRivalsUnderTheSameLuck) {
  Simulation simulation = small_simulation();
  simulation.policies = {"uniform", "ucb", "oracle"};
  const SimulationResult result = simulate(simulation);
  ASSERT_EQ(result.differences.size(), 1u);  // the oracle is no rival
  const PairedDifference& pair = result.differences[0];
  EXPECT_TRUE(pair.same_luck);
  const std::vector<double> first = result.final_regrets(pair.first);
  const std::vector<double> second = result.final_regrets(pair.second);
  double sum = 0, better = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    sum += first[i] - second[i];
    better += first[i] < second[i] ? 1 : first[i] == second[i] ? 0.5 : 0;
  }
  EXPECT_NEAR(pair.difference.mean, sum / 6, 1e-12);
  EXPECT_LE(pair.difference.mean, 0);
  EXPECT_EQ(pair.share_better, better / 6);
}

TEST(Simulate, WhatLeaptHasNoCommonLuckAndSaysItsError) {
  Simulation simulation = small_simulation();
  simulation.policies = {"ucb", "c-ucb"};
  simulation.horizon = 20'000;
  simulation.engine = Engine::kLeap;
  const SimulationResult result = simulate(simulation);
  EXPECT_FALSE(result.differences.at(0).same_luck);
  for (const CellSummary& summary : result.cells) {
    EXPECT_EQ(summary.engine, "leap");
    EXPECT_GT(summary.leap_error, 0);
    EXPECT_LE(summary.leap_error, 1e-7);
  }
}

TEST(Simulate, SharesAreFollowedIfAskedFor) {
  Simulation simulation = small_simulation();
  simulation.policies = {"db"};
  EXPECT_TRUE(simulate(simulation).cells[0].shares.empty());
  simulation.follow_shares = true;
  const CellSummary summary = simulate(simulation).cells[0];
  ASSERT_EQ(summary.shares.size(), 2u);
  EXPECT_EQ(summary.shares[0].share.size(), summary.curve.size());
}

TEST(SimulateArguments, WhatDoesNotFitIntoMemoryIsRefused) {
  Simulation simulation = small_simulation();
  simulation.replications = 1'000'000'000;
  try {
    simulate(simulation);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.report().field, "policies × replications × checkpoints");
  }
}

TEST(Simulate, ReportsProgressToTheEnd) {
  std::vector<Progress> seen;
  RunHooks hooks;
  hooks.threads = 1;
  hooks.progress = [&](const Progress& progress) { seen.push_back(progress); };
  simulate(small_simulation(), hooks);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().replications_done, 18u);  // 6 replications of 3 policies
  EXPECT_EQ(seen.back().replications_total, 18u);
}

void expect_refused(const Simulation& simulation, const std::string& field) {
  try {
    simulate(simulation);
    ADD_FAILURE() << "accepted a bad " << field;
  } catch (const Error& error) {
    EXPECT_EQ(error.report().field, field);
  }
}

TEST(SimulateArguments, BadNumbersAreRefusedByName) {
  Simulation simulation = small_simulation();
  simulation.horizon = 0;
  expect_refused(simulation, "horizon");
  simulation = small_simulation();
  simulation.replications = 0;
  expect_refused(simulation, "replications");
  simulation = small_simulation();
  simulation.policies.clear();
  expect_refused(simulation, "policies");
  simulation = small_simulation();
  simulation.feedback.batch = 0;
  expect_refused(simulation, "batch");
  for (const double loss : {-0.1, 1.0, std::nan("")}) {
    simulation = small_simulation();
    simulation.feedback.loss = loss;
    expect_refused(simulation, "loss");
  }
  for (const Round round : {Round{0}, Round{201}}) {
    simulation = small_simulation();
    simulation.also_at = {round};
    expect_refused(simulation, "checkpoint");
  }
}

TEST(SimulateArguments, BadNamesAreRefusedByName) {
  Simulation simulation = small_simulation();
  simulation.instance = "pareto-bening";
  expect_refused(simulation, "instance");
  simulation = small_simulation();
  simulation.policies = {"ucb", "ubc"};
  expect_refused(simulation, "policy");
}

TEST(SimulateArguments, APolicyThatDoesNotFitIsRefusedBeforeAnythingRuns) {
  Simulation simulation = small_simulation();
  simulation.policies = {"ucb", "fixed:arm=5"};
  bool ran = false;
  RunHooks hooks;
  hooks.progress = [&](const Progress&) { ran = true; };
  EXPECT_THROW(simulate(simulation, hooks), Error);
  EXPECT_FALSE(ran);
}

TEST(EstimatedSeconds, OfLittleWorkIsNotTried) {
  Simulation simulation;
  simulation.instance = "hidden-arm";
  simulation.policies = {"ts"};
  simulation.horizon = 1000;
  simulation.replications = 10;
  EXPECT_EQ(estimated_seconds(simulation), 0);
  // No machine plays 10^9 rounds in a second.
  simulation.horizon = 1'000'000'000'000;
  EXPECT_GT(estimated_seconds(simulation), 1000);
  simulation.policies = {"nobody"};
  EXPECT_THROW(estimated_seconds(simulation), Error);
}

}  // namespace
}  // namespace armature
