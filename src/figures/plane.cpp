#include "figures/plane.h"

#include <algorithm>
#include <cmath>

#include "armature/theory.h"
#include "base/mathematics.h"

namespace armature::figures {
namespace {

constexpr int kCurvePoints = 60;

struct Plane {
  Axis worst;   // across
  Axis benign;  // up
};

// Symbols at the edge stay whole: a twentieth of the axis is left free at its ends.
Axis roomy(Axis axis) {
  const double room = portable::pow(axis.high / axis.low, 0.05);
  axis.low /= room;
  axis.high *= room;
  return axis;
}

// Everything measured, and of the frontier what falls among it.
Plane plane_of(const PlanePanel& panel, const PanelSize& size) {
  std::vector<double> worst, benign;
  for (const PlanePoint& point : panel.points) {
    worst.push_back(point.worst);
    benign.push_back(point.benign);
  }
  return {labelled_across(roomy(fitted("worst-case regret R₂", Scale::kLog, worst)), size.width),
          roomy(fitted("benign regret R₁", Scale::kLog, benign))};
}

bool is_inside(const PlanePoint& point, const Plane& plane) {
  return side_of(plane.worst, point.worst) == 0 && side_of(plane.benign, point.benign) == 0;
}

std::vector<EdgeMark> outside(const PlanePanel& panel, const Plane& plane) {
  std::vector<EdgeMark> marks;
  for (const PlanePoint& point : panel.points) {
    if (is_inside(point, plane)) continue;
    const double worst = kept_inside(plane.worst, point.worst);
    const double benign = kept_inside(plane.benign, point.benign);
    const int across = side_of(plane.worst, point.worst), up = side_of(plane.benign, point.benign);
    const bool upright = up != 0;  // a point off both axes is marked below or above the plot
    marks.push_back(
        {.policy = point.policy,
         .edge = upright ? (up < 0 ? Edge::kBottom : Edge::kTop)
                         : (across < 0 ? Edge::kLeft : Edge::kRight),
         .value = upright ? point.benign : point.worst,
         .row = {{"worst", worst}, {"benign", benign}},
         .along = upright ? place_of(plane.worst, worst) : place_of(plane.benign, benign)});
  }
  return marks;
}

// R_1·R_2 = |A|T from R_2 = √(|A|T) to T: up to a constant nobody with R_2 ≤ T/641 is below it.
Json frontier_layer(const PlanePanel& panel, const Plane& plane) {
  const double product = panel.actions * panel.horizon;
  const double from = portable::log(std::sqrt(product)), to = portable::log(panel.horizon);
  Json rows = Json::array();
  for (int i = 0; i <= kCurvePoints && to > from; ++i) {
    const double worst = portable::exp(from + (to - from) * i / kCurvePoints);
    rows.push_back({{"worst", worst}, {"benign", product / worst}, {"what", "R₁R₂ = |A|T"}});
  }
  return {{"data", {{"values", std::move(rows)}}},
          {"mark",
           {{"type", "line"},
            {"strokeDash", {6, 4}},
            {"strokeWidth", 1.5},
            {"color", neutral_colour()},
            {"clip", true}}},
          {"encoding",
           {{"x", along(plane.worst, "worst")},
            {"y", along(plane.benign, "benign")},
            {"tooltip", {shown_text("what", "frontier")}}}}};
}

// Its formula, to the right of its upper end.
Json frontier_label(const PlanePanel& panel, const Plane& plane) {
  const double product = panel.actions * panel.horizon;
  const double first = std::max(std::sqrt(product), plane.worst.low);
  const double last = std::min({panel.horizon, plane.worst.high, product / plane.benign.low});
  const double worst = first * portable::pow(last / first, 0.2);
  const Json row = {{"worst", worst}, {"benign", product / worst}, {"label", "R₁R₂ = |A|T"}};
  return {{"data", {{"values", Json::array({row})}}},
          {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 9}, {"dy", -9}}},
          {"encoding",
           {{"x", along(plane.worst, "worst")},
            {"y", along(plane.benign, "benign")},
            {"text", {{"field", "label"}, {"type", "nominal"}}}}}};
}

