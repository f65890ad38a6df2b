// The number of threads must leave no trace in a result. Small, for ThreadSanitizer runs this too.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "armature/lab.h"
#include "armature/report.h"

namespace armature {
namespace {

// The JSON of a result without the one thing that may differ, computing time.
std::string bytes_of(const SimulationResult& result) {
  auto json = nlohmann::ordered_json::parse(result_json(result));
  for (auto& entry : json["results"]) entry.erase("seconds");
  return json.dump();
}

Simulation simulation_of(const std::string& instance) {
  Simulation simulation;
  simulation.instance = instance;
  simulation.policies = {"ucb", "c-ucb", "hac-ucb", "ts", "c-ts", "uniform", "oracle"};
  simulation.horizon = 300;
  simulation.replications = 21;
  simulation.seed = 8;
  return simulation;
}

void expect_same_for_any_number_of_threads(const Simulation& simulation) {
  RunHooks one;
  one.threads = 1;
  const SimulationResult reference = simulate(simulation, one);
  for (const unsigned threads : {2u, 4u, 7u}) {
    RunHooks hooks;
    hooks.threads = threads;
    const SimulationResult result = simulate(simulation, hooks);
    EXPECT_EQ(bytes_of(result), bytes_of(reference)) << threads << " threads";
    for (std::uint32_t i = 0; i < reference.cells.size(); ++i)
      EXPECT_EQ(result.final_regrets(i), reference.final_regrets(i));
  }
}

TEST(Threads, LeaveNoTraceInAFixedWorld) {
  expect_same_for_any_number_of_threads(simulation_of("bilodeau-confounded:actions=6"));
}

TEST(Threads, LeaveNoTraceInRandomWorlds) {
  expect_same_for_any_number_of_threads(simulation_of("semi-benign:actions=6,epsilon=0.1"));
}

TEST(Threads, LeaveNoTraceWithLateFeedback) {
  for (const char* instance : {"pareto-benign:actions=6", "random-benign:actions=6"}) {
    Simulation simulation = simulation_of(instance);
    simulation.feedback = Feedback::parse_delay("geometric:mean=7");
    simulation.feedback.batch = 3;
    simulation.feedback.loss = 0.1;
    expect_same_for_any_number_of_threads(simulation);
  }
}

TEST(Threads, LeaveNoTraceWhenBlocksHoldSeveralReplications) {
  Simulation simulation = simulation_of("pareto-benign:actions=3");
  simulation.policies = {"ts"};
  simulation.horizon = 20;
  simulation.replications = 600;  // more than the 256 blocks: three to a block
  expect_same_for_any_number_of_threads(simulation);
}

TEST(Threads, ProgressIsToldByOneThreadAtATime) {
  RunHooks hooks;
  hooks.threads = 4;
  std::uint64_t last = 0;  // no lock: ThreadSanitizer would tell
  hooks.progress = [&](const Progress& progress) {
    EXPECT_GE(progress.replications_done, last);
    last = progress.replications_done;
  };
  simulate(simulation_of("pareto-benign:actions=3"), hooks);
  EXPECT_EQ(last, 7u * 21);
}

TEST(Threads, AStopEndsEarlyWithWhatIsFinished) {
  std::atomic<bool> stop{false};
  RunHooks hooks;
  hooks.threads = 4;
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& progress) {
    if (progress.replications_done >= 10) stop = true;
  };
  const SimulationResult result = simulate(simulation_of("pareto-benign:actions=3"), hooks);
  EXPECT_FALSE(result.complete);
  std::uint64_t finished = 0;
  for (const CellSummary& policy : result.cells) {
    EXPECT_EQ(result.final_regrets(policy.cell.id).size(), policy.final_regret().count);
    finished += policy.final_regret().count;
  }
  EXPECT_EQ(finished, result.replications_done);
  EXPECT_GE(finished, 10u);
  EXPECT_LT(finished, 7u * 21);
}

TEST(Threads, AStopBeforeTheStartFinishesNothing) {
  const std::atomic<bool> stop{true};
  RunHooks hooks;
  hooks.threads = 4;
  hooks.stop = &stop;
  const SimulationResult result = simulate(simulation_of("pareto-benign:actions=3"), hooks);
  EXPECT_FALSE(result.complete);
  EXPECT_TRUE(result.cells.empty());
  EXPECT_EQ(nlohmann::json::parse(result_json(result))["complete"], false);
}

}  // namespace
}  // namespace armature
