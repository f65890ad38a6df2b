// Tables beside a graph that has none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "armature/error.h"
#include "armature/graph.h"
#include "graph/graph_samples.h"

namespace armature::graph {
namespace {

CausalGraph drawn() { return read_graph("dag { c <- a  c <- b }", "graph"); }

std::string with_c(const std::string& c) {
  return R"({"format": "armature-tables", "version": 1, "nodes": {
    "a": {"states": ["yes", "no"], "rows": [0.5, 0.5]},
    "b": {"states": ["0", "1", "2"], "rows": [[0.2, 0.3, 0.5]]},
    "c": {"states": ["yes", "no"], )" +
         c + "}}}";
}
std::vector<double> table_of_c(const std::string& c) {
  return with_tables(drawn(), with_c(c), "tables").parts().tables[0];
}

// Rows by a, then b: as the arrows have it. The node c is the first one mentioned.
const std::vector<double> kExpected = {0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5, 0.5, 0.6, 0.4};

TEST(GraphTables, RowsInOrder) {
  EXPECT_EQ(table_of_c(R"("parents": ["a", "b"], "rows": [[0.1, 0.9], [0.2, 0.8], [0.3, 0.7],
                          [0.4, 0.6], [0.5, 0.5], [0.6, 0.4]])"),
            kExpected);
}

TEST(GraphTables, ParentsInAnotherOrderThanTheArrows) {
  EXPECT_EQ(table_of_c(R"("parents": ["b", "a"], "rows": [[0.1, 0.9], [0.4, 0.6], [0.2, 0.8],
                          [0.5, 0.5], [0.3, 0.7], [0.6, 0.4]])"),
            kExpected);
}

TEST(GraphTables, RowsByStatesInAnyOrder) {
  EXPECT_EQ(table_of_c(R"("parents": ["b", "a"], "rows": {
                          "2": {"no": [0.6, 0.4], "yes": [0.3, 0.7]},
                          "0": {"yes": [0.1, 0.9], "no": [0.4, 0.6]},
                          "1": {"yes": [0.2, 0.8], "no": [0.5, 0.5]}})"),
            kExpected);
}

TEST(GraphTables, StatesComeWithThem) {
  const CausalGraph graph =
      with_tables(drawn(), with_c(R"("parents": ["a", "b"], "rows": [[0.33333, 0.66666], [1, 0],
                                    [1, 0], [1, 0], [1, 0], [1, 0]])"),
                  "tables");
  EXPECT_TRUE(graph.has_tables());
  EXPECT_EQ(graph.parts().why_no_tables, "");
  EXPECT_EQ(graph.variable(2).states, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(graph.parts().warnings,
            (std::vector<std::string>{"one row did not sum to 1 within 1e-6 and was scaled; the "
                                      "farthest off, 'c' given a=yes, b=0, by -1e-05"}));
}

TEST(GraphTables, StatesOfTheFileAreKept) {
  const CausalGraph graph = read_graph("variable a { type discrete[2] { yes, no }; }", "graph");
  const auto tables = [&](const std::string& states) {
    return with_tables(graph,
                       R"({"format": "armature-tables", "version": 1, "nodes": {"a": {)" + states +
                           R"("rows": [0.25, 0.75]}}})",
                       "tables");
  };
  EXPECT_EQ(tables("").variable(0).states, (std::vector<std::string>{"yes", "no"}));
  EXPECT_TRUE(tables(R"("states": ["yes", "no"], )").has_tables());
  EXPECT_THROW(tables(R"("states": ["no", "yes"], )"), Error);
}

TEST(GraphTables, GraphsThatCannotHaveThem) {
  EXPECT_THROW(with_tables(read_graph("a <-> b", "graph"), "{}", "tables"), Error);
  EXPECT_THROW(with_tables(read_graph(test::kClinic, "graph"), "{}", "tables"), Error);
}

TEST(GraphTables, ManyParentsAreWrittenAsAList) {
  std::string text = "network n { }\nvariable c { type discrete[2] { y n }; }\nprobability ( c |";
  for (const char p : std::string("abdefghijk")) text += std::string(" ") + p;
  text += " ) { default 0.25 0.75; }\n";
  for (const char p : std::string("abdefghijk"))
    text += std::string("variable ") + p + " { type discrete[1] { only }; } probability ( " + p +
            " ) { table 1; }\n";
  const CausalGraph graph = read_graph(text, "graph");
  const std::string json = write_tables(graph);
  EXPECT_NE(json.find("[0.25, 0.75]"), std::string::npos);
  const CausalGraph again = with_tables(read_graph(write_dot(graph), "dot"), json, "tables");
  EXPECT_EQ(again.parts().tables, graph.parts().tables);
}

// What took time by the square of a file's length took minutes here: many nodes, many states, many
// rows by states.
TEST(GraphTables, LongFilesTakeTimeByTheirLength) {
  constexpr int kNodes = 50'000;
  CausalGraph::Parts parts;
  std::string nodes;
  for (int i = 0; i < kNodes; ++i) {
    parts.variables.push_back({.name = fmt::format("node {}", i)});
    nodes += fmt::format(R"("node {}": {{"states": ["only"], "rows": [1]}}, )", i);
  }
  parts.variables.push_back({.name = "parent"});
  parts.variables.push_back({.name = "child"});
  parts.directed.push_back({kNodes, kNodes + 1});
  std::string states;
  std::string numbers;
  std::string rows;
  for (int i = 0; i < kNodes; ++i) {
    const char* comma = i == 0 ? "" : ", ";
    states += fmt::format("{}\"state {}\"", comma, i);
    numbers += fmt::format("{}{}", comma, i == 0 ? 1 : 0);
    rows += fmt::format("{}\"state {}\": [1]", comma, i);
  }
  const CausalGraph graph =
      with_tables(CausalGraph(parts),
                  fmt::format(R"({{"format": "armature-tables", "version": 1, "nodes": {{{}
                  "parent": {{"states": [{}], "rows": [{}]}},
                  "child": {{"states": ["only"], "rows": {{{}}}}}}}}})",
                              nodes, states, numbers, rows),
                  "tables");
  EXPECT_EQ(graph.parts().tables[kNodes + 1].size(), std::size_t{kNodes});
}

}  // namespace
}  // namespace armature::graph
