// A device that fails in the middle of a run: an error where it was asked for, the same bytes by
// the cores where `auto` took it.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <new>
#include <stdexcept>

#include "armature/error.h"
#include "base/refusal.h"
#include "cuda/block_accelerator.h"
#include "cuda/host_backend.h"
#include "lab/runner.h"
#include "lab/worlds.h"
#include "support/replications.h"

namespace armature::cuda {
namespace {

using test::contains;
using test::refusal;

enum class Failure { kNone, kOfPlaying, kOfMemory };

// The host's backend, until it fails for good, as devices do.
class FailingBackend final : public Backend {
 public:
  FailingBackend(Failure failure, int plays_before) : failure_(failure), left_(plays_before) {}

  std::string name() const override { return "a failing GPU"; }
  unsigned devices() const override { return 1; }
  double rounds_per_second(Kind kind) const override { return host_.rounds_per_second(kind); }
  std::uint32_t play(const BlockJob& job, BlockResults& results, unsigned device,
                     const std::atomic<bool>& stop) override {
    if (failure_ == Failure::kOfPlaying && left_-- <= 0) throw std::runtime_error("it fell over");
    return host_.play(job, results, device, stop);
  }
  std::shared_ptr<void> allocate(std::size_t bytes) override {
    if (failure_ == Failure::kOfMemory && left_-- <= 0) throw std::bad_alloc();
    return Backend::allocate(bytes);
  }

 private:
  HostBackend host_;
  Failure failure_;
  std::atomic<int> left_;
};

constexpr std::uint32_t kReplications = 12;
constexpr std::uint32_t kBlock = 2;

Cell cell_by(Engine engine) {
  constexpr Round kHorizon = 200;
  Cell cell;
  cell.world = world_source(InstanceSource("hidden-arm:actions=4", kHorizon, 1), kHorizon);
  cell.policy = canonical_cell_policy("ucb");
  cell.horizon = kHorizon;
  cell.seed = 3;
  cell.checkpoints = log_checkpoints(kHorizon, 5);
  cell.engine = engine;
  return cell;
}

struct Ran {
  std::vector<Replication> replications = std::vector<Replication>(kReplications);
  std::vector<std::string> notices = {};
};

Ran run_on(Failure failure, Engine engine) {
  Ran ran;
  std::mutex mutex;
  RunHooks hooks;
  hooks.threads = 1;
  hooks.notice = [&](const std::string& words) {
    const std::lock_guard lock(mutex);
    ran.notices.push_back(words);
  };
  std::vector<BlockTask> tasks;
  for (std::uint32_t first = 0; first < kReplications; first += kBlock)
    tasks.push_back({0, {first, kBlock}, 1, /*on_device=*/true});
  BlockAccelerator accelerator(std::make_unique<FailingBackend>(failure, 2));
  run_blocks(
      {cell_by(engine)}, tasks, hooks,
      [&](const std::vector<FinishedBlock>& blocks) {
        const std::lock_guard lock(mutex);
        for (const auto& [task, result] : blocks)
          for (std::size_t i = 0; i < result.replications.size(); ++i)
            ran.replications[task.range.first + i] = result.replications[i];
      },
      &accelerator);
  return ran;
}

std::vector<Replication> stepped() {
  const std::atomic<bool> never{false};
  return run_block(cell_by(Engine::kStep), {0, kReplications}, never).replications;
}

TEST(FailingDevice, ThatNobodyAskedForLeavesItsBlocksToTheCores) {
  for (const Failure failure : {Failure::kOfPlaying, Failure::kOfMemory}) {
    const Ran ran = run_on(failure, Engine::kAuto);
    test::expect_same(ran.replications, stepped());
    ASSERT_EQ(ran.notices.size(), 1u) << "told once, not once a block";
    EXPECT_TRUE(contains(ran.notices.front(), "stepped on the CPU")) << ran.notices.front();
    EXPECT_TRUE(contains(ran.notices.front(),
                         failure == Failure::kOfPlaying ? "it fell over" : "no memory left"))
        << ran.notices.front();
  }
}

TEST(FailingDevice, ThatWasAskedForEndsTheRun) {
  for (const auto& [failure, why] :
       {std::pair{Failure::kOfPlaying, "got cuda, but it fell over"},
        std::pair{Failure::kOfMemory, "got cuda, but the host has no memory left"}}) {
    const std::string error = refusal([&] { run_on(failure, Engine::kCuda); });
    EXPECT_TRUE(contains(error, why)) << error;
  }
}

TEST(FailingDevice, ThatDoesNotFailIsNotSpokenOf) {
  const Ran ran = run_on(Failure::kNone, Engine::kAuto);
  test::expect_same(ran.replications, stepped());
  EXPECT_TRUE(ran.notices.empty());
}

}  // namespace
}  // namespace armature::cuda
