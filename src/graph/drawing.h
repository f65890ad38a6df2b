// Graphs as pictures: SVG that fits light and dark pages, roles coloured, the path that makes a
// context wrong highlighted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/graph.h"

namespace armature::graph {

struct Roles {
  std::vector<Node> actions;
  std::vector<Node> contexts;
  std::vector<Node> rewards;
  std::optional<Path> witness;
};

/// Where every node's middle stands, in pixels, and the way of every arrow between them.
struct Layout {
  std::vector<Position> nodes;
  std::vector<std::vector<Position>> ways;  // per directed arrow: bends between its ends, if any
  double width = 0;
  double height = 0;
};

/// The file's positions where it has them all, else layers: causes above consequences.
Layout layout(const CausalGraph& graph);
/// Drawn by that layout: the same bytes everywhere. `prefix` is put before the ids of its parts,
/// where several stand on one page.
std::string picture(const CausalGraph& graph, const Roles& roles, const std::string& prefix = "");
/// Throws Error beyond what can be drawn at all.
void require_drawable(const CausalGraph& graph);
/// As picture() if the file has all positions or the graph is large; else laid out by Graphviz'
/// `dot`, where it is installed and works. Throws Error as require_drawable() does.
std::string drawn_svg(const CausalGraph& graph, const Roles& roles);

/// How a node is drawn: "action", "reward", "context", "latent" or "plain".
const char* role_of(const CausalGraph& graph, const Roles& roles, Node node);
/// Does the witness go along this edge, in either direction? `both`: a ↔.
bool on_witness(const Roles& roles, const Arrow& arrow, bool both);

}  // namespace armature::graph
