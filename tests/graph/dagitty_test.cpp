// dagitty text: the whole grammar, and what its own program would read in silence as another graph.
#include <gtest/gtest.h>

#include "armature/error.h"
#include "armature/graph.h"
#include "graph/graph_samples.h"

namespace armature::graph {
namespace {

using test::arrows_of;

CausalGraph read(const std::string& text) { return read_graph(text, "text"); }
std::string arrows(const std::string& text) { return arrows_of(read(text)); }
const Variable& variable(const CausalGraph& graph, const std::string& name) {
  return graph.variable(graph.node(name, "test"));
}
std::string only_warning(const std::string& text) {
  const CausalGraph graph = read(text);
  EXPECT_EQ(graph.parts().warnings.size(), 1u) << text;
  return graph.parts().warnings.empty() ? "" : graph.parts().warnings[0];
}

TEST(Dagitty, APasteFromThePageIsReadUnchanged) {
  const CausalGraph graph = read(test::kPasted);
  EXPECT_EQ(graph.size(), 4u);
  EXPECT_EQ(arrows_of(graph),
            "smoking status -> tar, U -> smoking status, U -> cancer, tar -> cancer, "
            "smoking status <-> tar");
  EXPECT_TRUE(variable(graph, "smoking status").exposure);
  EXPECT_TRUE(variable(graph, "cancer").outcome);
  EXPECT_TRUE(variable(graph, "U").latent);
  EXPECT_EQ(variable(graph, "U").position, (Position{0.1, -1}));
  EXPECT_TRUE(graph.parts().warnings.empty());
  EXPECT_FALSE(graph.has_tables());
  EXPECT_EQ(graph.parts().why_no_tables, "the file has none");
}

TEST(Dagitty, AHeaderIsNotNeeded) {
  EXPECT_EQ(arrows("x -> y"), "x -> y");
  EXPECT_EQ(arrows("dag -> y"), "dag -> y");  // an ordinary name
  EXPECT_EQ(arrows("graph [bb=\"0,0,1,1\"] x -> y"), "x -> y");
  EXPECT_EQ(arrows("\xEF\xBB\xBFx -> y"), "x -> y");
}

TEST(Dagitty, HeadersInAnyCaseWithANameOrWithout) {
  EXPECT_EQ(arrows("DAG\n\n{ x -> y }"), "x -> y");
  EXPECT_EQ(read("dag Smoking { x -> y }").parts().name, "Smoking");
  EXPECT_EQ(read("dag \"my graph\" { x -> y }").parts().name, "my graph");
  EXPECT_EQ(arrows("dag \"my graph\" { x -> y }"), "x -> y");
}

TEST(Dagitty, ChainsInBothDirections) {
  EXPECT_EQ(arrows("a -> b <- c <-> d"), "a -> b, c -> b, c <-> d");
  EXPECT_EQ(arrows("a->b<-c<->d"), "a -> b, c -> b, c <-> d");
}

TEST(Dagitty, SemicolonsAreBlanks) { EXPECT_EQ(arrows("a ; -> b;;c->d;"), "a -> b, c -> d"); }

TEST(Dagitty, GroupsMultiplyAndTheirInsideCounts) {
  EXPECT_EQ(arrows("{a b} -> {c d}"), "a -> c, a -> d, b -> c, b -> d");
  EXPECT_EQ(arrows("x -> {a -> b}"), "a -> b, x -> a, x -> b");
  EXPECT_EQ(read("a -> {b -> c} -> d").parts().directed.size(), 5u);
  EXPECT_EQ(arrows("{{a} {b}} -> c"), "a -> c, b -> c");
  const CausalGraph graph = read("{x [e]} -> {y [o]}");
  EXPECT_EQ(arrows_of(graph), "x -> y");
  EXPECT_TRUE(variable(graph, "x").exposure);
  EXPECT_TRUE(variable(graph, "y").outcome);
}

TEST(Dagitty, BareAndQuotedNames) {
  const CausalGraph graph = read("x.1 -> 2y -> -1 -> \"b-c\" -> \"a \\\"b\\\"\" -> größe");
  std::vector<std::string> names;
  for (const Variable& node : graph.parts().variables) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x.1", "2y", "-1", "b-c", "a \"b\"", "größe"}));
  EXPECT_EQ(arrows("\"a\" + \" b\" -> c"), "a b -> c");
  EXPECT_EQ(arrows("edge -> subgraph -> strict -> dag"),
            "edge -> subgraph, subgraph -> strict, strict -> dag");
}

