#include "policies/tools/bound_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace armature {
namespace {

TEST(BoundTree, StartsWithNothingThatReachesAnyBar) {
  const BoundTree tree(5);
  EXPECT_EQ(tree.highest(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(tree.next_at_least(-1e300), BoundTree::kNone);
}

TEST(BoundTree, NamesAllThatReachTheBarInOrder) {
  BoundTree tree(6);
  for (const std::uint32_t i : {4u, 1u, 5u}) tree.set(i, i);
  EXPECT_EQ(tree.next_at_least(4), 4u);
  EXPECT_EQ(tree.next_at_least(4, 5), 5u);
  EXPECT_EQ(tree.next_at_least(4, 6), BoundTree::kNone);
  EXPECT_EQ(tree.next_at_least(5.5), BoundTree::kNone);
  EXPECT_EQ(tree.first_highest(), 5u);
  EXPECT_EQ(tree.highest(), 5);
}

// Few distinct values, so that ties are common.
RC_GTEST_PROP(BoundTree, EqualsAWalkThroughTheList, ()) {
  const auto size = *rc::gen::inRange<std::uint32_t>(1, 40);
  const auto changes = *rc::gen::container<std::vector<std::pair<std::uint32_t, int>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, size), rc::gen::inRange(-3, 4)));
  BoundTree tree(size);
  std::vector<double> list(size, -std::numeric_limits<double>::infinity());
  const auto next = [&](double bar, std::uint32_t from) {
    for (std::uint32_t i = from; i < size; ++i)
      if (list[i] >= bar) return i;
    return BoundTree::kNone;
  };
  bool at_once = false;
  for (const auto& [index, value] : changes) {
    list[index] = value;
    if (at_once) {
      std::copy(list.begin(), list.end(), tree.bounds().begin());
      tree.settle();
    } else {
      tree.set(index, value);
    }
    at_once = !at_once;
    RC_ASSERT(tree.highest() == *std::max_element(list.begin(), list.end()));
    RC_ASSERT(tree.first_highest() == next(tree.highest(), 0));
    for (std::uint32_t from = 0; from <= size; ++from)
      for (const double bar : {-3.0, 0.0, 2.0, 5.0})
        RC_ASSERT(tree.next_at_least(bar, from) == next(bar, from));
  }
}

}  // namespace
}  // namespace armature
