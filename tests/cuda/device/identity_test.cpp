// The device's bytes beside the step engine's, for every policy and family that a device plays:
// 10^9 rounds of each, or as many as ARMATURE_GPU_ROUNDS says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "armature/families.h"
#include "base/machine.h"
#include "cuda/device/device_test.h"
#include "lab/worlds.h"
#include "support/replications.h"

namespace armature {
namespace {

double rounds_to_compare() {
  const char* const asked = std::getenv("ARMATURE_GPU_ROUNDS");
  return asked ? std::atof(asked) : 1e9;
}

// By all cores; a block each, one after the other.
std::vector<Replication> stepped(const Cell& cell, std::uint32_t count) {
  constexpr std::uint32_t kBlock = 64;
  const std::atomic<bool> never{false};
  std::vector<Replication> all(count);
  std::atomic<std::uint32_t> next{0};
  std::vector<std::jthread> crew;
  for (unsigned i = cores_given(); i-- > 0;)
    crew.emplace_back([&] {
      for (std::uint32_t first = next.fetch_add(kBlock); first < count;
           first = next.fetch_add(kBlock)) {
        BlockResult block = run_block(cell, {first, std::min(kBlock, count - first)}, never);
        std::move(block.replications.begin(), block.replications.end(), all.begin() + first);
      }
    });
  crew.clear();
  return all;
}

class DeviceIdentity : public test::DeviceTest,
                       public testing::WithParamInterface<std::tuple<std::string, std::string>> {
 protected:
  void expect_steps_bytes(Round horizon, std::uint32_t count) {
    const auto& [policy, instance] = GetParam();
    const InstanceSource source(instance, horizon, 5);
    Cell cell;
    cell.world = world_source(source, horizon);
    cell.policy = canonical_cell_policy(policy, cell.world(0)->problem.formula_variables());
    cell.horizon = horizon;
    cell.seed = 17;
    cell.checkpoints = log_checkpoints(horizon, 16);
    cell.engine = Engine::kStep;
    cell.follow_shares = true;
    if (const std::string why = device_->obstacle(cell, *cell.world(0)); !why.empty())
      GTEST_SKIP() << why;
    const std::atomic<bool> never{false};
    const BlockResult found = device_->run(cell, {0, count}, 0, never);
    const std::vector<Replication> expected = stepped(cell, count);
    ASSERT_EQ(found.replications.size(), expected.size());
    for (std::uint32_t r = 0; r < count && !HasFailure(); ++r) {
      SCOPED_TRACE("replication " + std::to_string(r));
      test::expect_same(found.replications[r], expected[r]);
    }
  }
};

TEST_P(DeviceIdentity, OfEveryRound) {
  constexpr Round kHorizon = 20'000;
  expect_steps_bytes(kHorizon,
                     static_cast<std::uint32_t>(std::max(1.0, rounds_to_compare() / kHorizon)));
}

INSTANTIATE_TEST_SUITE_P(
    All, DeviceIdentity,
    testing::Combine(testing::Values("ucb", "ucb:confidence=anytime", "moss", "c-ucb", "sentry",
                                     "warden", "db", "hac-ucb", "uniform", "round-robin",
                                     "fixed:arm=1"),
                     testing::Values("agnostic", "all-confounded", "bilodeau-benign",
                                     "bilodeau-confounded", "hidden-arm", "lone-leader",
                                     "many-hidden", "near-tie", "nearly-benign", "pareto-benign",
                                     "pareto-confounded", "pe-trap", "random-benign",
                                     "rare-context", "reversed", "semi-benign")));
INSTANTIATE_TEST_SUITE_P(
    Larger, DeviceIdentity,
    testing::Combine(testing::Values("ucb", "c-ucb", "sentry", "warden", "db", "hac-ucb"),
                     testing::Values("hidden-arm:actions=200", "hidden-arm:actions=30",
                                     "random-benign:actions=20,contexts=5",
                                     "random-benign:actions=20,contexts=64",
                                     "random-benign:actions=64,contexts=20",
                                     "random-benign:actions=500,contexts=50")));

// Further than tables of widths reach (cell_plan.h): beyond them the device computes logarithms.
class DeviceIdentityBeyondTables : public DeviceIdentity {};

TEST_P(DeviceIdentityBeyondTables, OfEveryRound) { expect_steps_bytes(3'000'000, 16); }

INSTANTIATE_TEST_SUITE_P(All, DeviceIdentityBeyondTables,
                         testing::Combine(testing::Values("ucb:confidence=anytime", "moss", "db",
                                                          "warden"),
                                          testing::Values("hidden-arm:actions=20")));

}  // namespace
}  // namespace armature