TEST(Dagitty, RolesHaveShortForms) {
  const CausalGraph graph = read(
      "dag { a [e] b [source] c [o] d [target,] f [l;] g [u] h [unobserved] i [a] j [adjusted] "
      "k [s] l [] m [latent=no] n [latent=yes exposure] }");
  for (const char* name : {"a", "b", "n"}) EXPECT_TRUE(variable(graph, name).exposure) << name;
  for (const char* name : {"c", "d"}) EXPECT_TRUE(variable(graph, name).outcome) << name;
  for (const char* name : {"f", "g", "h", "n"}) EXPECT_TRUE(variable(graph, name).latent) << name;
  for (const char* name : {"i", "j"}) EXPECT_TRUE(variable(graph, name).adjusted) << name;
  EXPECT_TRUE(variable(graph, "k").selected);
  EXPECT_EQ(variable(graph, "l"), (Variable{.name = "l"}));
  EXPECT_EQ(variable(graph, "m"), (Variable{.name = "m"}));
}

TEST(Dagitty, DeclaringAgainAddsAndTheSameArrowCountsOnce) {
  const CausalGraph graph = read("dag { a [e] a [pos=\"1,2\"] a -> b a -> b b <-> a a <-> b }");
  EXPECT_TRUE(variable(graph, "a").exposure);
  EXPECT_TRUE(variable(graph, "a").position.has_value());
  EXPECT_EQ(arrows_of(graph), "a -> b, a <-> b");
}

TEST(Dagitty, CommentsOfEveryKind) {
  EXPECT_EQ(arrows("# one\ndag { // two\n a -> /* three */ b # four\n}\n"), "a -> b");
}

TEST(Dagitty, WhatDotWouldReadIsReadAsDotDoes) {
  EXPECT_EQ(arrows("strict dag { a -> b a -> b }"), "a -> b");
  EXPECT_EQ(arrows("dag { subgraph c { a -> b } edge [color=red] b -> d }"), "a -> b, b -> d");
  EXPECT_EQ(arrows("dag { edge [pos=\"0,0\"] edge -> b }"), "edge -> b");
  EXPECT_EQ(read("dag { node [shape=box] a -> b }").size(), 2u);
}

TEST(Dagitty, BlanksOfWebPagesAreBlanks) {
  EXPECT_EQ(arrows("a\xC2\xA0->\xC2\xA0"
                   "b"),
            "a -> b");
}

TEST(Dagitty, MisspeltRolesAreTold) {
  EXPECT_EQ(only_warning("dag {\n  x [exposur]\n  x -> y\n}"),
            "line 2: the option 'exposur' of 'x' means nothing here; did you mean 'exposure'?");
}

TEST(Dagitty, RolesAtArrowsAreTold) {
  EXPECT_EQ(only_warning("x -> y [latent]"),
            "line 1: 'latent' stands at an arrow and means nothing there; that of a node stands "
            "apart: x [latent]");
}

TEST(Dagitty, NamesWithForgottenQuotesAreTold) {
  EXPECT_EQ(only_warning("dag {\n smoking status -> cancer\n}"),
            "line 2: 'smoking' and 'status' are read as two nodes; a name with a blank is quoted: "
            "\"smoking status\"");
  EXPECT_TRUE(read("dag { x y z; x -> y -> z }").parts().warnings.empty());
  EXPECT_TRUE(read("dag { x\n y -> z }").parts().warnings.empty());
  EXPECT_EQ(read("dag { x edge [latent] }").parts().warnings.size(), 1u);
}

TEST(Dagitty, EquationsAreTold) {
  EXPECT_EQ(only_warning("dag { y = x  x -> z }"),
            "line 1: 'y=x' is read as an option of the graph; an arrow is written x -> y");
}

TEST(Dagitty, TheFormatBeforeVersionThree) {
  const CausalGraph graph =
      read("X E @1.5,-2\nmy%20node 1\nU U\nY O @0,0\r\n\nU X Y\nX my%20node\nmy%20node Y\n");
  EXPECT_EQ(arrows_of(graph), "U -> X, U -> Y, X -> my node, my node -> Y");
  EXPECT_TRUE(variable(graph, "X").exposure);
  EXPECT_EQ(variable(graph, "X").position, (Position{1.5, -2}));
  EXPECT_TRUE(variable(graph, "U").latent);
  EXPECT_TRUE(variable(graph, "Y").outcome);
  EXPECT_EQ(graph.parts().warnings.size(), 1u);
}

// A reader that calls itself would not come back from here.
TEST(Dagitty, DeepGroups) {
  const std::size_t depth = 200'000;
  const CausalGraph graph =
      read("dag { a -> " + std::string(depth, '{') + "b" + std::string(depth, '}') + " }");
  EXPECT_EQ(arrows_of(graph), "a -> b");
}

TEST(Dagitty, GroupsThatMultiplyWithoutEndAreRefused) {
  std::string group = "{";
  for (int i = 0; i < 9000; ++i) group += "a" + std::to_string(i) + " ";
  group += "}";
  std::string other = group;
  for (char& c : other)
    if (c == 'a') c = 'b';
  EXPECT_THROW(read("dag { " + group + " -> " + other + " }"), Error);
}

}  // namespace
}  // namespace armature::graph
