#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "figures/audit.h"

namespace armature::figures {
namespace {

TEST(AuditFigures, MeansHaveAPanelPerContextAndARowPerAction) {
  const Figure figure = audit_means_figure(
      {{"clicked", 0.3, {{"a", 0.2, 0.1, 0.3, 50, false}, {"b", 0.5, 0.4, 0.6, 60, true}}},
       {"ignored", 0.001, {{"a", 0.001, 0, 0.002, 500, false}}}},
      "how to read it");
  const Json spec = Json::parse(figure.spec);
  ASSERT_EQ(spec["concat"].size(), 2u);
  EXPECT_EQ(spec["concat"][0]["data"]["values"].size(), 2u);
  EXPECT_TRUE(spec["concat"][0]["data"]["values"][1]["odd"].get<bool>());
  // A context that pays a hundredth would be a dot on the other's axis.
  EXPECT_EQ(spec["concat"][1]["title"]["subtitle"][0], "its own range");
  EXPECT_EQ(figure.caption, "how to read it");
}

TEST(AuditFigures, MarginalsAreCellsInTheOrderGiven) {
  const Figure figure = audit_marginals_figure(
      {{"b", "y", 0.25, 10}, {"b", "x", 0.75, 30}, {"a", "y", 1, 5}, {"a", "x", 0, 0}}, "");
  const Json spec = Json::parse(figure.spec);
  const Json& panel = spec["concat"][0];
  EXPECT_EQ(panel["data"]["values"].size(), 4u);
  EXPECT_TRUE(panel["encoding"]["x"]["sort"].is_null());
  EXPECT_EQ(panel["encoding"]["color"]["scale"]["domain"][1], 1);
}

TEST(AuditFigures, NamesOfContextsHaveRoomOrStandAslant) {
  const auto panel = [](const std::string& name, int contexts) {
    std::vector<MarginalCell> cells;
    for (int z = 0; z < contexts; ++z) cells.push_back({"a", name + std::to_string(z), 0.5, 10});
    return Json::parse(audit_marginals_figure(cells, "").spec)["concat"][0];
  };
  const auto angle = [](const Json& spec) { return spec["encoding"]["x"]["axis"]["labelAngle"]; };
  EXPECT_EQ(angle(panel("z", 4)), 0);
  EXPECT_EQ(angle(panel("recommended", 2)), 0);
  EXPECT_GE(panel("recommended", 2)["width"], 2 * 12 * 6);
  EXPECT_EQ(angle(panel("opened=yes clicked=", 3)), -45);
}

TEST(AuditFigures, PowerMarksTheLeastViolationOnlyWhereThereIsOne) {
  const std::vector<PowerCurvePoint> points{{0, 0.02}, {0.1, 0.8}, {0.2, 1}};
  const auto layers = [](const Figure& figure) {
    return Json::parse(figure.spec)["concat"][0]["layer"].size();
  };
  EXPECT_EQ(layers(audit_power_figure(points, 0.1, "")), 3u);
  EXPECT_EQ(layers(audit_power_figure(points, 2, "")), 1u);
}

}  // namespace
}  // namespace armature::figures
