// Boxes and time: rows of policies along an axis of numbers.
#include <fmt/format.h>

#include <algorithm>

#include "figures/rows.h"

namespace armature::figures {
namespace {

constexpr double kRow = 24;  // pixels

// Rows in the order of the report, the same in every panel.
Json row_encoding(const Looks& looks, const std::vector<std::string>& names) {
  std::vector<std::string> order;
  for (const Look& look : looks)
    if (std::find(names.begin(), names.end(), look.name) != names.end()) order.push_back(look.name);
  return {{"field", kPolicy},
          {"type", "nominal"},
          {"title", nullptr},
          {"scale", {{"domain", order}}},
          {"axis", {{"grid", false}, {"domain", false}, {"labelLimit", 240}}}};
}

Json box_tooltip() {
  return {shown_text(kPolicy, "policy"),    shown_number("mean", "mean"),
          shown_number("q05", "5%"),        shown_number("q25", "25%"),
          shown_number("median", "median"), shown_number("q75", "75%"),
          shown_number("q95", "95%")};
}

Json span(const Axis& axis, const char* from, const char* to, Json mark, const Json& row,
          const Json& colours) {
  mark["clip"] = true;
  return {{"mark", std::move(mark)},
          {"encoding",
           {{"x", along(axis, from)},
            {"x2", {{"field", to}}},
            {"y", row},
            {"color", colours},
            {"tooltip", box_tooltip()}}}};
}

// Not clipped, so that symbols at the ends stay whole: those outside have their mark at the edge.
Json dot(const Axis& axis, const std::string& field, Json mark, const Json& row) {
  const std::string inside =
      fmt::format("datum.{0} >= {1} && datum.{0} <= {2}", field, axis.low, axis.high);
  return {{"transform", Json::array({{{"filter", inside}}})},
          {"mark", std::move(mark)},
          {"encoding", {{"x", along(axis, field)}, {"y", row}, {"tooltip", box_tooltip()}}}};
}

std::vector<double> values_of(const BoxPanel& panel) {
  std::vector<double> values;
  for (const Box& box : panel.boxes)
    values.insert(values.end(), {box.q05, box.q25, box.median, box.q75, box.q95, box.mean});
  return values;
}

std::vector<EdgeMark> outside(const BoxPanel& panel, const Axis& axis) {
  std::vector<EdgeMark> marks;
  for (std::size_t i = 0; i < panel.boxes.size(); ++i) {
    const Box& box = panel.boxes[i];
    const double value = side_of(axis, box.median) != 0 ? box.median : box.mean;
    if (const int side = side_of(axis, value); side != 0)
      marks.push_back({.policy = box.policy,
                       .edge = side < 0 ? Edge::kLeft : Edge::kRight,
                       .value = value,
                       .row = {{kPolicy, box.policy}, {"shown", kept_inside(axis, value)}},
                       .along = static_cast<double>(i)});
  }
  return marks;
}

Json box_panel(const BoxPanel& panel, const PanelAxis& across, const Heading& heading,
               const std::vector<std::string>& names, const PanelSize& size) {
  Json rows = Json::array();
  for (const Box& box : panel.boxes)
    rows.push_back({{kPolicy, box.policy},
                    {"q05", box.q05},
                    {"q25", box.q25},
                    {"median", box.median},
                    {"q75", box.q75},
                    {"q95", box.q95},
                    {"mean", box.mean}});
  const Axis axis = labelled_across(across.axis, size.width);
  const Json row = row_encoding(heading.looks, names), colours = colour_only(heading.looks, names);
  Json median =
      dot(axis, "median",
          {{"type", "tick"}, {"thickness", 2}, {"size", kRow * 0.62}, {"opacity", 1}}, row);
  Json mean = dot(axis, "mean",
                  {{"type", "point"},
                   {"shape", "diamond"},
                   {"filled", true},
                   {"size", 34},
                   {"opacity", 1},
                   {"color", "white"},
                   {"stroke", "#333333"},
                   {"strokeWidth", 1}},
                  row);
  median["encoding"]["color"] = colours;
  std::vector<Json> layers = {
      span(axis, "q05", "q95", {{"type", "rule"}, {"strokeWidth", 1.5}}, row, colours),
      span(axis, "q25", "q75", {{"type", "bar"}, {"height", kRow * 0.58}, {"opacity", 0.4}}, row,
           colours),
      median, mean};
  for (Json& layer : edge_marks(heading.looks, outside(panel, axis), along(axis, "shown"), row))
    layers.push_back(std::move(layer));
  std::vector<std::string> notes;
  if (across.own) notes.push_back("its own range");
  return {{"title", panel_title(panel.title, size, notes)},
          {"width", size.width},
          {"height", {{"step", kRow}}},
          {"data", {{"values", std::move(rows)}}},
          {"layer", std::move(layers)}};
}

}  // namespace

Figure box_figure(const BoxFigure& input) {
  const PanelSize size = panel_size_beside_names(input.panels.size());
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  std::vector<double> all;
  for (const BoxPanel& panel : input.panels) {
    for (const Box& box : panel.boxes) names.push_back(box.policy);
    values.push_back(values_of(panel));
    all.insert(all.end(), values.back().begin(), values.back().end());
  }
  const std::vector<PanelAxis> axes = shared("final regret", scale_for(all), values);
  Heading heading = input.heading;
  heading.key = "box: middle half; line: median; whiskers: 5% to 95%; diamond: mean";
  std::vector<Json> panels;
  for (std::size_t i = 0; i < input.panels.size(); ++i)
    panels.push_back(box_panel(input.panels[i], axes[i], heading, names, size));
  return assemble(heading, std::move(panels), size);
}

Figure time_figure(const TimeFigure& input) {
  std::vector<std::string> names;
  std::vector<double> values;
  Json rows = Json::array();
  for (const Time& time : input.times) {
    names.push_back(time.policy);
    values.push_back(time.nanoseconds);
    rows.push_back(
        {{kPolicy, time.policy}, {"instance", time.instance}, {"nanoseconds", time.nanoseconds}});
  }
  const PanelSize size{460, 0, 1};
  const Axis axis =
      labelled_across(fitted("nanoseconds per round", scale_for(values), values), size.width);
  const Json panel = {
      {"width", size.width},
      {"height", {{"step", kRow}}},
      {"data", {{"values", std::move(rows)}}},
      {"layer",
       {{{"mark", {{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 0.75}}},
         {"encoding",
          {{"x", along(axis, "nanoseconds")},
           {"y", row_encoding(input.heading.looks, names)},
           {"color", colour_only(input.heading.looks, names)},
           {"tooltip",
            {shown_text(kPolicy, "policy"), shown_text("instance", "instance"),
             shown_number("nanoseconds", "ns per round")}}}}},
        {{"mark", {{"type", "tick"}, {"thickness", 2}, {"size", kRow * 0.7}, {"opacity", 1}}},
         {"encoding",
          {{"x", {{"field", "nanoseconds"}, {"aggregate", "median"}}},
           {"y", {{"field", kPolicy}, {"type", "nominal"}}},
           {"color", colour_only(input.heading.looks, names)}}}}}}};
  return assemble(input.heading, {panel}, size);
}

}  // namespace armature::figures
