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

  struct Node {
    double value = -std::numeric_limits<double>::infinity();
    std::uint32_t index = 0;
  };
  /// The best but for i; its value is minus infinity if there is no other.
  Node best_except(std::uint32_t i) const {
    Node best = nodes_[(leaves_ + i) ^ 1u];
    for (std::uint32_t node = (leaves_ + i) / 2; node > 1; node /= 2)
      if (const Node& other = nodes_[node ^ 1u];
          other.value > best.value || (other.value == best.value && other.index < best.index))
        best = other;
    return best;
  }
  double best_value_except(std::uint32_t i) const { return best_except(i).value; }

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
  std::uint32_t leaves_;
  std::vector<Node> nodes_;  // heap order: children of i are 2i and 2i+1
};

/// The same where mostly one and the same value changes many times in a row: that one is held in
/// hand, beside the best of the others, and the tree learns of it when another one's turn comes.
class ArgmaxInHand {
 public:
  explicit ArgmaxInHand(std::uint32_t size) : tree_(size), rival_(tree_.best_except(0)) {}

  std::uint32_t best() const { return leads() ? held_ : rival_.index; }
  double best_value() const { return std::max(value_, rival_.value); }
  double value(std::uint32_t i) const { return i == held_ ? value_ : tree_.value(i); }
  double best_value_except(std::uint32_t i) const {
    if (i == held_) return rival_.value;
    tree_.set(held_, value_);
    return tree_.best_value_except(i);
  }
  void set(std::uint32_t i, double value) {
    if (i != held_) [[unlikely]] {
      tree_.set(held_, value_);
      held_ = i;
      rival_ = tree_.best_except(i);
    }
    value_ = value;
  }

 private:
  bool leads() const {
    return value_ > rival_.value || (value_ == rival_.value && held_ < rival_.index);
  }

  mutable ArgmaxTree tree_;  // what it has of the one in hand may be old
  ArgmaxTree::Node rival_;
  std::uint32_t held_ = 0;
  double value_ = -std::numeric_limits<double>::infinity();
};

}  // namespace armature
