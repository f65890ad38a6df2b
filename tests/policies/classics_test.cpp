// epsilon-greedy, exp3, bayes-ucb and etc: first rounds by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "armature/families.h"
#include "armature/leap.h"
#include "armature/simulate.h"
#include "base/refusal.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::contains;
using test::Hand;
using test::problem_of;
using test::refusal;
using Row = std::vector<double>;

Problem arms(std::size_t count, Round horizon) {
  return problem_of(std::vector<std::vector<double>>(count, {1}), horizon);
}

Problem endless(std::size_t count) {
  Problem problem = arms(count, 1);
  problem.horizon.reset();
  return problem;
}

Row stated(const Hand& hand, std::size_t count) {
  Row probabilities(count);
  EXPECT_TRUE(hand.policy->probabilities(probabilities));
  return probabilities;
}

void expect_near(const Row& found, const Row& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

// --- epsilon-greedy

TEST(EpsilonGreedy, TriesEverythingThenPlaysTheBest) {
  Hand hand("epsilon-greedy:epsilon=0", arms(3, 100));
  EXPECT_EQ(hand.round(0, 0.25), 0u);
  EXPECT_EQ(hand.round(0, 0.75), 1u);
  EXPECT_EQ(hand.round(0, 0.5), 2u);
  EXPECT_EQ(hand.round(0, 0), 1u);    // mean 0.75, then 0.375
  EXPECT_EQ(hand.round(0, 0), 2u);    // mean 0.5, then 0.25
  EXPECT_EQ(hand.round(0, 0.5), 1u);  // mean 0.375, then 1.25/3
  EXPECT_EQ(hand.field("plays"), "[1, 3, 2]");
}

// c·|A| = 1·2: ε is 1 in rounds 1 and 2, then 2/t.
TEST(EpsilonGreedy, DecaysByRounds) {
  Hand hand("epsilon-greedy:c=1", endless(2));
  expect_near(stated(hand, 2), {0.5, 0.5});
  hand.witness(0, 0, 1);
  expect_near(stated(hand, 2), {0.5, 0.5});
  hand.witness(1, 0, 0);
  expect_near(stated(hand, 2), {1.0 / 3 + 1.0 / 3, 1.0 / 3});  // t = 3
  const Decision out = hand.choose();                          // in flight it counts
  expect_near(stated(hand, 2), {0.25 + 0.5, 0.25});            // t = 4
  hand.policy->forget(out);
  expect_near(stated(hand, 2), {2.0 / 3, 1.0 / 3});
}

// What is out is not tried again before all others are.
TEST(EpsilonGreedy, DoesNotHerdOnTheUntried) {
  Hand hand("epsilon-greedy:epsilon=0", arms(3, 100));
  for (const Arm expected : {0u, 1u, 2u, 0u, 0u}) EXPECT_EQ(hand.choose().arm, expected);
}

TEST(EpsilonGreedy, StatesItsProbabilities) {
  Hand hand("epsilon-greedy:epsilon=0.2", arms(4, 100));
  expect_near(stated(hand, 4), {0.85, 0.05, 0.05, 0.05});
}

TEST(EpsilonGreedy, RefusesADecayOfAFixedEpsilon) {
  EXPECT_TRUE(contains(refusal([] { make_policy("epsilon-greedy:epsilon=0.1,c=3", arms(2, 10)); }),
                       "fixed epsilon"));
  EXPECT_THROW(make_policy("epsilon-greedy:epsilon=1.5", arms(2, 10)), Error);
}

// --- exp3

// γ = 0.5, |A| = 2: p = 0.5 both, so a reward of 1 counts 2, and its weight is exp(0.5·2/2) =
// e^0.5. The arm then has p = 0.5·e^0.5/(e^0.5 + 1) + 0.25 = 0.56123.
TEST(Exp3, FirstRoundsByHand) {
  Hand hand("exp3:gamma=0.5", arms(2, 100));
  expect_near(stated(hand, 2), {0.5, 0.5});
  const Arm first = hand.round(0, 1);
  const double p = 0.5 * std::exp(0.5) / (std::exp(0.5) + 1) + 0.25;
  Row expected(2, 1 - p);
  expected[first] = p;
  expect_near(stated(hand, 2), expected);
  const Decision next = hand.choose();
  hand.observe(next, 0, 0);  // nothing earned, nothing moved
  expect_near(stated(hand, 2), expected);
}

// γ = 0.25, p = 0.5: a reward of 0 is a loss of 1/(0.5 + 0.25) = 4/3, and its weight exp(−2·0.25·
// 4/3) = e^(−2/3).
TEST(Exp3, ImplicitExplorationByHand) {
  Hand hand("exp3:variant=ix,gamma=0.25", arms(2, 100));
  const Arm first = hand.round(0, 0);
  const double weight = std::exp(-2.0 / 3);
  Row expected(2, 1 / (1 + weight));
  expected[first] = weight / (1 + weight);
  expect_near(stated(hand, 2), expected);
  hand.policy->forget(hand.choose());  // teaches nothing
  expect_near(stated(hand, 2), expected);
}

// γ = sqrt(4·log 4/((e−1)·T)): at T = 100 0.17964, whatever was played. Without a horizon t stands
// for T, and γ is 1 to begin with.
TEST(Exp3, UsualGamma) {
  const auto after_a_reward = [](double gamma) {
    const double weight = std::exp(gamma / 4 * 4);
    return (1 - gamma) * weight / (weight + 3) + gamma / 4;
  };
  Hand known("exp3", arms(4, 100));
  const Arm first = known.round(0, 1);
  EXPECT_NEAR(stated(known, 4)[first],
              after_a_reward(std::sqrt(4 * std::log(4.0) / ((std::exp(1.0) - 1) * 100))), 1e-12);
  Hand unknown("exp3", endless(4));
  const Arm again = unknown.round(0, 1);
  for (int t = 2; t < 50; ++t) unknown.policy->forget(unknown.choose());
  EXPECT_NEAR(stated(unknown, 4)[again],
              after_a_reward(std::sqrt(4 * std::log(4.0) / ((std::exp(1.0) - 1) * 50))), 1e-12);
}

// Scores in the tens of thousands, at a rate of 1/4 and more: weights relative to the largest do
// not overflow.
TEST(Exp3, DoesNotOverflow) {
  Hand hand("exp3:gamma=1", arms(4, 100));
  for (int t = 0; t < 20'000; ++t) hand.round(0, 1);
  for (const double p : stated(hand, 4)) EXPECT_NEAR(p, 0.25, 1e-12);
  Hand greedy("exp3:variant=ix,gamma=1", arms(4, 100));
  for (int t = 0; t < 5'000; ++t) {
    const Decision decision = greedy.choose();
    greedy.observe(decision, 0, decision.arm == 2 ? 1 : 0);
  }
  EXPECT_GT(stated(greedy, 4)[2], 0.999);
}

// --- bayes-ucb

// t = 1: the quantile at 0 is 0 for all. t = 2: Beta(2,1) at 1/2 is sqrt(1/2) = 0.707, Beta(1,1)
// 0.5. t = 3: after a failure Beta(2,2) at 2/3: 3x² − 2x³ = 2/3 at x = 0.6130, Beta(1,1) 2/3.
TEST(BayesUcb, FirstRoundsByHand) {
  Hand hand("bayes-ucb", endless(2));
  EXPECT_EQ(hand.round(0, 1), 0u);
  EXPECT_EQ(hand.round(0, 0), 0u);
  EXPECT_EQ(hand.round(0, 0), 1u);
  // t = 4, at 3/4: Beta(2,2): 3x² − 2x³ = 0.75 at 0.6736; Beta(1,2): 1 − sqrt(1/4) = 0.5.
  EXPECT_EQ(hand.round(0, 0), 0u);
  // t = 5, at 0.8: Beta(2,3): 6x² − 8x³ + 3x⁴ = 0.8 at 0.5824; Beta(1,2): 1 − sqrt(0.2) = 0.5528.
  EXPECT_EQ(hand.choose().arm, 0u);
}

// A fraction is a part of a success and the rest of a failure: three halves and three quarters make
// Beta(1 + 2.25, 1 + 0.75).
TEST(BayesUcb, FractionsCountAsParts) {
  Hand hand("bayes-ucb", endless(2));
  const Decision decision = hand.choose();
  Hand same("bayes-ucb", endless(2));
  same.policy->witness({0, 0, 3, 2.25}, same.stream);
  hand.observe(decision, 0, 0.75);
  hand.witness(0, 0, 0.75);
  hand.witness(0, 0, 0.75);
  EXPECT_EQ(hand.field("reward_sums"), same.field("reward_sums"));
  EXPECT_EQ(hand.policy->digest(), same.policy->digest());
  EXPECT_EQ(hand.stream.position(), 0u);
}

// Late outcomes: what is out narrows the posterior, so that not all plays go to one action.
TEST(BayesUcb, PlaysInFlightNarrow) {
  Hand hand("bayes-ucb", endless(2));
  std::vector<int> counts(2);
  for (int t = 0; t < 10; ++t) ++counts[hand.choose().arm];
  EXPECT_EQ(counts, (std::vector<int>{5, 5}));
}

TEST(BayesUcb, NeedsAHorizonOnlyForItsLogarithm) {
  EXPECT_TRUE(
      contains(refusal([] { make_policy("bayes-ucb:c=5", endless(2)); }), "without a horizon"));
  EXPECT_EQ(Hand("bayes-ucb", endless(2)).round(0, 1), 0u);
}

// --- etc

// m = ⌈(100/3)^(2/3)·(log 100)^(1/3)⌉ = ⌈10.357·1.6638⌉ = 18.
TEST(ExploreThenCommit, UsualNumberOfPlays) {
  Hand hand("etc", arms(3, 100));
  for (int t = 0; t < 54; ++t) EXPECT_EQ(hand.round(0, t % 3 == 1 ? 1 : 0), Arm(t % 3));
  EXPECT_EQ(hand.field("plays"), "[18, 18, 18]");
  for (int t = 0; t < 46; ++t) EXPECT_EQ(hand.round(0, 0), 1u);
  EXPECT_EQ(hand.field("plays"), "[18, 18, 18]");  // nothing is learned after
  EXPECT_EQ(hand.policy->diagnostics().at(0).value, 54);
}

TEST(ExploreThenCommit, ShortHorizons) {
  Hand single("etc", arms(3, 1));
  EXPECT_EQ(single.round(0, 1), 0u);
  Hand hand("etc", arms(4, 10));  // ⌈2.5^(2/3)·2.3026^(1/3)⌉ = ⌈2.43⌉ = 3, but 10/4 leaves 2
  for (int t = 0; t < 8; ++t) EXPECT_EQ(hand.round(0, 0), Arm(t % 4));
  EXPECT_EQ(hand.round(0, 0), 0u);
}

// A lost exploration is played again; meanwhile the best of what is known is played.
TEST(ExploreThenCommit, LateAndLost) {
  Hand hand("etc:m=2", endless(2));
  std::vector<Decision> out;
  for (const Arm expected : {0u, 1u, 0u, 1u}) {
    out.push_back(hand.choose());
    EXPECT_EQ(out.back().arm, expected);
  }
  const Decision waiting = hand.choose();  // all is out, nothing is known
  EXPECT_EQ(waiting.arm, 0u);
  hand.observe(out[1], 0, 0.5);
  EXPECT_EQ(hand.choose().arm, 1u);
  hand.policy->forget(out[0]);
  const Decision again = hand.choose();
  EXPECT_EQ(again.arm, 0u);
  hand.observe(again, 0, 1);
  EXPECT_EQ(hand.choose().arm, 0u);
  hand.observe(waiting, 0, 0);  // no exploration: it teaches nothing
  EXPECT_EQ(hand.field("plays"), "[1, 1]");
}

TEST(ExploreThenCommit, NeedsAHorizonOrANumber) {
  EXPECT_TRUE(contains(refusal([] { make_policy("etc", endless(2)); }), "horizon"));
  EXPECT_EQ(Hand("etc:m=5", endless(2)).round(0, 1), 0u);
}

// It is known beforehand: leaping is one window for the exploration and one for the rest.
TEST(ExploreThenCommit, Leaps) {
  const auto policy = make_policy("etc:m=10", arms(3, 1000));
  leap::Planner* const planner = policy->leaper()->planner();
  const leap::Plan explore = planner->intend(1000);
  EXPECT_EQ(leap::rounds_of(explore), 30u);
  EXPECT_TRUE(leap::is_certain(explore));
  const double sums[] = {2, 8, 5};
  for (const leap::Share& share : leap::shares_of(explore))
    planner->absorb({share, sums[share.arm], {}, {}});
  const leap::Plan commit = planner->intend(970);
  ASSERT_EQ(leap::shares_of(commit).size(), 1u);
  EXPECT_EQ(leap::shares_of(commit).front().arm, 1u);
  EXPECT_EQ(leap::rounds_of(commit), 970u);
}

// After four rounds of three actions: 0 has had its second turn, 1 is next.
TEST(ExploreThenCommit, LeapsFromTheMiddleOfATurn) {
  Hand hand("etc:m=3", arms(3, 1000));
  for (int t = 0; t < 4; ++t) hand.round(0, 0);
  const leap::Plan plan = hand.policy->leaper()->planner()->intend(4);
  std::vector<std::uint64_t> plays;
  for (const leap::Share& share : leap::shares_of(plan)) plays.push_back(share.plays);
  EXPECT_EQ(plays, (std::vector<std::uint64_t>{1, 2, 1}));
}

// --- All of them

// They find the better of two actions whose means are far apart: chances of failing are below 1e-6
// by Hoeffding's bound on the exploration of etc (m = 271: exp(−271·0.6²) = 1e-42) and by the
// regret promised by the others.
TEST(Classics, FindTheBest) {
  const World world(InstanceSource("hidden-arm:actions=2,gap=0.3", 20'000, 3).instance(0), 20'000);
  for (const char* text : {"epsilon-greedy", "epsilon-greedy:epsilon=0.05", "exp3",
                           "exp3:variant=ix", "bayes-ucb", "etc"}) {
    const auto policy = make_policy(text, world.problem);
    Environment environment(world.tables, 3, 0);
    Stream stream({3, 0, Purpose::kPolicy});
    std::vector<std::uint64_t> pulls(world.problem.actions());
    policy->play(environment, 20'000, stream, pulls);
    EXPECT_GT(pulls[world.instance->best_action()], 15'000u) << text;
  }
}

TEST(Classics, NeedNoMarginals) {
  Problem problem = arms(2, 100);
  problem.marginals = nullptr;
  for (const char* text : {"epsilon-greedy", "exp3", "bayes-ucb", "etc"})
    EXPECT_LT(Hand(text, problem).round(0, 1), 2u) << text;
}

}  // namespace
}  // namespace armature
