// Small questions about nodes and their names that several files of this room ask.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "armature/graph.h"
#include "base/text.h"
#include "graph/scanner.h"

namespace armature::graph {

inline bool contains(const std::vector<Node>& set, Node node) {
  return std::find(set.begin(), set.end(), node) != set.end();
}

/// "lung, bronc"; "nothing" of none.
inline std::string names_of(const CausalGraph& graph, const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  for (const Node node : nodes) names.push_back(graph.name(node));
  return names.empty() ? "nothing" : join(names, ", ");
}

/// "a \"b\"": a name as files quote it; Scanner::quoted_word reads it back.
inline std::string in_double_quotes(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// Words that are no names in DOT unless they are quoted, in any case.
inline bool is_dot_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 6> kKeywords = {"node",    "edge",     "graph",
                                                         "digraph", "subgraph", "strict"};
  return word.size() <= 8 &&
         std::find(kKeywords.begin(), kKeywords.end(), small_letters(word)) != kKeywords.end();
}

}  // namespace armature::graph
