// What must hold of every text that is handed to a reader of graphs: it is refused with an Error,
// or it is a graph that every writer which can write it writes so that it reads back as the same
// graph. Shared by the fuzzers and by a unit test that mutates their seeds.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "armature/error.h"
#include "armature/graph.h"

namespace armature::test {

/// Everything of a graph that is kept by name: nodes with roles, states and parents in their order.
/// Sorted: dagitty's files are.
inline std::vector<std::string> described(const graph::CausalGraph& graph, bool keeps_parents) {
  const auto numbers = [](const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += std::to_string(value) + " ";
    return text;
  };
  std::vector<std::string> lines;
  for (graph::Node node = 0; node < graph.size(); ++node) {
    const graph::Variable& variable = graph.variable(node);
    std::string line = variable.name + "\n" + (variable.latent ? "l" : "") +
                       (variable.exposure ? "e" : "") + (variable.outcome ? "o" : "") +
                       (variable.adjusted ? "a" : "") + (variable.selected ? "s" : "");
    std::vector<std::string> parents;
    for (const graph::Node parent : graph.dag().parents(node))
      if (parent < graph.size()) parents.push_back(graph.name(parent));
    if (!keeps_parents) std::sort(parents.begin(), parents.end());
    for (const std::string& parent : parents) line += "\n<- " + parent;
    if (graph.has_tables()) {
      for (const std::string& state : variable.states) line += "\n= " + state;
      line += "\n" + numbers(graph.parts().tables[node]);
    }
    lines.push_back(line);
  }
  for (const graph::Arrow& ends : graph.parts().bidirected)
    lines.push_back("<-> " + std::min(graph.name(ends.from), graph.name(ends.to)) + "\n" +
                    std::max(graph.name(ends.from), graph.name(ends.to)));
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// dagitty has no nodes of these names, and says so.
inline bool dagitty_can_say(const graph::CausalGraph& graph) {
  return !graph.find("graph") && !graph.find("node");
}

inline void check_writers(const graph::CausalGraph& graph) {
  const auto again = [](const std::string& text) { return graph::read_graph(text, "again"); };
  const auto lines = described(graph, true);
  const bool tables = graph.has_tables();
  const auto beside = [&](const graph::CausalGraph& structure) {
    return tables ? graph::with_tables(structure, graph::write_tables(graph), "again") : structure;
  };

  const std::string dot = graph::write_dot(graph);
  const graph::CausalGraph from_dot = again(dot);
  ARMATURE_CHECK(described(beside(from_dot), true) == lines, "DOT reads back as the same graph");
  ARMATURE_CHECK(graph::write_dot(from_dot) == dot, "written DOT is a fixed point");
  ARMATURE_CHECK(from_dot.parts().directed == graph.parts().directed, "DOT keeps every order");

  if (dagitty_can_say(graph)) {
    const std::string dagitty = graph::write_dagitty(graph);
    const graph::CausalGraph from_dagitty = again(dagitty);
    ARMATURE_CHECK(described(beside(from_dagitty), tables) == described(graph, tables),
                   "dagitty text reads back as the same graph");
    if (!tables)
      ARMATURE_CHECK(graph::write_dagitty(from_dagitty) == dagitty,
                     "written dagitty text is a fixed point");
  }
  if (!tables) return;
  const std::string bif = graph::write_bif(graph);
  const graph::CausalGraph from_bif = again(bif);
  ARMATURE_CHECK(described(from_bif, true) == lines, "BIF reads back as the same graph");
  ARMATURE_CHECK(from_bif.parts().tables == graph.parts().tables, "BIF keeps every number");
  ARMATURE_CHECK(graph::write_bif(from_bif) == bif, "written BIF is a fixed point");
  const std::string json = graph::write_tables(graph);
  ARMATURE_CHECK(graph::write_tables(graph::with_tables(from_dot, json, "again")) == json,
                 "written tables are a fixed point");
}

/// True if the text is a graph.
inline bool check_graph_text(const std::string& text) {
  try {
    check_writers(graph::read_graph(text, "fuzz"));
    return true;
  } catch (const Error& error) {
    ARMATURE_CHECK(error.report().file == "fuzz", "only the text itself is refused");
    ARMATURE_CHECK(!error.report().expected.empty(), "what was expected is said");
    return false;
  }
}

/// True if the text is tables for `{a b} -> c -> d`.
inline bool check_tables_text(const std::string& text) {
  const graph::CausalGraph structure = graph::read_graph("{a b} -> c -> d", "structure");
  try {
    check_writers(graph::with_tables(structure, text, "fuzz"));
    return true;
  } catch (const Error& error) {
    ARMATURE_CHECK(error.report().file == "fuzz", "only the text itself is refused");
    return false;
  }
}

}  // namespace armature::test
