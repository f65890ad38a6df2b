#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(ParetoBenign, FormulasOnFiveContexts) {
  // Z_0 = the first ⌊5/2⌋ = 2 contexts. Arm 0 has mass ½ + 2·0.01 = 0.52 there: 0.26 each, and
  // 0.48/3 = 0.16 on each of the rest; other arms ¼ each and ½/3 each.
  const Instance instance = built("pareto-benign:actions=3,contexts=5,gap=0.01");
  ASSERT_EQ(instance.actions(), 3u);
  ASSERT_EQ(instance.contexts(), 5u);
  for (Context z = 0; z < 5; ++z) {
    EXPECT_NEAR(instance.marginals()(0, z), z < 2 ? 0.26 : 0.16, 1e-15);
    EXPECT_NEAR(instance.marginals()(1, z), z < 2 ? 0.25 : 0.5 / 3, 1e-15);
    EXPECT_NEAR(instance.marginals()(2, z), z < 2 ? 0.25 : 0.5 / 3, 1e-15);
    for (Arm a = 0; a < 3; ++a)
      EXPECT_EQ(instance.law(a, z), RewardLaw::bernoulli(z < 2 ? 0.75 : 0.25));
  }
  EXPECT_NEAR(instance.mean(0), 0.51, 1e-15);  // ½ + Δ
  EXPECT_NEAR(instance.mean(1), 0.5, 1e-15);
  EXPECT_EQ(instance.best_action(), 0u);
  EXPECT_NEAR(*instance.smallest_gap(), 0.01, 1e-15);
  EXPECT_TRUE(instance.benign_verdict().benign());
}

TEST(ParetoBenign, Defaults) {
  const Instance instance = built("pareto-benign");
  EXPECT_EQ(instance.name(), "pareto-benign");
  EXPECT_EQ(instance.actions(), 20u);
  EXPECT_EQ(instance.contexts(), 2u);
  EXPECT_NEAR(instance.gap(1), 0.02, 1e-15);
  EXPECT_TRUE(instance.parts().notes.empty());
}

TEST(ParetoBenign, PoliciesAreToldTheTruth) {
  const Problem problem = built("pareto-benign").problem({});
  EXPECT_EQ(*problem.marginals, built("pareto-benign").marginals());
  EXPECT_EQ(problem.epsilon, 0);
}

// The proofs use Δ < 1/40: 0.025 itself is outside.
TEST(ParetoBenign, LargeGapsAreNotedNotRefused) {
  EXPECT_TRUE(built("pareto-benign:gap=0.0249").parts().notes.empty());
  EXPECT_EQ(built("pareto-benign:gap=0.025").parts().notes,
            std::vector<std::string>{
                "gap 0.025 is outside the range of the paper's proofs (gap < 1/40)"});
}

TEST(ParetoBenign, TheWholeRangeOfGaps) {
  EXPECT_EQ(built("pareto-benign:gap=0.25").marginals()(0, 1), 0);
  EXPECT_EQ(built("pareto-benign:gap=0").smallest_gap(), std::nullopt);
  EXPECT_EQ(refusal([] { built("pareto-benign:gap=0.26"); }),
            "family pareto-benign: gap: got 0.26, expected a number in [0,0.25]");
}

TEST(ParetoBenign, SmallestSizes) {
  EXPECT_NE(refusal([] { built("pareto-benign:actions=1"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("pareto-benign:contexts=1"); }), "(accepted)");
  // Three contexts: Z_0 is the first alone.
  EXPECT_NEAR(built("pareto-benign:contexts=3").marginals()(1, 0), 0.5, 1e-15);
}

}  // namespace
}  // namespace armature
