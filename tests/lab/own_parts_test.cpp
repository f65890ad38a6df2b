// Policies and environments of the caller's own in a simulation. They are stood in for by our own,
// wrapped: then every number must be that of the registry's policy and the tables' environment.
#include <gtest/gtest.h>

#include <memory>

#include "armature/error.h"
#include "armature/lab.h"

namespace armature {
namespace {

constexpr const char* kInstance = "semi-benign:actions=5,shift=0.2";

Simulation small_simulation(const std::string& policy) {
  Simulation simulation;
  simulation.instance = kInstance;
  simulation.policies = {policy};
  simulation.horizon = 1500;  // several looks at `stop`
  simulation.replications = 4;
  simulation.seed = 9;
  return simulation;
}

PolicyMaker maker_of(const std::string& text) {
  return [text](const Problem& problem, std::uint32_t) { return make_policy(text, problem); };
}

EnvironmentMaker tables_of(const std::string& instance, Round horizon, std::uint64_t seed) {
  return [=](std::uint32_t replication) -> OutcomeSource {
    const auto world = std::make_shared<const World>(
        InstanceSource(instance, horizon, seed).instance(replication), horizon);
    const auto environment = std::make_shared<Environment>(world->tables, seed, replication);
    return [world, environment](Arm arm) { return environment->play(arm); };
  };
}

void expect_same_regrets(const SimulationResult& one, const SimulationResult& other) {
  ASSERT_TRUE(one.complete && other.complete);
  EXPECT_EQ(one.final_regrets(0), other.final_regrets(0));
  ASSERT_EQ(one.cells[0].curve.size(), other.cells[0].curve.size());
  for (std::size_t i = 0; i < one.cells[0].curve.size(); ++i)
    EXPECT_EQ(one.cells[0].curve[i].regret.mean, other.cells[0].curve[i].regret.mean);
}

TEST(OwnParts, APolicyMeetsTheLuckOfTheRegistrys) {
  for (const char* policy : {"ucb", "ts"}) {
    Simulation own = small_simulation("mine:kind=wrapped");
    own.own_policies["mine:kind=wrapped"] = maker_of(policy);
    const SimulationResult result = simulate(own);
    EXPECT_EQ(result.cells[0].cell.policy, "mine:kind=wrapped");
    expect_same_regrets(result, simulate(small_simulation(policy)));
  }
}

TEST(OwnParts, AnEnvironmentIsPlayedInsteadOfTheTables) {
  Simulation own = small_simulation("sentry");
  own.own_environment = tables_of(kInstance, own.horizon, own.seed);
  expect_same_regrets(simulate(own), simulate(small_simulation("sentry")));
  // And it is the environment that is played: with other luck, other regrets.
  own.own_environment = tables_of(kInstance, own.horizon, own.seed + 1);
  EXPECT_NE(simulate(own).final_regrets(0), simulate(small_simulation("sentry")).final_regrets(0));
}

TEST(OwnParts, OutcomesMayComeLateOrNever) {
  Simulation own = small_simulation("mine"), ours = small_simulation("ucb");
  for (Simulation* simulation : {&own, &ours}) {
    simulation->feedback = Feedback::parse_delay("geometric:mean=20");
    simulation->feedback.loss = 0.1;
  }
  own.own_policies["mine"] = maker_of("ucb");
  own.own_environment = tables_of(kInstance, own.horizon, own.seed);
  expect_same_regrets(simulate(own), simulate(ours));
}

TEST(OwnParts, AreMadeOnceAReplicationByTheThreadThatAsked) {
  Simulation own = small_simulation("mine");
  std::vector<std::uint32_t> made;  // unguarded: one thread runs all
  own.own_policies["mine"] = [&](const Problem& problem, std::uint32_t replication) {
    made.push_back(replication);
    return make_policy("ucb", problem);
  };
  RunHooks hooks;
  hooks.threads = 3;
  simulate(own, hooks);
  EXPECT_EQ(made, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(OwnParts, WhatCannotBeIsRefused) {
  Simulation leaping = small_simulation("mine");
  leaping.own_policies["mine"] = maker_of("ucb");
  leaping.engine = Engine::kLeap;
  EXPECT_THROW(simulate(leaping), Error);
  Simulation taken = small_simulation("ucb:scale=2");
  taken.own_policies["ucb:scale=2"] = maker_of("ucb");
  EXPECT_THROW(simulate(taken), Error);
  Simulation unknown = small_simulation("mine");
  EXPECT_THROW(simulate(unknown), Error);
}

TEST(OwnParts, AnInstanceNeedsNoDisk) {
  constexpr const char* kFixed = "hidden-arm:actions=5";  // the same in every replication
  Simulation named = small_simulation("ucb"), kept = named;
  named.instance = kFixed;
  kept.instance = "kept.json";
  kept.files["kept.json"] = write_instance(*InstanceSource(kFixed, 1500, 9).instance(0));
  expect_same_regrets(simulate(kept), simulate(named));
  kept.instance = "another.json";
  EXPECT_THROW(simulate(kept), Error);
}

}  // namespace
}  // namespace armature
