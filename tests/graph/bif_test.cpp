// BIF as it is found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "armature/error.h"
#include "armature/graph.h"
#include "graph/graph_samples.h"

namespace armature::graph {
namespace {

using test::arrows_of;

CausalGraph read(const std::string& text) { return read_graph(text, "text"); }
std::vector<double> table(const CausalGraph& graph, const std::string& name) {
  return graph.parts().tables[graph.node(name, "test")];
}

constexpr const char* kTwo =
    "variable a { type discrete[2] { yes, no }; }\n"
    "variable b { type discrete[3] { x, y, z }; }\n"
    "probability ( a ) { table 0.25, 0.75; }\n";

TEST(Bif, AFileWithEverything) {
  const CausalGraph graph = read(test::kClinic);
  EXPECT_EQ(graph.parts().name, "chest clinic");
  EXPECT_EQ(arrows_of(graph), "smoke -> lung (x-ray), lung (x-ray) -> dysp, asia -> dysp");
  EXPECT_EQ(graph.variable(2).states, (std::vector<std::string>{"<5", "5-12", "12+"}));
  EXPECT_EQ(graph.variable(3).states, (std::vector<std::string>{"yes", "Asy/Patch"}));
  EXPECT_TRUE(graph.variable(2).latent);
  EXPECT_EQ(graph.variable(1).position, (Position{73, 165}));
  ASSERT_TRUE(graph.has_tables());
  EXPECT_TRUE(graph.parts().warnings.empty());
  EXPECT_EQ(table(graph, "asia"), (std::vector<double>{0.01, 0.99}));
  // `table`: the child is the most significant index.
  EXPECT_EQ(table(graph, "lung (x-ray)"), (std::vector<double>{0.1, 0.3, 0.6, 0.2, 0.3, 0.5}));
  // Rows by their states; `default` where none is.
  EXPECT_EQ(table(graph, "dysp"),
            (std::vector<double>{0.25, 0.75, 1, 0, 0.25, 0.75, 0.25, 0.75, 0.9, 0.1, 0.25, 0.75}));
}

TEST(Bif, AllOnOneLineWithoutANetwork) {
  const CausalGraph graph =
      read("variable None { type discrete [ 2 ] { True 0 }; } probability(None){table 1 0;}");
  EXPECT_EQ(graph.variable(0), (Variable{.name = "None", .states = {"True", "0"}}));
  EXPECT_EQ(table(graph, "None"), (std::vector<double>{1, 0}));
}

// Names, states and properties in quotes, blanks for commas, no bar, remarks behind the braces.
TEST(Bif, AsJavaBayesWritesIt) {
  const CausalGraph graph = read(
      "// Bayesian network\nnetwork \"Dog\" { //2 variables\n\tproperty \"credal-set 1.1\" ;\n}\n"
      "variable  \"light-on\" { //2 values\n\ttype discrete[2] {  \"true\"  \"false\" };\n"
      "\tproperty \"position = (218, 195)\" ;\n}\n"
      "variable  \"family-out\" {\n\ttype discrete[2] {  \"true\"\"false\" };\n}\n"
      "probability (  \"light-on\"  \"family-out\" ) { //4 values\n\ttable 0.6 0.05 0.4 0.95 ;\n}\n"
      "probability (  \"family-out\" ) { //2 values\n\ttable 0.15 0.85 ;\n}\n");
  EXPECT_EQ(arrows_of(graph), "family-out -> light-on");
  EXPECT_EQ(graph.variable(0).position, (Position{218, 195}));
  EXPECT_EQ(table(graph, "light-on"), (std::vector<double>{0.6, 0.4, 0.05, 0.95}));
}

TEST(Bif, RowsGoByTheirStates) {
  const std::string text = kTwo;
  const auto rows = [&](const std::string& body) {
    return table(read(text + "probability ( b | a ) { " + body + " }"), "b");
  };
  EXPECT_EQ(rows("(no) 0 0 1; (yes) 1, 0, 0;"), (std::vector<double>{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(rows("default 0 1 0; (no) 0 0 1;"), (std::vector<double>{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(rows("table 1 0 0 0 0 1;"), (std::vector<double>{1, 0, 0, 0, 0, 1}));
  EXPECT_FALSE(std::signbit(rows("default 1 -0 0;")[1]));
}

TEST(Bif, RoundedRowsAreScaled) {
  const std::string text = kTwo;
  const auto rounded = [&](const std::string& number) {
    return read(text + fmt::format("probability ( b | a ) {{ default {0} {0} {0}; }}", number));
  };
  for (const char* number : {"0.3333333", "0.33333", "0.3333", "0.3336"}) {
    const CausalGraph graph = rounded(number);
    for (const double value : table(graph, "b")) EXPECT_NEAR(value, 1.0 / 3, 1e-15) << number;
  }
  EXPECT_TRUE(rounded("0.3333333").parts().warnings.empty());
  EXPECT_EQ(rounded("0.33333").parts().warnings,
            (std::vector<std::string>{"2 rows did not sum to 1 within 1e-6 and were scaled; the "
                                      "farthest off, 'b' given a=yes, by -1e-05"}));
  EXPECT_THROW(rounded("0.332"), Error);
  EXPECT_EQ(table(read(text + "probability ( b | a ) { default 0.1 0.2 0.7; }"), "b")[2], 0.7);
}

TEST(Bif, WithoutTablesTheStructureIsGood) {
  const std::string text = kTwo;
  const auto why = [&](const std::string& rest) {
    const CausalGraph graph = read(text + rest);
    EXPECT_FALSE(graph.has_tables());
    EXPECT_EQ(graph.size(), 2u);
    return graph.parts().why_no_tables;
  };
  EXPECT_EQ(why(""), "the file has no probabilities of 'b'");
  EXPECT_EQ(why("probability ( b | a ) { (yes) 1 0 0; }"), "the file has 1 of the 2 rows of 'b'");
  EXPECT_EQ(why("probability ( b | a ) { }"), "the file has 0 of the 2 rows of 'b'");
  EXPECT_EQ(why("probability ( b | a ) { default -1 -1 -1; }"),
            "probabilities of 'b' are -1: yet to be learnt");
  EXPECT_EQ(why("probability ( b | a ) { property function max; (yes) 0.1 0.1; }"),
            "the probabilities of 'b' are given as a function, not as a table");
  EXPECT_EQ(read("variable a { }\nprobability ( a ) { table 1 0; }").parts().why_no_tables,
            "the file has no states of 'a'");
}

TEST(Bif, TablesThatFillTheMemoryAreNotFilled) {
  std::string text = "variable c { type discrete[2] { yes no }; }\nprobability ( c |";
  for (int i = 0; i < 40; ++i) text += fmt::format(" p{}", i);
  text += " ) { default 0.5 0.5; }\n";
  for (int i = 0; i < 40; ++i)
    text += fmt::format(
        "variable p{0} {{ type discrete[2] {{ yes no }}; }} probability ( p{0} ) {{ "
        "table 0.5 0.5; }}\n",
        i);
  const CausalGraph graph = read(text);
  EXPECT_EQ(graph.dag().parents(0).size(), 40u);
  EXPECT_EQ(graph.parts().why_no_tables, "the tables up to 'c' have more than 2^24 numbers");
}

TEST(Bif, RowsBeyondCountingAreNotCounted) {
  std::string text = "variable c { type discrete[2] { yes no }; }\n";
  std::string names;
  std::string states;
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("variable p{0} {{ type discrete[2] {{ yes no }}; }}\n", i);
    names += fmt::format(" p{}", i);
    states += " yes";
  }
  text += "probability ( c |" + names + " ) { ";
  EXPECT_EQ(read(text + "(" + states + ") 0.5 0.5; }").parts().why_no_tables,
            "the file has 1 of the more than 2^24 rows of 'c'");
  try {
    read(text + "table 0.5 0.5; }");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.report().expected,
              "more than 2^24 numbers for 'c': more than 2^24 for each of its 2 states");
  }
}

TEST(Bif, NumbersTooSmallForADoubleAreZero) {
  const auto first = [](const std::string& number) {
    return table(read("variable a { type discrete[2] { yes, no }; }\nprobability ( a ) { table " +
                      number + " 1; }"),
                 "a")[0];
  };
  for (const std::string& number :
       std::vector<std::string>{"1e-400", "1E-400", "0.5e-99999999999999999999",
                                "1e-" + std::string(400, '9'), "0." + std::string(400, '0') + "1"})
    EXPECT_EQ(first(number), 0) << number;
  for (const std::string& number : std::vector<std::string>{
           "-1e-400", "-1E-400", "1e400", "1E+400", "1" + std::string(500, '0') + "e-10", "1e-400x",
           "\"1e-400\"", "-0." + std::string(400, '0') + "1"})
    EXPECT_THROW(first(number), Error) << number;
}

TEST(Bif, OnlyAFunctionIsNoTable) {
  const auto has_tables = [](const std::string& property) {
    return read("variable a { type discrete[1] { only }; }\nprobability ( a ) { property " +
                property + "; table 1; }")
        .has_tables();
  };
  EXPECT_TRUE(has_tables("functional = yes"));
  EXPECT_TRUE(has_tables("\"functions of time\""));
  EXPECT_FALSE(has_tables("function"));
  EXPECT_FALSE(has_tables("function=max"));
  EXPECT_FALSE(has_tables("\"function noisy-or\""));
}

// What took time by the square of a file's length took minutes here.
TEST(Bif, LongFilesTakeTimeByTheirLength) {
  std::string text = "network n { property";
  for (int i = 0; i < 500'000; ++i) text += " \"a\"";
  text += "; } ";
  constexpr int kParents = 100'000;
  std::string names;
  for (int i = 0; i < kParents; ++i) {
    text += fmt::format("variable p{} {{ }} ", i);
    names += fmt::format(" p{}", i);
  }
  const CausalGraph graph = read(text + "variable c { } probability ( c |" + names + " ) { }");
  EXPECT_EQ(graph.dag().parents(kParents).size(), std::size_t{kParents});
}

TEST(Bif, PropertiesNeverFail) {
  const CausalGraph graph = read(
      "network n { property a = \"x;y\" ; property it's \"odd; property }{ ; }\n"
      "variable a { property http://x/*; type discrete[1] { only }; property; }\n"
      "probability ( a ) { property z = (1; table 1; }");
  EXPECT_TRUE(graph.has_tables());
}

}  // namespace
}  // namespace armature::graph
