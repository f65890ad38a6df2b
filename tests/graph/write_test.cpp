// Graphs as text: each format as its own programs write it, and what survives a round trip.
#include <gtest/gtest.h>

#include "armature/error.h"
#include "armature/graph.h"
#include "graph/graph_samples.h"

namespace armature::graph {
namespace {

TEST(WriteGraph, DagittyAsDagittyDoes) {
  EXPECT_EQ(write_dagitty(read_graph(test::kPasted, "text")), R"(dag {
U [latent,pos="0.100,-1.000"]
cancer [outcome,pos="1.500,0.300"]
"smoking status" [exposure,pos="-1.200,0.300"]
tar [pos="0.000,0.300"]
"smoking status" -> tar
"smoking status" <-> tar
U -> "smoking status"
U -> cancer
tar -> cancer
}
)");
}

TEST(WriteGraph, Dot) {
  EXPECT_EQ(write_dot(read_graph(test::kPasted, "text")), R"(digraph {
  "smoking status" [exposure=yes, pos="-1.2,-0.3"]
  U [latent=yes, pos="0.1,1"]
  cancer [outcome=yes, pos="1.5,-0.3"]
  tar [pos="0,-0.3"]
  "smoking status" -> tar
  U -> "smoking status"
  U -> cancer
  tar -> cancer
  "smoking status" -> tar [dir=both]
}
)");
}

TEST(WriteGraph, BifAsBnlearnDoes) {
  EXPECT_EQ(write_bif(read_graph(test::kClinic, "text")), R"~(network "chest clinic" {
}
variable asia {
  type discrete [ 2 ] { yes, no };
}
variable smoke {
  type discrete [ 2 ] { yes, no };
  property position = (73, 165);
}
variable "lung (x-ray)" {
  type discrete [ 3 ] { <5, 5-12, 12+ };
  property latent;
}
variable dysp {
  type discrete [ 2 ] { yes, Asy/Patch };
}
probability ( asia ) {
  table 0.01, 0.99;
}
probability ( smoke ) {
  table 0.5, 0.5;
}
probability ( "lung (x-ray)" | smoke ) {
  (yes) 0.1, 0.3, 0.6;
  (no) 0.2, 0.3, 0.5;
}
probability ( dysp | "lung (x-ray)", asia ) {
  (<5, yes) 0.25, 0.75;
  (<5, no) 1, 0;
  (5-12, yes) 0.25, 0.75;
  (5-12, no) 0.25, 0.75;
  (12+, yes) 0.9, 0.1;
  (12+, no) 0.25, 0.75;
}
)~");
}

// Without tables dagitty's lines are sorted; with them the order of nodes and parents is kept.
TEST(WriteGraph, TheOrderOfParentsSurvivesWhereTablesGoByIt) {
  const CausalGraph graph = read_graph(test::kClinic, "text");
  const std::string tables = write_tables(graph);
  for (const std::string& text : {write_dagitty(graph), write_dot(graph)}) {
    const CausalGraph again = with_tables(read_graph(text, "text"), tables, "tables");
    EXPECT_EQ(again.parts().variables[3].states, graph.parts().variables[3].states);
    EXPECT_EQ(again.parts().directed, graph.parts().directed);
    EXPECT_EQ(again.parts().tables, graph.parts().tables);
    EXPECT_EQ(write_bif(again).substr(write_bif(again).find("probability")),
              write_bif(graph).substr(write_bif(graph).find("probability")));
  }
}

TEST(WriteGraph, NamesThatTheLanguagesKeepForThemselves) {
  const CausalGraph graph =
      read_graph("digraph { \"Node\" -> edge_ -> \"edge\" -> \"a\\\\\" }", "text");
  EXPECT_EQ(write_dot(graph), R"(digraph {
  "Node"
  edge_
  "edge"
  "a\\"
  "Node" -> edge_
  edge_ -> "edge"
  "edge" -> "a\\"
}
)");
  const CausalGraph again = read_graph(write_dagitty(graph), "text");
  EXPECT_TRUE(again.find("edge").has_value());
  EXPECT_TRUE(again.find("a\\").has_value());
  EXPECT_THROW(write_dagitty(read_graph("digraph { \"node\" -> b }", "text")), Error);
}

TEST(WriteGraph, WithoutTablesThereIsNoBif) {
  EXPECT_THROW(write_bif(read_graph("a -> b", "text")), Error);
  EXPECT_THROW(write_tables(read_graph("a -> b", "text")), Error);
}

}  // namespace
}  // namespace armature::graph
