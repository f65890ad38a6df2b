#include "base/whole_roots.h"

#include <gtest/gtest.h>

#include <cmath>

namespace armature {
namespace {

TEST(WholeRoots, TheBudgetIsTheSmallestWhoseCubeSuffices) {
  EXPECT_EQ(two_thirds_budget(2, 128), 32u);  // 2·128² = 32³; cbrt(2)·cbrt(128²) rounds above it
  EXPECT_EQ(two_thirds_budget(2, 127), 32u);  // 32258 ≤ 32³ = 32768
  EXPECT_EQ(two_thirds_budget(2, 129), 33u);  // 33282 > 32³
  EXPECT_EQ(two_thirds_budget(1, 1), 1u);
  EXPECT_EQ(two_thirds_budget(20, 8), 8u);  // more actions than rounds: all of them
  EXPECT_EQ(two_thirds_budget(1, 1'000'000), 10'000u);
}

TEST(WholeRoots, TheBudgetAgainstCounting) {
  for (std::uint64_t a = 1; a <= 40; ++a) {
    std::uint64_t expected = 0;  // grows with t
    for (std::uint64_t t = 1; t <= 500; ++t) {
      while (expected < t && expected * expected * expected < a * t * t) ++expected;
      ASSERT_EQ(two_thirds_budget(a, t), expected) << a << " " << t;
    }
  }
}

TEST(WholeRoots, TheBudgetOfTheLongestHorizon) {
  const std::uint64_t t = 1'000'000'000'000'000'000;
  EXPECT_EQ(two_thirds_budget(1, t), 1'000'000'000'000u);  // (10^12)³ = (10^18)²
  EXPECT_EQ(two_thirds_budget(8, t), 2'000'000'000'000u);
  EXPECT_EQ(two_thirds_budget(8, t + 1), 2'000'000'000'001u);  // no double is between
  EXPECT_EQ(two_thirds_budget(1'000'000'000'000, t), 10'000'000'000'000'000u);
}

TEST(WholeRoots, SharesOfARootAgainstCounting) {
  for (std::uint64_t a = 1; a <= 30; ++a)
    for (std::uint64_t t = 1; t <= 2000; ++t)
      for (const std::uint64_t factor : {1u, 4u}) {
        std::uint64_t expected = 0;
        while (expected * a * expected * a < factor * factor * t) ++expected;
        ASSERT_EQ(root_share_above(factor, t, a), expected) << factor << " " << t << " " << a;
      }
}

// √t/a + 1 by doubles, which are exact for small squares and far enough from halves otherwise.
TEST(WholeRoots, TheNextShareRoundsHalvesToEven) {
  EXPECT_EQ(next_root_share(1, 2), 2u);   // 1.5
  EXPECT_EQ(next_root_share(9, 2), 2u);   // 2.5
  EXPECT_EQ(next_root_share(25, 2), 4u);  // 3.5
  EXPECT_EQ(next_root_share(100, 2), 6u);
  for (std::uint64_t a = 1; a <= 30; ++a)
    for (std::uint64_t t = 1; t <= 2000; ++t) {
      const double share = std::sqrt(static_cast<double>(t)) / static_cast<double>(a);
      ASSERT_EQ(next_root_share(t, a), static_cast<std::uint64_t>(std::nearbyint(share + 1)))
          << t << " " << a;
    }
}

TEST(WholeRoots, SharesOfTheRootOfALongHorizon) {
  const std::uint64_t root = 1'000'000'000, t = root * root;
  EXPECT_EQ(root_share_above(1, t, 1), root);
  EXPECT_EQ(root_share_above(1, t + 1, 1), root + 1);  // no double tells t + 1 from t
  EXPECT_EQ(root_share_above(4, t, 8), root / 2);
  EXPECT_EQ(next_root_share(t, 1), root + 1);
  EXPECT_EQ(next_root_share(t + root, 1), root + 1);  // (10^9 + ½)² = t + 10^9 + ¼
  EXPECT_EQ(next_root_share(t + root + 1, 1), root + 2);
}

}  // namespace
}  // namespace armature
