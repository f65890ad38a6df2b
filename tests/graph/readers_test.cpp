// All readers together: how files are told apart, and that no text, however broken, does more than
// be refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "armature/error.h"
#include "armature/random.h"
#include "base/file.h"
#include "fuzz/graph_round_trip.h"
#include "graph/graph_samples.h"
#include "graph/read_names.h"

namespace armature::graph {
namespace {

TEST(GraphFiles, AreToldApartByTheirContent) {
  const auto kind = [](const std::string& text) { return file_kind(text, "text"); };
  EXPECT_EQ(kind(test::kClinic), FileKind::kBif);
  EXPECT_EQ(kind("/* by hand */ variable a { type discrete[1] { x }; }"), FileKind::kBif);
  EXPECT_EQ(kind("probability ( a ) { table 1; }"), FileKind::kBif);
  EXPECT_EQ(kind("network -> traffic"), FileKind::kDagitty);
  EXPECT_EQ(kind("// from a program\nstrict digraph { a -> b }"), FileKind::kDot);
  EXPECT_EQ(kind("DIGRAPH G { a -> b }"), FileKind::kDot);
  EXPECT_EQ(kind(test::kPasted), FileKind::kDagitty);
  EXPECT_EQ(kind("x -> y"), FileKind::kDagitty);
  EXPECT_EQ(kind("{a b} -> c"), FileKind::kDagitty);
  EXPECT_EQ(kind("X E\nY O\n\nX Y\n"), FileKind::kDagitty);
}

TEST(GraphFiles, ProgramsInRAreToldByTheirBeginning) {
  const auto kind = [](const std::string& text) { return file_kind(text, "text"); };
  EXPECT_EQ(kind("dag { a -> b } // from dagitty(\"…\")"), FileKind::kDagitty);
  EXPECT_EQ(kind("a <- b // as in dagify(a ~ b)"), FileKind::kDagitty);
  EXPECT_EQ(kind("digraph { \"dagitty(x)\" -> b }"), FileKind::kDot);
  EXPECT_EQ(kind("variable a { property \"dagitty(x)\"; }"), FileKind::kBif);
  EXPECT_EQ(kind("probability(\"dagitty(x)\") { }"), FileKind::kBif);
  for (const char* text :
       {"library(dagitty)\ng <- dagitty(\"dag { a -> b }\")", "g <- dagitty('dag{a->b}')",
        "g<-dagitty('dag{a->b}')", "g = dagitty('dag{a->b}')", "g= dagitty('dag{a->b}')",
        "g=dagitty('dag{a->b}')", "dagitty::dagitty('dag{a->b}')", "dagify(y ~ x)",
        "# mine\ng <- ggdag::dagify(y ~ x)"})
    try {
      kind(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.report().value, "a program in R") << text;
    }
}

// All of one hash: with no bound on the search of a slot these take minutes.
TEST(GraphFiles, NamesCannotBeFlooded) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15U;
  std::uint64_t inverse = kMix;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kMix * inverse;
  ASSERT_EQ(inverse * kMix, 1u);
  const auto name = [&](std::uint64_t half) {  // the last step of the hash makes 0 of equal halves
    const std::uint64_t letters = (half << 32U | half) * inverse ^ sizeof half * kMix;
    return std::string(reinterpret_cast<const char*>(&letters), sizeof letters);
  };
  std::vector<Variable> variables;
  NodeNames names(variables);
  constexpr Node kNames = 300'000;
  for (Node node = 0; node < kNames; ++node) ASSERT_EQ(names.get(name(node)), node);
  for (Node node = 0; node < kNames; ++node) ASSERT_EQ(names.get(name(node)), node);
  EXPECT_EQ(names.find(name(kNames)), std::nullopt);
  EXPECT_EQ(names.get("another"), kNames);
}

std::vector<std::string> seeds_of(const std::string& reader) {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path folder = std::filesystem::path(ARMATURE_SOURCE_DIR) / "tests/fuzz";
  for (const auto& entry : std::filesystem::directory_iterator(folder / (reader + "_corpus")))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) seeds.push_back(read_file(path.string()));
  return seeds;
}

// A few random changes: bytes and pieces gone, doubled, swapped in from elsewhere.
std::string mutated(std::string text, const std::vector<std::string>& seeds, Stream& stream) {
  static const std::vector<std::string> kPieces = {"->",
                                                   "<-",
                                                   "<->",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ";",
                                                   "\"",
                                                   "\\",
                                                   "=",
                                                   ",",
                                                   "\n",
                                                   "(",
                                                   ")",
                                                   "|",
                                                   "-",
                                                   "//",
                                                   "/*",
                                                   "*/",
                                                   "#",
                                                   "+",
                                                   ":",
                                                   "<",
                                                   ">",
                                                   "@",
                                                   "a",
                                                   "é",
                                                   std::string(1, '\0'),
                                                   "\xFF",
                                                   "0.5",
                                                   "-1",
                                                   "edge",
                                                   "node",
                                                   "graph",
                                                   "o",
                                                   "e",
                                                   "table",
                                                   "default",
                                                   "\"\"",
                                                   "\xC2\xA0",
                                                   "→"};
  const auto below = [&](std::size_t bound) { return std::size_t{stream.next_word()} % bound; };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(below(12), text.size() - at);
    const std::string& other = seeds[below(seeds.size())];
    switch (below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.insert(at, kPieces[below(kPieces.size())]);
        break;
      default:
        text.replace(at, length, other.substr(below(other.size()), below(20)));
    }
  }
  return text;
}

// The fuzzers' law on 20,000 texts, on 10^6 for each reader with ARMATURE_LONG=1. The counts say
// that the mutations are neither all broken nor all harmless.
TEST(GraphFiles, MutatedTextsAreRefusedOrReadBackTheSame) {
  const int texts = std::getenv("ARMATURE_LONG") != nullptr ? 1'000'000 : 5000;
  for (const std::string reader : {"bif", "dagitty", "dot", "tables"}) {
    const std::vector<std::string> seeds = seeds_of(reader);
    Stream stream({17, 0, Purpose::kPolicy});
    int graphs = 0;
    for (int i = 0; i < texts; ++i) {
      const std::string text = mutated(seeds[i % seeds.size()], seeds, stream);
      graphs += reader == "tables" ? test::check_tables_text(text) : test::check_graph_text(text);
    }
    for (const std::string& seed : seeds)
      EXPECT_TRUE(reader == "tables" ? test::check_tables_text(seed) : test::check_graph_text(seed))
          << seed;
    EXPECT_GT(graphs, texts / 100) << reader;
    EXPECT_LT(graphs, texts / 100 * 98) << reader;
  }
}

}  // namespace
}  // namespace armature::graph
