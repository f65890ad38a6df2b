#include "figures/final.h"

#include <algorithm>

namespace armature::figures {
namespace {

constexpr const char* kX = "x";

Json rows_of(const CurvePanel& panel, const Axis& up, bool level) {
  Json rows = Json::array();
  for (const Curve& curve : panel.curves)
    for (const MeanPoint& point : curve.points)
      if (curve.level == level) rows.push_back(curve_row(curve, point, kX, up));
  return {{"values", std::move(rows)}};
}

// Ticks at what was run, where that is little: 2, 4, 8, 16. An x of 0 (no delay, ε = 0) is a
// setting like the others and has its place beside the least of them.
std::vector<Axis> axes_across(const FinalFigure& input, const PanelSize& size) {
  std::vector<Axis> axes;
  for (const CurvePanel& panel : input.panels) {
    const std::vector<double> places = places_across(panel);
    const bool zero = std::find(places.begin(), places.end(), 0.0) != places.end();
    const bool bent = zero && input.across == Scale::kLog;
    Axis axis = exact(input.x_title, bent ? Scale::kSymlog : input.across, places);
    if (bent) axis.constant = exact("", Scale::kLog, places).low;
    axis.room = 8;
    axes.push_back(labelled_across(std::move(axis), size.width, places));
  }
  return axes;
}

// Lines join the means; whiskers are their intervals; the shapes under the pointer answer to it.
std::vector<Json> measured_layers(const FinalFigure& input, const CurvePanel& panel,
                                  const CurveFrame& frame, const Json& looks) {
  const std::vector<std::string> names = policies_of(input.panels);
  const Json x = along(frame.across, kX), y = along(frame.up, "shown");
  const Json ink = colour_only(input.heading.looks, names);
  const Json shape = shape_only(input.heading.looks, names);
  const Json rows = rows_of(panel, frame.up, false);
  Json line = {{"data", rows},
               {"mark", {{"type", "line"}, {"clip", true}, {"tooltip", nullptr}}},
               {"encoding", {{"x", x}, {"y", y}}}};
  line["encoding"].update(looks);
  Json level = line;
  level["data"] = rows_of(panel, frame.up, true);
  const Json whisker = {{"data", rows},
                        {"mark", {{"type", "rule"}, {"strokeWidth", 1.5}, {"clip", true}}},
                        {"encoding",
                         {{"x", x},
                          {"y", along(frame.up, "shown_low")},
                          {"y2", {{"field", "shown_high"}}},
                          {"stroke", ink}}}};
  // Not clipped, so that symbols at the ends stay whole: those outside are filtered and have their
  // mark at the edge.
  const Json point = {{"data", rows},
                      {"transform", Json::array({{{"filter", "datum.inside"}}})},
                      {"mark", {{"type", "point"}, {"filled", true}, {"size", 50}, {"opacity", 1}}},
                      {"encoding",
                       {{"x", x},
                        {"y", y},
                        {"fill", ink},
                        {"shape", shape},
                        {"tooltip",
                         {shown_text(kPolicy, "policy"), shown_number(kX, input.x_title),
                          shown_number("mean", "mean regret"), shown_number("low", "interval from"),
                          shown_number("high", "to")}}}}};
  return {level, line, whisker, point};
}

Json panel_spec(const FinalFigure& input, const CurvePanel& panel, CurveFrame frame,
                const Json& looks, const PanelSize& size) {
  std::vector<Json> layers = std::move(frame.bounds);
  for (Json& layer : measured_layers(input, panel, frame, looks))
    layers.push_back(std::move(layer));
  layers.insert(layers.end(), frame.labels.begin(), frame.labels.end());
  return {{"title", std::move(frame.title)},
          {"width", size.width},
          {"height", size.height},
          {"layer", std::move(layers)}};
}

}  // namespace

Figure final_figure(const FinalFigure& input) {
  const PanelSize size = panel_size(input.panels.size());
  const CurveFrames frames =
      curve_frames(input.heading.looks, input.panels,
                   {kX, axes_across(input, size), "final regret", input.up, true}, size);
  Json looks = line_looks(input.heading.looks, policies_of(input.panels));
  if (frames.named) looks = without_legend(std::move(looks));
  std::vector<Json> panels;
  for (std::size_t i = 0; i < input.panels.size(); ++i)
    panels.push_back(panel_spec(input, input.panels[i], frames.panels[i], looks, size));
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