// Pairs below this curve are excluded by proof, constants and all; void at short horizons.
Json excluded_rows(const PlanePanel& panel, const Plane& plane) {
  Json rows = Json::array();
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double worst = value_at(plane.worst, static_cast<double>(i) / kCurvePoints);
    Setting setting;
    setting.actions = panel.actions;
    setting.contexts = panel.contexts;
    setting.horizon = panel.horizon;
    setting.r2 = std::max(worst, std::sqrt(panel.actions * panel.horizon));
    if (*setting.r2 > panel.horizon) continue;
    const std::optional<double> lower = frontier_lower_sharp(setting);
    if (lower && *lower > plane.benign.low)
      rows.push_back({{"worst", worst}, {"benign", *lower}, {"floor", plane.benign.low}});
  }
  return rows;
}

Json excluded_layer(Json rows, const Plane& plane) {
  return {{"data", {{"values", std::move(rows)}}},
          {"mark",
           {{"type", "area"},
            {"color", neutral_colour()},
            {"opacity", 0.25},
            {"clip", true},
            {"tooltip", "excluded by the lower bound"}}},
          {"encoding",
           {{"x", along(plane.worst, "worst")},
            {"y", along(plane.benign, "benign")},
            {"y2", {{"field", "floor"}}}}}};
}

Json rows_of(const PlanePanel& panel, const Plane& plane) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < panel.points.size(); ++i) {
    const PlanePoint& point = panel.points[i];
    if (!is_inside(point, plane)) continue;
    rows.push_back({{kPolicy, point.policy},
                    {"member", point.member},
                    {"order", i},
                    {"benign", point.benign},
                    {"benign_low", point.benign_low},
                    {"benign_high", point.benign_high},
                    {"worst", point.worst},
                    {"worst_low", point.worst_low},
                    {"worst_high", point.worst_high}});
  }
  return rows;
}

Json point_layers(const PlaneFigure& input, const PlanePanel& panel, const Plane& plane,
                  const std::vector<std::string>& names) {
  const Json looks = point_looks(input.heading.looks, names);
  const Json rows = {{"values", rows_of(panel, plane)}};
  const Json x = along(plane.worst, "worst"), y = along(plane.benign, "benign");
  Json line = {
      {"data", rows},
      {"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"clip", true}, {"tooltip", nullptr}}},
      {"encoding",
       {{"x", x},
        {"y", y},
        {"stroke", colour_only(input.heading.looks, names)},
        {"order", {{"field", "order"}, {"type", "quantitative"}}}}}};
  Json point = {
      {"data", rows},
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 75}, {"opacity", 1}, {"clip", true}}},
      {"encoding",
       {{"x", x},
        {"y", y},
        {"tooltip",
         {shown_text("member", "policy"), shown_number("benign", "benign regret R₁"),
          shown_number("benign_low", "interval from"), shown_number("benign_high", "to"),
          shown_number("worst", "worst-case regret R₂"),
          shown_number("worst_low", "interval from "), shown_number("worst_high", "to ")}}}}};
  point["encoding"].update(looks);
  return {line, point};
}

Json panel_spec(const PlaneFigure& input, const PlanePanel& panel,
                const std::vector<std::string>& names, const PanelSize& size) {
  const Plane plane = plane_of(panel, size);
  Json layers = Json::array();
  Json excluded = excluded_rows(panel, plane);
  if (excluded.size() > 1) layers.push_back(excluded_layer(std::move(excluded), plane));
  std::vector<std::string> notes;
  const Json label = frontier_label(panel, plane);
  const Json& at = label["data"]["values"][0];
  if (side_of(plane.worst, at["worst"]) == 0 && side_of(plane.benign, at["benign"]) == 0) {
    layers.push_back(frontier_layer(panel, plane));
    layers.push_back(label);
  } else {
    notes.push_back("the frontier R₁R₂ = |A|T lies outside");
  }
  for (Json& layer : point_layers(input, panel, plane, names)) layers.push_back(std::move(layer));
  for (Json& layer : edge_marks(input.heading.looks, outside(panel, plane),
                                along(plane.worst, "worst"), along(plane.benign, "benign")))
    layers.push_back(std::move(layer));
  return {{"title", panel_title(panel.title, size, notes)},
          {"width", size.width},
          {"height", size.height},
          {"layer", std::move(layers)}};
}

}  // namespace

Figure plane_figure(const PlaneFigure& input) {
  PanelSize size = panel_size(input.panels.size());
  size.height = std::round(size.width * 0.85);
  std::vector<std::string> names;
  for (const PlanePanel& panel : input.panels)
    for (const PlanePoint& point : panel.points) names.push_back(point.policy);
  std::vector<Json> panels;
  for (const PlanePanel& panel : input.panels)
    panels.push_back(panel_spec(input, panel, names, size));
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
