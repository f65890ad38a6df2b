// However it was cut into pieces, what has grown to the end is what `simulate` gives.
#include "lab/growing_simulation.h"

#include <gtest/gtest.h>

#include <atomic>

#include "armature/policy.h"

namespace armature {
namespace {

Simulation small_simulation() {
  Simulation simulation;
  simulation.instance = "hidden-arm:actions=5";
  simulation.policies = {"ucb", "db", "exp3"};
  simulation.horizon = 300;
  simulation.replications = 20;
  return simulation;
}

void expect_whole(const GrowingSimulation& grown, const Simulation& simulation) {
  const SimulationResult result = grown.result();
  const SimulationResult whole = simulate(simulation);
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.cells.size(), whole.cells.size());
  for (std::uint32_t cell = 0; cell < whole.cells.size(); ++cell)
    EXPECT_EQ(result.final_regrets(cell), whole.final_regrets(cell));
}

TEST(GrowingSimulation, ComputesWhatIsMissing) {
  std::uint64_t rounds = 0;
  Simulation simulation = small_simulation();
  simulation.engine = Engine::kStep;
  RunHooks hooks;
  hooks.watch = [&](std::uint32_t, const PlayedRound&) { ++rounds; };
  GrowingSimulation growing(simulation, hooks);
  EXPECT_EQ(growing.result().replications_done, 0u);
  for (const std::uint32_t replications : {1u, 2u, 11u, 5u, 11u, 20u, 1000u}) {
    growing.grow(replications);
    EXPECT_EQ(growing.result().complete, replications >= simulation.replications);
  }
  EXPECT_EQ(rounds, 3u * 20u * 300u);  // each of them once
  expect_whole(growing, simulation);
}

TEST(GrowingSimulation, StoppedHalfWayGoesOn) {
  const Simulation simulation = small_simulation();
  std::atomic<bool> stop{false};
  RunHooks hooks;
  hooks.threads = 1;
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& progress) { stop = progress.replications_done >= 7; };
  GrowingSimulation growing(simulation, hooks);
  growing.grow(simulation.replications);
  const SimulationResult part = growing.result();
  EXPECT_FALSE(part.complete);
  EXPECT_GE(part.replications_done, 7u);
  EXPECT_LT(part.replications_done, part.replications_total);
  while (!growing.result().complete) {
    stop = false;
    growing.grow(simulation.replications);
  }
  expect_whole(growing, simulation);
}

TEST(GrowingSimulation, PoliciesOfOnesOwnGrowToo) {
  Simulation simulation = small_simulation();
  simulation.policies = {"mine", "ucb"};
  simulation.own_policies["mine"] = [](const Problem& problem, std::uint32_t) {
    return make_policy("ucb:scale=2", problem);
  };
  GrowingSimulation growing(simulation, {});
  for (const std::uint32_t replications : {3u, 20u}) growing.grow(replications);
  expect_whole(growing, simulation);
}

}  // namespace
}  // namespace armature
