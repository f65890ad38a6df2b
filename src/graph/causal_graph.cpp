// A causal diagram from its parts: all that the rest of the room takes for granted of a graph is
// checked here, whoever made the parts.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "armature/error.h"
#include "armature/graph.h"
#include "base/text.h"
#include "graph/read_arrows.h"
#include "graph/tables.h"

namespace armature::graph {
namespace {

void check_states(const Variable& variable) {
  std::set<std::string_view> seen;
  for (const std::string& state : variable.states)
    if (!seen.insert(state).second)
      throw Error({"", fmt::format("states of '{}'", variable.name),
                   fmt::format("'{}' twice", state), "every state once"});
}

// Each between two nodes of the graph, each once; a ↔ b is b ↔ a.
void check_arrows(const CausalGraph::Parts& parts) {
  const std::size_t nodes = parts.variables.size();
  for (const auto* arrows : {&parts.directed, &parts.bidirected})
    for (const Arrow& arrow : *arrows)
      if (arrow.from >= nodes || arrow.to >= nodes)
        throw Error({"", "arrows",
                     fmt::format("an arrow from node {} to node {}", arrow.from, arrow.to),
                     fmt::format("nodes from 0 to {}", static_cast<std::int64_t>(nodes) - 1)});
  std::vector<Arrow> directed = parts.directed;
  keep_once(nodes, directed);
  std::vector<Arrow> bidirected;
  for (const auto& [from, to] : parts.bidirected) {
    if (from == to)
      throw Error({"", "arrows", fmt::format("'{0} <-> {0}'", parts.variables[from].name),
                   "an arrow between two nodes"});
    bidirected.push_back({std::min(from, to), std::max(from, to)});
  }
  keep_once(nodes, bidirected);
  if (directed.size() != parts.directed.size() || bidirected.size() != parts.bidirected.size())
    throw Error({"", "arrows", "an arrow twice", "every arrow once"});
}

void check_cycles(const CausalGraph::Parts& parts, const Dag& dag) {
  const auto cycle = dag.cycle();
  if (!cycle) return;
  std::string words;
  for (const Node node : *cycle)
    words += (words.empty() ? "" : " -> ") + parts.variables[node].name;
  throw Error({"", "arrows", "the cycle " + words, "a graph without cycles"});
}

void check_rows(const Variable& variable, const std::vector<double>& table) {
  constexpr double kRounding = 1e-9;
  const std::size_t width = variable.states.size();
  for (std::size_t at = 0; at < table.size(); at += width) {
    const std::span<const double> row(table.data() + at, width);
    const double sum = row_sum(row);
    const bool good = std::all_of(row.begin(), row.end(), [](double p) { return p >= 0; });
    if (!good || !(std::abs(sum - 1) <= kRounding))
      throw Error({"", fmt::format("table of '{}'", variable.name),
                   good ? fmt::format("row {}, which sums to {}", at / width, print_real(sum))
                        : fmt::format("row {}, with a number below 0 or none at all", at / width),
                   "probabilities that sum to 1 within 1e-9"});
  }
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
    check_rows(parts.variables[node], parts.tables[node]);
  }
}

}  // namespace

CausalGraph::CausalGraph(Parts parts) : parts_(std::move(parts)) {
  for (Node node = 0; node < parts_.variables.size(); ++node) {
    const std::string& name = parts_.variables[node].name;
    if (name.empty()) throw Error({"", "nodes", "a node without a name", "a name for every node"});
    if (!by_name_.emplace(name, node).second)
      throw Error({"", "nodes", fmt::format("'{}' twice", name), "a name for every node"});
    check_states(parts_.variables[node]);
  }
  check_arrows(parts_);
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
