// The largest index mean + 2·sqrt(level/n) + (4/3)·level/n of many quantities when the level rises
// in every round for all of them (corral's learners) and one mean and count changes at a time.
//
// How: bounds are worked out at a level that will be reached some rounds later, the ceiling: until
// then no index can be above its bound, as all of them rise with the level. Only those whose bound
// reaches the best index known are looked at. What was never tried has the same index whoever it
// is, so that only the first of them takes part.
#pragma once

#include <cmath>

#include "policies/tools/bound_tree.h"

namespace armature {

class RisingIndices {
 public:
  explicit RisingIndices(std::uint32_t size)
      : untried_(size, 1), means_(size), inverse_(size, 1), inverse_root_(size, 1), tree_(size) {}

  /// The mean of i's samples, one or more.
  void set(std::uint32_t i, double mean, std::uint64_t samples) {
    means_[i] = mean;
    inverse_[i] = 1 / static_cast<double>(samples);
    inverse_root_[i] = std::sqrt(inverse_[i]);
    tree_.set(i, bound(i));
    if (!untried_[i]) return;
    untried_[i] = 0;
    if (i != first_untried_) return;
    find_first_untried();
    if (first_untried_ < size()) tree_.set(first_untried_, bound(first_untried_));
  }

  /// Bounds hold up to this level.
  double ceiling() const { return ceiling_; }
  void raise(double ceiling) {
    ceiling_ = ceiling;
    root_ = 2 * std::sqrt(ceiling);
    const std::span<double> bounds = tree_.bounds();
    for (std::uint32_t i = 0; i < size(); ++i) bounds[i] = bound(i);
    for (std::uint32_t i = first_untried_ + 1; i < size(); ++i)
      if (untried_[i]) bounds[i] = -std::numeric_limits<double>::infinity();
    tree_.settle();
  }

  /// The lowest of the largest `index_of(i)`, at a level not above the ceiling.
  template <class Index>
  std::uint32_t best(const Index& index_of) const {
    std::uint32_t best = tree_.first_highest();
    double highest = index_of(best);
    for (std::uint32_t i = tree_.next_at_least(highest); i != BoundTree::kNone;
         i = tree_.next_at_least(highest, i + 1)) {
      if (i == best) continue;
      const double index = index_of(i);
      if (index > highest || (index == highest && i < best)) {
        highest = index;
        best = i;
      }
    }
    return best;
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(means_.size()); }
  // All terms are positive: a handful of roundings is far less than the last factor.
  double bound(std::uint32_t i) const {
    return (means_[i] + root_ * inverse_root_[i] + 4.0 / 3 * ceiling_ * inverse_[i]) *
           (1 + 0x1p-48);
  }
  void find_first_untried() {
    while (first_untried_ < size() && !untried_[first_untried_]) ++first_untried_;
  }

  std::vector<char> untried_;
  std::uint32_t first_untried_ = 0;
  std::vector<double> means_;
  std::vector<double> inverse_;       // 1/n
  std::vector<double> inverse_root_;  // 1/√n
  double ceiling_ = -1;               // below every level: none yet
  double root_ = 0;                   // 2·sqrt(ceiling)
  BoundTree tree_;
};

}  // namespace armature
