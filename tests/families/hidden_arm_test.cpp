#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(HiddenArm, FormulasByHand) {
  const Instance instance = built("hidden-arm:actions=3,contexts=4,gap=0.3");
  for (Arm a = 0; a < 3; ++a)
    for (Context z = 0; z < 4; ++z) {
      EXPECT_EQ(instance.marginals()(a, z), 0.25);
      EXPECT_EQ(instance.law(a, z), RewardLaw::bernoulli(a == 2 ? 0.8 : 0.5));
    }
  EXPECT_NEAR(instance.mean(0), 0.5, 1e-15);
  EXPECT_NEAR(instance.mean(2), 0.8, 1e-15);
  EXPECT_EQ(instance.best_action(), 2u);
  EXPECT_NEAR(*instance.smallest_gap(), 0.3, 1e-15);
}

TEST(HiddenArm, TheWitnessIsTheLastArm) {
  const auto verdict = built("hidden-arm").benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->context, 0u);
  EXPECT_EQ(verdict.witness->action, 0u);
  EXPECT_EQ(verdict.witness->other, 19u);
}

TEST(HiddenArm, Defaults) {
  const Instance instance = built("hidden-arm");
  EXPECT_EQ(instance.actions(), 20u);
  EXPECT_EQ(instance.contexts(), 2u);
  EXPECT_NEAR(*instance.smallest_gap(), 0.2, 1e-15);
}

TEST(HiddenArm, WithoutAGapNothingIsHidden) {
  const Instance instance = built("hidden-arm:gap=0");
  EXPECT_TRUE(instance.benign_verdict().benign());
  EXPECT_EQ(instance.smallest_gap(), std::nullopt);
}

TEST(HiddenArm, Range) {
  EXPECT_EQ(built("hidden-arm:gap=0.5,contexts=1").mean(19), 1);
  EXPECT_NE(refusal([] { built("hidden-arm:gap=0.51"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
