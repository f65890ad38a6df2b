#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(ParetoConfounded, FormulasByHand) {
  // Arm a0 = 2 pays 3/4 + 4·0.01 = 0.79 on Z_0, which it reaches with ½: ½·0.79 + ½·0.25 = 0.52.
  const Instance instance = built("pareto-confounded:actions=4,contexts=4,gap=0.01,arm=2");
  for (Arm a = 0; a < 4; ++a)
    for (Context z = 0; z < 4; ++z) {
      const double success = z >= 2 ? 0.25 : a == 2 ? 0.79 : 0.75;
      EXPECT_NEAR(instance.law(a, z).mean(), success, 1e-15) << a << ' ' << z;
    }
  EXPECT_NEAR(instance.mean(0), 0.51, 1e-15);
  EXPECT_NEAR(instance.mean(1), 0.5, 1e-15);
  EXPECT_NEAR(instance.mean(2), 0.52, 1e-15);
  EXPECT_EQ(instance.best_action(), 2u);
  EXPECT_NEAR(instance.gap(0), 0.01, 1e-15);
  EXPECT_NEAR(instance.gap(3), 0.02, 1e-15);
  EXPECT_NEAR(*instance.smallest_gap(), 0.01, 1e-15);
}

TEST(ParetoConfounded, TheWitnessIsTheOddArmOnTheFirstBlock) {
  const auto verdict = built("pareto-confounded:actions=4,arm=2").benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->context, 0u);
  EXPECT_EQ(verdict.witness->action, 0u);
  EXPECT_EQ(verdict.witness->other, 2u);
}

// What policies see before they play must not tell the two members apart.
TEST(ParetoConfounded, SameMarginalsAsTheBenignMember) {
  const std::string keys = ":actions=7,contexts=5,gap=0.03";
  EXPECT_TRUE(
      test::same_marginals(built("pareto-confounded" + keys), built("pareto-benign" + keys)));
}

TEST(ParetoConfounded, TheOddArmIsTheLastByDefault) {
  EXPECT_EQ(built("pareto-confounded").best_action(), 19u);
  EXPECT_EQ(built("pareto-confounded:actions=5").best_action(), 4u);
}

TEST(ParetoConfounded, NoneIsTheBaseMember) {
  const Instance base = built("pareto-confounded:arm=none");
  EXPECT_TRUE(base.benign_verdict().benign());
  EXPECT_EQ(base.best_action(), 0u);
  EXPECT_NEAR(*base.smallest_gap(), 0.02, 1e-15);
}

TEST(ParetoConfounded, RefusesArmsThatAreNotOdd) {
  EXPECT_EQ(refusal([] { built("pareto-confounded:arm=0"); }),
            "family pareto-confounded: arm: got 0, expected an arm from 1 to 19");
  EXPECT_EQ(refusal([] { built("pareto-confounded:arm=20"); }),
            "family pareto-confounded: arm: got 20, expected an arm from 1 to 19");
  // 2^32 + 1 must not wrap to 1.
  EXPECT_NE(refusal([] { built("pareto-confounded:arm=4294967297"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("pareto-confounded:arm=first"); }), "(accepted)");
}

TEST(ParetoConfounded, GapsUpToASixteenth) {
  // 3/4 + 4/16 = 1.
  EXPECT_EQ(built("pareto-confounded:gap=0.0625").law(19, 0), RewardLaw::bernoulli(1));
  EXPECT_EQ(refusal([] { built("pareto-confounded:gap=0.063"); }),
            "family pareto-confounded: gap: got 0.063, expected a number in [0,0.0625]");
  EXPECT_EQ(built("pareto-confounded:gap=0.03").parts().notes.size(), 1u);
  EXPECT_TRUE(built("pareto-confounded").parts().notes.empty());
}

}  // namespace
}  // namespace armature
