// Lock step against one at a time: the same bits, for every policy that knows it, on every
// instruction set of this machine.
#include "simulate/lanes.h"

#include <gtest/gtest.h>

#include "armature/families.h"
#include "armature/simulate.h"
#include "simulate/step.h"
#include "support/replications.h"
#include "support/worlds.h"

namespace armature {
namespace {

const std::atomic<bool> kGoOn{false};

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : {InstructionSet::kAvx2, InstructionSet::kAvx512})
    if (set <= widest_instructions()) sets.push_back(set);
  return sets;
}

Cell cell_in(std::shared_ptr<const World> world, const std::string& policy,
             std::vector<Round> checkpoints, std::uint64_t seed = 3) {
  const Round horizon = world->problem.horizon.value();
  return {[world = std::move(world)](std::uint32_t) { return world; },
          policy,
          horizon,
          seed,
          std::move(checkpoints),
          {}};
}

Cell cell_of(const std::string& instance, const std::string& policy, std::vector<Round> checkpoints,
             std::uint64_t seed = 3) {
  const Round horizon = checkpoints.back();
  const InstanceSource source(instance, horizon, seed);
  return cell_in(std::make_shared<const World>(source.instance(0), horizon), policy,
                 std::move(checkpoints), seed);
}

std::vector<Replication> one_by_one(const Cell& cell, ReplicationRange range) {
  std::vector<Replication> replications;
  for (std::uint32_t i = 0; i < range.count; ++i)
    replications.push_back(
        step_replication(cell, *cell.world(range.first + i), cell.policy, range.first + i, kGoOn)
            .value());
  return replications;
}

struct Together {
  std::vector<Replication> replications;
  std::uint32_t in_lanes = 0;
};

Together in_lock_step(const Cell& cell, ReplicationRange range, InstructionSet instructions) {
  LockStep lock_step(cell, instructions, LockStep::Where::kPossible);
  Together result;
  while (result.replications.size() < range.count) {
    const auto done = static_cast<std::uint32_t>(result.replications.size());
    const ReplicationRange left{range.first + done, range.count - done};
    std::vector<Replication> some =
        lock_step.play(cell.world(left.first), cell.policy, left, kGoOn);
    EXPECT_LE(some.size(), left.count);
    result.in_lanes += static_cast<std::uint32_t>(some.size());
    if (some.empty()) some = one_by_one(cell, {left.first, 1});
    for (Replication& one : some) result.replications.push_back(std::move(one));
  }
  return result;
}

// All of them in lanes, and as one by one.
void expect_lock_step(const Cell& cell, ReplicationRange range) {
  const std::vector<Replication> expected = one_by_one(cell, range);
  for (const InstructionSet set : instruction_sets()) {
    SCOPED_TRACE(testing::Message()
                 << cell.policy << ", instruction set " << static_cast<int>(set));
    const Together found = in_lock_step(cell, range, set);
    EXPECT_EQ(found.in_lanes, range.count);
    test::expect_same(found.replications, expected);
  }
}

const std::vector<std::string> kPolicies = {
    "ucb",
    "ucb:confidence=anytime",
    "ucb:confidence=bilodeau,scale=0.3",
    "ucb:delta=0.2,inflight=ignore",
    "moss",
    "moss:scale=0.4",
    "c-ucb",
    "c-ucb:confidence=anytime,scale=0.5",
    "c-ucb:confidence=bilodeau",
    "sentry",
    "sentry:schedule=spread",
    "sentry:schedule=free",
    "sentry:budget=50,tau=0.05",
    "sentry:R1=40,epsilon=0.1,inflight=ignore",
    "sentry:share=0.5,rejection=off,scale=0.3",
    "sentry:confidence=paper,scale=0.2",
    "sentry:confidence=bilodeau,scale=0.1,schedule=spread",
};

// Every family but one, which does not toss coins for rewards, and some sizes.
std::vector<std::string> worlds() {
  std::vector<std::string> texts = test::all_family_texts();
  std::erase(texts, "pe-trap");
  for (const char* text :
       {"hidden-arm:actions=20", "hidden-arm:actions=2,gap=0.3",
        "random-benign:actions=20,contexts=5",
        "random-benign:actions=7,contexts=3,epsilon=0.3,perturbation=random",
        "random-benign:actions=64,contexts=2", "random-benign:actions=3,contexts=16",
        "random-benign:actions=17,contexts=9"})
    texts.emplace_back(text);
  return texts;
}

