#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(BilodeauBenign, FormulasByHand) {
  const Instance instance = built("bilodeau-benign:actions=3,gap=0.2");
  EXPECT_EQ(instance.marginals()(0, 0), 0.9995);
  EXPECT_EQ(instance.marginals()(1, 0), 0.0005);
  EXPECT_EQ(instance.marginals()(2, 1), 0.9995);
  EXPECT_EQ(instance.law(0, 0), RewardLaw::bernoulli(0.7));
  EXPECT_EQ(instance.law(2, 1), RewardLaw::bernoulli(0.5));
  // ½ + 0.2·0.9995 and ½ + 0.2·0.0005.
  EXPECT_NEAR(instance.mean(0), 0.6999, 1e-15);
  EXPECT_NEAR(instance.mean(1), 0.5001, 1e-15);
  EXPECT_EQ(instance.best_action(), 0u);
  EXPECT_NEAR(*instance.smallest_gap(), 0.1998, 1e-15);
  EXPECT_TRUE(instance.benign_verdict().benign());
}

TEST(BilodeauBenign, DefaultGapComesFromTheHorizon) {
  // sqrt(20·log(10000)/10000) = sqrt(0.0184207) = 0.135723
  EXPECT_NEAR(built("bilodeau-benign", 10000).law(0, 0).mean(), 0.635723, 1e-6);
  // At T = 20, sqrt(log 20) > ½: cut.
  EXPECT_EQ(built("bilodeau-benign", 20).law(0, 0), RewardLaw::bernoulli(1));
  // At T = 1, log 1 = 0.
  EXPECT_EQ(built("bilodeau-benign", 1).smallest_gap(), std::nullopt);
}

TEST(BilodeauBenign, DefaultGapAsksForAHorizon) {
  EXPECT_EQ(
      refusal([] { built("bilodeau-benign"); }),
      "family bilodeau-benign: gap: got no value and no horizon, expected gap=, or --horizon, "
      "which its default depends on");
}

TEST(BilodeauBenign, Refusals) {
  EXPECT_EQ(refusal([] { built("bilodeau-benign:gap=0.5"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("bilodeau-benign:gap=0.6"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("bilodeau-benign:gap=0.1,contexts=3"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
