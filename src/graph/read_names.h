// Names of nodes to their numbers, while a file is read. Every end of every arrow is looked up
// here: a large file spends its time on it, so the table is small and lies together (reading a
// million arrows took 1.6 times as long with an unordered_map). Texts are shorter than 4 GiB.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/graph.h"

namespace armature::graph {

class NodeNames {
 public:
  explicit NodeNames(std::vector<Variable>& variables) : variables_(variables), slots_(1024) {}

  /// The node of this name; a new one if there was none.
  Node get(std::string_view name) {
    const std::uint32_t hash = hash_of(name);
    Slot& slot = slots_[place(name, hash)];
    if (slot.node != kNobody) return slot.node;
    const Node node = static_cast<Node>(variables_.size());
    slot = {hash, node, static_cast<std::uint32_t>(letters_.size()),
            static_cast<std::uint32_t>(name.size())};
    variables_.emplace_back().name = name;
    letters_ += name;
    if (2 * variables_.size() > slots_.size()) grow();
    return node;
  }

  std::optional<Node> find(std::string_view name) const {
    const Node node = slots_[place(name, hash_of(name))].node;
    return node == kNobody ? std::nullopt : std::optional(node);
  }

 private:
  static constexpr Node kNobody = UINT32_MAX;
  struct Slot {
    std::uint32_t hash = 0;
    Node node = kNobody;
    std::uint32_t begin = 0;  // of the name, in the letters of all
    std::uint32_t size = 0;
  };

  static std::uint32_t hash_of(std::string_view name) {
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15U;
    std::uint64_t hash = name.size() * kMix;
    while (!name.empty()) {
      std::uint64_t piece = 0;
      const std::size_t bytes = std::min(name.size(), sizeof piece);
      std::memcpy(&piece, name.data(), bytes);
      hash = (hash ^ piece) * kMix;
      hash ^= hash >> 32U;
      name.remove_prefix(bytes);
    }
    return static_cast<std::uint32_t>(hash);
  }

  // Where the name is, or where it would go.
  std::size_t place(std::string_view name, std::uint32_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].node != kNobody && (slots_[at].hash != hash || name_of(slots_[at]) != name))
      at = (at + 1) & mask;
    return at;
  }

  std::string_view name_of(const Slot& slot) const {
    return {letters_.data() + slot.begin, slot.size};
  }

  void grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.node == kNobody) continue;
      std::size_t at = slot.hash & mask;
      while (slots_[at].node != kNobody) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<Variable>& variables_;
  std::vector<Slot> slots_;  // open addressing; their number is a power of two
  std::string letters_;      // of all names, one after the other
};

}  // namespace armature::graph
