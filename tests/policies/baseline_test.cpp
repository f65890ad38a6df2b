#include <gtest/gtest.h>

#include "policies/small_problems.h"
#include "support/statistics.h"

namespace armature {
namespace {

using test::Hand;
using test::problem_of;

TEST(RoundRobin, GoesRound) {
  Hand hand("round-robin", problem_of({{1}, {1}, {1}}, 100));
  for (const Arm expected : {0u, 1u, 2u, 0u, 1u, 2u, 0u}) EXPECT_EQ(hand.round(0, 1), expected);
  EXPECT_EQ(hand.field("next"), "1");
}

TEST(FixedArm, PlaysItsArm) {
  Hand hand("fixed:arm=2", problem_of({{1}, {1}, {1}}, 100));
  for (int t = 0; t < 5; ++t) EXPECT_EQ(hand.round(0, 0), 2u);
  EXPECT_NE(hand.policy->leaper(), nullptr);
}

TEST(FixedArm, RefusesAnArmThatIsNotThere) {
  const Problem problem = problem_of({{1}, {1}, {1}}, 100);
  try {
    make_policy("fixed:arm=3", problem);
    FAIL() << "there are three arms";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "policy fixed: arm: got 3, expected an action from 0 to 2");
  }
  EXPECT_THROW(make_policy("fixed:arm=2^32", problem), Error);  // would wrap to arm 0
  EXPECT_THROW(make_policy("fixed:arm=-1", problem), Error);
}

TEST(Uniform, PlaysEveryArmAlike) {
  constexpr std::uint32_t kArms = 7;
  Hand hand("uniform", problem_of(std::vector<std::vector<double>>(kArms, {1}), 100));
  std::vector<std::uint64_t> counts(kArms);
  for (int t = 0; t < 70'000; ++t) ++counts[hand.round(0, 1)];
  EXPECT_LT(test::chi_square(counts, std::vector<double>(kArms, 1.0 / kArms)),
            test::chi_square_bound(kArms - 1));
}

TEST(Uniform, LearnsNothing) {
  Hand hand("uniform", problem_of({{1}, {1}}, 100));
  const std::uint64_t before = hand.policy->digest();
  for (int t = 0; t < 10; ++t) hand.round(0, 1);
  EXPECT_EQ(hand.policy->digest(), before);
}

TEST(Baselines, StateTheirProbabilities) {
  const Problem problem = problem_of({{1}, {1}, {1}, {1}}, 100);
  const auto stated = [](const Hand& hand) {
    std::vector<double> probabilities(4);
    EXPECT_TRUE(hand.policy->probabilities(probabilities));
    return probabilities;
  };
  using Row = std::vector<double>;
  EXPECT_EQ(stated(Hand("uniform", problem)), (Row{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(stated(Hand("fixed:arm=2", problem)), (Row{0, 0, 1, 0}));
  Hand in_turn("round-robin", problem);
  EXPECT_EQ(stated(in_turn), (Row{1, 0, 0, 0}));
  in_turn.round(0, 1);
  EXPECT_EQ(stated(in_turn), (Row{0, 1, 0, 0}));
}

TEST(Baselines, WitnessAndLearnNothing) {
  for (const char* text : {"uniform", "fixed", "round-robin"}) {
    Hand hand(text, problem_of({{1}, {1}}, 100));
    const std::uint64_t before = hand.policy->digest();
    hand.policy->witness({1, 0, 5, 2.5}, hand.stream);
    EXPECT_EQ(hand.policy->digest(), before) << text;
  }
}

}  // namespace
}  // namespace armature
