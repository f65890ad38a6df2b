#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal.h"
#include "families/built.h"
#include "linear/rank.h"
#include "support/statistics.h"

namespace armature {
namespace {

using test::built;
using test::ks_bound;
using test::ks_distance;
using test::refusal;

TEST(RandomBenign, IsBenignWithBernoulliRewards) {
  const Instance instance = built("random-benign:actions=30");
  EXPECT_EQ(instance.actions(), 30u);
  EXPECT_EQ(instance.contexts(), 5u);
  EXPECT_TRUE(instance.benign_verdict().benign());
  for (const RewardLaw& law : instance.parts().laws)
    EXPECT_EQ(law.kind(), RewardLaw::Kind::kBernoulli);
}

// Rows Dirichlet(1) on 3 contexts: each entry is Beta(1, 2). Means are uniform.
TEST(RandomBenign, DrawsWhatItSays) {
  const InstanceSource source("random-benign:actions=2,contexts=3", {}, 5);
  std::vector<double> entries;
  std::vector<double> means;
  for (std::uint32_t replication = 0; replication < 3000; ++replication) {
    const auto instance = source.instance(replication);
    entries.push_back(instance->marginals()(1, 2));
    means.push_back(instance->law(0, 1).mean());
  }
  const auto beta_1_2 = [](double x) { return 1 - (1 - x) * (1 - x); };
  EXPECT_LT(ks_distance(entries, beta_1_2), ks_bound(entries.size()));
  EXPECT_LT(ks_distance(means, [](double x) { return x; }), ks_bound(means.size()));
}

// An entry of Dirichlet(α) on n contexts has variance (n−1)/(n²(nα+1)): 4/25/6 for α = 1 and about
// a hundredth of that for α = 100; with α = 0.01 the largest entry of a row is nearly 1.
TEST(RandomBenign, ConcentrationShapesTheRows) {
  const Instance flat = built("random-benign:concentration=1e6");
  const Instance spiky = built("random-benign:concentration=0.001");
  for (Arm a = 0; a < 20; ++a) {
    double largest = 0;
    for (Context z = 0; z < 5; ++z) {
      EXPECT_NEAR(flat.marginals()(a, z), 0.2, 0.005);  // a standard deviation is 0.00018
      largest = std::max(largest, spiky.marginals()(a, z));
    }
    EXPECT_GT(largest, 0.9);
  }
}

TEST(RandomBenign, RankLimitsTheSpan) {
  EXPECT_EQ(numerical_rank(built("random-benign").marginals()).rank, 5u);
  EXPECT_EQ(numerical_rank(built("random-benign:rank=3").marginals(), 1e-12).rank, 3u);
  EXPECT_EQ(numerical_rank(built("random-benign:rank=1").marginals(), 1e-12).rank, 1u);
}

TEST(RandomBenign, FullRankIsTheDefault) {
  EXPECT_EQ(built("random-benign:rank=5").marginals(), built("random-benign").marginals());
}

TEST(RandomBenign, Refusals) {
  EXPECT_EQ(refusal([] { built("random-benign:rank=6"); }),
            "family random-benign: rank: got 6, expected at most the 5 contexts");
  // 2^32 + 1 must not wrap to 1.
  EXPECT_EQ(refusal([] { built("random-benign:rank=4294967297"); }),
            "family random-benign: rank: got 4294967297, expected at most the 5 contexts");
  EXPECT_NE(refusal([] { built("random-benign:rank=0"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("random-benign:concentration=0"); }), "(accepted)");
}

TEST(RandomBenign, OneActionOneContext) {
  const Instance instance = built("random-benign:actions=1,contexts=1");
  EXPECT_EQ(instance.marginals()(0, 0), 1);
}

// Recorded once: the draws of replication 0 at seed 1 are part of every stored result.
TEST(RandomBenign, DrawsAreStable) {
  const Instance instance = built("random-benign:actions=2,contexts=2");
  EXPECT_EQ(instance.marginals()(0, 0), 0x1.6b80024d12d26p-1);
  EXPECT_EQ(instance.law(0, 1).mean(), 0x1.75495e2ebd16p-2);
}

}  // namespace
}  // namespace armature
