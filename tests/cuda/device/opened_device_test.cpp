// The device of this machine through the door that studies use: the bytes of the step engine.
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "cuda/device/device_test.h"
#include "lab/worlds.h"
#include "support/replications.h"

namespace armature {
namespace {

class OpenedDevice : public test::DeviceTest {
 protected:
  /// Every policy with its defaults, as far as the device plays it, up to the round `last`.
  void expect_steps_bytes(const char* instance, Round horizon, Round last, ReplicationRange range) {
    const std::atomic<bool> never{false};
    const WorldSource worlds = world_source(InstanceSource(instance, horizon, 3), horizon);
    int played = 0;
    for (const PolicyEntry& entry : policies()) {
      Cell cell;
      cell.world = worlds;
      cell.policy = entry.facts.name;
      cell.horizon = horizon;
      cell.seed = 3;
      cell.checkpoints = log_checkpoints(last, 8);
      cell.engine = Engine::kCuda;
      cell.follow_shares = true;
      if (!device_->obstacle(cell, *worlds(0)).empty()) continue;
      SCOPED_TRACE(cell.policy + " on " + instance);
      ++played;
      test::expect_same(device_->run(cell, range, device_->devices() - 1, never).replications,
                        run_block(cell, range, never).replications);
    }
    EXPECT_GT(played, 0) << "a device that plays nothing";
  }
};

// A fixed world and fresh ones.
TEST_F(OpenedDevice, SmallBlocksHaveTheBytesOfStep) {
  for (const char* instance : {"hidden-arm:actions=5", "semi-benign:actions=4,contexts=3"})
    expect_steps_bytes(instance, 2000, 2000, {5, 70});
}

// Indices beyond registers; then near memory for one warp of replications, or for none.
TEST_F(OpenedDevice, SmallBlocksOfManyActionsHaveTheBytesOfStep) {
  expect_steps_bytes("random-benign:actions=40,contexts=5", 300, 300, {5, 3});
  expect_steps_bytes("hidden-arm:actions=400", 600, 600, {5, 3});
}

// The first rounds of a horizon that only the large numbers hold.
TEST_F(OpenedDevice, SmallBlocksOfLongHorizonsHaveTheBytesOfStep) {
  expect_steps_bytes("hidden-arm:actions=5", Round{1} << 40, 300, {5, 3});
}

// One kernel, launched by two threads in turn with more and with less memory: neither takes from
// the other what it may ask for. Many blocks of many slices, so that they meet.
TEST_F(OpenedDevice, WorldsOfTwoSizesAreOnOneDeviceAtOnce) {
  constexpr Round kHorizon = 2000;
  constexpr int kBlocks = 20;
  const ReplicationRange range{0, 64};
  const std::atomic<bool> never{false};
  std::latch both_are_here(2);
  const auto play = [&](const char* instance) {
    Cell cell;
    cell.world = world_source(InstanceSource(instance, kHorizon, 3), kHorizon);
    cell.policy = canonical_cell_policy("ucb");
    cell.horizon = kHorizon;
    cell.seed = 3;
    for (Round round = 10; round <= kHorizon; round += 10) cell.checkpoints.push_back(round);
    cell.engine = Engine::kCuda;
    const BlockResult expected = run_block(cell, range, never);
    both_are_here.arrive_and_wait();
    try {
      for (int block = 0; block < kBlocks; ++block)
        test::expect_same(device_->run(cell, range, 0, never).replications, expected.replications);
    } catch (const Error& error) {
      ADD_FAILURE() << instance << ": " << error.what();
    }
  };
  std::jthread other(play, "hidden-arm:actions=5");
  play("hidden-arm:actions=20");
}

}  // namespace
}  // namespace armature
