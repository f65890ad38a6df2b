#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"
#include "support/statistics.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(NearlyBenign, EveryArmIsOffByTheShiftFromTheContexts) {
  // The draws do not depend on x: x = 0 gives μ(z), x = ½ leaves the coins alone.
  const Instance shared = built("nearly-benign:contexts=4,shift=0");
  const Instance coins = built("nearly-benign:contexts=4,shift=0.5");
  const Instance instance = built("nearly-benign:contexts=4,shift=0.03");
  EXPECT_EQ(instance.marginals(), shared.marginals());
  for (Arm a = 0; a < 20; ++a) {
    const double coin = coins.law(a, 0).mean();
    EXPECT_TRUE(coin == 0 || coin == 1);
    for (Context z = 0; z < 4; ++z) {
      EXPECT_EQ(coins.law(a, z).mean(), coin);
      // μ(z) squeezed into [0.03, 0.97], and 0.03 more or less.
      const double said = 0.03 + 0.94 * shared.law(a, z).mean();
      EXPECT_NEAR(instance.law(a, z).mean(), said + (coin == 1 ? 0.03 : -0.03), 1e-15);
    }
  }
}

TEST(NearlyBenign, DefaultsAndVerdict) {
  const Instance instance = built("nearly-benign");
  EXPECT_EQ(instance.contexts(), 2u);
  EXPECT_FALSE(instance.benign_verdict().benign());
  EXPECT_FALSE(built("nearly-benign:shift=1e-6").benign_verdict().benign());
  EXPECT_TRUE(built("nearly-benign:shift=0").benign_verdict().benign());
}

// Without a shift it is random-benign, draw for draw.
TEST(NearlyBenign, SameWorldAsRandomBenign) {
  const Instance nearly = built("nearly-benign:shift=0,contexts=5,rank=2");
  const Instance plain = built("random-benign:rank=2");
  EXPECT_EQ(nearly.marginals(), plain.marginals());
  for (Arm a = 0; a < 20; ++a) EXPECT_EQ(nearly.mean(a), plain.mean(a));
}

// 20,000 fair coins: heads within 4.9 standard deviations of 10,000 (false alarms 1e-6).
TEST(NearlyBenign, TheCoinsAreFair) {
  const Instance instance = built("nearly-benign:actions=20000,shift=0.5");
  double heads = 0;
  for (Arm a = 0; a < 20000; ++a) heads += instance.mean(a) > 0.5 ? 1 : 0;
  EXPECT_NEAR(heads, 10000, test::kNormalBound * 70.72);
}

TEST(NearlyBenign, Refusals) {
  EXPECT_EQ(refusal([] { built("nearly-benign:shift=0.51"); }),
            "family nearly-benign: shift: got 0.51, expected a number in [0,0.5]");
  EXPECT_NE(refusal([] { built("nearly-benign:shift=-0.1"); }), "(accepted)");
  EXPECT_EQ(refusal([] { built("nearly-benign:rank=3"); }),
            "family nearly-benign: rank: got 3, expected at most the 2 contexts");
}

}  // namespace
}  // namespace armature
