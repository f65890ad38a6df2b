// d-separation in any Dag: what the questions about drawn graphs are made of.
#pragma once

#include <optional>
#include <vector>

#include "armature/graph.h"

namespace armature::graph {

/// The nodes of a shortest active path from one set to the other, if there is one. A search over
/// (node, direction of arrival), so linear in the size of the graph. The shortest such walk visits
/// no node twice: where it did, joining its first arrival with its last departure would be active
/// too (a walk that left downwards and came back has passed a collider above what is observed, so
/// the node is above it as well).
std::optional<std::vector<Node>> active_path(const Dag& dag, const std::vector<Node>& from,
                                             const std::vector<Node>& to,
                                             const std::vector<Node>& given);

/// The nodes of the Dag that stand for nobody's drawing: a regime, if there is one, is the last.
constexpr const char* kRegime = "the choice of action";

/// A path of the Dag as one of the drawing: hidden causes of ↔ become its marks, a regime at its
/// start is left out.
Path drawn_path(const CausalGraph& graph, const Dag& dag, const std::vector<Node>& nodes);
/// The same in words, with the reason why it is open. A regime is named where arrows meet next to
/// it, and left out where it only begins a chain.
std::string active_words(const CausalGraph& graph, const Dag& dag, const std::vector<Node>& nodes,
                         const std::vector<Node>& given);

/// Do arrows meet at this place of the path?
bool is_collider(const Dag& dag, const std::vector<Node>& path, std::size_t place);
/// The observed nodes that open a collider: itself and those below it, the nearest first.
std::vector<Node> observed_below(const Dag& dag, Node collider, const std::vector<Node>& given);

}  // namespace armature::graph
