#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(Reversed, FormulasByHand) {
  // Three arms, Δ = 0.1: the contexts say ½ + 0.05, ½, ½ − 0.05, the truth is ½ − 0.05, ½, ½ +
  // 0.05. Mass on Z_0 = {z0}: 0.6, 0.5, 0.4; the rest is shared by z1 and z2.
  const Instance instance = built("reversed:actions=3,contexts=3,gap=0.1");
  const double mass[] = {0.6, 0.5, 0.4};
  const double more[] = {-0.1, 0, 0.1};
  for (Arm a = 0; a < 3; ++a) {
    EXPECT_NEAR(instance.marginals()(a, 0), mass[a], 1e-15);
    EXPECT_NEAR(instance.marginals()(a, 1), (1 - mass[a]) / 2, 1e-15);
    EXPECT_NEAR(instance.marginals()(a, 2), (1 - mass[a]) / 2, 1e-15);
    for (Context z = 0; z < 3; ++z)
      EXPECT_NEAR(instance.law(a, z).mean(), (z == 0 ? 0.75 : 0.25) + more[a], 1e-15);
    EXPECT_NEAR(instance.mean(a), 0.5 + more[a] / 2, 1e-15);
  }
  EXPECT_EQ(instance.best_action(), 2u);
  EXPECT_NEAR(instance.gap(0), 0.1, 1e-15);
  EXPECT_NEAR(*instance.smallest_gap(), 0.05, 1e-15);
}

// Whatever arm's law the contexts' values are taken from, they rank the arms backwards.
TEST(Reversed, TheContextsRankBackwardsUnderEveryArmsLaw) {
  const Instance instance = built("reversed:contexts=6");
  for (Arm judge = 0; judge < 20; ++judge) {
    const auto said = [&](Arm a) {
      double value = 0;
      for (Context z = 0; z < 6; ++z)
        value += instance.marginals()(a, z) * instance.law(judge, z).mean();
      return value;
    };
    for (Arm a = 1; a < 20; ++a) {
      EXPECT_LT(said(a), said(a - 1) - 0.005);
      EXPECT_GT(instance.mean(a), instance.mean(a - 1) + 0.005);  // steps of 0.1/19
    }
  }
}

TEST(Reversed, AllArmsDisagreeInEveryContext) {
  const Instance instance = built("reversed");
  const auto verdict = instance.benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->other, 1u);
  EXPECT_EQ(instance.best_action(), 19u);
  EXPECT_NEAR(instance.gap(0), 0.1, 1e-15);
  EXPECT_NEAR(*instance.smallest_gap(), 0.1 / 19, 1e-15);
}

TEST(Reversed, Range) {
  EXPECT_EQ(built("reversed:gap=0.25").law(19, 0), RewardLaw::bernoulli(1));
  EXPECT_EQ(built("reversed:gap=0.25").law(0, 1), RewardLaw::bernoulli(0));
  EXPECT_EQ(built("reversed:gap=0").smallest_gap(), std::nullopt);
  EXPECT_EQ(refusal([] { built("reversed:gap=0.26"); }),
            "family reversed: gap: got 0.26, expected a number in [0,0.25]");
  EXPECT_EQ(built("reversed:actions=2").best_action(), 1u);
  EXPECT_NE(refusal([] { built("reversed:actions=1"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("reversed:contexts=1"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
