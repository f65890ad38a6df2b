#include <gtest/gtest.h>

#include <set>

#include "policies/small_problems.h"

namespace armature {
namespace {

using test::Hand;
using test::problem_of;

// Arm 0 surely leads to context 0, arm 1 to context 1, arm 2 to either.
const std::vector<std::vector<double>> kPureAndMixed{{1, 0}, {0, 1}, {0.5, 0.5}};

// |Z| = 2, T = 8, δ = 1/8: L_Z = log(2·2·8·8) = log 256.
// w(1) = sqrt(L/2) = 1.6651, w(2) = 1.1774, w(3) = 0.9613.
TEST(CausalUcb, FirstRoundsByHand) {
  Hand hand("c-ucb", problem_of(kPureAndMixed, 8));
  EXPECT_EQ(hand.round(0, 0), 0u);  // all 1.6651, and U(0) = 0 + w(1) stays what it was
  EXPECT_EQ(hand.round(0, 1), 0u);  // then U(0) = 1/2 + 1.1774 = 1.6774
  EXPECT_EQ(hand.round(0, 0), 0u);  // then U(0) = 1/3 + 0.9613 = 1.2946
  EXPECT_EQ(hand.round(1, 1), 1u);  // U(1) = 1.6651 leads, then 1 + 1.6651
  EXPECT_EQ(hand.round(1, 0), 1u);
  EXPECT_EQ(hand.field("visits"), "[3, 2]");
  EXPECT_EQ(hand.field("reward_sums"), "[1, 1]");
}

TEST(CausalUcb, LearnsContextsNotArms) {
  // Whatever arm was played, the outcome counts for the context it showed.
  Hand hand("c-ucb", problem_of(kPureAndMixed, 8));
  hand.witness(2, 1, 1);
  EXPECT_EQ(hand.field("visits"), "[0, 1]");
  EXPECT_EQ(hand.choose().arm, 1u);
}

TEST(CausalUcb, IdenticalRowsTieAndTheLowestIsPlayed) {
  // Arms 1 and 3 are the same row and, once context 0 is known to pay nothing, the best: U(0) is
  // then w(100) = 0.23, a tenth of w(1), and U(1) above 1. Arm 3 is never played.
  Hand hand("c-ucb", problem_of({{0.9, 0.1}, {0.1, 0.9}, {0.5, 0.5}, {0.1, 0.9}}, 100));
  for (int t = 0; t < 100; ++t) hand.witness(0, 0, 0);
  for (int t = 0; t < 20; ++t) EXPECT_EQ(hand.round(1, 1), 1u);
}

TEST(CausalUcb, RandomTiesReachAllIdenticalRows) {
  Hand hand("c-ucb:ties=random,inflight=ignore",
            problem_of({{0.9, 0.1}, {0.1, 0.9}, {0.5, 0.5}, {0.1, 0.9}}, 100));
  hand.witness(0, 1, 1);
  std::set<Arm> seen;
  for (int t = 0; t < 100; ++t) seen.insert(hand.choose().arm);
  EXPECT_EQ(seen, (std::set<Arm>{1, 3}));  // missing one has chance 2·2^-100
}

TEST(CausalUcb, LateAndForgottenFeedback) {
  Hand hand("c-ucb:inflight=ignore", problem_of(kPureAndMixed, 8));
  std::vector<Decision> waiting;
  for (int t = 0; t < 4; ++t) waiting.push_back(hand.choose());
  for (const Decision& decision : waiting) EXPECT_EQ(decision.arm, 0u);
  hand.policy->forget(waiting[0]);
  EXPECT_EQ(hand.field("visits"), "[0, 0]");
  hand.observe(waiting[2], 0, 0);
  hand.observe(waiting[1], 0, 0);  // U(0) = 1.1774
  EXPECT_EQ(hand.choose().arm, 1u);
}

TEST(CausalUcb, LoadingRestoresTheScores) {
  const Problem problem = problem_of(kPureAndMixed, 1000);
  Hand hand("c-ucb", problem);
  for (int t = 0; t < 100; ++t) hand.round(t % 2, t % 3 == 0);
  Hand copy("c-ucb", problem);
  for (int t = 0; t < 50; ++t) copy.round(0, 1);  // a used policy must forget its own past
  copy.policy->load(hand.policy->save());
  for (int t = 0; t < 100; ++t)
    EXPECT_EQ(hand.round(t % 2, t % 5 == 0), copy.round(t % 2, t % 5 == 0));
}

}  // namespace
}  // namespace armature
