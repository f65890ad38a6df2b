#include "audit/bins.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/refusal.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;

TEST(Bins, Requests) {
  EXPECT_EQ(parse_bins("user:age:5").column, "user:age");
  EXPECT_EQ(parse_bins("age:5").count, 5u);
  EXPECT_EQ(parse_edges("age:18,30,1e3").edges, (std::vector<double>{18, 30, 1000}));
  for (const char* text : {"age", "age:", "age:1", "age:5.5", ":5", "age:1001"})
    EXPECT_TRUE(contains(refusal([&] { parse_bins(text); }), "expected COLUMN:COUNT")) << text;
  EXPECT_TRUE(contains(refusal([] { parse_bins("age:18,30"); }), "edges go to --edges"));
  for (const char* text : {"age", "age:", "age:3,2", "age:2,2", "age:2,,3", "age:x"})
    EXPECT_TRUE(contains(refusal([&] { parse_edges(text); }), "expected COLUMN:EDGE")) << text;
}

TEST(Bins, AnEdgeIsTheHighestValueOfItsBin) {
  const std::vector<double> edges{1, 5};
  EXPECT_EQ(bin_names(edges), (std::vector<std::string>{"<=1", "(1,5]", ">5"}));
  EXPECT_EQ(bin_of(edges, -3), 0u);
  EXPECT_EQ(bin_of(edges, 1), 0u);
  EXPECT_EQ(bin_of(edges, 1.0001), 1u);
  EXPECT_EQ(bin_of(edges, 5), 1u);
  EXPECT_EQ(bin_of(edges, 5.1), 2u);
}

TEST(Bins, EqualValuesStayTogether) {
  FrequencyEdges frequencies;
  for (int i = 0; i < 90; ++i) frequencies.add(0);
  for (int i = 0; i < 10; ++i) frequencies.add(i + 1);
  EXPECT_EQ(frequencies.edges(2), std::vector<double>{0});
  EXPECT_EQ(frequencies.edges(10), std::vector<double>{0});
  EXPECT_EQ(frequencies.edges(20), (std::vector<double>{0, 5}));
  FrequencyEdges constant;
  for (int i = 0; i < 90; ++i) constant.add(3);
  EXPECT_TRUE(constant.edges(5).empty());
  EXPECT_EQ(bin_names({}), std::vector<std::string>{"all"});
}

// Ascending values, the worst order for who keeps the first ones. The sample has at least 2^19 of
// 3 million: its quartiles are off by more than 0.005 with probability below 1e-12 (Hoeffding,
// three of them).
TEST(Bins, OfManyValuesASampleOfAllIsKept) {
  constexpr int kValues = 3'000'000;
  FrequencyEdges frequencies;
  for (int i = 0; i < kValues; ++i) frequencies.add(i);
  EXPECT_TRUE(frequencies.sampled());
  const std::vector<double> edges = frequencies.edges(4);
  ASSERT_EQ(edges.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(edges[i] / kValues, 0.25 * (i + 1), 0.005);
}

}  // namespace
}  // namespace armature
