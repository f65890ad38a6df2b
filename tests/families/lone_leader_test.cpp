#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(LoneLeader, FormulasByHand) {
  // Z_0 = {z0, z1}: arm 0 alone goes there and earns ½. Of the others, all on z2, z3 and z4, arm 2
  // earns ½ + 0.1, the rest ½ − 0.3.
  const Instance instance = built("lone-leader:actions=4,contexts=5,gap=0.1,lead=0.3,arm=2");
  const double means[] = {0.5, 0.2, 0.6, 0.2};
  for (Arm a = 0; a < 4; ++a) {
    for (Context z = 0; z < 5; ++z)
      EXPECT_EQ(instance.marginals()(a, z), (a == 0) != (z < 2) ? 0 : a == 0 ? 0.5 : 1.0 / 3);
    EXPECT_NEAR(instance.mean(a), means[a], 1e-15);
  }
  EXPECT_EQ(instance.law(0, 1), RewardLaw::bernoulli(0.5));
  EXPECT_EQ(instance.law(1, 4), RewardLaw::bernoulli(0.5 - 0.3));
  EXPECT_EQ(instance.law(2, 3), RewardLaw::bernoulli(0.6));
  EXPECT_EQ(instance.best_action(), 2u);
  EXPECT_NEAR(instance.gap(0), 0.1, 1e-15);
  EXPECT_NEAR(instance.gap(3), 0.4, 1e-15);
  EXPECT_NEAR(*instance.smallest_gap(), 0.1, 1e-15);
}

TEST(LoneLeader, Defaults) {
  const Instance instance = built("lone-leader");
  EXPECT_EQ(instance.contexts(), 2u);
  EXPECT_EQ(instance.best_action(), 19u);
  EXPECT_NEAR(instance.gap(0), 0.05, 1e-15);
  EXPECT_NEAR(instance.gap(1), 0.25, 1e-15);
}

TEST(LoneLeader, TheWitnessIsTheHiddenArmAmongTheOthers) {
  const auto verdict = built("lone-leader").benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->context, 1u);
  EXPECT_EQ(verdict.witness->action, 1u);
  EXPECT_EQ(verdict.witness->other, 19u);
}

TEST(LoneLeader, NoneIsABenignWorld) {
  const Instance base = built("lone-leader:arm=none");
  EXPECT_TRUE(base.benign_verdict().benign());
  EXPECT_EQ(base.best_action(), 0u);
  EXPECT_NEAR(*base.smallest_gap(), 0.2, 1e-15);
}

TEST(LoneLeader, Range) {
  EXPECT_EQ(built("lone-leader:gap=0.5,lead=0.5").mean(19), 1);
  EXPECT_EQ(built("lone-leader:gap=0.5,lead=0.5").mean(1), 0);
  EXPECT_NE(refusal([] { built("lone-leader:gap=0.51"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("lone-leader:lead=0.51"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("lone-leader:contexts=1"); }), "(accepted)");
  EXPECT_EQ(refusal([] { built("lone-leader:arm=0"); }),
            "family lone-leader: arm: got 0, expected an arm from 1 to 19");
}

// Two arms without a context in common would make a benign world.
TEST(LoneLeader, NeedsAThirdArm) {
  EXPECT_FALSE(built("lone-leader:actions=3").benign_verdict().benign());
  EXPECT_NE(refusal([] { built("lone-leader:actions=2"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
