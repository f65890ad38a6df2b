// The device of this machine through the door that studies use: the bytes of the step engine.
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "cuda/device/device_test.h"
#include "lab/worlds.h"
#include "support/replications.h"

namespace armature {
namespace {

using OpenedDevice = test::DeviceTest;

// Every policy with its defaults, as far as the device plays it, in a fixed world and in fresh
// ones.
TEST_F(OpenedDevice, SmallBlocksHaveTheBytesOfStep) {
  constexpr Round kHorizon = 2000;
  const std::atomic<bool> never{false};
  int played = 0;
  for (const char* instance : {"hidden-arm:actions=5", "semi-benign:actions=4,contexts=3"}) {
    const WorldSource worlds = world_source(InstanceSource(instance, kHorizon, 3), kHorizon);
    for (const PolicyEntry& entry : policies()) {
      Cell cell;
      cell.world = worlds;
      cell.policy = entry.facts.name;
      cell.horizon = kHorizon;
      cell.seed = 3;
      cell.checkpoints = log_checkpoints(kHorizon, 8);
      cell.engine = Engine::kCuda;
      cell.follow_shares = true;
      if (!device_->obstacle(cell, *worlds(0)).empty()) continue;
      SCOPED_TRACE(cell.policy + " on " + instance);
      ++played;
      const ReplicationRange range{5, 70};
      test::expect_same(device_->run(cell, range, device_->devices() - 1, never).replications,
                        run_block(cell, range, never).replications);
    }
  }
  EXPECT_GT(played, 0) << "a device that plays nothing";
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
