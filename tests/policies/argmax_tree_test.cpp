#include "policies/tools/argmax_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace armature {
namespace {

TEST(ArgmaxTree, StartsAtIndexZeroAndMinusInfinity) {
  const ArgmaxTree tree(5);
  EXPECT_EQ(tree.best(), 0u);
  EXPECT_EQ(tree.best_value(), -std::numeric_limits<double>::infinity());
}

TEST(ArgmaxTree, FollowsOneChangeAtATime) {
  ArgmaxTree tree(3);
  tree.set(0, 1);
  tree.set(1, 3);
  tree.set(2, 2);
  EXPECT_EQ(tree.best(), 1u);
  tree.set(1, 0);  // the best may fall below the others
  EXPECT_EQ(tree.best(), 2u);
  EXPECT_EQ(tree.best_value(), 2);
  EXPECT_EQ(tree.value(1), 0);
}

TEST(ArgmaxTree, TiesGoToTheLowerIndexWhicheverWasSetLast) {
  ArgmaxTree tree(6);
  for (const std::uint32_t i : {5u, 3u, 4u}) tree.set(i, 7);
  EXPECT_EQ(tree.best(), 3u);
  tree.set(1, 7);
  EXPECT_EQ(tree.best(), 1u);
}

TEST(ArgmaxTree, OneValueIsTheBestEvenWhenNegative) {
  ArgmaxTree tree(1);
  tree.set(0, -5);
  EXPECT_EQ(tree.best(), 0u);
  EXPECT_EQ(tree.best_value(), -5);
}

// Few distinct values, so that ties are common.
RC_GTEST_PROP(ArgmaxTree, EqualsTheFirstMaximumOfAList, ()) {
  const auto size = *rc::gen::inRange<std::uint32_t>(1, 40);
  const auto changes = *rc::gen::container<std::vector<std::pair<std::uint32_t, int>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, size), rc::gen::inRange(-3, 4)));
  ArgmaxTree tree(size);
  std::vector<double> list(size, -std::numeric_limits<double>::infinity());
  for (const auto& [index, value] : changes) {
    tree.set(index, value);
    list[index] = value;
    const auto best = std::max_element(list.begin(), list.end());
    RC_ASSERT(tree.best() == static_cast<std::uint32_t>(best - list.begin()));
    RC_ASSERT(tree.best_value() == *best);
  }
}

RC_GTEST_PROP(ArgmaxInHand, EqualsTheTree, ()) {
  const auto size = *rc::gen::inRange<std::uint32_t>(1, 40);
  const auto changes = *rc::gen::container<std::vector<std::pair<std::uint32_t, int>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, size), rc::gen::inRange(-3, 4)));
  ArgmaxTree tree(size);
  ArgmaxInHand in_hand(size);
  RC_ASSERT(in_hand.best() == tree.best());
  for (const auto& [index, value] : changes) {
    for (const double shift : {0.0, 1.0, -1.0}) {  // in hand for a while
      tree.set(index, value + shift);
      in_hand.set(index, value + shift);
      RC_ASSERT(in_hand.best() == tree.best());
      RC_ASSERT(in_hand.best_value() == tree.best_value());
    }
    for (std::uint32_t i = 0; i < size; ++i) {
      RC_ASSERT(in_hand.value(i) == tree.value(i));
      RC_ASSERT(in_hand.best_value_except(i) == tree.best_value_except(i));
    }
  }
}

TEST(ArgmaxTree, FirstAtLeastIsTheLowestIndexThatReachesTheBar) {
  ArgmaxTree tree(5);
  const double values[] = {1, 3, 2, 3, 0};
  for (std::uint32_t i = 0; i < 5; ++i) tree.set(i, values[i]);
  EXPECT_EQ(tree.first_at_least(3), 1u);
  EXPECT_EQ(tree.first_at_least(2.5), 1u);
  EXPECT_EQ(tree.first_at_least(1), 0u);
  EXPECT_EQ(tree.first_at_least(-std::numeric_limits<double>::infinity()), 0u);
  tree.set(1, 0);
  EXPECT_EQ(tree.first_at_least(2), 2u);
  EXPECT_EQ(tree.first_at_least(3), 3u);
}

RC_GTEST_PROP(ArgmaxTree, FirstAtLeastEqualsTheFirstOfAList, ()) {
  const auto size = *rc::gen::inRange<std::uint32_t>(1, 40);
  ArgmaxTree tree(size);
  std::vector<double> list(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    list[i] = *rc::gen::inRange(-3, 4);
    tree.set(i, list[i]);
  }
  for (double bar = -4; bar <= tree.best_value(); bar += 0.5) {
    const auto first =
        std::find_if(list.begin(), list.end(), [&](double value) { return value >= bar; });
    RC_ASSERT(tree.first_at_least(bar) == static_cast<std::uint32_t>(first - list.begin()));
  }
}

}  // namespace
}  // namespace armature