TEST(LockStep, IsOneAtATimeForEveryPolicyInEveryWorld) {
  for (const std::string& world : worlds())
    for (const std::string& policy : kPolicies) {
      SCOPED_TRACE(world);
      expect_lock_step(cell_of(world, policy, {1, 2, 40, 500, 3000}), {0, 16});
    }
}

TEST(LockStep, AnyHorizonIsCutWhereItEnds) {
  for (const Round horizon : {1, 2, 3, 31, 32, 33, 64, 65, 777})
    for (const std::string& policy : kPolicies) {
      SCOPED_TRACE(horizon);
      expect_lock_step(cell_of("semi-benign", policy, {horizon}), {5, 8});
      expect_lock_step(cell_of("bilodeau-confounded", policy, log_checkpoints(horizon, 9)), {0, 8});
    }
}

// Long enough for several looks at `stop`, several thousand draws ahead, and growing tables.
TEST(LockStep, LongRuns) {
  const Round horizon = 3 * (1 << 16) + 5;
  for (const char* policy : {"ucb", "ucb:confidence=anytime", "moss", "c-ucb", "sentry"})
    for (const char* world : {"hidden-arm:actions=20", "random-benign:actions=20,contexts=5"})
      expect_lock_step(cell_of(world, policy, log_checkpoints(horizon, 20), 11), {0, 16});
}

// What makes no whole group is stepped.
TEST(LockStep, AnyNumberOfReplications) {
  for (std::uint32_t count = 1; count <= 40; ++count)
    for (const char* policy : {"ucb", "c-ucb", "sentry"}) {
      const Cell cell = cell_of("bilodeau-confounded", policy, {10, 200});
      const ReplicationRange range{count, count};
      const std::vector<Replication> expected = one_by_one(cell, range);
      test::expect_same(run_block(cell, range, kGoOn).replications, expected);
      for (const InstructionSet set : instruction_sets()) {
        SCOPED_TRACE(testing::Message()
                     << count << " of " << policy << " on " << static_cast<int>(set));
        const Together found = in_lock_step(cell, range, set);
        EXPECT_LT(count - found.in_lanes, 6u);
        test::expect_same(found.replications, expected);
      }
    }
}

// Counters of luck reach over all of their words.
TEST(LockStep, AnySeedAndReplication) {
  for (const std::uint64_t seed : {std::uint64_t{0}, ~std::uint64_t{0}, 0x123456789ABCDEFu})
    expect_lock_step(cell_of("semi-benign", "ucb", {300}, seed), {0xFFFFFFF0u - 16, 16});
}

// The policy is told of a longer horizon than is played, as in trials.
TEST(LockStep, EndsAtTheLastCheckpoint) {
  const InstanceSource source("hidden-arm:actions=20", 1'000'000, 1);
  const auto world = std::make_shared<const World>(source.instance(0), 1'000'000);
  for (const std::string& policy : kPolicies) {
    Cell cell = cell_in(world, policy, {100, 1000});
    cell.follow_shares = true;
    expect_lock_step(cell, {0, 8});
  }
}

