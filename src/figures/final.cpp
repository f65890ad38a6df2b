#include "figures/final.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::figures {
namespace {

Json rows_of(const FinalPanel& panel, bool level) {
  Json rows = Json::array();
  for (const FinalCurve& curve : panel.curves)
    for (const FinalPoint& point : curve.points)
      if (curve.level == level)
        rows.push_back({{kPolicy, curve.policy},
                        {"x", point.x},
                        {"mean", point.mean},
                        {"low", point.low},
                        {"high", point.high}});
  return rows;
}

Axis upward(const FinalPanel& panel, Scale scale) {
  std::vector<double> values;
  for (const FinalCurve& curve : panel.curves)
    for (const FinalPoint& point : curve.points) {
      values.push_back(point.mean);
      values.push_back(point.high);
    }
  return with_room_for(panel.bounds, "final regret", scale, std::move(values));
}

Axis across(const FinalFigure& input, const FinalPanel& panel) {
  std::vector<double> values;
  for (const FinalCurve& curve : panel.curves)
    for (const FinalPoint& point : curve.points) values.push_back(point.x);
  return exact(input.x_title, input.across, values);
}

Json tooltip(const std::string& x_title) {
  return {shown_text(kPolicy, "policy"), shown_number("x", x_title),
          shown_number("mean", "mean regret"), shown_number("low", "interval from"),
          shown_number("high", "to")};
}

// Lines join the means; whiskers are their intervals; the shapes under the pointer answer to it.
std::vector<Json> measured_layers(const FinalFigure& input, const FinalPanel& panel, const Json& x,
                                  const Axis& vertical, const std::vector<std::string>& names) {
  const Json y = along(vertical, "mean");
  const Json lines = line_looks(input.heading.looks, names);
  const Json ink = colour_only(input.heading.looks, names);
  const Json shape = shape_only(input.heading.looks, names);
  const Json rows = {{"values", rows_of(panel, false)}};
  Json line = {{"data", rows},
               {"mark", {{"type", "line"}, {"tooltip", nullptr}}},
               {"encoding", {{"x", x}, {"y", y}}}};
  line["encoding"].update(lines);
  // An interval may reach to 0 and below, which a logarithmic axis does not have.
  const Json cut = {{"calculate", fmt::format("max(datum.low, {})", vertical.low)},
                    {"as", "shown_low"}};
  Json low = y;
  low["field"] = "shown_low";
  Json whisker = {
      {"data", rows},
      {"transform", Json::array({cut})},
      {"mark", {{"type", "rule"}, {"strokeWidth", 1.5}, {"clip", true}}},
      {"encoding", {{"x", x}, {"y", low}, {"y2", {{"field", "high"}}}, {"stroke", ink}}}};
  Json point = {
      {"data", rows},
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 50}, {"opacity", 1}}},
      {"encoding",
       {{"x", x}, {"y", y}, {"fill", ink}, {"shape", shape}, {"tooltip", tooltip(input.x_title)}}}};
  Json level = {{"data", {{"values", rows_of(panel, true)}}},
                {"mark", {{"type", "line"}, {"tooltip", nullptr}}},
                {"encoding", {{"x", x}, {"y", y}}}};
  level["encoding"].update(lines);
  return {level, line, whisker, point};
}

Json panel_spec(const FinalFigure& input, const FinalPanel& panel,
                const std::vector<std::string>& names, const PanelSize& size) {
  const Axis horizontal = across(input, panel), vertical = upward(panel, input.up);
  Json x = along(horizontal, "x");
  x["scale"]["padding"] = 8;
  std::vector<EndLabel> labels;
  for (const FinalCurve& curve : panel.curves)
    if (!curve.points.empty() && place_of(vertical, curve.points.back().mean) >= 0 &&
        curve.points.back().x == horizontal.high)
      labels.push_back({curve.policy, curve.policy, curve.points.back().mean});
  BoundLayers bounds = bound_layers(input.heading.looks, panel.bounds, horizontal, vertical);
  labels.insert(labels.end(), bounds.labels.begin(), bounds.labels.end());

  std::vector<Json> layers = std::move(bounds.layers);
  for (Json& layer : layers) layer["encoding"]["x"]["scale"]["padding"] = 8;
  for (Json& layer : measured_layers(input, panel, x, vertical, names))
    layers.push_back(std::move(layer));
  for (Json& layer : end_labels(input.heading.looks, labels, vertical, size))
    layers.push_back(std::move(layer));
  return {{"title", panel_title(panel.title, size)},
          {"width", size.width},
          {"height", size.height},
          {"layer", std::move(layers)}};
}

}  // namespace

Figure final_figure(const FinalFigure& input) {
  const PanelSize size = panel_size(input.panels.size());
  std::vector<std::string> names;
  for (const FinalPanel& panel : input.panels)
    for (const FinalCurve& curve : panel.curves) names.push_back(curve.policy);
  std::vector<Json> panels;
  for (const FinalPanel& panel : input.panels)
    panels.push_back(panel_spec(input, panel, names, size));
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
