#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "armature/graph.h"
#include "base/text.h"

namespace armature::graph {
namespace {

void check_cycles(const CausalGraph::Parts& parts, const Dag& dag) {
  const auto cycle = dag.cycle();
  if (!cycle) return;
  std::string words;
  for (const Node node : *cycle)
    words += (words.empty() ? "" : " -> ") + parts.variables[node].name;
  throw Error({"", "arrows", "the cycle " + words, "a graph without cycles"});
}

void check_tables(const CausalGraph::Parts& parts, const Dag& dag) {
  if (parts.tables.empty()) return;
  ARMATURE_CHECK(parts.tables.size() == parts.variables.size(), "a table for every node");
  for (Node node = 0; node < parts.variables.size(); ++node) {
    double expected = static_cast<double>(parts.variables[node].states.size());
    for (const Node parent : dag.parents(node))
      if (parent < parts.variables.size())
        expected *= static_cast<double>(parts.variables[parent].states.size());
    ARMATURE_CHECK(expected > 0, "nodes with tables have states");
    if (static_cast<double>(parts.tables[node].size()) != expected)
      throw Error(
          {"", fmt::format("table of '{}'", parts.variables[node].name),
           fmt::format("{} numbers", parts.tables[node].size()),
           fmt::format("{} numbers, one per state and joint state of its parents", expected)});
  }
}

}  // namespace

CausalGraph::CausalGraph(Parts parts) : parts_(std::move(parts)) {
  for (Node node = 0; node < parts_.variables.size(); ++node) {
    const std::string& name = parts_.variables[node].name;
    if (name.empty()) throw Error({"", "nodes", "a node without a name", "a name for every node"});
    if (!by_name_.emplace(name, node).second)
      throw Error({"", "nodes", fmt::format("'{}' twice", name), "a name for every node"});
  }
  std::vector<Arrow> arrows = parts_.directed;
  for (std::size_t i = 0; i < parts_.bidirected.size(); ++i) {
    const Arrow& ends = parts_.bidirected[i];
    arrows.push_back({hidden_cause(i), ends.from});
    arrows.push_back({hidden_cause(i), ends.to});
  }
  dag_ = Dag(size() + parts_.bidirected.size(), arrows);
  check_cycles(parts_, dag_);
  // A cause that no table speaks of has none: numbers would leave it out in silence.
  if (!parts_.bidirected.empty() && has_tables())
    throw Error({"", "tables", "tables beside a <-> edge",
                 "a latent node with a table in place of every <->"});
  check_tables(parts_, dag_);
}

std::optional<Node> CausalGraph::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

Node CausalGraph::node(const std::string& name, const std::string& field) const {
  if (const auto found = find(name)) return *found;
  std::vector<std::string> names;
  for (const Variable& variable : parts_.variables) names.push_back(variable.name);
  const bool few = names.size() <= 12;
  throw Error({"", field, fmt::format("'{}'", name),
               (few ? "a node of the graph: " + join(names, ", ")
                    : fmt::format("one of the {} nodes of the graph", names.size())) +
                   did_you_mean(name, names)});
}

CausalGraph CausalGraph::with_latent(const std::vector<Node>& latent) const {
  Parts parts = parts_;
  for (const Node node : latent) parts.variables[node].latent = true;
  return CausalGraph(std::move(parts));
}

}  // namespace armature::graph
