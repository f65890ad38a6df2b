#include "policies/index/thompson.h"

#include <gtest/gtest.h>

#include "policies/small_problems.h"

namespace armature {
namespace {

using test::Hand;
using test::problem_of;

TEST(Thompson, PlaysTheLargestPosteriorDraw) {
  Hand hand("ts", problem_of({{1}, {1}, {1}}, 100));
  Stream same = hand.stream;
  std::vector<double> alpha(3, 1), beta(3, 1);
  for (int t = 0; t < 30; ++t) {
    std::vector<double> theta;
    for (int a = 0; a < 3; ++a) theta.push_back(beta_variate(same, alpha[a], beta[a]));
    const Arm expected = first_largest(theta);
    const bool success = t % 2 == 0;
    ASSERT_EQ(hand.round(0, success ? 1 : 0), expected) << "round " << t + 1;
    ++(success ? alpha : beta)[expected];
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
  std::vector<double> alpha(2, 1), beta(2, 1);
  for (int t = 0; t < 30; ++t) {
    const double theta0 = beta_variate(same, alpha[0], beta[0]);
    const double theta1 = beta_variate(same, alpha[1], beta[1]);
    Arm expected = 0;
    double highest = -1;
    for (Arm a = 0; a < 3; ++a) {
      const double value = marginals[a][0] * theta0 + marginals[a][1] * theta1;
      if (value > highest) {
        highest = value;
        expected = a;
      }
    }
    const Context context = t % 3 == 0 ? 0 : 1;
    ASSERT_EQ(hand.round(context, context), expected) << "round " << t + 1;
    ++(context == 1 ? alpha : beta)[context];
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
