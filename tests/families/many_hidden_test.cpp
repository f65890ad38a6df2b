#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(ManyHidden, FormulasByHand) {
  const Instance instance = built("many-hidden:actions=5,contexts=4,gap=0.3,hidden=3");
  for (Arm a = 0; a < 5; ++a) {
    for (Context z = 0; z < 4; ++z) {
      EXPECT_EQ(instance.marginals()(a, z), 0.25);
      EXPECT_EQ(instance.law(a, z), RewardLaw::bernoulli(a < 2 ? 0.5 : 0.8));
    }
    EXPECT_NEAR(instance.mean(a), a < 2 ? 0.5 : 0.8, 1e-15);
    EXPECT_NEAR(instance.gap(a), a < 2 ? 0.3 : 0, 1e-15);
  }
  EXPECT_EQ(instance.best_action(), 2u);
  EXPECT_NEAR(*instance.smallest_gap(), 0.3, 1e-15);
}

TEST(ManyHidden, HalfOfThemByDefaultTheLessOfOddNumbers) {
  EXPECT_EQ(built("many-hidden").best_action(), 10u);
  EXPECT_NEAR(*built("many-hidden").smallest_gap(), 0.03, 1e-15);
  EXPECT_EQ(built("many-hidden:actions=5").best_action(), 3u);
  EXPECT_EQ(built("many-hidden:actions=2").best_action(), 1u);
}

TEST(ManyHidden, OneIsTheWorldOfHiddenArm) {
  const Instance one = built("many-hidden:hidden=1,gap=0.2,contexts=3");
  const Instance other = built("hidden-arm:contexts=3");
  EXPECT_TRUE(test::same_marginals(one, other));
  for (Arm a = 0; a < 20; ++a)
    for (Context z = 0; z < 3; ++z) EXPECT_EQ(one.law(a, z), other.law(a, z));
}

TEST(ManyHidden, TheWitnessIsTheFirstHiddenArm) {
  const auto verdict = built("many-hidden").benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->action, 0u);
  EXPECT_EQ(verdict.witness->other, 10u);
  EXPECT_TRUE(built("many-hidden:gap=0").benign_verdict().benign());
}

TEST(ManyHidden, Range) {
  EXPECT_EQ(built("many-hidden:gap=0.5,contexts=1").mean(19), 1);
  EXPECT_NE(refusal([] { built("many-hidden:gap=0.51"); }), "(accepted)");
  EXPECT_EQ(built("many-hidden:hidden=19").best_action(), 1u);
  EXPECT_EQ(refusal([] { built("many-hidden:hidden=20"); }),
            "family many-hidden: hidden: got 20, expected fewer than the 20 actions");
  // 2^64 − 1 must not wrap.
  EXPECT_NE(refusal([] { built("many-hidden:hidden=18446744073709551615"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("many-hidden:hidden=0"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
