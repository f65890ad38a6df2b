#include "lab/moments.h"

#include <gtest/gtest.h>

#include <vector>

namespace armature {
namespace {

Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return moments;
}

TEST(Moments, ByHand) {
  // 2, 4, 4, 6: mean 4, squares 4 + 0 + 0 + 4 = 8, variance 8/3, standard error sqrt(8/3/4).
  const Moments moments = moments_of({2, 4, 4, 6});
  EXPECT_EQ(moments.count, 4u);
  EXPECT_DOUBLE_EQ(moments.mean, 4);
  EXPECT_DOUBLE_EQ(moments.squares, 8);
  EXPECT_DOUBLE_EQ(moments.standard_error(), std::sqrt(8.0 / 3 / 4));
}

TEST(Moments, FewerThanTwoHaveNoError) {
  EXPECT_EQ(Moments{}.standard_error(), 0);
  EXPECT_EQ(moments_of({3}).standard_error(), 0);
  EXPECT_EQ(moments_of({3}).mean, 3);
}

TEST(Moments, EqualValuesHaveNoVariance) {
  EXPECT_EQ(moments_of(std::vector<double>(1000, 0.1)).standard_error(), 0);
}

TEST(Moments, LargeMeansDoNotDrownSmallVariances) {
  // 10^9 + {0, 1, 2}: squares 2. Σx² − n·mean² would lose it all.
  const Moments moments = moments_of({1e9, 1e9 + 1, 1e9 + 2});
  EXPECT_DOUBLE_EQ(moments.squares, 2);
}

}  // namespace
}  // namespace armature
