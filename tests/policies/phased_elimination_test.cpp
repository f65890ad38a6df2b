#include "policies/linear/phased_elimination.h"

#include <gtest/gtest.h>

#include "armature/families.h"
#include "armature/simulate.h"

namespace armature {
namespace {

Problem problem_of(const std::string& family, Round horizon) {
  return InstanceSource(family, horizon, 1).instance(0)->problem(horizon);
}

double diagnostic(const AnyPolicy& policy, const std::string& name) {
  for (const Diagnostic& entry : policy.diagnostics())
    if (entry.name == name) return entry.value;
  return -1;
}

// pe-trap with |Z| = 3: rank 3, s(3) = 17.13, the design is 1/3 on each a_i, so phase 1 plays each
// ceil(17.13/3) = ceil(5.71) = 6 times, in index order.
TEST(PhasedElimination, PlaysItsDesignInIndexOrder) {
  const auto policy = make_policy("pe:design=exact", problem_of("pe-trap", 1000));
  Stream stream({1, 0, Purpose::kPolicy});
  for (int i = 0; i < 18; ++i) {
    const Decision decision = policy->choose(stream);
    EXPECT_EQ(decision.arm, static_cast<Arm>(i / 6)) << i;
    policy->observe(decision, {decision.arm, 0.0}, stream);
  }
  EXPECT_EQ(diagnostic(*policy, "phases"), 2);
  EXPECT_EQ(diagnostic(*policy, "dimension_1"), 3);
}

// Proposition E.1: with an exact design the best action is never played and the regret is what the
// phases say, whatever the seed: no randomness is left.
TEST(PhasedElimination, NeverPlaysTheBestActionOfPeTrap) {
  for (const char* place : {"first", "last"}) {
    constexpr Round kHorizon = 20'000;
    const InstanceSource source(std::string("pe-trap:actions=7,contexts=4,place=") + place,
                                kHorizon, 1);
    const auto world = std::make_shared<const World>(source.instance(0), kHorizon);
    Cell cell{[&](std::uint32_t) { return world; }, "pe:design=exact", kHorizon, 1, {kHorizon}, {}};
    const std::atomic<bool> stop{false};
    const BlockResult result = run_block(cell, {0, 3}, stop);
    for (const Replication& replication : result.replications) {
      EXPECT_EQ(replication.pulls[world->instance->best_action()], 0u);
      EXPECT_EQ(replication.regret, result.replications[0].regret);
      EXPECT_DOUBLE_EQ(replication.simple_regret, 0.2);  // the last of the a_i is played most
    }
  }
}

TEST(PhasedElimination, OneActionIsPlayedForEver) {
  const auto policy = make_policy("pe", problem_of("random-benign:actions=1", 100));
  Stream stream({1, 0, Purpose::kPolicy});
  for (int i = 0; i < 100; ++i) {
    const Decision decision = policy->choose(stream);
    EXPECT_EQ(decision.arm, 0u);
    policy->observe(decision, {0, 1.0}, stream);
  }
}

TEST(PhasedElimination, EqualMarginalsHaveRankOneAndCannotBeToldApart) {
  const auto policy = make_policy("pe", problem_of("hidden-arm", 5000));
  Stream stream({1, 0, Purpose::kPolicy});
  for (int i = 0; i < 5000; ++i) {
    const Decision decision = policy->choose(stream);
    ASSERT_EQ(decision.arm, 0u);
    policy->observe(decision, {0, i % 2 == 0 ? 1.0 : 0.0}, stream);
  }
  EXPECT_EQ(diagnostic(*policy, "dimension_1"), 1);
  EXPECT_EQ(diagnostic(*policy, "active_5"), 20);
}

// Late outcomes: the phase waits, going round its support with plays that do not count.
TEST(PhasedElimination, WaitsForItsOutcomesWithPlaysThatDoNotCount) {
  const auto policy = make_policy("pe:design=exact", problem_of("pe-trap", 1000));
  Stream stream({1, 0, Purpose::kPolicy});
  std::vector<Decision> planned;
  for (int i = 0; i < 18; ++i) planned.push_back(policy->choose(stream));
  const Decision extra = policy->choose(stream);
  EXPECT_EQ(extra.arm, 0u);
  EXPECT_EQ(policy->choose(stream).arm, 1u);
  EXPECT_EQ(policy->choose(stream).arm, 2u);
  EXPECT_EQ(policy->choose(stream).arm, 0u);
  const std::uint64_t before = policy->digest();
  policy->observe(extra, {0, 1.0}, stream);
  EXPECT_EQ(policy->digest(), before);  // ignored
  for (const Decision& decision : planned) policy->observe(decision, {decision.arm, 0.0}, stream);
  EXPECT_EQ(diagnostic(*policy, "phases"), 2);
}

TEST(PhasedElimination, AForgottenPlayIsPlayedAgain) {
  const auto policy = make_policy("pe:design=exact", problem_of("pe-trap", 1000));
  Stream stream({1, 0, Purpose::kPolicy});
  std::vector<Decision> planned;
  for (int i = 0; i < 18; ++i) planned.push_back(policy->choose(stream));
  policy->forget(planned[13]);  // arm 2
  const Decision again = policy->choose(stream);
  EXPECT_EQ(again.arm, 2u);
  EXPECT_EQ(policy->choose(stream).arm, 0u);  // and then the waiting plays
  for (int i = 0; i < 18; ++i)
    if (i != 13) policy->observe(planned[static_cast<std::size_t>(i)], {0, 0.0}, stream);
  EXPECT_EQ(diagnostic(*policy, "phases"), 1);
  policy->observe(again, {2, 0.0}, stream);
  EXPECT_EQ(diagnostic(*policy, "phases"), 2);
}

// A larger tolerance for wrong marginals keeps more actions, a smaller scale fewer.
TEST(PhasedElimination, MisspecificationKeepsMoreAndScaleKeepsFewer) {
  const auto active_after = [](const std::string& text) {
    constexpr Round kHorizon = 30'000;
    const World world(InstanceSource("random-benign:actions=40", kHorizon, 3).instance(0),
                      kHorizon);
    const auto policy = make_policy(text, world.problem);
    Environment environment(world.tables, 3, 0);
    Stream stream({3, 0, Purpose::kPolicy});
    std::vector<std::uint64_t> pulls(40);
    policy->play(environment, kHorizon, stream, pulls);
    return diagnostic(*policy, "active_10");
  };
  EXPECT_LT(active_after("pe:scale=0.3"), active_after("pe"));
  EXPECT_LT(active_after("pe:scale=0.3"), active_after("pe:scale=0.3,misspecification=0.1"));
}

TEST(PhasedElimination, CoefficientIsTheOneOfItsRankAndDesign) {
  const Problem low = problem_of("random-benign:contexts=8,rank=2,actions=50", 100'000);
  const Problem high = problem_of("random-benign:contexts=8,actions=50", 100'000);
  EXPECT_LT(policy_coefficient("pe", low).value(), policy_coefficient("pe", high).value());
  EXPECT_GE(policy_coefficient("pe:design=exact", high).value(),
            policy_coefficient("pe", high).value());
}

double phases_after(Round rounds, bool some_lost) {
  const auto policy = make_policy("pe", problem_of("semi-benign:actions=7", 10'000));
  Stream stream({1, 0, Purpose::kPolicy});
  std::vector<Decision> waiting;
  for (Round t = 1; t <= rounds; ++t) {
    waiting.push_back(policy->choose(stream));
    if (waiting.size() <= 10) continue;
    const Decision late = waiting.front();
    waiting.erase(waiting.begin());
    if (some_lost && t % 100 == 0)
      policy->forget(late);
    else
      policy->observe(late, {0, static_cast<double>(t % 2)}, stream);
  }
  return diagnostic(*policy, "phases");
}

// Outcomes come ten rounds late and a hundredth is lost, and said to be: a phase takes a few rounds
// more, and ends. (t % 2 teaches nothing: no action is dropped.)
TEST(PhasedElimination, PhasesEndThoughOutcomesAreLost) {
  const double without_losses = phases_after(9000, false);
  EXPECT_GE(without_losses, 5);
  EXPECT_EQ(phases_after(9000 + 9000 / 20, true), without_losses);
}

TEST(PhasedElimination, StatesWhereItWillPlay) {
  const auto policy = make_policy("pe", problem_of("semi-benign:actions=7", 1000));
  Stream stream({1, 0, Purpose::kPolicy});
  std::vector<double> stated(7);
  for (int t = 0; t < 300; ++t) {  // planned plays, plays again, and plays that do not count
    ASSERT_TRUE(policy->probabilities(stated));
    const Decision decision = policy->choose(stream);
    ASSERT_EQ(stated[decision.arm], 1) << t;
    if (t % 7 == 3)
      policy->forget(decision);
    else if (t % 7 != 4)
      policy->observe(decision, {0, 1}, stream);
  }
}

}  // namespace
}  // namespace armature
