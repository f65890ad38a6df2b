// The largest of many values when one changes at a time: a tournament in which every inner node
// holds its winner. Changing a value replays its path, O(log n). Ties go to the lower index.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace armature {

class ArgmaxTree {
 public:
  /// All values start at minus infinity.
  explicit ArgmaxTree(std::uint32_t size)
      : leaves_(std::bit_ceil(std::max(size, 2u))), nodes_(std::size_t{2} * leaves_) {
    for (std::uint32_t i = 0; i < leaves_; ++i) nodes_[leaves_ + i].index = i;
    for (std::uint32_t node = leaves_ - 1; node > 0; --node)
      nodes_[node] = nodes_[left_child(node)];
  }

  std::uint32_t best() const { return nodes_[1].index; }
  double best_value() const { return nodes_[1].value; }
  double value(std::uint32_t i) const { return nodes_[leaves_ + i].value; }

  /// The largest value but for i's own; minus infinity if there is no other.
  double best_value_except(std::uint32_t i) const {
    double best = -std::numeric_limits<double>::infinity();
    for (std::uint32_t node = leaves_ + i; node > 1; node /= 2)
      best = std::max(best, nodes_[node ^ 1u].value);
    return best;
  }

  /// The lowest index whose value is at least `bar`. There is one: best_value() ≥ bar.
  std::uint32_t first_at_least(double bar) const {
    std::uint32_t node = 1;
    while (node < leaves_)
      node = nodes_[left_child(node)].value >= bar ? left_child(node) : left_child(node) + 1;
    return node - leaves_;
  }

  void set(std::uint32_t i, double value) {
    std::uint32_t node = leaves_ + i;
    nodes_[node].value = value;
    while (node > 1) {
      const Node& left = nodes_[node & ~1u];
      const Node& right = nodes_[node | 1u];
      // Left holds the lower indices: right wins only if it is larger.
      nodes_[node / 2] = right.value > left.value ? right : left;
      node /= 2;
    }
  }

 private:
  static std::uint32_t left_child(std::uint32_t node) { return node << 1; }
  struct Node {
    double value = -std::numeric_limits<double>::infinity();
    std::uint32_t index = 0;
  };
  std::uint32_t leaves_;
  std::vector<Node> nodes_;  // heap order: children of i are 2i and 2i+1
};

}  // namespace armature
