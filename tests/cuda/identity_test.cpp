// What a device computes is what the step engine computes, to the bit: here the device's functions
// run by the host, on every policy they play and many kinds of worlds.
#include <gtest/gtest.h>

#include <cstdlib>

#include "armature/families.h"
#include "cuda/host_identity.h"
#include "support/worlds.h"

namespace armature::cuda {
namespace {

struct Case {
  std::string policy;
  std::string instance;
  Round horizon;
};

Cell cell_of(const Case& one) {
  const auto source = std::make_shared<InstanceSource>(one.instance, one.horizon, 7);
  std::shared_ptr<const World> shared;
  if (!source->fresh_per_replication())
    shared = std::make_shared<const World>(source->instance(0), one.horizon);
  Cell cell;
  cell.world = [source, shared, horizon = one.horizon](std::uint32_t replication) {
    return shared ? shared : std::make_shared<const World>(source->instance(replication), horizon);
  };
  cell.policy = canonical_cell_policy(
      one.policy, source->instance(0)->problem(one.horizon).formula_variables());
  cell.horizon = one.horizon;
  cell.seed = 11;
  cell.checkpoints = log_checkpoints(one.horizon, 12);
  cell.engine = Engine::kStep;
  cell.follow_shares = true;
  return cell;
}

class Identity : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Identity, OfEveryReplication) {
  const auto& [policy, instance] = GetParam();
  for (const Round horizon : {Round{1}, Round{2}, Round{97}, Round{6000}})
    test::expect_steps_bytes(cell_of({policy, instance, horizon}), {3, 5});
}

INSTANTIATE_TEST_SUITE_P(
    All, Identity,
    testing::Combine(testing::Values("fixed:arm=1", "oracle", "round-robin", "uniform", "ucb",
                                     "ucb:confidence=anytime", "ucb:confidence=bilodeau,scale=0.3",
                                     "moss", "moss:scale=0.2", "c-ucb", "c-ucb:confidence=anytime",
                                     "c-ucb:confidence=bilodeau,scale=0.1"),
                     testing::Values("pareto-benign", "pareto-confounded:actions=20",
                                     "hidden-arm:actions=20", "bilodeau-confounded:actions=20",
                                     "semi-benign:actions=30",
                                     "random-benign:actions=20,contexts=5",
                                     "random-benign:actions=64,contexts=20", "reversed:actions=20",
                                     "all-confounded:actions=7,contexts=4",
                                     "hidden-arm:actions=200",
                                     "random-benign:actions=1000,contexts=50", "rare-context",
                                     "bilodeau-benign:epsilon=0.1")));

INSTANTIATE_TEST_SUITE_P(
    Sentry, Identity,
    testing::Combine(
        testing::Values("sentry", "sentry:confidence=paper", "sentry:confidence=bilodeau,scale=0.5",
                        "sentry:schedule=spread", "sentry:schedule=spread,tau=0.05,scale=0.5",
                        "sentry:scale=0.3", "sentry:scale=0.1,epsilon=0.1", "sentry:rejection=off",
                        "sentry:rejection=off,scale=0.2", "sentry:budget=20,scale=0.2",
                        "sentry:share=0.3,tau=0.3", "sentry:R1=50,scale=0.02", "sentry:scale=20",
                        "sentry:delta=0.5,scale=0.4,schedule=spread"),
        testing::Values("pareto-benign", "pareto-confounded:actions=20", "hidden-arm:actions=20",
                        "bilodeau-confounded:actions=20", "semi-benign:actions=30",
                        "random-benign:actions=20,contexts=5",
                        "random-benign:actions=64,contexts=20", "reversed:actions=20",
                        "all-confounded:actions=7,contexts=4", "hidden-arm:actions=200",
                        "rare-context", "bilodeau-benign:epsilon=0.1")));

INSTANTIATE_TEST_SUITE_P(
    Warden, Identity,
    testing::Combine(
        testing::Values("warden", "warden:r=0.6", "warden:R1=300", "warden:R2=500,patience=inf",
                        "warden:patience=0", "warden:patience=0.2", "warden:test=causal,delta=0.9",
                        "warden:test=stratified,delta=0.9,epsilon=0.5", "warden:test=none",
                        "warden:delta=0.99,epsilon=0.1,r=3", "warden:r=1e-19"),
        testing::Values("pareto-benign", "pareto-confounded:actions=20", "hidden-arm:actions=20",
                        "bilodeau-confounded:actions=20", "semi-benign:actions=30",
                        "random-benign:actions=20,contexts=5",
                        "random-benign:actions=64,contexts=20", "reversed:actions=20",
                        "all-confounded:actions=7,contexts=4", "hidden-arm:actions=200",
                        "rare-context", "bilodeau-benign:epsilon=0.1")));

INSTANTIATE_TEST_SUITE_P(
    HacUcb, Identity,
    testing::Combine(testing::Values("hac-ucb", "hac-ucb:scale=0.5", "hac-ucb:scale=0.25",
                                     "hac-ucb:scale=0.1", "hac-ucb:delta=0.1", "hac-ucb:scale=10"),
                     testing::Values("pareto-benign", "pareto-confounded:actions=20",
                                     "hidden-arm:actions=20", "bilodeau-confounded:actions=20",
                                     "semi-benign:actions=30",
                                     "random-benign:actions=20,contexts=5",
                                     "random-benign:actions=64,contexts=20", "reversed:actions=20",
                                     "all-confounded:actions=7,contexts=4",
                                     "hidden-arm:actions=200", "rare-context",
                                     "bilodeau-benign:epsilon=0.1")));

// Two learners; with a small scale and plain coefficients either is left out in time.
INSTANTIATE_TEST_SUITE_P(
    Balancing, Identity,
    testing::Combine(testing::Values("db", "db:dial=1", "db:Z2=1.5", "db:Z=1+3", "db:scale=0.03",
                                     "db:scale=0.05,test=plus", "db:scale=0.02,bias=printed",
                                     "db:d=1+1,Z=1+1,scale=0.1,delta=0.2",
                                     "db:d=0.2+1,Z=2+1,scale=0.3,bias=printed,test=plus",
                                     "db:d=2+0.2,Z=1+2,scale=0.2",
                                     "db:base=(c-ucb:confidence=bilodeau)+(ucb:scale=0.2),d=1+2"),
                     testing::Values("pareto-benign", "pareto-confounded:actions=20",
                                     "hidden-arm:actions=20", "random-benign:actions=30,contexts=5",
                                     "all-confounded:actions=7,contexts=4", "reversed:actions=20",
                                     "hidden-arm:actions=200", "rare-context")));

// Every family that there is, as it is by default.
class IdentityOfFamilies : public testing::TestWithParam<std::string> {};

TEST_P(IdentityOfFamilies, OfEveryPolicy) {
  for (const char* policy : {"fixed:arm=1", "oracle", "round-robin", "uniform", "ucb", "moss",
                             "c-ucb", "sentry", "warden", "db", "hac-ucb"}) {
    SCOPED_TRACE(policy);
    test::expect_steps_bytes(cell_of({policy, GetParam(), 3000}), {3, 5});
  }
}

INSTANTIATE_TEST_SUITE_P(All, IdentityOfFamilies, testing::ValuesIn(test::all_family_texts()));

// So many replications that their worlds are made, and what they brought is taken in, by threads.
TEST(IdentityOfManyWorlds, MadeByThreads) {
  test::expect_steps_bytes(cell_of({"c-ucb", "random-benign:actions=4,contexts=3", 20}), {3, 9000},
                           {.threads = 4});
}

// As many as 512 MB hold, or their part of a quarter of the memory there is.
TEST(IdentityOfManyWorlds, AreNoMoreAtATimeThanMemoryHolds) {
  const auto per_block = [](std::uint64_t memory, const char* instance) {
    return BlockAccelerator(std::make_unique<HostBackend>(), {.memory = memory})
        .replications_per_block(cell_of({"ucb", instance, 100}));
  };
  constexpr std::uint64_t kGiga = 1'000'000'000;
  const char* const fresh = "random-benign:actions=1000,contexts=64";  // 2.076 MB of tables each
  EXPECT_EQ(per_block(1000 * kGiga, fresh), 246u);
  EXPECT_EQ(per_block(16 * kGiga, fresh), 240u);
  EXPECT_EQ(per_block(kGiga, fresh), 15u);
  EXPECT_EQ(per_block(1, fresh), 1u);
  const char* const fixed = "hidden-arm:actions=1000";
  EXPECT_EQ(per_block(1, fixed), per_block(1000 * kGiga, fixed)) << "one for all";
}

// More actions than the other cases have, played once each and then by what they brought.
class IdentityOfMany : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(IdentityOfMany, OfEveryReplication) {
  const auto& [policy, instance] = GetParam();
  test::expect_steps_bytes(cell_of({policy, instance, 1500}), {3, 3});
}

INSTANTIATE_TEST_SUITE_P(
    Adaptive, IdentityOfMany,
    testing::Combine(testing::Values("sentry", "sentry:scale=0.1", "warden", "warden:r=0.6", "db",
                                     "db:scale=0.03", "hac-ucb", "hac-ucb:scale=0.1"),
                     testing::Values("hidden-arm:actions=400",
                                     "random-benign:actions=1000,contexts=50")));

// Widths beyond the end of their tables are computed: here all but the first 64 of each.
class IdentityBeyondTables : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(IdentityBeyondTables, OfEveryReplication) {
  constexpr std::uint64_t kLargest = 64;
  const auto& [policy, instance] = GetParam();
  const Cell cell = cell_of({policy, instance, 3000});
  const CellPlan plan = plan_cell(cell, *cell.world(0), kLargest);
  EXPECT_FALSE(plan.tables.empty()) << "nothing ends here";
  for (const auto& table : plan.tables) EXPECT_EQ(table->size(), kLargest);
  test::expect_steps_bytes(cell, {3, 3}, {.threads = 1, .largest_table = kLargest});
}

INSTANTIATE_TEST_SUITE_P(
    All, IdentityBeyondTables,
    testing::Combine(testing::Values("ucb:confidence=anytime", "moss", "c-ucb:confidence=anytime",
                                     "sentry", "sentry:schedule=spread,scale=0.3", "warden",
                                     "warden:test=none", "warden:delta=0.9,epsilon=0.3", "db",
                                     "db:scale=0.03"),
                     testing::Values("pareto-benign", "hidden-arm:actions=20",
                                     "random-benign:actions=20,contexts=5",
                                     "hidden-arm:actions=40")));

// The first rounds of horizons that nobody plays to their end: formulas with T in them, and from
// 2^32 on the large numbers.
class IdentityOfLongHorizons : public testing::TestWithParam<std::tuple<std::string, std::string>> {
};

TEST_P(IdentityOfLongHorizons, OfEveryReplication) {
  const auto& [policy, instance] = GetParam();
  for (const Round horizon : {(Round{1} << 32) - 1, Round{1} << 32, Round{1} << 40}) {
    Cell cell = cell_of({policy, instance, horizon});
    cell.checkpoints = log_checkpoints(2000, 6);
    EXPECT_EQ(plan_cell(cell, *cell.world(0), 2).small_numbers, horizon < (Round{1} << 32));
    // Some rounds by tables, others beyond: whole ones would take longer than the rounds.
    test::expect_steps_bytes(cell, {3, 3}, {.largest_table = 512});
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, IdentityOfLongHorizons,
    testing::Combine(testing::Values("fixed:arm=1", "oracle", "round-robin", "uniform", "ucb",
                                     "ucb:confidence=anytime", "moss", "c-ucb",
                                     "c-ucb:confidence=anytime", "sentry", "sentry:scale=0.1",
                                     "sentry:schedule=spread", "warden", "warden:delta=0.9",
                                     "warden:test=none", "db", "db:scale=0.03", "hac-ucb",
                                     "hac-ucb:scale=0.01"),
                     testing::Values("hidden-arm:actions=20", "hidden-arm:actions=40",
                                     "random-benign:actions=20,contexts=5")));

// Rewards from points, tables and coins, side by side: sums that are added up in order.
TEST(IdentityOfLaws, PointsTablesAndCoins) {
  const std::vector<RewardLaw> laws = {
      RewardLaw::point(0.3),       RewardLaw::table({0, 0.25, 0.9}, {0.2, 0.5, 0.3}),
      RewardLaw::bernoulli(0.4),   RewardLaw::table({0.1, 0.7}, {0.6, 0.4}),
      RewardLaw::point(1.0 / 3.0), RewardLaw::bernoulli(0.6)};
  const auto instance = std::make_shared<const Instance>(Instance(
      Instance::general("laws", Matrix::from_rows({{0.2, 0.8}, {0.5, 0.5}, {0.9, 0.1}}), laws)));
  constexpr Round kHorizon = 4000;
  const auto world = std::make_shared<const World>(instance, kHorizon);
  for (const char* policy :
       {"ucb", "moss", "c-ucb", "sentry", "warden", "db", "hac-ucb", "uniform", "round-robin"}) {
    SCOPED_TRACE(policy);
    Cell cell;
    cell.world = [&](std::uint32_t) { return world; };
    cell.policy = canonical_cell_policy(policy);
    cell.horizon = kHorizon;
    cell.seed = 5;
    cell.checkpoints = log_checkpoints(kHorizon, 6);
    cell.engine = Engine::kStep;
    test::expect_steps_bytes(cell, {2, 4});
  }
}

// What no device plays says why.
TEST(Obstacles, AreTold) {
  BlockAccelerator device(std::make_unique<HostBackend>());
  const auto obstacle = [&](const Case& one) {
    const Cell cell = cell_of(one);
    return device.obstacle(cell, *cell.world(0));
  };
  EXPECT_EQ(obstacle({"ts", "hidden-arm", 100}), "no device plays this policy");
  EXPECT_EQ(obstacle({"ucb:ties=random", "hidden-arm", 100}), "ties=random is stepped on the CPU");
  EXPECT_EQ(obstacle({"ucb:confidence=anytime-kl", "hidden-arm", 100}),
            "confidence=anytime-kl is stepped on the CPU");
  EXPECT_EQ(obstacle({"ucb", "hidden-arm:actions=1025", 100}), "1025 actions are more than 1024");
  EXPECT_EQ(obstacle({"ucb", "hidden-arm", (Round{1} << 40) + 1}),
            "1099511627777 rounds are more than 2^40");
}

// What the cases above are chosen for happens in them.
TEST(IdentityCases, HaveWhatIsRare) {
  struct Event {
    Case one;
    std::string diagnostic;
  };
  const std::atomic<bool> stop{false};
  for (const Event& event :
       {Event{{"db", "pareto-benign", 6000}, "deactivations(ucb)"},
        Event{{"db:d=0.2+1,Z=2+1,scale=0.3,bias=printed,test=plus", "hidden-arm:actions=20", 6000},
              "deactivations(c-ucb)"},
        Event{{"sentry:scale=0.3", "hidden-arm:actions=20", 6000}, "rejected"},
        Event{{"warden", "hidden-arm:actions=20", 6000}, "rejected"},
        Event{{"warden:test=causal,delta=0.9", "reversed:actions=20", 20000}, "rejected"},
        Event{{"hac-ucb:scale=0.25", "hidden-arm:actions=20", 6000}, "switched"}}) {
    const BlockResult block = run_block(cell_of(event.one), {3, 5}, stop);
    bool happens = false;
    for (const Replication& replication : block.replications)
      for (const Diagnostic& diagnostic : replication.diagnostics)
        happens = happens || (diagnostic.name == event.diagnostic && diagnostic.value > 0);
    EXPECT_TRUE(happens) << event.one.policy << ": " << event.diagnostic;
  }
}

class LongIdentity : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(LongIdentity, OfEveryReplication) {
  const bool at_length = std::getenv("ARMATURE_LONG") != nullptr;
  const std::atomic<bool> stop{false};
  const auto& [policy, instance] = GetParam();
  const Cell cell = cell_of({policy, instance, at_length ? Round{2'000'000} : Round{20'000}});
  const ReplicationRange range{0, at_length ? 8u : 3u};
  const BlockResult expected = run_block(cell, range, stop);
  BlockAccelerator device(std::make_unique<HostBackend>());
  const BlockResult found = device.run(cell, range, 0, stop);
  test::expect_same(found.replications, expected.replications);
}

INSTANTIATE_TEST_SUITE_P(
    All, LongIdentity,
    testing::Combine(testing::Values("db", "db:scale=0.03", "sentry", "sentry:schedule=spread",
                                     "sentry:confidence=paper,rejection=off", "warden",
                                     "warden:test=none", "warden:test=causal,delta=0.9",
                                     "warden:delta=0.9,epsilon=0.3", "hac-ucb",
                                     "hac-ucb:scale=0.3"),
                     testing::Values("pareto-benign", "pareto-confounded:actions=20",
                                     "hidden-arm:actions=20", "semi-benign:actions=20",
                                     "reversed:actions=20", "random-benign:actions=20,contexts=5",
                                     "all-confounded:actions=7,contexts=4")));

}  // namespace
}  // namespace armature::cuda
