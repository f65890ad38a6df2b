#include "policies/adaptive/floor.h"

#include <gtest/gtest.h>

#include "base/refusal.h"
#include "policies/small_problems.h"
#include "support/statistics.h"

namespace armature {
namespace {

using test::contains;
using test::Hand;
using test::problem_of;
using test::refusal;

const Problem kFourArms = problem_of({{0.5, 0.5}, {0.25, 0.75}, {0.75, 0.25}, {1, 0}}, 1000);

bool of_the_floor(Decision decision) { return decision.ticket % 2 == 1; }

TEST(Floor, EveryActionHasItsLeastProbability) {
  const Hand hand("floor:base=(fixed:arm=2),probability=0.2", kFourArms);
  std::vector<double> stated(4);
  ASSERT_TRUE(hand.policy->probabilities(stated));
  EXPECT_DOUBLE_EQ(stated[0], 0.05);
  EXPECT_DOUBLE_EQ(stated[1], 0.05);
  EXPECT_DOUBLE_EQ(stated[2], 0.85);
  EXPECT_DOUBLE_EQ(stated[3], 0.05);
}

// Two assertions with a false-alarm rate of 1e-6 each.
TEST(Floor, PlaysItsShareUniformly) {
  Hand hand("floor:base=fixed,probability=0.2", kFourArms);
  constexpr int kRounds = 20'000;
  std::vector<std::uint64_t> chosen(4);
  for (int t = 0; t < kRounds; ++t) {
    const Decision decision = hand.choose();
    if (of_the_floor(decision))
      ++chosen[decision.arm];
    else
      ASSERT_EQ(decision.arm, 0u);
    hand.observe(decision, 0, 1);
  }
  const auto own = static_cast<double>(chosen[0] + chosen[1] + chosen[2] + chosen[3]);
  EXPECT_NEAR(own, 0.2 * kRounds, test::kNormalBound * std::sqrt(0.2 * 0.8 * kRounds));
  EXPECT_LT(test::chi_square(chosen, {0.25, 0.25, 0.25, 0.25}), test::chi_square_bound(3));
  EXPECT_EQ(hand.policy->diagnostics()[0].name, "share(floor)");
  EXPECT_DOUBLE_EQ(hand.policy->diagnostics()[0].value, own / kRounds);
}

// Given what the base chose: ε/|A| where the floor played another arm, else 1 − ε more. Of a base
// without a closed form nothing else is known. Each arm's weights 1/p add up to the rounds: 6
// standard deviations of such a sum (no weight is above |A|/ε) are a false-alarm rate below 1e-6.
TEST(Floor, KnowsTheProbabilityOfWhatItChose) {
  Hand hand("floor:base=ts,probability=0.4", kFourArms);
  std::vector<double> stated(4);
  ASSERT_FALSE(hand.policy->probabilities(stated));
  EXPECT_EQ(hand.policy->last_probability(), std::nullopt);
  constexpr int kRounds = 20'000;
  std::vector<double> weights(4);
  for (int t = 0; t < kRounds; ++t) {
    const Decision decision = hand.choose();
    const double p = hand.policy->last_probability().value();
    ASSERT_TRUE(p == 0.4 / 4 || p == 0.4 / 4 + (1 - 0.4)) << p;
    if (!of_the_floor(decision)) {
      ASSERT_GT(p, 0.5);
    }
    weights[decision.arm] += 1 / p;
    hand.observe(decision, 0, decision.arm == 2 ? 1 : 0);
  }
  for (const double weight : weights) EXPECT_NEAR(weight, kRounds, 6 * std::sqrt(kRounds * 10.0));
}

// Its decisions are those it would make alone, but for those the floor overrules.
TEST(Floor, LeavesTheBaseItsLuck) {
  Hand floored("floor:base=uniform,probability=0.3", kFourArms);
  Hand alone("uniform", kFourArms);
  int overruled = 0;
  for (int t = 0; t < 500; ++t) {
    const Decision decision = floored.choose();
    const Decision own = alone.choose();
    if (of_the_floor(decision))
      ++overruled;
    else
      ASSERT_EQ(decision.arm, own.arm) << "round " << t;
    floored.observe(decision, 0, 1);
  }
  EXPECT_GT(overruled, 100);
}

// ts learns from the floor's plays as from its own: every outcome counts, for the arm it came of.
TEST(Floor, ABaseThatCanWitnesses) {
  Hand hand("floor:base=ts,probability=1", kFourArms);
  Hand witness("ts", kFourArms);
  for (int t = 0; t < 50; ++t) {
    const Decision decision = hand.choose();
    ASSERT_TRUE(of_the_floor(decision));
    hand.observe(decision, 0, t % 2);
    witness.policy->witness(decision.arm, {0, static_cast<double>(t % 2)}, witness.stream);
  }
  hand.choose();  // by then it is told
  EXPECT_EQ(hand.field("successes"), witness.field("successes"));
  EXPECT_EQ(hand.field("failures"), witness.field("failures"));
}

TEST(Floor, ForABaseThatCannotTheyAreLost) {
  Hand hand("floor:base=pe,probability=1", kFourArms);
  for (int t = 0; t < 50; ++t) hand.observe(hand.choose(), 0, 1);
  EXPECT_EQ(hand.field("observed"), "0");
  EXPECT_EQ(hand.field("rounds"), "50");
  EXPECT_EQ(hand.field("floor_rounds"), "50");
}

TEST(Floor, WhatTheFloorPlayedAndIsForgottenTeachesNothing) {
  Hand hand("floor:base=ts,probability=1", kFourArms);
  const Decision decision = hand.choose();
  EXPECT_EQ(hand.field("floor_outstanding"), "1");
  hand.policy->forget(decision);
  EXPECT_EQ(hand.field("floor_outstanding"), "0");
  EXPECT_EQ(hand.field("successes"), hand.field("failures"));
  EXPECT_DEATH(hand.policy->forget(decision), "a decision has one outcome");
}

TEST(Floor, WitnessesForItsBase) {
  Hand hand("floor:base=ts", kFourArms);
  hand.policy->witness({1, 0, 5, 2}, hand.stream);
  EXPECT_EQ(hand.field("successes"), "[0, 2, 0, 0]");
  EXPECT_EQ(hand.field("failures"), "[0, 3, 0, 0]");
  EXPECT_EQ(hand.field("rounds"), "0");
}

TEST(Floor, OnePolicyHasOneSpelling) {
  EXPECT_EQ(canonical_policy("floor:base=(sentry),probability=0.05"), "floor");
  EXPECT_EQ(canonical_policy("floor:base=(ucb:scale=1/2)"), "floor:base=(ucb:scale=0.5)");
  EXPECT_EQ(canonical_policy("floor:base=(ucb),probability=1/4"),
            "floor:base=ucb,probability=0.25");
}

TEST(Floor, RefusesWhatDoesNotFit) {
  const auto told = [](const std::string& text) {
    return refusal([&] { make_policy(text, kFourArms); });
  };
  EXPECT_EQ(told("floor:base=ucb+ts"), "policy floor: base: got ucb+ts, expected one policy");
  EXPECT_TRUE(contains(told("floor:probability=1.5"), "a number in [0,1]"));
  EXPECT_TRUE(contains(told("floor:base=ubc"), "did you mean 'ucb'"));
  const std::string around = "policies without a floor of their own; a floor goes around all of it";
  EXPECT_TRUE(contains(told("floor:base=(floor:base=ucb)"), around));
  EXPECT_TRUE(contains(told("db:base=(floor:base=ucb)+ucb,d=1+1"), around));
  EXPECT_TRUE(contains(told("d3rb:base=floor+ucb"), around));
  Problem bare = kFourArms;
  bare.marginals.reset();
  EXPECT_TRUE(contains(refusal([&] { make_policy("floor:base=c-ucb", bare); }),
                       "policy c-ucb: got a problem without given marginals"));
  bare.horizon.reset();
  EXPECT_EQ(refusal([&] { make_policy("floor:base=ts", bare); }), "(accepted)");
}

}  // namespace
}  // namespace armature
