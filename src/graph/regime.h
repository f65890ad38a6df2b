// The graph that actions leave: edges into targets cut where no action leaves them natural, and a
// regime (which action was chosen) pointing at every target.
#pragma once

#include "armature/graph.h"

namespace armature::graph {

struct RegimeGraph {
  Dag dag;
  Node regime = 0;  // its last node
};
RegimeGraph regime_graph(const CausalGraph& graph, const Actions& actions);

/// All arrows of graph.dag() but those into (or out of) these nodes.
std::vector<Arrow> arrows_without(const CausalGraph& graph, const std::vector<Node>& nodes,
                                  bool into);

/// Throws Error: no target, one twice, the reward among the targets or latent.
void check_actions(const CausalGraph& graph, const Actions& actions, Node reward);
/// The same, and for contexts: one twice, latent, or the reward itself. Whoever answers a question
/// asks this first: what is computed of one without sense looks like an answer.
void check_question(const CausalGraph& graph, const Question& question);

/// Marks of the file that no answer heeds: selected, and adjusted where it is not observed.
std::vector<std::string> role_warnings(const CausalGraph& graph, const std::vector<Node>& observed);

}  // namespace armature::graph
