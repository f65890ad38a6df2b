#include "graph/open.h"

#include <gtest/gtest.h>

#include "armature/error.h"

namespace armature::graph {
namespace {

TEST(NodeLists, NamesWithCommasAndQuotes) {
  const CausalGraph graph =
      read_graph(R"(dag { "a, b" -> "say \"c\"" -> "\"d\", e" -> f -> "g h" })", "test");
  const auto names = [&](const std::string& list) {
    std::string found;
    for (const Node node : parse_nodes(graph, list, "--from")) found += graph.name(node) + "|";
    return found;
  };
  EXPECT_EQ(names(""), "");
  EXPECT_EQ(names("f"), "f|");
  EXPECT_EQ(names(R"("a, b",f)"), "a, b|f|");
  EXPECT_EQ(names("f, g h"), "f|g h|");  // as they are printed
  EXPECT_EQ(names(R"( "a, b" , f )"), "a, b|f|");
  EXPECT_EQ(names(R"(say "c",f)"), "say \"c\"|f|");
  EXPECT_EQ(names(R"("""d"", e",f)"), "\"d\", e|f|");
  for (const char* wrong : {",f", "f,", "f,,f", "\"f", "\"f\"g", "\"\"", "x", " "})
    EXPECT_THROW(names(wrong), Error) << wrong;
}

// Only who names tables, or asks for numbers, is stopped by what is wrong with them.
TEST(OpenGraph, WithoutTablesBesideItThatAreWrong) {
  const Files files = Files::only({{"g.dag", "x -> y"}, {"g.tables.json", "nonsense"}});
  const CausalGraph graph = open_graph("g.dag", "", files);
  EXPECT_FALSE(graph.has_tables());
  ASSERT_EQ(graph.parts().warnings.size(), 1u);
  EXPECT_TRUE(graph.parts().warnings[0].starts_with("tables are left out: g.tables.json"))
      << graph.parts().warnings[0];
  EXPECT_TRUE(verdict(graph, {{{0}}, {0}, 1}).benign);
  try {
    do_marginals(graph, {{{0}}, {}, 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.report().value.starts_with("none: g.tables.json")) << error.what();
  }
  EXPECT_THROW(open_graph("g.dag", "g.tables.json", files), Error);
}

}  // namespace
}  // namespace armature::graph
