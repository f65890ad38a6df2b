#include "lab/moments.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

TEST(Moments, MergerByHand) {
  Moments left = moments_of({2, 4});
  left.merge(moments_of({4, 6}));
  EXPECT_EQ(left.count, 4u);
  EXPECT_DOUBLE_EQ(left.mean, 4);
  EXPECT_DOUBLE_EQ(left.squares, 8);
}

// Exactly: a study of one block must not differ from its block.
RC_GTEST_PROP(Moments, MergingWithNothingChangesNoBit, ()) {
  const auto numbers = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000));
  std::vector<double> values;
  for (const int number : numbers) values.push_back(number / 7.0);
  const Moments moments = moments_of(values);
  Moments into_empty;
  into_empty.merge(moments);
  Moments with_empty = moments;
  with_empty.merge({});
  for (const Moments& merged : {into_empty, with_empty}) {
    RC_ASSERT(merged.count == moments.count);
    RC_ASSERT(merged.mean == moments.mean);
    RC_ASSERT(merged.squares == moments.squares);
  }
}

RC_GTEST_PROP(Moments, MergerEqualsOnePass, ()) {
  const auto numbers = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000));
  const auto cut = *rc::gen::inRange<std::size_t>(0, numbers.size() + 1);
  Moments left, right, all;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    (i < cut ? left : right).add(numbers[i] / 7.0);
    all.add(numbers[i] / 7.0);
  }
  left.merge(right);
  RC_ASSERT(left.count == all.count);
  RC_ASSERT(std::abs(left.mean - all.mean) <= 1e-11);
  RC_ASSERT(std::abs(left.squares - all.squares) <= 1e-10 * (1 + all.squares));
}

}  // namespace
}  // namespace armature
