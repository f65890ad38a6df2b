#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "armature/families.h"
#include "armature/policy_session.h"
#include "armature/simulate.h"

namespace armature {
namespace {

const std::atomic<bool> kGoOn{false};

Cell cell_of(const std::string& instance, const std::string& policy, std::vector<Round> checkpoints,
             std::uint64_t seed = 3) {
  const Round horizon = checkpoints.back();
  const InstanceSource source(instance, horizon, seed);
  return {[source, horizon](std::uint32_t replication) {
            return std::make_shared<const World>(source.instance(replication), horizon);
          },
          policy,
          horizon,
          seed,
          std::move(checkpoints),
          {}};
}

TEST(StepEngine, RoundRobinsRegretByHand) {
  // Gaps 0.2 for arms 0 and 1, 0 for the last. After 10 rounds: arm 0 four times, 1 and 2 three
  // times.
  const BlockResult result =
      run_block(cell_of("hidden-arm:actions=3,gap=0.2", "round-robin", {1, 3, 10}), {0, 1}, kGoOn);
  ASSERT_EQ(result.replications.size(), 1u);
  const Replication& run = result.replications[0];
  EXPECT_EQ(run.pulls, (std::vector<std::uint64_t>{4, 3, 3}));
  ASSERT_EQ(run.regret.size(), 3u);
  EXPECT_NEAR(run.regret[0], 0.2, 1e-12);
  EXPECT_NEAR(run.regret[1], 0.4, 1e-12);
  EXPECT_NEAR(run.regret[2], 1.4, 1e-12);
  EXPECT_NEAR(run.simple_regret, 0.2, 1e-12);  // the gap of arm 0, most played
}

TEST(StepEngine, RegretIsPullsTimesGaps) {
  for (const char* policy : {"ucb", "c-ucb", "hac-ucb", "ts", "uniform"}) {
    const Cell cell = cell_of("semi-benign", policy, {50, 1000});
    for (std::uint32_t replication = 0; replication < 3; ++replication) {
      const BlockResult result = run_block(cell, {replication, 1}, kGoOn);
      const Replication& run = result.replications.at(0);
      const auto world = cell.world(replication);
      double regret = 0;
      std::uint64_t rounds = 0;
      for (Arm a = 0; a < world->instance->actions(); ++a) {
        regret += static_cast<double>(run.pulls[a]) * world->instance->gap(a);
        rounds += run.pulls[a];
      }
      EXPECT_EQ(run.regret.back(), regret);
      EXPECT_EQ(rounds, 1000u);
      EXPECT_LE(run.regret[0], run.regret[1]);
    }
  }
}

TEST(StepEngine, TheOracleHasNoRegretInAnyWorld) {
  for (const Family& family : families()) {
    const BlockResult result = run_block(cell_of(family.name, kOracle, {10, 500}), {0, 4}, kGoOn);
    ASSERT_EQ(result.replications.size(), 4u) << family.name;
    for (const Replication& run : result.replications) {
      EXPECT_EQ(run.regret, (std::vector<double>{0, 0})) << family.name;
      EXPECT_EQ(run.simple_regret, 0) << family.name;
    }
  }
}

TEST(StepEngine, OracleIsAPolicyForTheEngineAlone) {
  EXPECT_EQ(canonical_cell_policy("oracle"), "oracle");
  EXPECT_EQ(canonical_cell_policy("ucb:scale=1.0"), "ucb");
  EXPECT_THROW(canonical_cell_policy("orakle"), Error);
  EXPECT_THROW(canonical_policy("oracle"), Error);
}

TEST(StepEngine, SimpleRegretIsTheGapOfTheMostPlayedArm) {
  // hidden-arm with three arms: fixed at 1 has gap 0.2, fixed at 2 none.
  EXPECT_NEAR(run_block(cell_of("hidden-arm:actions=3,gap=0.2", "fixed:arm=1", {10}), {0, 1}, kGoOn)
                  .replications[0]
                  .simple_regret,
              0.2, 1e-12);
  EXPECT_EQ(run_block(cell_of("hidden-arm:actions=3,gap=0.2", "fixed:arm=2", {10}), {0, 1}, kGoOn)
                .replications[0]
                .simple_regret,
            0);
}

TEST(StepEngine, AReplicationDoesNotDependOnItsBlock) {
  const Cell cell = cell_of("random-benign", "ts", {300});
  const BlockResult all = run_block(cell, {0, 6}, kGoOn);
  const BlockResult some = run_block(cell, {4, 2}, kGoOn);
  ASSERT_EQ(some.replications.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(some.replications[i].pulls, all.replications[4 + i].pulls);
    EXPECT_EQ(some.replications[i].regret, all.replications[4 + i].regret);
  }
}

TEST(StepEngine, CheckpointsDoNotDisturbTheRun) {
  const BlockResult few = run_block(cell_of("semi-benign", "c-ts", {1000}), {0, 1}, kGoOn);
  const BlockResult many =
      run_block(cell_of("semi-benign", "c-ts", {1, 2, 3, 255, 256, 257, 999, 1000}), {0, 1}, kGoOn);
  EXPECT_EQ(few.replications[0].pulls, many.replications[0].pulls);
  EXPECT_EQ(few.replications[0].regret.back(), many.replications[0].regret.back());
}

TEST(StepEngine, DiagnosticsComeFromThePolicy) {
  const BlockResult result =
      run_block(cell_of("bilodeau-confounded", "hac-ucb", {500}), {0, 1}, kGoOn);
  EXPECT_EQ(result.replications[0].diagnostics.at(0).name, "switched");
}

TEST(StepEngine, AStopBeforeTheStartLeavesNothing) {
  const std::atomic<bool> stop{true};
  EXPECT_TRUE(run_block(cell_of("pareto-benign", "ucb", {100}), {0, 5}, stop).replications.empty());
}

TEST(StepEngine, AReplicationCutShortIsLeftOut) {
  // The world of replication 2 pulls the brake: replications 0 and 1 are finished, 2 is not.
  std::atomic<bool> stop{false};
  Cell cell = cell_of("pareto-benign", "ucb", {100});
  const auto inner = cell.world;
  cell.world = [&](std::uint32_t replication) {
    if (replication == 2) stop = true;
    return inner(replication);
  };
  const BlockResult result = run_block(cell, {0, 5}, stop);
  EXPECT_EQ(result.replications.size(), 2u);
}

TEST(StepEngine, CellsThatMakeNoSenseAbort) {
  const Cell good = cell_of("hidden-arm:actions=3", "ucb", {1, 10});
  const auto run = [&](void (*spoil)(Cell&)) {
    Cell cell = good;
    spoil(cell);
    run_block(cell, {0, 1}, kGoOn);
  };
  EXPECT_DEATH(run([](Cell& cell) { cell.world = nullptr; }), "a cell has worlds");
  EXPECT_DEATH(run([](Cell& cell) {
                 cell.world = [](std::uint32_t) { return std::shared_ptr<const World>(); };
               }),
               "a world has an instance");
  EXPECT_DEATH(run([](Cell& cell) { cell.checkpoints.clear(); }), "checkpoints ascend");
  EXPECT_DEATH(run([](Cell& cell) { cell.checkpoints = {5, 1, 10}; }), "checkpoints ascend");
  EXPECT_DEATH(run([](Cell& cell) { cell.checkpoints = {1, 11}; }), "checkpoints ascend");
  EXPECT_DEATH(run([](Cell& cell) { cell.feedback.batch = 0; }), "a batch has");
  EXPECT_DEATH(run([](Cell& cell) { cell.feedback.rounds = -1; }), "a delay is");
  EXPECT_DEATH(run([](Cell& cell) { cell.feedback.loss = 2; }), "a loss is a probability");
  EXPECT_DEATH(run([](Cell& cell) { cell.leap_tolerance = -1; }), "a leap tolerance is");
  EXPECT_DEATH(run([](Cell& cell) { cell.leap_tolerance = 1; }), "a leap tolerance is");
  EXPECT_DEATH(run([](Cell& cell) { cell.leap_tolerance = std::nan(""); }), "a leap tolerance is");
  EXPECT_DEATH(run([](Cell& cell) { cell.max_events = 0; }), "has events");
  EXPECT_DEATH(run([](Cell& cell) { cell.horizon = 11; }), "the cell's horizon");
  EXPECT_DEATH(World(nullptr, 1), "a world has an instance");
}

// What policies are told has other sizes than the truth.
TEST(StepEngine, WorldsThatDoNotFitThemselvesAbort) {
  Cell cell = cell_of("hidden-arm:actions=3", "ucb", {10});
  cell.world = [](std::uint32_t) {
    auto world =
        std::make_shared<World>(InstanceSource("hidden-arm:actions=3", 10, 1).instance(0), 10);
    world->problem = InstanceSource("hidden-arm:actions=4", 10, 1).instance(0)->problem(10);
    return world;
  };
  EXPECT_DEATH(run_block(cell, {0, 1}, kGoOn), "as many actions and contexts as there are");
}

// An arm far outside, as a policy of one's own may choose: pulls are not counted for it.
struct FarOut {
  static PolicyFacts facts() {
    return {.name = "test-far-out", .summary = "", .text = "", .section = ""};
  }
  FarOut(const Problem&, const Arguments&) {}
  Decision choose(Stream&) { return {100'000'000}; }
  void observe(Decision, Outcome, Stream&) {}
  void forget(Decision) {}
  void visit_state(StateVisitor&) {}
  Diagnostics diagnostics() const { return {}; }
};

TEST(StepEngine, ArmsThatAreNoneAbort) {
  static const bool registered = (register_policy(policy_entry<FarOut>()), true);
  ASSERT_TRUE(registered);
  Cell cell = cell_of("hidden-arm:actions=3", "test-far-out", {10});
  EXPECT_DEATH(run_block(cell, {0, 1}, kGoOn), "an arm of the instance is played");
  cell.feedback.batch = 5;
  EXPECT_DEATH(run_block(cell, {0, 1}, kGoOn), "an arm of the instance is played");
  PolicySession session("test-far-out", cell.world(0)->problem, 1);
  EXPECT_DEATH(session.choose(), "one of the problem's arms");
}

// Who watches sees every round in order, and what is played is what is played unwatched.
TEST(StepEngine, RoundsCanBeWatched) {
  for (const char* policy : {"uniform", "ucb", "ts", "corral"})
    for (const bool late : {false, true}) {
      Cell cell = cell_of("semi-benign:actions=4", policy, {10, 400});
      if (late) cell.feedback = Feedback::parse_delay("geometric:mean=5");
      const BlockResult unwatched = run_block(cell, {2, 1}, kGoOn);
      std::vector<PlayedRound> rounds;
      cell.watch = [&](const PlayedRound& round) { rounds.push_back(round); };
      const BlockResult watched = run_block(cell, {2, 1}, kGoOn);
      EXPECT_EQ(watched.replications[0].regret, unwatched.replications[0].regret) << policy;
      EXPECT_EQ(watched.replications[0].pulls, unwatched.replications[0].pulls) << policy;
      ASSERT_EQ(rounds.size(), 400u);
      std::vector<std::uint64_t> pulls(4);
      for (std::size_t i = 0; i < rounds.size(); ++i) {
        EXPECT_EQ(rounds[i].round, i + 1);
        EXPECT_EQ(rounds[i].replication, 2u);
        ++pulls[rounds[i].arm];
        if (std::string(policy) == "ts") {
          EXPECT_FALSE(rounds[i].probability.has_value());  // no closed form
          continue;
        }
        EXPECT_GT(rounds[i].probability.value(), 0);
        EXPECT_LE(rounds[i].probability.value(), 1);
        if (std::string(policy) == "uniform") EXPECT_EQ(rounds[i].probability, 0.25);
        if (std::string(policy) == "ucb") EXPECT_EQ(rounds[i].probability, 1);
      }
      EXPECT_EQ(pulls, watched.replications[0].pulls);
    }
}

}  // namespace
}  // namespace armature
