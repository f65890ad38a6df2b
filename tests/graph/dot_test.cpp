// DOT, as far as it says what causes what.
#include <gtest/gtest.h>

#include "armature/error.h"
#include "armature/graph.h"
#include "graph/graph_samples.h"

namespace armature::graph {
namespace {

using test::arrows_of;

CausalGraph read(const std::string& text) { return read_graph(text, "text"); }
std::string arrows(const std::string& text) { return arrows_of(read(text)); }
std::vector<std::string> names(const std::string& text) {
  std::vector<std::string> all;
  const CausalGraph graph = read(text);
  for (const Variable& variable : graph.parts().variables) all.push_back(variable.name);
  return all;
}

TEST(Dot, HeadsInAnyCase) {
  EXPECT_EQ(arrows("Strict DiGraph \"my graph\" {\n a -> b; a -> b;\n}\n"), "a -> b");
  EXPECT_EQ(read("digraph \"my graph\" { a }").parts().name, "my graph");
  EXPECT_EQ(arrows("digraph{a->b}"), "a -> b");
  EXPECT_EQ(arrows("# of a program\ndigraph { // one\n a -> b /* two */ }"), "a -> b");
}

TEST(Dot, Names) {
  EXPECT_EQ(names("digraph { é_1 -> -.5; 12 -> 1.5; \"a b\" -> \"c\\\"d\"; <x <b>y</b>> }"),
            (std::vector<std::string>{"é_1", "-.5", "12", "1.5", "a b", "c\"d", "x <b>y</b>"}));
  EXPECT_EQ(names("digraph { \"node\" -> \"a \\\nb\" }"),
            (std::vector<std::string>{"node", "a b"}));
}

TEST(Dot, WhatIsNoNode) {
  EXPECT_EQ(names("digraph { graph [rankdir=LR]; node [shape=box]; EDGE [color=red]; rankdir=LR\n"
                  "size=\"4,4\"; subgraph cluster_1 { label=x; a -> b } }"),
            (std::vector<std::string>{"a", "b"}));
}

TEST(Dot, SubgraphsAreGroups) {
  EXPECT_EQ(arrows("digraph { subgraph s { a; b } -> c -> { d e } }"),
            "a -> c, b -> c, c -> d, c -> e");
}

TEST(Dot, PortsBelongToTheirNode) {
  EXPECT_EQ(arrows("digraph { a:n -> b:port:sw; a : s -> c }"), "a -> b, a -> c");
}

TEST(Dot, Attributes) {
  const CausalGraph graph = read(
      "digraph { u [label=\"U\", style=dashed; observed=no][color=red]; v [latent=true] "
      "w [latent=yes] d [style=dashed] x [exposure=yes] y [outcome=true] o [observed=yes] }");
  std::string latent;
  for (const Variable& variable : graph.parts().variables)
    if (variable.latent) latent += variable.name;
  EXPECT_EQ(latent, "uvw");
  EXPECT_TRUE(graph.variable(graph.node("x", "")).exposure);
  EXPECT_TRUE(graph.variable(graph.node("y", "")).outcome);
}

TEST(Dot, WhatAnArrowIsWhenItIsDrawn) {
  EXPECT_EQ(arrows("digraph { a -> b [dir=both] }"), "a <-> b");
  EXPECT_EQ(arrows("digraph { a -> b [dir=both, arrowtail=none] }"), "a -> b");
  EXPECT_EQ(arrows("digraph { edge [dir=both arrowtail=none]; a -> b; c -> d }"), "a -> b, c -> d");
  EXPECT_EQ(arrows("digraph { a -> b -> c [dir=both] }"), "a <-> b, b <-> c");
  EXPECT_EQ(arrows("digraph { subgraph { edge [dir=both]; a -> b } b -> c }"), "b -> c, a <-> b");
  EXPECT_EQ(arrows("digraph { a -> b [dir=forward, arrowhead=vee, style=dashed] }"), "a -> b");
  for (const char* looks : {"dir=back", "dir=none", "arrowhead=none", "style=invis",
                            "dir=both arrowhead=none", "dir=both arrowhead=none arrowtail=none"})
    EXPECT_THROW(read(std::string("digraph { a -> b [") + looks + "] }"), Error) << looks;
}

// dagitty reads `digraph` too, and its programs write it.
TEST(Dot, DagittysMarksAndRolesUnderThisHead) {
  const CausalGraph graph = read("digraph { x [exposure, pos=\"1,2\"]\n x <- z; x <-> y }");
  EXPECT_EQ(arrows_of(graph), "z -> x, x <-> y");
  EXPECT_EQ(graph.variable(0).position, (Position{1, 2}));
}

TEST(Dot, CountsUpwards) {
  EXPECT_EQ(read("digraph { a [pos=\"27,90!\"] }").variable(0).position, (Position{27, -90}));
}

// Every beginning kept by itself would be 180 GB.
TEST(Dot, ManyPiecesOfOneName) {
  constexpr std::size_t kPieces = 600'000;
  std::string text = "digraph { \"a\"";
  for (std::size_t i = 1; i < kPieces; ++i) text += "+\"a\"";
  EXPECT_EQ(names(text + " }"), (std::vector<std::string>{std::string(kPieces, 'a')}));
}

}  // namespace
}  // namespace armature::graph
