#include "policies/index/thompson.h"

#include <gtest/gtest.h>

#include "policies/small_problems.h"
#include "support/slow_beta_draws.h"

namespace armature {
namespace {

using test::Hand;
using test::problem_of;

TEST(Thompson, PlaysTheLargestPosteriorDraw) {
  Hand hand("ts", problem_of({{1}, {1}, {1}}, 100));
  Stream same = hand.stream;
  std::vector<test::Shapes> shapes(3);
  for (int t = 0; t < 30; ++t) {
    const Arm expected = first_largest(test::slow_beta_draws(same, shapes));
    const bool success = t % 2 == 0;
    ASSERT_EQ(hand.round(0, success ? 1 : 0), expected) << "round " << t + 1;
    ++(success ? shapes[expected].alpha : shapes[expected].beta);
  }
  EXPECT_EQ(hand.stream.position(), same.position());  // rewards of 0 and 1 need no coin
}

TEST(Thompson, CountsSuccessesAndFailures) {
  Hand hand("ts", problem_of({{1}, {1}}, 100));
  hand.observe({1}, 0, 1);
  hand.observe({1}, 0, 1);
  hand.observe({0}, 0, 0);
  EXPECT_EQ(hand.field("successes"), "[0, 2]");
  EXPECT_EQ(hand.field("failures"), "[1, 0]");
}

TEST(Thompson, FractionalRewardBecomesOneCoin) {
  Hand hand("ts", problem_of({{1}, {1}}, 100));
  Stream same = hand.stream;
  int successes = 0;
  for (int t = 0; t < 40; ++t) {
    successes += bernoulli(same, 0.25) ? 1 : 0;
    hand.observe({0}, 0, 0.25);
  }
  EXPECT_EQ(hand.field("successes"), "[" + std::to_string(successes) + ", 0]");
  EXPECT_EQ(hand.field("failures"), "[" + std::to_string(40 - successes) + ", 0]");
  EXPECT_EQ(hand.stream.position(), same.position());
}

// Posteriors are all there is to a state: what a choice goes by is rebuilt from them.
TEST(Thompson, GoesOnFromASavedStateAsIfNothingHadHappened) {
  std::vector<std::vector<double>> marginals;
  for (int a = 0; a < 50; ++a) marginals.push_back({a / 50.0, 1 - a / 50.0});
  for (const char* text : {"ts", "c-ts"}) {
    Hand hand(text, problem_of(marginals, 10'000));
    for (int t = 0; t < 700; ++t) hand.round(t % 2, t % 3 == 0 ? 1 : 0);
    Hand other(text, problem_of(marginals, 10'000));
    other.policy->load(hand.policy->save());
    other.stream = hand.stream;
    for (int t = 0; t < 700; ++t)
      ASSERT_EQ(hand.round(t % 2, t % 5 == 0), other.round(t % 2, t % 5 == 0));
    EXPECT_EQ(hand.policy->digest(), other.policy->digest());
  }
}

TEST(Thompson, NeedsNeitherHorizonNorMarginals) {
  Problem problem = problem_of({{1}, {1}}, 100);
  problem.horizon.reset();
  problem.marginals = nullptr;
  Hand hand("ts", problem);
  EXPECT_LT(hand.round(0, 1), 2u);
}

TEST(CausalThompson, WeighsContextDrawsByTheMarginals) {
  const std::vector<std::vector<double>> marginals{{0.5, 0.5}, {0.875, 0.125}, {0.125, 0.875}};
  Hand hand("c-ts", problem_of(marginals, 100));
  Stream same = hand.stream;
  std::vector<test::Shapes> shapes(2);
  for (int t = 0; t < 30; ++t) {
    const std::vector<double> theta = test::slow_beta_draws(same, shapes);
    Arm expected = 0;
    double highest = -1;
    for (Arm a = 0; a < 3; ++a) {
      const double value = marginals[a][0] * theta[0] + marginals[a][1] * theta[1];
      if (value > highest) {
        highest = value;
        expected = a;
      }
    }
    const Context context = t % 3 == 0 ? 0 : 1;
    ASSERT_EQ(hand.round(context, context), expected) << "round " << t + 1;
    ++(context == 1 ? shapes[context].alpha : shapes[context].beta);
  }
}

TEST(CausalThompson, CountsForTheContextWhateverTheArm) {
  Hand hand("c-ts", problem_of({{0.5, 0.5}, {0.5, 0.5}}, 100));
  hand.observe({0}, 1, 1);
  hand.observe({1}, 1, 1);
  hand.observe({1}, 0, 0);
  EXPECT_EQ(hand.field("successes"), "[0, 2]");
  EXPECT_EQ(hand.field("failures"), "[1, 0]");
}

TEST(Thompson, WitnessesOutcomesAddedUp) {
  Hand hand("ts", problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100));
  hand.policy->witness({1, 0, 5, 2}, hand.stream);
  hand.policy->witness({1, 1, 0, 0}, hand.stream);
  EXPECT_EQ(hand.field("successes"), "[0, 2]");
  EXPECT_EQ(hand.field("failures"), "[0, 3]");
  EXPECT_DEATH(hand.policy->witness({1, 0, 5, 2.5}, hand.stream), "are 0 and 1");
  hand.policy->witness(0, {0, 0.5}, hand.stream);  // one reward has its coin
  EXPECT_TRUE(hand.field("successes") == "[1, 2]" || hand.field("failures") == "[1, 3]");

  Hand causal("c-ts", problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100));
  causal.policy->witness({1, 0, 5, 2}, causal.stream);
  EXPECT_EQ(causal.field("successes"), "[2, 0]");
  EXPECT_EQ(causal.field("failures"), "[3, 0]");
}

}  // namespace
}  // namespace armature
