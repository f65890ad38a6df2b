#include "figures/regret.h"

#include <fmt/format.h>

namespace armature::figures {
namespace {

constexpr const char* kRound = "round";

Json rows_of(const CurvePanel& panel, const Axis& up) {
  Json rows = Json::array();
  for (const Curve& curve : panel.curves)
    for (const MeanPoint& point : from_entry(curve, up))
      rows.push_back(curve_row(curve, point, kRound, up));
  return rows;
}

std::vector<Axis> axes_across(const RegretFigure& input, const PanelSize& size) {
  std::vector<Axis> axes;
  for (const CurvePanel& panel : input.panels) {
    std::vector<double> rounds = places_across(panel);
    if (input.across == Scale::kLinear) rounds.push_back(0);
    axes.push_back(labelled_across(exact("round t", input.across, rounds), size.width));
  }
  return axes;
}

Json tooltip() {
  return {shown_text(kPolicy, "policy"), shown_number(kRound, "round"),
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

Json band_layer(const Json& x, const Axis& up, const Json& fill) {
  return {{"mark", {{"type", "area"}, {"opacity", 0.16}, {"clip", true}, {"tooltip", nullptr}}},
          {"encoding",
           {{"x", x},
            {"y", along(up, "shown_low")},
            {"y2", {{"field", "shown_high"}}},
            {"fill", fill}}}};
}

// A line of one point would not be seen.
std::vector<Json> lone_points(const CurvePanel& panel, const Json& x, const Json& y, const Axis& up,
                              const Json& fill) {
  Json rows = Json::array();
  for (const Curve& curve : panel.curves)
    if (curve.points.size() == 1 && side_of(up, curve.points[0].mean) == 0)
      rows.push_back(curve_row(curve, curve.points[0], kRound, up));
  if (rows.empty()) return {};
  return {{{"data", {{"values", std::move(rows)}}},
           {"mark", {{"type", "point"}, {"filled", true}, {"size", 55}, {"opacity", 1}}},
           {"encoding", {{"x", x}, {"y", y}, {"fill", fill}, {"tooltip", tooltip()}}}}};
}

Json panel_spec(const RegretFigure& input, std::size_t index, CurveFrame frame, const Json& looks,
                const PanelSize& size) {
  const CurvePanel& panel = input.panels[index];
  const Json fill = colour_only(input.heading.looks, policies_of(input.panels));
  const Json x = along(frame.across, kRound), y = along(frame.up, "shown");
  Json line = {{"mark", {{"type", "line"}, {"clip", true}, {"tooltip", nullptr}}},
               {"encoding", {{"x", x}, {"y", y}}}};
  line["encoding"].update(looks);

  std::vector<Json> layers = {band_layer(x, frame.up, fill)};
  layers.insert(layers.end(), frame.bounds.begin(), frame.bounds.end());
  layers.push_back(std::move(line));
  for (Json& layer : lone_points(panel, x, y, frame.up, fill)) layers.push_back(std::move(layer));
  layers.push_back(hover_layer(index, x, y, fill));
  layers.insert(layers.end(), frame.labels.begin(), frame.labels.end());
  return {{"title", std::move(frame.title)},
          {"width", size.width},
          {"height", size.height},
          {"data", {{"values", rows_of(panel, frame.up)}}},
          {"layer", std::move(layers)}};
}

}  // namespace

Figure regret_figure(const RegretFigure& input) {
  const PanelSize size = panel_size(input.panels.size());
  const CurveFrames frames =
      curve_frames(input.heading.looks, input.panels,
                   {kRound, axes_across(input, size), "mean regret", input.up, false}, size);
  Json looks = line_looks(input.heading.looks, policies_of(input.panels));
  if (frames.named) looks = without_legend(std::move(looks));
  std::vector<Json> panels;
  for (std::size_t i = 0; i < input.panels.size(); ++i)
    panels.push_back(panel_spec(input, i, frames.panels[i], looks, size));
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
