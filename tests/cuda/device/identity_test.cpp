// The device's bytes beside the step engine's, for every policy and family that a device plays:
// 10^9 rounds of each, or as many as ARMATURE_GPU_ROUNDS says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "armature/families.h"
#include "base/machine.h"
#include "cuda/backend.h"
#include "cuda/device/device_test.h"
#include "lab/worlds.h"
#include "support/replications.h"

namespace armature {
namespace {

double rounds_to_compare() {
  const char* const asked = std::getenv("ARMATURE_GPU_ROUNDS");
  return asked ? std::atof(asked) : 1e9;
}

// By all cores, part after part.
std::vector<Replication> stepped(const Cell& cell, ReplicationRange range) {
  constexpr std::uint32_t kPart = 64;
  const std::atomic<bool> never{false};
  std::vector<Replication> all(range.count);
  std::atomic<std::uint32_t> next{0};
  std::vector<std::jthread> crew;
  for (unsigned i = cores_given(); i-- > 0;)
    crew.emplace_back([&] {
      for (std::uint32_t at = next.fetch_add(kPart); at < range.count; at = next.fetch_add(kPart)) {
        BlockResult part =
            run_block(cell, {range.first + at, std::min(kPart, range.count - at)}, never);
        std::move(part.replications.begin(), part.replications.end(), all.begin() + at);
      }
    });
  crew.clear();
  return all;
}

void expect_steps_bytes_of_block(Accelerator& device, const Cell& cell, ReplicationRange range) {
  SCOPED_TRACE("of those from " + std::to_string(range.first) + " on");
  const std::atomic<bool> never{false};
  test::expect_same(device.run(cell, range, 0, never).replications, stepped(cell, range));
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
    // As runs cut them: all of 50,000 worlds of 500 actions would be 40 GB of tables.
    const std::uint32_t most = device_->replications_per_block(cell);
    for (std::uint32_t first = 0; first < count && !HasFailure(); first += most)
      expect_steps_bytes_of_block(*device_, cell, {first, std::min(most, count - first)});
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
                                     "fixed:arm=1", "oracle"),
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

// What warden keeps of a replication with so many cells is 1.6 MB: of these the device plays some,
// and then the others.
class DeviceIdentityOfChunks : public test::DeviceTest {};

TEST_F(DeviceIdentityOfChunks, OfEveryReplication) {
  constexpr Round kHorizon = 100;
  constexpr cuda::Sizes kSizes{1024, 64, 1024};
  constexpr ReplicationRange kRange{7, 3000};
  const InstanceSource source("random-benign:actions=1024,contexts=64", kHorizon, 5);
  // One for all: where each has its own, a block is one chunk.
  const auto world = std::make_shared<const World>(source.instance(0), kHorizon);
  Cell cell;
  cell.world = [&](std::uint32_t) { return world; };
  cell.policy = canonical_cell_policy("warden", world->problem.formula_variables());
  cell.horizon = kHorizon;
  cell.seed = 17;
  cell.checkpoints = {10, kHorizon};
  cell.engine = Engine::kStep;
  using Machine =
      cuda::Machine<cuda::LargeNumbers, cuda::StridedMemory, cuda::WorldView<0>>;  // as it is far
  using Player = cuda::WardenPlayer1024<Machine>;
  const std::size_t slots = Player::slots(kSizes) + cuda::far_slots_of<Player>(kSizes);
  ASSERT_GT(sizeof(std::uint64_t) * slots * kRange.count, cuda::kMostBytesOfAChunk)
      << "it is one chunk";
  ASSERT_EQ(device_->obstacle(cell, *world), "");
  expect_steps_bytes_of_block(*device_, cell, kRange);
}

}  // namespace
}  // namespace armature
