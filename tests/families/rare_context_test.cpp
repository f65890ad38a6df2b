#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(RareContext, FormulasByHand) {
  // The last of four contexts comes with 0.04, the others with 0.32 each. Means 0.96·½ = 0.48, and
  // arm 1 pays 0.01/0.04 = ¼ in the rare one: 0.48 + 0.01.
  const Instance instance =
      built("rare-context:actions=3,contexts=4,gap=0.01,probability=0.04,arm=1");
  for (Arm a = 0; a < 3; ++a)
    for (Context z = 0; z < 4; ++z) {
      EXPECT_NEAR(instance.marginals()(a, z), z < 3 ? 0.32 : 0.04, 1e-15);
      EXPECT_EQ(instance.law(a, z), RewardLaw::bernoulli(z < 3 ? 0.5 : a == 1 ? 0.25 : 0));
    }
  EXPECT_NEAR(instance.mean(0), 0.48, 1e-15);
  EXPECT_NEAR(instance.mean(1), 0.49, 1e-15);
  EXPECT_EQ(instance.best_action(), 1u);
  EXPECT_NEAR(*instance.smallest_gap(), 0.01, 1e-15);
}

TEST(RareContext, Defaults) {
  const Instance instance = built("rare-context");
  EXPECT_EQ(instance.contexts(), 2u);
  EXPECT_EQ(instance.marginals()(7, 1), 0.1);
  EXPECT_EQ(instance.best_action(), 19u);
  EXPECT_NEAR(instance.gap(0), 0.05, 1e-15);
}

TEST(RareContext, TheWitnessIsTheOddArmInTheRareContext) {
  const auto verdict = built("rare-context:contexts=5").benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->context, 4u);
  EXPECT_EQ(verdict.witness->action, 0u);
  EXPECT_EQ(verdict.witness->other, 19u);
}

TEST(RareContext, WithoutOddArmOrGapItIsBenign) {
  for (const char* text : {"rare-context:arm=none", "rare-context:gap=0"}) {
    EXPECT_TRUE(built(text).benign_verdict().benign()) << text;
    EXPECT_EQ(built(text).smallest_gap(), std::nullopt) << text;
  }
}

TEST(RareContext, TheGapIsAtMostTheProbability) {
  EXPECT_EQ(built("rare-context:gap=0.1").law(19, 1), RewardLaw::bernoulli(1));
  EXPECT_EQ(refusal([] { built("rare-context:gap=0.11"); }),
            "family rare-context: gap: got 0.11, expected at most the rare context's probability, "
            "0.1");
  EXPECT_EQ(refusal([] { built("rare-context:gap=0.11,probability=0.2"); }), "(accepted)");
}

TEST(RareContext, RefusesWhatIsNotRareOrDoesNotFit) {
  EXPECT_NE(refusal([] { built("rare-context:gap=0,probability=0"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("rare-context:probability=1"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("rare-context:contexts=1"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("rare-context:arm=20"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
