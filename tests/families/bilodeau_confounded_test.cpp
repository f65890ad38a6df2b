#include <gtest/gtest.h>

#include "families/built.h"

namespace armature {
namespace {

using test::built;

TEST(BilodeauConfounded, FormulasByHand) {
  // X = 0: ¼·(0.5/6) + ¾·(5.5/6) = (0.125 + 4.125)/6 = 4.25/6. X = 1: ⅛·(5/6) + ⅞·(1/6) = ¼.
  const Instance instance = built("bilodeau-confounded:actions=4");
  ASSERT_EQ(instance.contexts(), 2u);
  for (Arm a = 0; a < 4; ++a) {
    EXPECT_EQ(instance.marginals()(a, 1), a < 2 ? 0.75 : 0.875);
    EXPECT_NEAR(instance.law(a, 1).mean(), a < 2 ? 5.5 / 6 : 1.0 / 6, 1e-15);
    EXPECT_NEAR(instance.law(a, 0).mean(), a < 2 ? 0.5 / 6 : 5.0 / 6, 1e-15);
    EXPECT_NEAR(instance.mean(a), a < 2 ? 4.25 / 6 : 0.25, 1e-15);
  }
  EXPECT_EQ(instance.best_action(), 0u);
  EXPECT_NEAR(*instance.smallest_gap(), 4.25 / 6 - 0.25, 1e-15);  // 0.458333
}

TEST(BilodeauConfounded, TheWitnessIsAcrossTheHalves) {
  const auto verdict = built("bilodeau-confounded:actions=4").benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->context, 0u);
  EXPECT_EQ(verdict.witness->action, 0u);
  EXPECT_EQ(verdict.witness->other, 2u);
}

// Arms 0…⌊|A|/2⌋−1 have X = 0: of five arms, two.
TEST(BilodeauConfounded, OddNumbersOfArms) {
  const Instance instance = built("bilodeau-confounded:actions=5");
  for (Arm a = 0; a < 5; ++a) EXPECT_EQ(instance.marginals()(a, 0), a < 2 ? 0.25 : 0.125);
}

TEST(BilodeauConfounded, NeedsNoHorizon) { EXPECT_EQ(built("bilodeau-confounded").actions(), 20u); }

}  // namespace
}  // namespace armature
