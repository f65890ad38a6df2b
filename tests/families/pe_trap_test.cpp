#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

// Which context a sure arm leads to, or 99 if it is not sure.
Context sure_context(const Instance& instance, Arm a) {
  for (Context z = 0; z < instance.contexts(); ++z)
    if (instance.marginals()(a, z) == 1) return z;
  return 99;
}

TEST(PeTrap, PlaceLast) {
  // Order a_1, a_2, a_3, a*, then copies of a_1.
  const Instance instance = built("pe-trap:actions=6,contexts=3,gap=0.25");
  const Context expected[] = {0, 1, 2, 99, 0, 0};
  const double means[] = {0, 0, 0.75, 1, 0, 0};
  for (Arm a = 0; a < 6; ++a) {
    EXPECT_EQ(sure_context(instance, a), expected[a]) << a;
    EXPECT_EQ(instance.mean(a), means[a]) << a;
  }
  EXPECT_EQ(instance.marginals()(3, 0), 0.5);
  EXPECT_EQ(instance.marginals()(3, 1), 0.5);
  EXPECT_EQ(instance.best_action(), 3u);
  EXPECT_EQ(instance.smallest_gap(), 0.25);
}

TEST(PeTrap, PlaceFirst) {
  // Order a*, a_1, a_2, a_3, then copies of a_1.
  const Instance instance = built("pe-trap:actions=6,contexts=3,gap=0.25,place=first");
  const Context expected[] = {99, 0, 1, 2, 0, 0};
  const double means[] = {1, 0, 0, 0.75, 0, 0};
  for (Arm a = 0; a < 6; ++a) {
    EXPECT_EQ(sure_context(instance, a), expected[a]) << a;
    EXPECT_EQ(instance.mean(a), means[a]) << a;
  }
  EXPECT_EQ(instance.best_action(), 0u);
}

TEST(PeTrap, MoreContexts) {
  const Instance instance = built("pe-trap:actions=7,contexts=5");
  const double means[] = {0, 0, 0, 0, 0.8, 1, 0};  // 1 − 0.2 for a_5
  for (Arm a = 0; a < 7; ++a) EXPECT_NEAR(instance.mean(a), means[a], 1e-15) << a;
}

// a_1 pays 0 in z_1, the best arm pays 1 there.
TEST(PeTrap, IsNotBenign) {
  const auto verdict = built("pe-trap").benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->context, 0u);
  EXPECT_EQ(verdict.witness->action, 0u);
  EXPECT_EQ(verdict.witness->other, 3u);
}

TEST(PeTrap, IsDeterministicButForTheBestArmsContext) {
  const Instance instance = built("pe-trap");
  for (const RewardLaw& law : instance.parts().laws) EXPECT_EQ(law.kind(), RewardLaw::Kind::kPoint);
  EXPECT_EQ(instance.actions(), 20u);
  EXPECT_EQ(instance.contexts(), 3u);
  EXPECT_NEAR(*instance.smallest_gap(), 0.2, 1e-15);
  EXPECT_TRUE(instance.parts().notes.empty());
}

TEST(PeTrap, SmallestAndRefusedSizes) {
  EXPECT_EQ(built("pe-trap:actions=4").best_action(), 3u);
  EXPECT_EQ(refusal([] { built("pe-trap:actions=5,contexts=5"); }),
            "family pe-trap: actions: got 5, expected more actions than the 5 contexts");
  EXPECT_NE(refusal([] { built("pe-trap:contexts=2"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("pe-trap:actions=3"); }), "(accepted)");
}

TEST(PeTrap, GapIsStrictlyBetweenZeroAndOne) {
  EXPECT_NE(refusal([] { built("pe-trap:gap=0"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("pe-trap:gap=1"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
