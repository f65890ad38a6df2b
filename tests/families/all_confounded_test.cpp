#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"
#include "support/statistics.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(AllConfounded, TheContextsShowNothing) {
  const Instance instance = built("all-confounded:actions=6,contexts=5");
  for (Arm a = 0; a < 6; ++a)
    for (Context z = 0; z < 5; ++z) {
      EXPECT_EQ(instance.marginals()(a, z), 0.2);
      EXPECT_EQ(instance.law(a, z), instance.law(a, 0));
    }
}

// The draws do not depend on λ, so λ = 1 gives s_a: the means are (1 − λ)/2 + λ·s_a.
TEST(AllConfounded, TheMeanIsTheMixture) {
  const Instance own = built("all-confounded:shift=1");
  const Instance instance = built("all-confounded");  // λ = 0.3
  EXPECT_EQ(instance.contexts(), 2u);
  double largest = 0;
  for (Arm a = 0; a < 20; ++a) {
    EXPECT_NEAR(instance.mean(a), 0.35 + 0.3 * own.mean(a), 1e-15);
    largest = std::max(largest, instance.mean(a));
  }
  EXPECT_EQ(instance.mean(instance.best_action()), largest);
  EXPECT_EQ(instance.best_action(), own.best_action());
}

TEST(AllConfounded, TheOwnMeansAreUniform) {
  const Instance own = built("all-confounded:actions=3000,shift=1");
  std::vector<double> means;
  for (Arm a = 0; a < 3000; ++a) means.push_back(own.mean(a));
  // False alarms: 1e-6.
  EXPECT_LT(test::ks_distance(means, [](double x) { return x; }), test::ks_bound(means.size()));
}

TEST(AllConfounded, EveryArmIsAWitnessUntilTheShiftIsGone) {
  const auto verdict = built("all-confounded").benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->other, 1u);
  EXPECT_TRUE(built("all-confounded:shift=0").benign_verdict().benign());
  EXPECT_EQ(built("all-confounded:shift=0").smallest_gap(), std::nullopt);
}

TEST(AllConfounded, Refusals) {
  EXPECT_EQ(refusal([] { built("all-confounded:shift=1.1"); }),
            "family all-confounded: shift: got 1.1, expected a number in [0,1]");
  EXPECT_NE(refusal([] { built("all-confounded:shift=-0.1"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("all-confounded:actions=1"); }), "(accepted)");
  EXPECT_EQ(refusal([] { built("all-confounded:contexts=1"); }), "(accepted)");
}

}  // namespace
}  // namespace armature
