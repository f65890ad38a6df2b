#include "figures/frontier.h"

#include <gtest/gtest.h>

namespace armature::figures {
namespace {

Frontier some_frontier(double horizon) {
  Setting setting;
  setting.actions = 20;
  setting.contexts = 2;
  setting.horizon = horizon;
  return frontier(setting, 5);
}

const Looks kLooks = {{"ucb"}, {"c-ucb"}, {"hac-ucb"}, {"db"}, {"sentry"}, {"warden"}};

// The data of a figure are the numbers, not pixels: those of policies are in the last layer.
Json policy_rows(const Figure& figure) {
  return Json::parse(figure.spec)["layer"].back()["data"]["values"];
}

TEST(FrontierFigure, IsVegaLiteWithItsDataInside) {
  const Frontier data = some_frontier(1e9);
  const Figure figure = frontier_figure(data, FrontierAxes::kNormalised, kLooks);
  EXPECT_EQ(figure.name, "frontier");
  EXPECT_FALSE(figure.caption.empty());
  const Json spec = Json::parse(figure.spec);
  EXPECT_EQ(spec["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
  EXPECT_EQ(spec["config"]["background"], "transparent");
  EXPECT_EQ(spec["layer"].size(), 6u);  // two shades, strip, line, its name, policies
  std::size_t policies = 0;
  for (const FrontierPoint& point : data.points)
    policies += !point.policy.empty() && std::max(point.r1, point.r2) <= 1e9 ? 1 : 0;
  const Json rows = policy_rows(figure);
  ASSERT_EQ(rows.size(), policies);
  for (const Json& row : rows)
    EXPECT_DOUBLE_EQ(row["x"], std::log(row["r2"].get<double>()) / std::log(1e9));
}

TEST(FrontierFigure, AbsoluteAxesShowRegrets) {
  const Figure figure = frontier_figure(some_frontier(1e6), FrontierAxes::kAbsolute, kLooks);
  EXPECT_EQ(figure.name, "frontier-absolute");
  const Json spec = Json::parse(figure.spec);
  EXPECT_EQ(spec["layer"].size(), 5u);  // the lower bound is void: no dark shade
  EXPECT_EQ(spec["layer"].back()["layer"][0]["encoding"]["x"]["scale"]["type"], "log");
  for (const Json& row : policy_rows(figure)) EXPECT_EQ(row["x"], row["r2"]);
}

TEST(FrontierFigure, OneRoundHasNoLogarithm) {
  const Figure figure = frontier_figure(some_frontier(1), FrontierAxes::kNormalised, kLooks);
  EXPECT_EQ(figure.name, "frontier-absolute");
  for (const Json& row : policy_rows(figure))
    for (const char* field : {"x", "y", "r1", "r2"}) EXPECT_TRUE(row[field].is_number()) << field;
}

// Bounds above T say nothing, and no symbol runs over the axes' labels.
TEST(FrontierFigure, EndsAtTheHorizonAndClips) {
  const Json spec =
      Json::parse(frontier_figure(some_frontier(1e9), FrontierAxes::kAbsolute, kLooks).spec);
  const Json& marks = spec["layer"].back()["layer"];
  ASSERT_EQ(marks.size(), 4u);  // rates and explicit bounds, lines and points
  for (const Json& mark : marks) {
    EXPECT_LE(mark["encoding"]["x"]["scale"]["domain"][1], 2e9);
    EXPECT_EQ(mark["mark"]["clip"], true);
  }
}

// Over a thousand rounds no bound of ucb, db, sentry or warden is below T.
TEST(FrontierFigure, NamesWhoIsLeftOut) {
  const auto key = [](double horizon) {
    return Json::parse(frontier_figure(some_frontier(horizon), FrontierAxes::kNormalised, kLooks)
                           .spec)["title"]["subtitle"];
  };
  EXPECT_EQ(key(1e9).size(), 2u);
  const Json named = key(1e3);
  ASSERT_EQ(named.size(), 3u);
  EXPECT_EQ(named[2], "with constants above T, so left out: ucb, db, sentry, warden");
}

}  // namespace
}  // namespace armature::figures
