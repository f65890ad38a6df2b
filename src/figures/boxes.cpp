// Boxes and time: rows of policies along an axis of numbers.
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

Json dot(const Axis& axis, const char* field, Json mark, const Json& row) {
  return {{"mark", std::move(mark)},
          {"encoding", {{"x", along(axis, field)}, {"y", row}, {"tooltip", box_tooltip()}}}};
}

Json box_panel(const BoxPanel& panel, const Heading& heading, const std::vector<std::string>& names,
               const PanelSize& size) {
  std::vector<double> values;
  Json rows = Json::array();
  for (const Box& box : panel.boxes) {
    values.insert(values.end(), {box.q05, box.q25, box.median, box.q75, box.q95, box.mean});
    rows.push_back({{kPolicy, box.policy},
                    {"q05", box.q05},
                    {"q25", box.q25},
                    {"median", box.median},
                    {"q75", box.q75},
                    {"q95", box.q95},
                    {"mean", box.mean}});
  }
  const Axis axis = fitted("final regret", scale_for(values), values);
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
  return {{"title", panel_title(panel.title, size)},
          {"width", size.width},
          {"height", {{"step", kRow}}},
          {"data", {{"values", std::move(rows)}}},
          {"layer",
           {span(axis, "q05", "q95", {{"type", "rule"}, {"strokeWidth", 1.5}}, row, colours),
            span(axis, "q25", "q75", {{"type", "bar"}, {"height", kRow * 0.58}, {"opacity", 0.4}},
                 row, colours),
            median, mean}}};
}

}  // namespace

Figure box_figure(const BoxFigure& input) {
  PanelSize size = panel_size(input.panels.size());
  size.columns = std::min<std::size_t>(size.columns, 2);  // names of policies take their room too
  std::vector<std::string> names;
  for (const BoxPanel& panel : input.panels)
    for (const Box& box : panel.boxes) names.push_back(box.policy);
  std::vector<Json> panels;
  for (const BoxPanel& panel : input.panels)
    panels.push_back(box_panel(panel, input.heading, names, size));
  return assemble(input.heading, std::move(panels), size);
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
  const Axis axis = fitted("nanoseconds per round", scale_for(values), values);
  const PanelSize size{460, 0, 1};
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
