#include <gtest/gtest.h>

#include <set>

#include "policies/small_problems.h"

namespace armature {
namespace {

using test::Hand;
using test::problem_of;

const std::vector<std::vector<double>> kTwoArms{{0.5, 0.5}, {0.5, 0.5}};

// |A| = 2, T = 8, δ = 1/8: L = log(2·2·8·8) = log 256 = 5.5452.
// w(1) = sqrt(L/2) = 1.6651, w(2) = 1.1774, w(3) = 0.9613, w(4) = 0.8326.
TEST(Ucb, FirstRoundsByHand) {
  Hand hand("ucb", problem_of(kTwoArms, 8));
  EXPECT_EQ(hand.round(0, 1), 0u);  // both 1.6651: the lower. Then u(0) = 1 + 1.6651
  EXPECT_EQ(hand.round(0, 0), 0u);  // then u(0) = 1/2 + 1.1774 = 1.6774
  EXPECT_EQ(hand.round(0, 0), 0u);  // then u(0) = 1/3 + 0.9613 = 1.2946 < 1.6651
  EXPECT_EQ(hand.round(0, 0), 1u);  // u(1): one sample of 0 has the unplayed arm's 1.6651
  EXPECT_EQ(hand.round(0, 0), 1u);  // then u(1) = 0 + 1.1774
  EXPECT_EQ(hand.round(0, 1), 0u);  // 1.2946 > 1.1774
  EXPECT_EQ(hand.field("plays"), "[4, 2]");
  EXPECT_EQ(hand.field("reward_sums"), "[2, 0]");
}

TEST(Ucb, IgnoresTheContexts) {
  Hand one("ucb", problem_of(kTwoArms, 50));
  Hand two("ucb", problem_of(kTwoArms, 50));
  for (int t = 0; t < 50; ++t) EXPECT_EQ(one.round(0, t % 3 == 0), two.round(t % 2, t % 3 == 0));
  EXPECT_EQ(one.policy->digest(), two.policy->digest());
}

TEST(Ucb, NeedsNoMarginals) {
  Problem problem = problem_of(kTwoArms, 8);
  problem.marginals = nullptr;
  EXPECT_EQ(Hand("ucb", problem).round(0, 1), 0u);
}

// A play in flight narrows the width as if it had been observed, but for the floor of one sample:
// two plays of an arm before its index falls below that of one never tried. The mean stays.
TEST(Ucb, PlaysInFlightCount) {
  Hand hand("ucb", problem_of(kTwoArms, 8));
  std::vector<Decision> sent;
  for (const Arm expected : {0, 0, 1, 1, 0, 1}) {
    sent.push_back(hand.choose());
    EXPECT_EQ(sent.back().arm, expected) << sent.size();
  }
  EXPECT_EQ(hand.field("plays"), "[0, 0]");
  EXPECT_EQ(hand.field("in_flight"), "[3, 3]");
  hand.policy->forget(sent[0]);  // 0 has two out, 1 three
  EXPECT_EQ(hand.choose().arm, 0u);
  hand.observe(sent[2], 0, 1);  // u(1) = 1 + w(3)
  EXPECT_EQ(hand.choose().arm, 1u);
  EXPECT_EQ(hand.field("in_flight"), "[3, 3]");
}

// With inflight=ignore, while nothing is observed, nothing changes: arm 0 in every round. An
// observation counts for its own decision, however many were made since, and a forgotten one leaves
// no trace.
TEST(Ucb, LateFeedbackCountsWhenItComes) {
  Hand hand("ucb:inflight=ignore", problem_of(kTwoArms, 8));
  std::vector<Decision> waiting;
  for (int t = 0; t < 5; ++t) waiting.push_back(hand.choose());
  for (const Decision& decision : waiting) EXPECT_EQ(decision.arm, 0u);
  EXPECT_EQ(hand.field("plays"), "[0, 0]");
  hand.observe(waiting[3], 0, 0);  // u(0) = 0 + w(1): still a tie
  EXPECT_EQ(hand.choose().arm, 0u);
  hand.observe(waiting[0], 0, 0);  // u(0) = w(2)
  EXPECT_EQ(hand.choose().arm, 1u);
  hand.policy->forget(waiting[1]);
  EXPECT_EQ(hand.field("plays"), "[2, 0]");
}

TEST(Ucb, RandomTiesReachAllTiedArmsAndNoOther) {
  Hand hand("ucb:ties=random,inflight=ignore", problem_of({{1}, {1}, {1}, {1}}, 100));
  // Arm 1 falls behind: two zeros. The other three stay tied.
  hand.witness(1, 0, 0);
  hand.witness(1, 0, 0);
  std::set<Arm> seen;
  for (int t = 0; t < 100; ++t) seen.insert(hand.choose().arm);
  EXPECT_EQ(seen, (std::set<Arm>{0, 2, 3}));  // each of the three missing has chance 3·(2/3)^100
}

TEST(Ucb, RandomTiesTakeOneWordWhetherThereIsATieOrNot) {
  Hand hand("ucb:ties=random", problem_of(kTwoArms, 100));
  hand.choose();
  EXPECT_EQ(hand.stream.position(), 1u);
  hand.witness(0, 0, 1);
  EXPECT_EQ(hand.choose().arm, 0u);
  EXPECT_EQ(hand.stream.position(), 2u);
}

TEST(Ucb, LowestTiesTakeNoRandomness) {
  Hand hand("ucb", problem_of(kTwoArms, 100));
  for (int t = 0; t < 10; ++t) hand.round(0, 1);
  EXPECT_EQ(hand.stream.position(), 0u);
}

TEST(Ucb, ScaleShrinksTheWidths) {
  // Scale 0.1: u(0) = 1/3 + 0.0961 after 1, 0, 0, above u(1) = 0.1665: arm 0 stays, unlike at
  // scale 1.
  Hand hand("ucb:scale=0.1", problem_of(kTwoArms, 8));
  hand.round(0, 1);
  hand.round(0, 0);
  hand.round(0, 0);
  EXPECT_EQ(hand.choose().arm, 0u);
}

}  // namespace
}  // namespace armature
