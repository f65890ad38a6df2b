// Pictures of graphs: what names may hold, where things stand.
#include "graph/drawing.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/program.h"
#include "graph/random_graphs.h"

namespace armature::graph {
namespace {

// Names are text in a picture, never markup.
TEST(Drawing, EscapesNames) {
  const CausalGraph graph =
      read_graph(R"(dag { "<script>x</script>" -> "a & \"b\"" -> "</text>" })", "test");
  const std::string svg = picture(graph, {});
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find(">&lt;script&gt;x&lt;/script&gt;</text>"), std::string::npos);
  EXPECT_NE(svg.find(">a &amp; &quot;b&quot;</text>"), std::string::npos);
  EXPECT_NE(svg.find(">&lt;/text&gt;</text>"), std::string::npos);
  // What XML cannot say at all: a page would be shown no drawing.
  const std::string odd =
      picture(read_graph("\"a\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD\" -> b", "test"), {});
  EXPECT_NE(odd.find(">a  \xEF\xBF\xBD</text>"), std::string::npos);
  // And DOT reads back what was written.
  const CausalGraph again = read_graph(write_dot(graph), "again");
  for (Node node = 0; node < graph.size(); ++node) EXPECT_EQ(again.name(node), graph.name(node));
}

// The baseline is a number: a shift in em is not understood everywhere. Boxes are 34 high, type is
// 14: 0.35 · 14 = 4.9 below the middle.
TEST(Drawing, PutsNamesOnABaseline) {
  const std::string svg = picture(read_graph("a -> b", "test"), {});
  EXPECT_EQ(svg.find("dy="), std::string::npos);
  EXPECT_NE(svg.find("<rect x=\"24.0\" y=\"24.0\" width=\"48.0\" height=\"34\" rx=\"8\"/>"
                     "<text x=\"48.0\" y=\"45.9\">a</text>"),
            std::string::npos)
      << svg;
}

TEST(Drawing, CausesStandAboveConsequencesAndNothingCovers) {
  Stream stream({51, 0, Purpose::kTest});
  for (const std::size_t nodes : {5, 20, 60}) {
    const CausalGraph graph = test::random_network(nodes, nodes + nodes / 4, stream);
    const Layout where = layout(graph);
    for (const Arrow& arrow : graph.parts().directed)
      EXPECT_LT(where.nodes[arrow.from].y, where.nodes[arrow.to].y);
    for (Node one = 0; one < nodes; ++one) {
      EXPECT_GE(where.nodes[one].x, 0);
      EXPECT_LE(where.nodes[one].x, where.width);
      EXPECT_LE(where.nodes[one].y, where.height);
      for (Node other = 0; other < one; ++other)
        if (where.nodes[one].y == where.nodes[other].y)
          EXPECT_GE(std::abs(where.nodes[one].x - where.nodes[other].x), 48);
    }
  }
}

TEST(Drawing, MarksRolesAndTheWitness) {
  const CausalGraph graph = read_graph("U [latent] X -> M -> Y X <- U -> Y", "test");
  Roles roles;
  roles.actions = {graph.node("X", "")};
  roles.rewards = {graph.node("Y", "")};
  roles.witness = d_separation(graph, roles.actions, roles.rewards, {graph.node("M", "")}).witness;
  const std::string svg = picture(graph, roles);
  for (const char* role : {"action", "reward", "latent"})
    EXPECT_NE(svg.find(std::string("<g class=\"") + role), std::string::npos) << role;
  std::size_t open = 0;
  for (std::size_t at = 0; (at = svg.find("class=\"arrow open\"", at)) != std::string::npos; ++at)
    ++open;
  EXPECT_EQ(open, 2u);  // X <- U and U -> Y
}

// A chain is 48 wide and has margins of 24; a legend of three takes 3 · 86 and the same margins:
// 306. The picture begins (96 - 306) / 2 left of the chain's.
TEST(Drawing, ANarrowGraphStandsInTheMiddleAboveItsLegend) {
  const CausalGraph graph = read_graph("a -> b -> c", "test");
  const std::string svg = picture(graph, {{0}, {1}, {2}, {}});
  EXPECT_NE(svg.find("viewBox=\"-105 0 306 280\" width=\"306\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("<g class=\"legend action\"><rect x=\"-81.0\""), std::string::npos) << svg;
}

// n0 points at every node of a chain: as many bends as half the square of its length. Too many to
// be laid out, and so there are none.
TEST(Drawing, LongArrowsOfLargeGraphsAreStraight) {
  const auto fan = [](Node nodes) {
    CausalGraph::Parts parts;
    for (Node node = 0; node < nodes; ++node)
      parts.variables.emplace_back().name = "n" + std::to_string(node);
    for (Node node = 1; node < nodes; ++node) parts.directed.push_back({node - 1, node});
    for (Node node = 2; node < nodes; ++node) parts.directed.push_back({0, node});
    return CausalGraph(std::move(parts));
  };
  const auto bends = [](const Layout& where) {
    std::size_t all = 0;
    for (const auto& way : where.ways) all += way.size();
    return all;
  };
  EXPECT_EQ(bends(layout(fan(100))), 98u * 99u / 2);
  const Layout large = layout(fan(4500));
  EXPECT_EQ(bends(large), 0u);
  EXPECT_EQ(large.ways.size(), 4499u + 4498u);
}

// A program called dot that fails is as good as none.
TEST(Drawing, ADotThatFailsIsDoneWithout) {
  const ScratchDirectory scratch;
  const std::string dot = scratch.file("dot");
  write_file(dot, "#!/bin/sh\nexit 1\n");
  std::filesystem::permissions(dot, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (std::filesystem::path(dot).parent_path().string() + ":" + path).c_str(), 1);
  const CausalGraph graph = read_graph("a -> b", "test");
  EXPECT_TRUE(program_exists("dot"));
  std::string svg;
  EXPECT_NO_THROW(svg = drawn_svg(graph, {}));
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(svg, picture(graph, {}));
}

}  // namespace
}  // namespace armature::graph