// Where worlds contradict themselves sentry says when and by which action.
TEST(LockStep, SentryTellsItsRejections) {
  const Cell cell = cell_of("hidden-arm", "sentry", {20'000});
  expect_lock_step(cell, {0, 16});
  std::size_t rejections = 0;
  for (const Replication& one : run_block(cell, {0, 16}, kGoOn).replications)
    for (const Diagnostic& told : one.diagnostics)
      rejections += told.name == "rejection_action" ? 1 : 0;
  EXPECT_GT(rejections, 0u);
}

// Certain and impossible outcomes have thresholds at the ends of all integers.
TEST(LockStep, CertainOutcomes) {
  const Matrix marginals = Matrix::from_rows({{1, 0, 0}, {0, 1, 0}, {0, 0.5, 0.5}});
  const Instance instance(Instance::benign(
      "certain", marginals,
      {RewardLaw::bernoulli(0), RewardLaw::bernoulli(1), RewardLaw::bernoulli(0.5)}));
  const auto world = std::make_shared<const World>(std::make_shared<const Instance>(instance), 500);
  for (const std::string& policy : kPolicies)
    expect_lock_step(cell_in(world, policy, {500}), {0, 8});
}

// What lanes cannot follow is left to stepping.
TEST(LockStep, EverythingElseIsSteppedOneByOne) {
  const auto played = [](const Cell& cell) {
    std::size_t replications = 0;
    for (const InstructionSet set : instruction_sets()) {
      LockStep lock_step(cell, set);
      replications += lock_step.play(cell.world(0), cell.policy, {0, 32}, kGoOn).size();
    }
    return replications;
  };
  const Cell simple = cell_of("semi-benign", "ucb", {100});
  if (!instruction_sets().empty()) {
    EXPECT_GT(played(simple), 0u);
  }
  for (const char* policy :
       {"ts", "db", "pe", "uniform", "kl-ucb", "warden", "ucb:ties=random", "c-ucb:ties=random",
        "ucb:confidence=anytime-kl", "c-ucb:confidence=anytime-kl", "sentry:confidence=anytime-kl",
        "sentry:proposal=cl-ucb", "floor:base=ucb,probability=0.1"})
    EXPECT_EQ(played(cell_of("semi-benign", policy, {100})), 0u) << policy;
  for (const char* world : {"hidden-arm:actions=65", "random-benign:actions=4,contexts=17"})
    EXPECT_EQ(played(cell_of(world, "ucb", {100})), 0u) << world;
  EXPECT_EQ(played(cell_of("random-benign:actions=64,contexts=6", "c-ucb", {100})), 0u);
  {
    Cell cell = simple;
    cell.feedback.batch = 2;
    EXPECT_EQ(played(cell), 0u);
  }
  {
    Cell cell = simple;
    cell.watch = [](const PlayedRound&) {};
    EXPECT_EQ(played(cell), 0u);
  }
  {
    Cell cell = simple;
    cell.make_policy = [](const Problem& problem, std::uint32_t) {
      return make_policy("ucb", problem);
    };
    EXPECT_EQ(played(cell), 0u);
  }
  {
    Cell cell = simple;
    cell.make_environment = [](std::uint32_t) { return [](Arm) { return Outcome{0, 1}; }; };
    EXPECT_EQ(played(cell), 0u);
  }
  {
    Cell cell = simple;  // a world for each replication
    cell.world = [](std::uint32_t replication) {
      const InstanceSource source("random-benign", 100, 3);
      return std::make_shared<const World>(source.instance(replication), 100);
    };
    EXPECT_EQ(played(cell), 0u);
    EXPECT_EQ(run_block(cell, {0, 20}, kGoOn).replications.size(), 20u);
  }
  {
    const Instance points(Instance::benign("points", Matrix::from_rows({{0.5, 0.5}, {0.2, 0.8}}),
                                           {RewardLaw::bernoulli(0.2), RewardLaw::point(0.4)}));
    const auto world = std::make_shared<const World>(std::make_shared<const Instance>(points), 100);
    EXPECT_EQ(played(cell_in(world, "ucb", {100})), 0u);
  }
  LockStep plain(simple, InstructionSet::kPlain);
  EXPECT_TRUE(plain.play(simple.world(0), "ucb", {0, 32}, kGoOn).empty());
}

// A group that was stopped leaves nothing behind…
TEST(LockStep, StopsBetweenCheckpoints) {
  const Cell cell = cell_of("hidden-arm:actions=20", "ucb", {1'000'000});
  const std::atomic<bool> stopped{true};
  for (const InstructionSet set : instruction_sets()) {
    LockStep lock_step(cell, set);
    EXPECT_TRUE(lock_step.play(cell.world(0), "ucb", {0, 16}, stopped).empty());
  }
  EXPECT_TRUE(run_block(cell, {0, 16}, stopped).replications.empty());
}

// …and those before it are whole. A group's worlds are asked for before it is played.
TEST(LockStep, KeepsWhatWasFinishedBeforeTheStop) {
  constexpr std::uint32_t kStop = 40;
  constexpr std::uint32_t kLargestGroup = 16;
  const Cell cell = cell_of("hidden-arm:actions=20", "ucb", {50'000});
  std::atomic<bool> stop{false};
  Cell stopping = cell;
  stopping.world = [&](std::uint32_t replication) {
    if (replication == kStop) stop = true;
    return cell.world(replication);
  };
  const std::vector<Replication> found = run_block(stopping, {0, 4000}, stop).replications;
  EXPECT_LE(found.size(), kStop);
  EXPECT_GT(found.size() + kLargestGroup, kStop);
  test::expect_same(found, one_by_one(cell, {0, static_cast<std::uint32_t>(found.size())}));
}

}  // namespace
}  // namespace armature
