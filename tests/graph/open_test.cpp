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

}  // namespace
}  // namespace armature::graph
