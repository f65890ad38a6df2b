#include "figures/regret.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::figures {
namespace {

std::vector<std::string> policies_of(const RegretFigure& input) {
  std::vector<std::string> names;
  for (const RegretPanel& panel : input.panels)
    for (const RegretCurve& curve : panel.curves) names.push_back(curve.policy);
  return names;
}

Json rows_of(const RegretPanel& panel) {
  Json rows = Json::array();
  for (const RegretCurve& curve : panel.curves)
    for (const RegretPoint& point : curve.points)
      rows.push_back({{kPolicy, curve.policy},
                      {"round", point.round},
                      {"mean", point.mean},
                      {"low", point.low},
                      {"high", point.high}});
  return rows;
}

Axis upward(const RegretPanel& panel, Scale scale) {
  std::vector<double> values;
  for (const RegretCurve& curve : panel.curves)
    for (const RegretPoint& point : curve.points) {
      values.push_back(point.mean);
      if (scale != Scale::kLog) values.push_back(point.high);
    }
  return with_room_for(panel.bounds, "mean regret", scale, std::move(values));
}

Axis across(const RegretPanel& panel, Scale scale) {
  std::vector<double> rounds;
  for (const RegretCurve& curve : panel.curves)
    for (const RegretPoint& point : curve.points) rounds.push_back(point.round);
  if (scale == Scale::kLinear) rounds.push_back(0);
  return exact("round t", scale, rounds);
}

Json tooltip() {
  return {shown_text(kPolicy, "policy"), shown_number("round", "round"),
          shown_number("mean", "mean regret"), shown_number("low", "interval from"),
          shown_number("high", "to")};
}

// The points of a line answer to the pointer and are drawn only under it.
Json hover_layer(std::size_t index, const Json& x, const Json& y, const Json& fill) {
  const std::string name = fmt::format("hover{}", index);
  const Json nearest = {
      {"name", name},
      {"select",
       {{"type", "point"}, {"on", "pointerover"}, {"nearest", true}, {"clear", "pointerout"}}}};
  Json layer = {
      {"params", Json::array({nearest})},
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 55}, {"clip", true}}},
      {"encoding",
       {{"x", x},
        {"y", y},
        {"fill", fill},
        {"tooltip", tooltip()},
        {"opacity",
         {{"condition", {{"param", name}, {"empty", false}, {"value", 1}}}, {"value", 0}}}}}};
  return layer;
}

Json band_layer(const Json& x, const Json& y, const Json& fill, const Axis& up) {
  Json low = y;
  low["field"] = "shown_low";
  const Json cut = {{"calculate", fmt::format("max(datum.low, {})", up.low)}, {"as", "shown_low"}};
  Json layer = {
      {"transform", Json::array({cut})},
      {"mark", {{"type", "area"}, {"opacity", 0.16}, {"clip", true}, {"tooltip", nullptr}}},
      {"encoding", {{"x", x}, {"y", low}, {"y2", {{"field", "high"}}}, {"fill", fill}}}};
  return layer;
}

struct Encodings {
  Json line;
  Json fill;
};

Json panel_spec(const RegretFigure& input, std::size_t index, const Encodings& looks,
                const PanelSize& size) {
  const RegretPanel& panel = input.panels[index];
  const Axis horizontal = across(panel, input.across), vertical = upward(panel, input.up);
  const Json x = along(horizontal, "round"), y = along(vertical, "mean");
  Json line = {{"mark", {{"type", "line"}, {"clip", true}, {"tooltip", nullptr}}},
               {"encoding", {{"x", x}, {"y", y}}}};
  line["encoding"].update(looks.line);

  std::vector<EndLabel> labels;
  for (const RegretCurve& curve : panel.curves)
    if (!curve.points.empty() && place_of(vertical, curve.points.back().mean) >= 0)
      labels.push_back({curve.policy, curve.policy, curve.points.back().mean});
  BoundLayers bounds = bound_layers(input.heading.looks, panel.bounds, horizontal, vertical);
  labels.insert(labels.end(), bounds.labels.begin(), bounds.labels.end());

  std::vector<Json> layers = {band_layer(x, y, looks.fill, vertical)};
  layers.insert(layers.end(), bounds.layers.begin(), bounds.layers.end());
  layers.push_back(line);
  layers.push_back(hover_layer(index, x, y, looks.fill));
  for (Json& layer : end_labels(input.heading.looks, labels, vertical, size))
    layers.push_back(std::move(layer));

  Json spec = {{"title", panel_title(panel.title, size)},
               {"width", size.width},
               {"height", size.height},
               {"data", {{"values", rows_of(panel)}}}};
  std::string drawable = "true";
  if (input.across == Scale::kLog) drawable += " && datum.round > 0";
  if (input.up == Scale::kLog) drawable += " && datum.mean > 0";
  spec["transform"].push_back({{"filter", drawable}});
  spec["layer"] = std::move(layers);
  return spec;
}

}  // namespace

Axis with_room_for(const std::vector<BoundCurve>& bounds, const std::string& title, Scale scale,
                   std::vector<double> values) {
  // Figures are there to show what was measured: bounds may not press it flat.
  constexpr double kRoomOnLinear = 1.6, kRoomOnLog = 20;
  const double most = values.empty() ? 1 : *std::max_element(values.begin(), values.end());
  const double limit = most * (scale == Scale::kLog ? kRoomOnLog : kRoomOnLinear);
  for (const BoundCurve& bound : bounds)
    if (!bound.points.empty() && bound.points.back().value <= limit)
      values.push_back(bound.points.back().value);
  return fitted(title, scale, values);
}

BoundLayers bound_layers(const Looks& looks, const std::vector<BoundCurve>& bounds,
                         const Axis& across, const Axis& up) {
  BoundLayers result;
  for (const BoundCurve& bound : bounds) {
    if (bound.points.size() < 2 || bound.points.back().value > up.high) continue;
    Json rows = Json::array();
    for (const BoundPoint& point : bound.points)
      rows.push_back({{"x", point.x}, {"bound", point.value}, {kPolicy, bound.policy}});
    result.labels.push_back({bound.policy, bound.policy + " bound", bound.points.back().value});
    result.layers.push_back({{"data", {{"values", std::move(rows)}}},
                             {"mark",
                              {{"type", "line"},
                               {"strokeDash", {3, 3}},
                               {"strokeWidth", 1.25},
                               {"color", colour(look_of(looks, bound.policy))},
                               {"clip", true}}},
                             {"encoding",
                              {{"x", along(across, "x")},
                               {"y", along(up, "bound")},
                               {"tooltip",
                                {shown_text(kPolicy, "bound for"), shown_number("x", across.title),
                                 shown_number("bound", "regret at most")}}}}});
  }
  return result;
}

Figure regret_figure(const RegretFigure& input) {
  const PanelSize size = panel_size(input.panels.size());
  const std::vector<std::string> names = policies_of(input);
  const Encodings looks{line_looks(input.heading.looks, names),
                        colour_only(input.heading.looks, names)};
  std::vector<Json> panels;
  for (std::size_t i = 0; i < input.panels.size(); ++i)
    panels.push_back(panel_spec(input, i, looks, size));
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
