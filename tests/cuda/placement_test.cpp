// Which cells of a simulation an accelerator computes, and that nothing but time follows from it.
#include "lab/placement.h"

#include <gtest/gtest.h>

#include "armature/report.h"
#include "base/refusal.h"
#include "lab/worlds.h"
#include "support/fake_accelerator.h"

namespace armature {
namespace {

using test::contains;
using test::FakeMachine;
using test::refusal;

Simulation small(Engine engine) {
  Simulation simulation;
  simulation.instance = "hidden-arm:actions=4";
  simulation.policies = {"ucb", "ts", "db"};
  simulation.horizon = 300;
  simulation.replications = 21;
  simulation.checkpoints = 5;
  simulation.follow_shares = true;
  simulation.engine = engine;
  return simulation;
}

std::string csv(Engine engine, const RunHooks& hooks = {}) {
  return result_csv({simulate(small(engine), hooks)});
}

TEST(CudaSimulation, HasTheBytesOfStep) {
  FakeMachine machine;
  EXPECT_EQ(csv(Engine::kCuda, machine.hooks()), csv(Engine::kStep));
  EXPECT_EQ(machine.accelerator->policies(), (std::set<std::string>{"ucb", "db"}));
}

TEST(CudaSimulation, SaysOnceWhatIsComputedWhereAndWhyNot) {
  FakeMachine machine;
  Simulation simulation = small(Engine::kCuda);
  machine.accelerator->cannot_play = {"ts", "floor"};
  simulation.policies = {"ucb", "floor:base=ucb",         "ts",
                         "db",  "ucb:confidence=anytime", "floor:base=ts"};
  simulate(simulation, machine.hooks());
  EXPECT_EQ(machine.notices,
            (std::vector<std::string>{"on a fake GPU: ucb, db",
                                      "stepped on the CPU: floor: it has no kernel",
                                      "stepped on the CPU: ts: it has no kernel"}));
}

TEST(CudaSimulation, BlocksAreAsLargeAsTheDeviceWantsThem) {
  FakeMachine machine;
  simulate(small(Engine::kCuda), machine.hooks());
  std::uint32_t computed = 0;
  for (const auto& [policy, range, device] : machine.accelerator->asked()) {
    EXPECT_EQ(device, 0u);
    EXPECT_LE(range.count, 4u);
    EXPECT_EQ(range.first % 4, 0u);
    computed += range.count;
  }
  EXPECT_EQ(computed, 2 * 21u);
}

TEST(CudaSimulation, SeveralDevicesShareTheBlocks) {
  FakeMachine machine;
  machine.accelerator->count = 3;
  machine.accelerator->per_block = 1;
  EXPECT_EQ(csv(Engine::kCuda, machine.hooks()), csv(Engine::kStep));
  EXPECT_EQ(machine.notices.front(), "on 3 × a fake GPU: ucb, db");
  for (const auto& [policy, range, device] : machine.accelerator->asked()) EXPECT_LT(device, 3u);
}

TEST(CudaSimulation, WithoutADeviceItIsAnError) {
  FakeMachine machine;
  machine.accelerator = nullptr;
  EXPECT_TRUE(contains(refusal([&] { csv(Engine::kCuda, machine.hooks()); }), "no device"));
  EXPECT_TRUE(contains(refusal([] { csv(Engine::kCuda); }), "no way to a device"));
}

TEST(CudaSimulation, WhereNothingCanBeComputedItIsAnErrorWithTheReason) {
  FakeMachine machine;
  Simulation simulation = small(Engine::kCuda);
  simulation.policies = {"ts"};
  const std::string error = refusal([&] { simulate(simulation, machine.hooks()); });
  EXPECT_TRUE(contains(error, "a fake GPU can compute nothing of this (ts: it has no kernel)"))
      << error;
}

TEST(CudaSimulation, ADeviceThatFailsIsAnErrorOfTheRun) {
  FakeMachine machine;
  machine.accelerator->fails_after = 3;
  EXPECT_TRUE(contains(refusal([&] { csv(Engine::kCuda, machine.hooks()); }), "illegal address"));
}

TEST(CudaSimulation, IsStoppedLikeAnyOther) {
  FakeMachine machine;
  machine.accelerator->per_block = 1;
  std::atomic<bool> stop{false};
  RunHooks hooks = machine.hooks(1);
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& progress) { stop = progress.replications_done >= 5; };
  const SimulationResult result = simulate(small(Engine::kCuda), hooks);
  EXPECT_FALSE(result.complete);
  EXPECT_GE(result.replications_done, 5u);
  EXPECT_LT(result.replications_done, 3 * 21u);
}

TEST(CudaSimulation, ProgressCountsBothKindsOfBlocks) {
  FakeMachine machine;
  Progress last;
  RunHooks hooks = machine.hooks();
  hooks.progress = [&](const Progress& progress) { last = progress; };
  simulate(small(Engine::kCuda), hooks);
  EXPECT_EQ(last.replications_done, 3 * 21u);
  EXPECT_EQ(last.cells_done, 3u);
  EXPECT_DOUBLE_EQ(last.share, 1);
}

TEST(CudaSimulation, PartsOfTheCallersOwnAreStepped) {
  FakeMachine machine;
  Simulation simulation = small(Engine::kCuda);
  simulation.policies = {"ucb", "mine"};
  simulation.own_policies["mine"] = [](const Problem& problem, std::uint32_t) {
    return make_policy("ucb", problem);
  };
  simulate(simulation, machine.hooks());
  EXPECT_EQ(machine.accelerator->policies(), std::set<std::string>{"ucb"});
  EXPECT_EQ(machine.notices.back(), "stepped on the CPU: mine: it is of the caller's own");
}

TEST(StepSimulation, NeverAsksForADevice) {
  FakeMachine machine;
  csv(Engine::kStep, machine.hooks());
  EXPECT_EQ(machine.opened, 0);
}

// --- auto ----------------------------------------------------------------------------------------

std::vector<Cell> automatic(Round horizon, const std::vector<std::string>& policies) {
  const WorldSource worlds =
      world_source(InstanceSource("hidden-arm:actions=4", horizon, 1), horizon);
  std::vector<Cell> cells;
  for (const std::string& policy : policies) {
    Cell cell;
    cell.world = worlds;
    cell.policy = policy;
    cell.horizon = horizon;
    cell.checkpoints = {horizon};
    cells.push_back(cell);
  }
  return cells;
}

TEST(AutomaticPlacement, TakesADeviceForMuchWorkAlone) {
  FakeMachine machine;
  const auto cells = automatic(1'000'000, {"ucb", "moss"});
  EXPECT_FALSE(place_cells(cells, 499, machine.hooks()).accelerator);
  EXPECT_EQ(machine.opened, 0) << "to look for a device takes longer than the work";
  const Placement large = place_cells(cells, 500, machine.hooks());
  EXPECT_TRUE(large.on_device(0) && large.on_device(1));
  EXPECT_DOUBLE_EQ(large.device_seconds(0), 0.25);
}

// However many cells: they are not played side by side as replications are.
TEST(AutomaticPlacement, LeavesFewReplicationsToTheCores) {
  const auto cells = automatic(1'000'000, {"ucb", "moss", "ucb", "moss", "ucb"});
  FakeMachine machine;
  EXPECT_FALSE(place_cells(cells, kReplicationsWorthADevice - 1, machine.hooks()).accelerator);
  EXPECT_EQ(machine.opened, 0);
  EXPECT_TRUE(place_cells(cells, kReplicationsWorthADevice, machine.hooks()).on_device(0));
}

TEST(CudaPlacement, TakesFewReplicationsToo) {
  FakeMachine machine;
  auto cells = automatic(1000, {"ucb", "moss"});
  cells[0].engine = Engine::kCuda;
  const Placement placement = place_cells(cells, 1, machine.hooks());
  EXPECT_TRUE(placement.on_device(0)) << "it was asked for by name";
  EXPECT_FALSE(placement.on_device(1)) << "this one was not";
}

// Leaping beats every device, and what leaps is no work for one.
TEST(AutomaticPlacement, LeavesToLeapingWhatLeaps) {
  FakeMachine machine;
  EXPECT_FALSE(place_cells(automatic(10'000'000, {"ucb"}), 1000, machine.hooks()).accelerator);
  EXPECT_EQ(machine.opened, 0);
  const Placement mixed =
      place_cells(automatic(10'000'000, {"ucb", "moss"}), 1000, machine.hooks());
  EXPECT_FALSE(mixed.on_device(0));
  EXPECT_TRUE(mixed.on_device(1)) << "auto steps moss at this horizon";
}

TEST(AutomaticPlacement, WithoutADeviceThereIsNoWord) {
  FakeMachine machine;
  machine.accelerator = nullptr;
  const Placement placement = place_cells(automatic(1'000'000, {"ucb"}), 10'000, machine.hooks());
  EXPECT_FALSE(placement.accelerator);
  EXPECT_TRUE(placement.notes.empty());
  EXPECT_EQ(machine.opened, 1);
}

TEST(AutomaticPlacement, WhereADeviceCanComputeNothingCoresDo) {
  FakeMachine machine;
  const Placement placement = place_cells(automatic(1'000'000, {"ts"}), 10'000, machine.hooks());
  EXPECT_FALSE(placement.accelerator);
}

TEST(DeviceBlocks, OfAllThatAreAtWorkTakeAQuarterOfMemory) {
  test::FakeAccelerator accelerator;
  EXPECT_DOUBLE_EQ(most_device_block_bytes(accelerator, 800 << 20), 100 << 20);
  accelerator.count = 4;
  EXPECT_DOUBLE_EQ(most_device_block_bytes(accelerator, 800 << 20), 25 << 20);
  EXPECT_DOUBLE_EQ(most_device_block_bytes(accelerator, std::uint64_t{1} << 40), 512 << 20);
}

}  // namespace
}  // namespace armature
