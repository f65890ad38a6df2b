#include "graph/separation.h"

#include <gtest/gtest.h>

#include <set>

#include "armature/error.h"
#include "graph/random_graphs.h"

namespace armature::graph {
namespace {

using test::arrows_of;
using test::ByDefinition;
using test::made;

// asia, as Lauritzen and Spiegelhalter drew it.
CausalGraph asia() {
  CausalGraph::Parts parts;
  for (const char* name : {"asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"}) {
    Variable variable;
    variable.name = name;
    parts.variables.push_back(variable);
  }
  parts.directed = {{0, 1}, {2, 3}, {2, 4}, {1, 5}, {3, 5}, {5, 6}, {4, 7}, {5, 7}};
  return CausalGraph(parts);
}

std::vector<Node> nodes(const CausalGraph& graph, const std::vector<std::string>& names) {
  std::vector<Node> found;
  for (const std::string& name : names) found.push_back(graph.node(name, "node"));
  return found;
}

std::string why(const CausalGraph& graph, const std::vector<std::string>& from,
                const std::vector<std::string>& to, const std::vector<std::string>& given) {
  return d_separation(graph, nodes(graph, from), nodes(graph, to), nodes(graph, given)).words;
}

TEST(Separation, SaysWhyAPathIsOpen) {
  const CausalGraph graph = asia();
  EXPECT_EQ(why(graph, {"asia"}, {"smoke"}, {}), "");
  EXPECT_EQ(why(graph, {"smoke"}, {"lung"}, {}),
            "smoke → lung: open, because nothing stands between them");
  EXPECT_EQ(why(graph, {"smoke"}, {"xray"}, {"bronc"}),
            "smoke → lung → either → xray: open, because none of lung, either is observed");
  EXPECT_EQ(why(graph, {"smoke"}, {"tub"}, {"xray"}),
            "smoke → lung → either ← tub: open, because xray, a consequence of either, is "
            "observed");
  EXPECT_EQ(why(graph, {"asia"}, {"lung"}, {"either"}),
            "asia → tub → either ← lung: open, because either, where arrows meet, is observed");
  EXPECT_EQ(why(graph, {"lung"}, {"bronc"}, {}),
            "lung ← smoke → bronc: open, because smoke is not observed");
}

TEST(Separation, ABidirectedEdgeIsACommonCause) {
  const CausalGraph graph = made(3, {{0, 1}}, {{1, 2}});
  const Separation open = d_separation(graph, {0}, {2}, {1});
  EXPECT_EQ(open.words, "n0 → n1 ↔ n2: open, because n1, where arrows meet, is observed");
  EXPECT_EQ(open.witness->marks, (std::vector<Mark>{Mark::kForward, Mark::kBoth}));
  EXPECT_TRUE(d_separation(graph, {0}, {2}, {}).separated());
}

TEST(Separation, SetsAreDisjoint) {
  const CausalGraph graph = asia();
  EXPECT_THROW(d_separation(graph, {0}, {0}, {}), Error);
  EXPECT_THROW(d_separation(graph, {0}, {1}, {1}), Error);
}

// The witness, mark by mark: it leads from one set to the other without repetition, every mark is
// drawn, no node on it blocks it, and no open path is shorter (↔ counts as the two arrows it is).
void expect_open(const CausalGraph& graph, const Path& path, const std::vector<Node>& from,
                 const std::vector<Node>& to, const std::vector<Node>& given) {
  const auto in = [](const auto& list, const auto& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  ASSERT_EQ(path.marks.size() + 1, path.nodes.size());
  EXPECT_TRUE(in(from, path.nodes.front()));
  EXPECT_TRUE(in(to, path.nodes.back()));
  EXPECT_EQ(std::set<Node>(path.nodes.begin(), path.nodes.end()).size(), path.nodes.size());
  std::size_t arrows = 0;
  for (std::size_t i = 0; i < path.marks.size(); ++i) {
    const Arrow along{path.nodes[i], path.nodes[i + 1]};
    const Arrow against{along.to, along.from};
    const CausalGraph::Parts& drawn = graph.parts();
    switch (path.marks[i]) {
      case Mark::kForward:
        EXPECT_TRUE(in(drawn.directed, along));
        break;
      case Mark::kBackward:
        EXPECT_TRUE(in(drawn.directed, against));
        break;
      case Mark::kBoth:
        EXPECT_TRUE(in(drawn.bidirected, along) || in(drawn.bidirected, against));
        break;
    }
    arrows += path.marks[i] == Mark::kBoth ? 2 : 1;
  }
  const std::vector<bool> above_given = graph.dag().ancestors(given);
  for (std::size_t i = 1; i + 1 < path.nodes.size(); ++i) {
    const bool arrows_meet =
        path.marks[i - 1] != Mark::kBackward && path.marks[i] != Mark::kForward;
    EXPECT_TRUE(arrows_meet ? above_given[path.nodes[i]] : !in(given, path.nodes[i]));
  }
  EXPECT_EQ(arrows, ByDefinition(graph.dag(), given).shortest(from, to));
}

// Every acyclic graph of at most five nodes (up to the names of nodes), every two nodes, every set.
TEST(Separation, IsTheDefinitionOnAllSmallGraphs) {
  std::size_t asked = 0;
  for (std::size_t size = 2; size <= 5; ++size)
    for (std::uint32_t bits = 0; bits < 1u << (size * (size - 1) / 2); ++bits) {
      const CausalGraph graph = made(size, arrows_of(size, bits));
      for (Node from = 0; from < size; ++from)
        for (Node to = from + 1; to < size; ++to)
          for (std::uint32_t set = 0; set < 1u << size; ++set) {
            if (set >> from & 1 || set >> to & 1) continue;
            std::vector<Node> given;
            for (Node node = 0; node < size; ++node)
              if (set >> node & 1) given.push_back(node);
            const Separation found = d_separation(graph, {from}, {to}, given);
            ASSERT_EQ(found.separated(), ByDefinition(graph.dag(), given).separated({from}, {to}))
                << "graph " << bits << " of " << size << ", " << from << " to " << to << " given "
                << set;
            if (found.witness) expect_open(graph, *found.witness, {from}, {to}, given);
            ++asked;
          }
    }
  EXPECT_EQ(asked, 2u * 1 + 8 * 3 * 2 + 64 * 6 * 4 + 1024 * 10 * 8);
}

TEST(Separation, IsTheDefinitionOnRandomGraphsWithHiddenCauses) {
  Stream stream({7, 0, Purpose::kInstance});
  std::size_t open = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::size_t size = 4 + uniform_index(stream, 5);
    std::vector<Arrow> directed, bidirected;
    for (Node j = 1; j < size; ++j)
      for (Node i = 0; i < j; ++i) {
        if (bernoulli(stream, 0.3)) directed.push_back({i, j});
        if (bernoulli(stream, 0.08)) bidirected.push_back({i, j});
      }
    const CausalGraph graph = made(size, directed, bidirected);
    std::vector<Node> from, to, given;
    for (Node node = 0; node < size; ++node) {
      const std::uint32_t place = uniform_index(stream, 6);
      if (place == 0) from.push_back(node);
      if (place == 1) to.push_back(node);
      if (place == 2 || place == 3) given.push_back(node);
    }
    const Separation found = d_separation(graph, from, to, given);
    ASSERT_EQ(found.separated(), ByDefinition(graph.dag(), given).separated(from, to))
        << "trial " << trial;
    if (!found.witness) continue;
    ++open;
    expect_open(graph, *found.witness, from, to, given);
  }
  EXPECT_GT(open, 800u);
  EXPECT_LT(open, 3200u);
}

TEST(CausalGraph, NamesCyclesAndUnknownNodes) {
  const auto message = [](const auto& doing) -> std::string {
    try {
      doing();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(message([] {
              made(4, {{0, 1}, {1, 2}, {2, 3}, {3, 1}});
            }),
            "arrows: got the cycle n1 -> n2 -> n3 -> n1, expected a graph without cycles");
  EXPECT_NE(message([] { made(2, {{0, 0}}); }).find("the cycle n0 -> n0"), std::string::npos);
  EXPECT_NE(message([] { asia().node("smok", "--action"); }).find("did you mean 'smoke'?"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::graph
