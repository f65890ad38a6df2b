#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(NearTie, FormulasByHand) {
  // Z_0 = {z0, z1}. Arm 0 has mass ½ + 2·0.02 = 0.54 there, the others ½; arm 2 pays 0.1 + 0.02
  // more than ¾ and ¼ everywhere. Means ½ + 0.02, ½, ½ + 0.12.
  const Instance instance = built("near-tie:actions=4,contexts=4,gap=0.1,tie=0.02,arm=2");
  for (Arm a = 0; a < 4; ++a)
    for (Context z = 0; z < 4; ++z) {
      const double mass = a == 0 ? (z < 2 ? 0.27 : 0.23) : 0.25;
      EXPECT_NEAR(instance.marginals()(a, z), mass, 1e-15) << a << ' ' << z;
      EXPECT_NEAR(instance.law(a, z).mean(), (z < 2 ? 0.75 : 0.25) + (a == 2 ? 0.12 : 0), 1e-15);
    }
  EXPECT_NEAR(instance.mean(0), 0.52, 1e-15);
  EXPECT_NEAR(instance.mean(1), 0.5, 1e-15);
  EXPECT_NEAR(instance.mean(2), 0.62, 1e-15);
  EXPECT_EQ(instance.best_action(), 2u);
  EXPECT_NEAR(instance.gap(0), 0.1, 1e-15);
  EXPECT_NEAR(instance.gap(3), 0.12, 1e-15);
  EXPECT_NEAR(*instance.smallest_gap(), 0.1, 1e-15);
}

TEST(NearTie, Defaults) {
  const Instance instance = built("near-tie");
  EXPECT_EQ(instance.contexts(), 2u);
  EXPECT_EQ(instance.best_action(), 19u);
  EXPECT_NEAR(instance.gap(0), 0.2, 1e-15);
  EXPECT_NEAR(instance.gap(1), 0.21, 1e-15);
}

// Nothing in the marginals tells the hidden arm from the field.
TEST(NearTie, TheMarginalsAreThoseOfParetoBenign) {
  EXPECT_TRUE(test::same_marginals(built("near-tie:contexts=5,tie=0.03"),
                                   built("pareto-benign:contexts=5,gap=0.03")));
}

TEST(NearTie, TheWitnessIsTheOddArm) {
  const auto verdict = built("near-tie:arm=1").benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->context, 0u);
  EXPECT_EQ(verdict.witness->action, 0u);
  EXPECT_EQ(verdict.witness->other, 1u);
}

TEST(NearTie, NoneIsTheBenignWorldOfTheTie) {
  const Instance base = built("near-tie:arm=none");
  EXPECT_TRUE(base.benign_verdict().benign());
  EXPECT_EQ(base.best_action(), 0u);
  EXPECT_NEAR(*base.smallest_gap(), 0.01, 1e-15);
}

TEST(NearTie, GapAndTieTogetherUpToAQuarter) {
  // ¾ + ¼ = 1.
  EXPECT_EQ(built("near-tie:gap=0.125,tie=0.125").law(19, 0), RewardLaw::bernoulli(1));
  EXPECT_EQ(built("near-tie:gap=0.25,tie=0").law(19, 0), RewardLaw::bernoulli(1));
  EXPECT_EQ(built("near-tie:gap=0,tie=0.25").marginals()(0, 1), 0);
  EXPECT_EQ(refusal([] { built("near-tie:gap=0.25"); }),
            "family near-tie: gap: got 0.25, expected at most 0.24, so that gap + tie is at most "
            "1/4");
  EXPECT_NE(refusal([] { built("near-tie:gap=0,tie=0.26"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("near-tie:gap=-0.1"); }), "(accepted)");
}

TEST(NearTie, RefusesArmsAndSizesThatDoNotFit) {
  EXPECT_EQ(refusal([] { built("near-tie:arm=0"); }),
            "family near-tie: arm: got 0, expected an arm from 1 to 19");
  EXPECT_NE(refusal([] { built("near-tie:actions=1"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("near-tie:contexts=1"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
