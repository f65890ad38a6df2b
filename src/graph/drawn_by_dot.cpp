// The picture that Graphviz lays out: the one part of drawing that needs another program.
#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "base/file.h"
#include "base/program.h"
#include "graph/drawing.h"
#include "graph/names.h"

namespace armature::graph {
namespace {

constexpr std::size_t kMostForDot = 1'000;  // nodes and arrows

}  // namespace

std::string drawn_svg(const CausalGraph& graph, const Roles& roles) {
  require_drawable(graph);
  const std::size_t arrows = graph.parts().directed.size() + graph.parts().bidirected.size();
  const bool placed = std::all_of(graph.parts().variables.begin(), graph.parts().variables.end(),
                                  [](const Variable& v) { return v.position.has_value(); });
  // `dot` takes minutes for what nobody can look at as a whole anyway.
  if (placed || graph.size() + arrows > kMostForDot || !program_exists("dot"))
    return picture(graph, roles);
  std::string dot =
      "digraph {\n  node [shape=box style=\"rounded,filled\" fillcolor=\"#f4f5f7\" "
      "color=\"#6b7280\" fontname=\"sans-serif\" fontsize=12]\n  edge [color=\"#6b7280\"]\n";
  for (Node node = 0; node < graph.size(); ++node) {
    const std::string role = role_of(graph, roles, node);
    dot += fmt::format("  {} [{}]\n", in_double_quotes(graph.name(node)),
                       role == "action"    ? "fillcolor=\"#cfe3ff\" color=\"#1d5fbf\""
                       : role == "context" ? "fillcolor=\"#ffe7b8\" color=\"#a86400\""
                       : role == "reward"  ? "fillcolor=\"#cdeedb\" color=\"#16794a\""
                       : role == "latent"  ? "style=\"rounded,dashed\""
                                           : "");
  }
  const auto line = [&](const Arrow& arrow, bool both) {
    dot += fmt::format("  {} -> {} [{}{}]\n", in_double_quotes(graph.name(arrow.from)),
                       in_double_quotes(graph.name(arrow.to)),
                       both ? "dir=both style=dashed constraint=false " : "",
                       on_witness(roles, arrow, both) ? "color=\"#c62828\" penwidth=2.5" : "");
  };
  for (const Arrow& arrow : graph.parts().directed) line(arrow, false);
  for (const Arrow& arrow : graph.parts().bidirected) line(arrow, true);
  try {
    const ScratchDirectory scratch;
    write_file(scratch.file("graph.dot"), dot + "}\n");
    run_program({"dot", "-Tsvg", "-o", scratch.file("graph.svg"), scratch.file("graph.dot")});
    return read_file(scratch.file("graph.svg"));
  } catch (const Error&) {  // there, but out of order: the picture does not depend on it
    return picture(graph, roles);
  }
}

}  // namespace armature::graph
