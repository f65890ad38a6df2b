// Names of nodes to their numbers, while a file is read: one hash table over pieces of the text.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "armature/graph.h"

namespace armature::graph {

class NodeNames {
 public:
  explicit NodeNames(std::vector<Variable>& variables) : variables_(variables) {}

  /// The node of this name; a new one if there was none. The name outlives this table.
  Node get(std::string_view name) {
    const auto [found, is_new] = nodes_.try_emplace(name, static_cast<Node>(variables_.size()));
    if (is_new) variables_.emplace_back().name = name;
    return found->second;
  }
  std::optional<Node> find(std::string_view name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::vector<Variable>& variables_;
  std::unordered_map<std::string_view, Node> nodes_;
};

}  // namespace armature::graph
