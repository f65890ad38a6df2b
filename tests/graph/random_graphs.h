// Graphs for tests: every acyclic one of a few nodes, random ones, and definitions applied word by
// word.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "armature/graph.h"
#include "armature/random.h"

namespace armature::graph::test {

inline std::vector<Variable> named(std::size_t count) {
  std::vector<Variable> variables(count);
  for (std::size_t i = 0; i < count; ++i) variables[i].name = "n" + std::to_string(i);
  return variables;
}

inline CausalGraph made(std::size_t nodes, std::vector<Arrow> directed,
                        std::vector<Arrow> bidirected = {}) {
  CausalGraph::Parts parts;
  parts.variables = named(nodes);
  parts.directed = std::move(directed);
  parts.bidirected = std::move(bidirected);
  return CausalGraph(std::move(parts));
}

/// The arrows i → j, i < j, whose bit is set: up to the naming of nodes, every acyclic graph.
inline std::vector<Arrow> arrows_of(std::size_t nodes, std::uint32_t bits) {
  std::vector<Arrow> arrows;
  for (Node j = 1; j < nodes; ++j)
    for (Node i = 0; i < j; ++i, bits >>= 1)
      if (bits & 1) arrows.push_back({i, j});
  return arrows;
}

inline std::vector<std::string> numbered_states(std::uint32_t count) {
  std::vector<std::string> states;
  for (std::uint32_t s = 0; s < count; ++s) states.push_back("s" + std::to_string(s));
  return states;
}

/// Tables of tenths: every probability of the joint law is a whole number of 10^-nodes, so that
/// sums over it are exact in whole numbers. Two or three states a node that has none; zeros where
/// `positive` is false.
inline CausalGraph::Parts random_tables(CausalGraph::Parts parts, Stream& stream, bool positive) {
  for (Variable& variable : parts.variables)
    if (variable.states.empty()) variable.states = numbered_states(2 + uniform_index(stream, 2));
  const Dag dag(parts.variables.size(), parts.directed);
  for (Node node = 0; node < parts.variables.size(); ++node) {
    std::size_t rows = 1;
    for (const Node parent : dag.parents(node)) rows *= parts.variables[parent].states.size();
    std::vector<double> table;
    const std::size_t states = parts.variables[node].states.size();
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<std::uint32_t> tenths(states, positive ? 1 : 0);
      const auto left = static_cast<std::uint32_t>(positive ? 10 - states : 10);
      for (std::uint32_t i = 0; i < left; ++i)
        ++tenths[uniform_index(stream, static_cast<std::uint32_t>(states))];
      for (const std::uint32_t tenth : tenths) table.push_back(tenth / 10.0);
    }
    parts.tables.push_back(std::move(table));
  }
  return parts;
}

/// Tables drawn from a continuum: no independence by chance.
inline CausalGraph::Parts continuous_tables(CausalGraph::Parts parts, Stream& stream) {
  parts = random_tables(std::move(parts), stream, true);
  for (Node node = 0; node < parts.variables.size(); ++node) {
    const std::size_t states = parts.variables[node].states.size();
    std::vector<double>& table = parts.tables[node];
    for (std::size_t row = 0; row < table.size(); row += states) {
      double sum = 0;
      for (std::size_t s = 0; s < states; ++s) sum += table[row + s] = 0.1 + stream.uniform();
      for (std::size_t s = 0; s < states; ++s) table[row + s] /= sum;
    }
  }
  return parts;
}

/// A connected network of two to four states a node and at most four parents. 37 nodes and 46 arcs
/// have the size of the ALARM network.
inline CausalGraph random_network(std::size_t nodes, std::size_t arcs, Stream& stream) {
  CausalGraph::Parts parts;
  parts.variables = named(nodes);
  for (Variable& variable : parts.variables)
    variable.states = numbered_states(2 + uniform_index(stream, 3));
  std::vector<std::size_t> above(nodes);
  const auto add = [&](Node from, Node to) {
    if (above[to] == 4) return;
    if (std::find(parts.directed.begin(), parts.directed.end(), Arrow{from, to}) !=
        parts.directed.end())
      return;
    ++above[to];
    parts.directed.push_back({from, to});
  };
  for (Node node = 1; node < nodes; ++node) add(uniform_index(stream, node), node);
  while (parts.directed.size() < arcs) {
    const Node to = 1 + uniform_index(stream, static_cast<std::uint32_t>(nodes - 1));
    add(uniform_index(stream, to), to);
  }
  return CausalGraph(continuous_tables(std::move(parts), stream));
}

/// Are the sets separated, by the definition: every path without repetition is blocked.
class ByDefinition {
 public:
  ByDefinition(const Dag& dag, const std::vector<Node>& given)
      : dag_(dag), observed_(dag.size()), above_(dag.ancestors(given)) {
    for (const Node node : given) observed_[node] = true;
  }
  bool separated(const std::vector<Node>& from, const std::vector<Node>& to) {
    for (const Node start : from) {
      path_ = {start};
      if (reaches(to)) return false;
    }
    return true;
  }
  /// Arrows of the shortest path that is not blocked, if there is one.
  std::optional<std::size_t> shortest(const std::vector<Node>& from, const std::vector<Node>& to) {
    for (longest_ = 1; longest_ < dag_.size(); ++longest_)
      if (!separated(from, to)) return longest_;
    return std::nullopt;
  }

 private:
  bool arrow(Node from, Node to) const {
    const auto above = dag_.parents(to);
    return std::find(above.begin(), above.end(), from) != above.end();
  }
  bool open() const {
    for (std::size_t i = 1; i + 1 < path_.size(); ++i) {
      const bool collider = arrow(path_[i - 1], path_[i]) && arrow(path_[i + 1], path_[i]);
      if (collider ? !above_[path_[i]] : observed_[path_[i]]) return false;
    }
    return true;
  }
  bool reaches(const std::vector<Node>& to) {
    if (std::find(to.begin(), to.end(), path_.back()) != to.end()) return open();
    if (path_.size() > longest_) return false;
    for (Node next = 0; next < dag_.size(); ++next) {
      if (std::find(path_.begin(), path_.end(), next) != path_.end()) continue;
      if (!arrow(path_.back(), next) && !arrow(next, path_.back())) continue;
      path_.push_back(next);
      if (reaches(to)) return true;
      path_.pop_back();
    }
    return false;
  }

  const Dag& dag_;
  std::vector<bool> observed_;
  std::vector<bool> above_;
  std::vector<Node> path_;
  std::size_t longest_ = SIZE_MAX;  // arrows of a path
};

}  // namespace armature::graph::test
