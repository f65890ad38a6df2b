#include <gtest/gtest.h>

#include "base/refusal.h"
#include "families/built.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

TEST(SemiBenign, ShiftZeroIsBenign) {
  EXPECT_TRUE(built("semi-benign:shift=0").benign_verdict().benign());
  EXPECT_FALSE(built("semi-benign").benign_verdict().benign());
  EXPECT_FALSE(built("semi-benign:shift=1e-6").benign_verdict().benign());
}

TEST(SemiBenign, ShiftOneForgetsTheContexts) {
  const Instance instance = built("semi-benign:shift=1");
  for (Arm a = 0; a < 20; ++a)
    for (Context z = 1; z < 5; ++z) EXPECT_EQ(instance.law(a, z), instance.law(a, 0));
}

// The draws do not depend on λ, so λ = 0 gives μ(z), λ = 1 gives s_a, and all else lies between.
TEST(SemiBenign, TheMeanIsTheMixture) {
  const Instance shared = built("semi-benign:shift=0");
  const Instance own = built("semi-benign:shift=1");
  const Instance instance = built("semi-benign");  // λ = 0.3
  EXPECT_EQ(instance.marginals(), shared.marginals());
  for (Arm a = 0; a < 20; ++a)
    for (Context z = 0; z < 5; ++z)
      EXPECT_NEAR(instance.law(a, z).mean(),
                  0.7 * shared.law(a, z).mean() + 0.3 * own.law(a, z).mean(), 1e-15);
}

// With shift 0 it is random-benign, draw for draw.
TEST(SemiBenign, SameWorldAsRandomBenign) {
  const Instance semi = built("semi-benign:shift=0,rank=2");
  const Instance plain = built("random-benign:rank=2");
  EXPECT_EQ(semi.marginals(), plain.marginals());
  for (Arm a = 0; a < 20; ++a) EXPECT_EQ(semi.mean(a), plain.mean(a));
}

TEST(SemiBenign, Refusals) {
  EXPECT_NE(refusal([] { built("semi-benign:shift=1.1"); }), "(accepted)");
  EXPECT_NE(refusal([] { built("semi-benign:shift=-0.1"); }), "(accepted)");
  EXPECT_EQ(refusal([] { built("semi-benign:rank=6"); }),
            "family semi-benign: rank: got 6, expected at most the 5 contexts");
}

}  // namespace
}  // namespace armature
