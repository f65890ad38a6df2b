// Sums of products over tables: what exact probabilities in a graph are.
#pragma once

#include <vector>

#include "armature/graph.h"

namespace armature::graph {

/// Numbers over the joint states of some nodes, the last node running fastest.
struct Factor {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> sizes;
  std::vector<double> values;
};

/// An order in which to sum nodes out: each time the one whose neighbours are joined by the fewest
/// new edges (min-fill), of equals the one with the smallest table, then the lowest.
struct EliminationOrder {
  std::vector<Node> nodes;
  EliminationSize size;
  double work = 0;  // numbers of all tables together
};
/// `scopes` are the nodes of every factor, `keep` those that stay; `sizes` is by node. It ends
/// where a table passes `most_entries`: what is never summed needs no order.
EliminationOrder elimination_order(const std::vector<std::vector<Node>>& scopes,
                                   const std::vector<Node>& keep,
                                   const std::vector<std::uint32_t>& sizes, double most_entries);

/// The factor with some nodes held at a state.
Factor sliced(const Factor& factor, const Assignment& held);
/// Sums all nodes of the order out of the product of the factors. What is left stands in the order
/// of `keep`, of which every node is in some factor.
Factor eliminate(std::vector<Factor> factors, const std::vector<Node>& order,
                 const std::vector<Node>& keep);

}  // namespace armature::graph
