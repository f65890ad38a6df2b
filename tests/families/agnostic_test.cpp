#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(Agnostic, FormulasByHand) {
  // Mass on Z_0 = {z0}: 0.52 for arm 0, ½ + 4·0.01 = 0.54 for arm 3, ½ for the others.
  // Means ¼ + ½·mass: 0.51, 0.52, 0.5.
  const Instance instance = built("agnostic:actions=4,gap=0.01");
  EXPECT_NEAR(instance.marginals()(0, 0), 0.52, 1e-15);
  EXPECT_NEAR(instance.marginals()(1, 0), 0.5, 1e-15);
  EXPECT_NEAR(instance.marginals()(3, 0), 0.54, 1e-15);
  EXPECT_NEAR(instance.mean(0), 0.51, 1e-15);
  EXPECT_NEAR(instance.mean(1), 0.5, 1e-15);
  EXPECT_NEAR(instance.mean(3), 0.52, 1e-15);
  EXPECT_EQ(instance.best_action(), 3u);
  EXPECT_NEAR(*instance.smallest_gap(), 0.01, 1e-15);
  EXPECT_TRUE(instance.benign_verdict().benign());
}

TEST(Agnostic, PoliciesAreToldTheBaseMember) {
  const Instance instance = built("agnostic:actions=4,gap=0.01,arm=2");
  const Problem told = instance.problem({});
  EXPECT_EQ(*told.marginals, built("agnostic:actions=4,gap=0.01,arm=none").marginals());
  EXPECT_EQ(told.epsilon, std::nullopt);  // nobody says how wrong they are
  // Arm 2's row is off by |0.54 − 0.5| twice.
  EXPECT_NEAR(instance.distance_to(*told.marginals), 0.08, 1e-15);
}

TEST(Agnostic, TheBaseMemberIsToldTheTruth) {
  const Instance base = built("agnostic:gap=0.01,arm=none");
  EXPECT_EQ(base.best_action(), 0u);
  EXPECT_EQ(base.distance_to(*base.problem({}).marginals), 0);
}

TEST(Agnostic, DefaultGapComesFromTheHorizon) {
  // (1/40)·sqrt((20 − 1)/1900) = 0.0025
  const Instance instance = built("agnostic", 1900);
  EXPECT_NEAR(instance.gap(1), 2 * 0.0025, 1e-15);
  EXPECT_NEAR(instance.gap(0), 0.0025, 1e-15);
}

TEST(Agnostic, DefaultGapStaysAcceptable) {
  // (1/40)·sqrt(99/1) ≈ 0.249, but masses stay at most 1 only up to 1/8.
  EXPECT_NEAR(built("agnostic:actions=100", 1).gap(0), 0.125, 1e-15);
}

TEST(Agnostic, DefaultGapAsksForAHorizon) {
  EXPECT_EQ(refusal([] { built("agnostic"); }),
            "family agnostic: gap: got no value and no horizon, expected gap=, or --horizon, which "
            "its default depends on");
  EXPECT_EQ(refusal([] { built("agnostic:gap=0.1"); }), "(accepted)");
}

TEST(Agnostic, RangeAndNotes) {
  EXPECT_EQ(built("agnostic:gap=0.125").marginals()(19, 0), 1);
  EXPECT_NE(refusal([] { built("agnostic:gap=0.126"); }), "(accepted)");
  EXPECT_EQ(built("agnostic:gap=0.03").parts().notes.size(), 1u);
  EXPECT_TRUE(built("agnostic:gap=0.02").parts().notes.empty());
  EXPECT_NE(refusal([] { built("agnostic:gap=0.01,arm=0"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
