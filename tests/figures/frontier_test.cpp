#include "figures/frontier.h"

#include <gtest/gtest.h>

#include <set>

namespace armature::figures {
namespace {

Frontier some_frontier(double horizon) {
  Setting setting;
  setting.actions = 20;
  setting.contexts = 2;
  setting.horizon = horizon;
  return frontier(setting, 5);
}

// The data of a figure are the numbers, not pixels: those of policies are in the last layer.
Json policy_rows(const Figure& figure) {
  return Json::parse(figure.spec)["layer"].back()["data"]["values"];
}

TEST(FrontierFigure, IsVegaLiteWithItsDataInside) {
  const Frontier data = some_frontier(1e9);
  const Figure figure = frontier_figure(data, FrontierAxes::kNormalised);
  EXPECT_EQ(figure.name, "frontier");
  EXPECT_FALSE(figure.caption.empty());
  const Json spec = Json::parse(figure.spec);
  EXPECT_EQ(spec["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
  EXPECT_EQ(spec["config"]["background"], "transparent");
  EXPECT_EQ(spec["layer"].size(), 5u);  // two shades, strip, line, policies
  std::size_t policies = 0;
  for (const FrontierPoint& point : data.points) policies += point.policy.empty() ? 0 : 1;
  const Json rows = policy_rows(figure);
  ASSERT_EQ(rows.size(), policies);
  for (const Json& row : rows)
    EXPECT_DOUBLE_EQ(row["x"], std::log(row["r2"].get<double>()) / std::log(1e9));
}

TEST(FrontierFigure, AbsoluteAxesShowRegrets) {
  const Figure figure = frontier_figure(some_frontier(1e6), FrontierAxes::kAbsolute);
  EXPECT_EQ(figure.name, "frontier-absolute");
  const Json spec = Json::parse(figure.spec);
  EXPECT_EQ(spec["layer"].size(), 4u);  // the lower bound is void: no dark shade
  EXPECT_EQ(spec["layer"].back()["layer"][0]["encoding"]["x"]["scale"]["type"], "log");
  for (const Json& row : policy_rows(figure)) EXPECT_EQ(row["x"], row["r2"]);
}

TEST(FrontierFigure, OneRoundHasNoLogarithm) {
  const Figure figure = frontier_figure(some_frontier(1), FrontierAxes::kNormalised);
  EXPECT_EQ(figure.name, "frontier-absolute");
  for (const Json& row : policy_rows(figure))
    for (const char* field : {"x", "y", "r1", "r2"}) EXPECT_TRUE(row[field].is_number()) << field;
}

TEST(Style, ColoursAreDistinctAndKept) {
  EXPECT_EQ(std::set<std::string>(palette().begin(), palette().end()).size(), palette().size());
  const Json colour = colour_of("policy", {"ucb", "c-ucb"});
  EXPECT_EQ(colour["scale"]["range"][1], palette()[1]);
  const Json many = colour_of("policy", std::vector<std::string>(20, "x"));
  EXPECT_EQ(many["scale"]["range"].size(), 20u);
}

}  // namespace
}  // namespace armature::figures
