// The device of this machine through the door that studies use: the bytes of the step engine.
#include <gtest/gtest.h>

#include "armature/error.h"
#include "cuda/open.h"
#include "lab/worlds.h"
#include "support/replications.h"

namespace armature {
namespace {

class OpenedDevice : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = cuda::open_accelerator();
    } catch (const Error& error) {
      GTEST_SKIP() << "not tested, for there is no GPU here: " << error.what();
    }
  }

  std::shared_ptr<Accelerator> device_;
};

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

}  // namespace
}  // namespace armature
