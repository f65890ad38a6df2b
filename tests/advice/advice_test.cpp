#include "armature/advice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "armature/error.h"

namespace armature {
namespace {

AdviceQuestion sizes(double actions, double contexts, double horizon) {
  AdviceQuestion question;
  question.setting.actions = actions;
  question.setting.contexts = contexts;
  question.setting.horizon = horizon;
  return question;
}

const AdviceCost& cost(const AdviceAnswer& answer, const std::string& kind,
                       const std::string& policy) {
  const auto column = std::find(answer.policies.begin(), answer.policies.end(), policy);
  for (const AdviceWorld& world : answer.worlds)
    if (world.kind == kind)
      return world.costs[static_cast<std::size_t>(column - answer.policies.begin())];
  throw std::out_of_range(kind);
}

bool warns(const AdviceAnswer& answer, const std::string& kind) {
  return std::any_of(answer.warnings.begin(), answer.warnings.end(),
                     [&](const AdviceWarning& warning) { return warning.kind == kind; });
}

TEST(Advice, ShortRunsIgnoreTheContextsAndSayWhatThatCosts) {
  const AdviceAnswer answer = advise(sizes(20, 2, 1e4));
  EXPECT_EQ(answer.policy, "moss");  // docs/comparison.md: T/|A| below 5·10^4, undecided about Z
  ASSERT_EQ(answer.worlds.size(), 3u);
  EXPECT_TRUE(warns(answer, "benign"));  // c-ucb is cheaper there by far
  EXPECT_FALSE(answer.because.empty());
  EXPECT_FALSE(answer.watch.empty());
  EXPECT_FALSE(answer.commands.empty());
  EXPECT_EQ(answer.theory.size(), 5u);
}

TEST(Advice, FollowsTheLeaning) {
  AdviceQuestion question = sizes(10, 2, 2000);
  question.leaning = Leaning::kTrust;
  const AdviceAnswer trusting = advise(question);
  EXPECT_EQ(trusting.policy, "c-ucb:confidence=anytime");
  EXPECT_TRUE(warns(trusting, "confounded"));
  question.leaning = Leaning::kDistrust;
  EXPECT_EQ(advise(question).policy, "moss");
}

TEST(Advice, WithoutAHorizonNobodyIsToldIt) {
  AdviceQuestion question = sizes(10, 2, 2000);
  question.horizon_known = false;
  const AdviceAnswer answer = advise(question);
  EXPECT_EQ(answer.policies[0], "ucb:confidence=anytime");
  EXPECT_EQ(answer.policies[1], "warden:schedule=free");
  EXPECT_NE(answer.policy, "moss");
}

TEST(Advice, WithoutMarginalsTheContextsAreLeftAlone) {
  AdviceQuestion question = sizes(10, 2, 2000);
  question.marginals_known = false;
  const AdviceAnswer answer = advise(question);
  EXPECT_EQ(answer.policy, "moss");
  EXPECT_EQ(answer.policies.back(), "learned-marginals:base=(c-ucb:confidence=anytime)");
}

TEST(Advice, AnInstanceIsTheTruth) {
  AdviceQuestion question;
  question.setting.horizon = 5000;
  question.instance = "bilodeau-benign:actions=20,gap=0.2";
  const AdviceAnswer benign = advise(question);
  EXPECT_EQ(benign.policy, "c-ucb:confidence=anytime");
  EXPECT_EQ(benign.question.setting.actions, 20);
  // What it costs if the file is wrong is shown, and where that is much it is said.
  EXPECT_GT(cost(benign, "hidden", benign.policy).mean, cost(benign, "hidden", "moss").mean);
  EXPECT_TRUE(warns(benign, "hidden"));
  question.instance = "bilodeau-confounded:actions=20";
  EXPECT_EQ(advise(question).policy, "moss");
  EXPECT_THROW(
      {
        question.instance = "no-such-family";
        advise(question);
      },
      Error);
}

TEST(Advice, WorldsAreBuiltOnGivenMarginals) {
  Problem problem;
  problem.action_names = numbered_names('a', 6);
  problem.context_names = numbered_names('z', 2);
  Matrix marginals(6, 2);
  for (std::size_t a = 0; a < 6; ++a) {
    marginals.row(a)[0] = 0.1 + 0.15 * static_cast<double>(a);
    marginals.row(a)[1] = 1 - marginals.row(a)[0];
  }
  problem.marginals = std::make_shared<const Matrix>(marginals);
  AdviceQuestion question;
  question.setting.horizon = 2000;
  question.given = problem;
  const AdviceAnswer exact = advise(question);
  EXPECT_EQ(exact.question.setting.actions, 6);
  ASSERT_EQ(exact.worlds.size(), 3u);
  const std::string causal = "c-ucb:confidence=anytime";
  EXPECT_LT(cost(exact, "benign", causal).mean, cost(exact, "benign", "moss").mean);
  EXPECT_GT(cost(exact, "confounded", causal).mean, cost(exact, "confounded", "moss").mean);
  question.setting.epsilon = 0.1;
  EXPECT_EQ(advise(question).policies[1], "warden:epsilon=0.1");
}

TEST(Advice, LateOutcomesAreSteppedToWhatFits) {
  AdviceQuestion question = sizes(5, 2, 1e6);
  question.feedback = Feedback::parse_delay("100");
  const AdviceAnswer answer = advise(question);
  EXPECT_LT(answer.worlds[0].costs[0].horizon, Round{1'000'000});
  ASSERT_FALSE(answer.notes.empty());
  EXPECT_NE(answer.notes[0].find("A longer run may end otherwise"), std::string::npos);
}

TEST(Advice, WhatIsTooLargeIsSaidToBe) {
  const AdviceAnswer answer = advise(sizes(1e6, 1e3, 1e9));
  EXPECT_TRUE(answer.worlds.empty());
  EXPECT_EQ(answer.policy, "moss");
  ASSERT_FALSE(answer.notes.empty());
  EXPECT_NE(answer.notes[0].find("Nothing was simulated"), std::string::npos);
  EXPECT_EQ(advise(sizes(1e6, 1e3, 1e12)).policy, "warden");
}

TEST(Advice, RefusesWhatIsNoQuestion) {
  EXPECT_THROW(advise(sizes(1, 2, 1000)), Error);
  EXPECT_THROW(advise(sizes(5, 0, 1000)), Error);
  EXPECT_THROW(advise(sizes(5, 2, 0)), Error);
  EXPECT_THROW(leaning_named("hopeful"), Error);
}

// Down to the last bit: nothing is planned by a clock or by the number of threads.
TEST(Advice, IsTheSameForAnyNumberOfThreads) {
  RunHooks one, three;
  one.threads = 1;
  three.threads = 3;
  for (const double horizon : {500.0, 2e5}) {
    const AdviceAnswer first = advise(sizes(4, 2, horizon), one);
    const AdviceAnswer second = advise(sizes(4, 2, horizon), three);
    EXPECT_EQ(first.policy, second.policy);
    EXPECT_EQ(first.replications, second.replications);
    for (std::size_t w = 0; w < first.worlds.size(); ++w)
      for (std::size_t p = 0; p < first.policies.size(); ++p) {
        EXPECT_EQ(first.worlds[w].costs[p].mean, second.worlds[w].costs[p].mean);
        EXPECT_EQ(first.worlds[w].costs[p].standard_error,
                  second.worlds[w].costs[p].standard_error);
      }
  }
}

TEST(Advice, StopsWhenTold) {
  std::atomic<bool> stop{true};
  RunHooks hooks;
  hooks.stop = &stop;
  EXPECT_FALSE(advise(sizes(4, 2, 500), hooks).complete);
}

}  // namespace
}  // namespace armature
