// The cheapest set of nodes that parts two sides of an undirected graph.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "armature/graph.h"

namespace armature::graph {

/// Prices compare by `first`, then by `second`, and add part by part. Whole numbers: a flow of them
/// is exact, and so is the cut.
struct Price {
  std::int64_t first = 0;
  std::int64_t second = 0;
  auto operator<=>(const Price&) const = default;
  Price& operator+=(const Price& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
  Price operator-() const { return {-first, -second}; }
};

using Neighbours = std::vector<std::vector<Node>>;

/// Of the sets that meet every way from a source to the goal the one with the smallest sum of
/// prices; of equals the one nearest to the sources. Nodes without a price are never in it; prices
/// are above zero, and there is such a set.
std::vector<Node> cheapest_cut(const Neighbours& neighbours, const std::vector<Node>& sources,
                               Node goal, const std::vector<std::optional<Price>>& prices);

}  // namespace armature::graph
