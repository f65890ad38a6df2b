// Blocks over threads: what becomes of a check that fails in a thread the caller knows nothing of.
// (Results for any number of threads: tests/threads.)
#include "lab/runner.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "lab/worlds.h"

namespace armature {
namespace {

// Two blocks by two threads; the check fails in the one that is not the caller's, always: where the
// caller got a block, it waits for the other thread to have one.
void fail_in_a_helper() {
  const auto caller = std::this_thread::get_id();
  std::latch helper_is_here(1);
  const WorldSource worlds = world_source(InstanceSource("hidden-arm", 10, 1), 10);
  Cell cell;
  cell.policy = "ucb";
  cell.horizon = 10;
  cell.checkpoints = {10};
  cell.world = [&](std::uint32_t replication) {
    if (std::this_thread::get_id() == caller) {
      helper_is_here.wait();
      return worlds(replication);
    }
    helper_is_here.count_down();
    ARMATURE_CHECK(false, "a promise of the test's own");
    return worlds(replication);
  };
  RunHooks hooks;
  hooks.threads = 2;
  run_blocks({cell}, {{0, {0, 1}}, {0, {1, 1}}}, hooks, [](const std::vector<FinishedBlock>&) {});
}

TEST(Runner, AFailedCheckOfAHelperIsThrownWhereTheCallerAskedForIt) {
  const ThrowingChecks checks;
  try {
    fail_in_a_helper();
    FAIL() << "nothing was thrown";
  } catch (const CheckFailure& failure) {
    EXPECT_EQ(failure.why(), "a promise of the test's own");
    EXPECT_NE(failure.file().find("runner_test.cpp"), std::string::npos);
  }
}

TEST(RunnerDeathTest, AFailedCheckOfAHelperAbortsOtherwise) {
  EXPECT_DEATH(fail_in_a_helper(), "runner_test.cpp.*a promise of the test's own");
}

}  // namespace
}  // namespace armature
