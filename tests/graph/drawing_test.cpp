// Pictures of graphs: what names may hold, where things stand.
#include "graph/drawing.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace armature::graph
