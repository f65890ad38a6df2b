// Upper bounds of many values, of which only those that reach some bar are to be looked at: a tree
// in which every inner node holds the larger of its children. Changing a bound replays its path,
// O(log n); finding the next one that reaches the bar skips all that do not, O(log n) each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace armature {

class BoundTree {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// All bounds start at minus infinity.
  explicit BoundTree(std::uint32_t size)
      : leaves_(std::bit_ceil(std::max(size, 2u))),
        nodes_(std::size_t{2} * leaves_, -std::numeric_limits<double>::infinity()) {}

  double highest() const { return nodes_[1]; }
  /// The lowest index of the highest bound.
  std::uint32_t first_highest() const { return first_below(1, nodes_[1]); }

  /// The lowest index from `from` on whose bound is at least `bar`, or kNone.
  std::uint32_t next_at_least(double bar, std::uint32_t from = 0) const {
    if (from >= leaves_) return kNone;
    std::uint32_t node = from == 0 ? 1 : leaves_ + from;
    while (!(nodes_[node] >= bar)) {
      // On to the subtree that begins where this one ends.
      node >>= std::countr_one(node);
      if (node == 0) return kNone;
      ++node;
    }
    return first_below(node, bar);
  }

  void set(std::uint32_t i, double bound) {
    std::uint32_t node = leaves_ + i;
    nodes_[node] = bound;
    for (; node > 1; node /= 2) nodes_[node / 2] = std::max(nodes_[node], nodes_[node ^ 1u]);
  }

  /// All bounds at once: write them here, then `settle`.
  std::span<double> bounds() { return std::span(nodes_).subspan(leaves_); }
  void settle() {
    for (std::uint32_t node = leaves_ - 1; node > 0; --node)
      nodes_[node] = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
  }

 private:
  std::uint32_t first_below(std::uint32_t node, double bar) const {
    while (node < leaves_) node = nodes_[2 * node] >= bar ? 2 * node : 2 * node + 1;
    return node - leaves_;
  }

  std::uint32_t leaves_;
  std::vector<double> nodes_;  // heap order: children of i are 2i and 2i+1
};

}  // namespace armature
