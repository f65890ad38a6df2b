// Names of nodes to their numbers, while a file is read. Every end of every arrow is looked up
// here: a large file spends its time on it, so the table is small and lies together. Names that
// would make long searches, as a hostile file can have them for any fixed hash, go into a map.
// Texts are shorter than 4 GiB.
#pragma once

#include <cstring>
#include <map>
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
    if (const auto known = find(name)) return *known;
    const Node node = static_cast<Node>(variables_.size());
    const Slot slot{hash_of(name), node, static_cast<std::uint32_t>(letters_.size()),
                    static_cast<std::uint32_t>(name.size())};
    variables_.emplace_back().name = name;
    letters_ += name;
    if (2 * variables_.size() > slots_.size()) grow();
    put(slot);
    return node;
  }

  std::optional<Node> find(std::string_view name) const {
    const std::uint32_t hash = hash_of(name);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < kMostSteps; ++i) {
      const Slot& slot = slots_[(hash + i) & mask];
      if (slot.node == kNobody) break;
      if (slot.hash == hash && name_of(slot) == name) return slot.node;
    }
    if (crowded_.empty()) return std::nullopt;
    const auto found = crowded_.find(name);
    return found == crowded_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static constexpr Node kNobody = UINT32_MAX;
  static constexpr std::size_t kMostSteps = 64;
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

  void put(const Slot& slot) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < kMostSteps; ++i) {
      Slot& place = slots_[(slot.hash + i) & mask];
      if (place.node != kNobody) continue;
      place = slot;
      return;
    }
    crowded_.emplace(name_of(slot), slot.node);
  }

  std::string_view name_of(const Slot& slot) const {
    return {letters_.data() + slot.begin, slot.size};
  }

  void grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.node != kNobody) put(slot);
  }

  std::vector<Variable>& variables_;
  std::vector<Slot> slots_;  // open addressing; their number is a power of two
  std::string letters_;      // of all names, one after the other
  std::map<std::string, Node, std::less<>> crowded_;  // names that found no slot near theirs
};

}  // namespace armature::graph
