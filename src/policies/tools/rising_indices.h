// The largest index mean + 2·sqrt(level/n) + (4/3)·level/n of many quantities when the level rises
// in every round for all of them (corral's actions) and one mean and count changes at a time.
//
// How: no index rises faster with the level than that of the quantity with the fewest samples. So
// an index worked out once stays below its value then plus that growth since, and only those whose
// bound reaches the best index known are worked out again. What was never tried has the same index
// whoever it is, so that only the first of them takes part.
#pragma once

#include <cmath>

#include "policies/tools/bound_tree.h"

namespace armature {

class RisingIndices {
 public:
  /// Nothing was tried yet.
  explicit RisingIndices(std::uint32_t size) : items_(size), tree_(size) { bound_all(); }

  /// The mean of i's samples, not negative; one sample or more.
  void set(std::uint32_t i, double mean, std::uint64_t samples) {
    const double inverse = 1 / static_cast<double>(samples);
    items_[i] = {mean, std::sqrt(inverse), inverse, true};
    bound(i);
    if (i != first_untried_) return;
    find_first_untried();
    if (first_untried_ < items_.size()) bound(first_untried_);
  }

  /// The lowest of the largest `index_of(i)`, the formula that counts, at this level: never below
  /// the last one.
  template <class Index>
  std::uint32_t best(double level, const Index& index_of) {
    level_ = level;
    root_ = 2 * std::sqrt(level);
    growth_ = root_ * most_inverse_root_ + 4.0 / 3 * level * most_inverse_;
    // As much work as for all of them: by now there are more samples of each, and tighter bounds.
    if (bounds_ >= kLeastBounds + items_.size()) bound_all();

    std::uint32_t best = tree_.first_highest();
    while (bound(best) < tree_.highest()) best = tree_.first_highest();
    double highest = index_of(best);
    // What rounding could have put below it.
    const auto bar = [&] { return highest - growth_ - 0x1p-46 * (highest + growth_); };
    for (std::uint32_t i = tree_.next_at_least(bar()); i != BoundTree::kNone;
         i = tree_.next_at_least(bar(), i + 1)) {
      if (i == best) continue;
      bound(i);
      const double index = index_of(i);
      if (index > highest || (index == highest && i < best)) {
        highest = index;
        best = i;
      }
    }
    return best;
  }

 private:
  static constexpr std::uint64_t kLeastBounds = 64;

  struct Item {
    double mean = 0;
    double inverse_root = 1;  // 1/√n
    double inverse = 1;       // 1/n
    bool tried = false;
  };

  // The index as of now, less the growth of an index until now. Returns it.
  double bound(std::uint32_t i) {
    const double above = excess(items_[i]);
    tree_.set(i, above);
    ++bounds_;
    return above;
  }
  double excess(const Item& item) const {
    return item.mean + root_ * item.inverse_root + 4.0 / 3 * level_ * item.inverse - growth_;
  }
  void bound_all() {
    bounds_ = 0;
    most_inverse_ = 0;
    for (const Item& item : items_) most_inverse_ = std::max(most_inverse_, item.inverse);
    most_inverse_root_ = std::sqrt(most_inverse_);
    growth_ = root_ * most_inverse_root_ + 4.0 / 3 * level_ * most_inverse_;
    const std::span<double> bounds = tree_.bounds();
    for (std::uint32_t i = 0; i < items_.size(); ++i)
      bounds[i] = items_[i].tried || i == first_untried_ ? excess(items_[i])
                                                         : -std::numeric_limits<double>::infinity();
    tree_.settle();
  }
  void find_first_untried() {
    while (first_untried_ < items_.size() && items_[first_untried_].tried) ++first_untried_;
  }

  std::vector<Item> items_;
  std::uint32_t first_untried_ = 0;
  std::uint64_t bounds_ = 0;  // worked out one by one since all were
  double level_ = 0;
  double root_ = 0;               // 2·sqrt(level)
  double most_inverse_ = 1;       // of all items then, so that no index rises faster
  double most_inverse_root_ = 1;  // than one with these
  double growth_ = 0;             // of such an index, from level 0
  BoundTree tree_;                // excesses: bounds of the indices less the growth
};

}  // namespace armature
