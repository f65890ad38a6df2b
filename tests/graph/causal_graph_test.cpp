// Graphs made from parts, not from a file: what is refused.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "armature/error.h"
#include "armature/graph.h"

namespace armature::graph {
namespace {

// a -> b, a coin each.
CausalGraph::Parts coins() {
  CausalGraph::Parts parts;
  for (const char* name : {"a", "b"})
    parts.variables.push_back({.name = name, .states = {"heads", "tails"}});
  parts.directed = {{0, 1}};
  parts.tables = {{0.5, 0.5}, {0.25, 0.75, 1, 0}};
  return parts;
}

std::string complaint(const std::function<void(CausalGraph::Parts&)>& change) {
  CausalGraph::Parts parts = coins();
  change(parts);
  try {
    const CausalGraph graph(std::move(parts));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(GraphParts, GoodOnesAreTaken) {
  EXPECT_EQ(complaint([](auto&) {}), "none");
  EXPECT_EQ(complaint([](auto& parts) { parts.tables[0] = {0.1, 0.9 + 1e-10}; }), "none");
}

TEST(GraphParts, ArrowsJoinTwoNodesOnce) {
  EXPECT_EQ(complaint([](auto& parts) {
              parts.directed.push_back({0, 2});
            }),
            "arrows: got an arrow from node 0 to node 2, expected nodes from 0 to 1");
  EXPECT_EQ(complaint([](auto& parts) {
              parts.directed.push_back({0, 1});
            }),
            "arrows: got an arrow twice, expected every arrow once");
  const auto both = [](std::vector<Arrow> arrows) {
    return complaint([&](auto& parts) {
      parts.tables.clear();
      parts.bidirected = arrows;
    });
  };
  EXPECT_EQ(both({{0, 1}}), "none");
  EXPECT_EQ(both({{0, 7}}),
            "arrows: got an arrow from node 0 to node 7, expected nodes from 0 to 1");
  EXPECT_EQ(both({{0, 1}, {1, 0}}), "arrows: got an arrow twice, expected every arrow once");
  EXPECT_EQ(both({{1, 1}}), "arrows: got 'b <-> b', expected an arrow between two nodes");
}

TEST(GraphParts, StatesAreNamedOnce) {
  EXPECT_EQ(complaint([](auto& parts) {
              parts.variables[1].states = {"x", "x"};
            }),
            "states of 'b': got 'x' twice, expected every state once");
}

TEST(GraphParts, RowsAreProbabilities) {
  const auto row = [](double first, double second) {
    return complaint([&](auto& parts) { parts.tables[1] = {0.25, 0.75, first, second}; });
  };
  const std::string expected = ", expected probabilities that sum to 1 within 1e-9";
  EXPECT_EQ(row(0.5, 0.4), "table of 'b': got row 1, which sums to 0.9" + expected);
  EXPECT_EQ(row(1.5, -0.5),
            "table of 'b': got row 1, with a number below 0 or none at all" + expected);
  EXPECT_EQ(row(std::numeric_limits<double>::quiet_NaN(), 1),
            "table of 'b': got row 1, with a number below 0 or none at all" + expected);
}

}  // namespace
}  // namespace armature::graph
