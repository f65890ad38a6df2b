#include "figures/ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::figures {
namespace {

constexpr double kRow = 22;     // pixels
constexpr double kMost = 100;   // the right edge
constexpr double kRoom = 1.08;  // beyond both ends, so that marks stay whole
constexpr double kNear = 1.5;   // shaded: within one and a half times the best

// JSON has no infinity: what lies beyond the edge is told in words.
std::string ratio_words(double ratio) {
  if (std::isinf(ratio)) return "infinitely many times the best";
  return fmt::format("{:.{}f} times the best", ratio, ratio < 10 ? 2 : 0);
}

Json rows_of(const RatioPanel& panel, bool best) {
  Json rows = Json::array();
  for (const RatioMark& mark : panel.marks)
    if (mark.best == best)
      rows.push_back({{kPolicy, mark.policy},
                      {"world", mark.world},
                      {"value", mark.value},
                      {"shown", std::min(mark.ratio, kMost)},
                      {"times", ratio_words(mark.ratio)}});
  return rows;
}

Json along_ratios() {
  Json x = along({"times the best of the row", Scale::kLog, 1 / kRoom, kMost * kRoom}, "shown");
  x["axis"] = {{"values", {1, 2, 5, 10, 20, 50, 100}},
               {"labelExpr", "datum.value == 100 ? '≥ 100' : '' + datum.value"}};
  return x;
}

Json row_encoding(const RatioFigure& input) {
  return {{"field", "world"},
          {"type", "nominal"},
          {"title", nullptr},
          {"scale", {{"domain", input.worlds}}},
          {"axis", {{"grid", true}, {"domain", false}, {"labelLimit", 200}}}};
}

// Filled: the best and its equals; hollow: clearly behind. The hollow ones lie below, for a crowd
// of losers must not cover the winner.
Json marks(const RatioFigure& input, const RatioPanel& panel, const std::vector<std::string>& names,
           bool best) {
  Json layer = {{"data", {{"values", rows_of(panel, best)}}},
                {"mark",
                 {{"type", "point"},
                  {"filled", best},
                  {"size", best ? 80 : 55},
                  {"opacity", 1},
                  {"strokeWidth", 1.8}}},
                {"encoding",
                 {{"x", along_ratios()},
                  {"y", row_encoding(input)},
                  {"tooltip",
                   {shown_text(kPolicy, "policy"), shown_text("world", "world"),
                    shown_number("value", input.quantity), shown_text("times", "that is")}}}}};
  layer["encoding"].update(point_looks(input.heading.looks, names));
  return layer;
}

Json near_band() {
  Json x = along_ratios();
  x["field"] = "from";
  return {
      {"data", {{"values", Json::array({{{"from", 1 / kRoom}, {"to", kNear}}})}}},
      {"mark",
       {{"type", "rect"}, {"color", neutral_colour()}, {"opacity", 0.12}, {"tooltip", nullptr}}},
      {"encoding", {{"x", std::move(x)}, {"x2", {{"field", "to"}}}}}};
}

}  // namespace

Figure ratio_figure(const RatioFigure& input) {
  PanelSize size = panel_size(input.panels.size());
  size.columns = std::min<std::size_t>(size.columns, 2);  // names of worlds take their room too
  std::vector<std::string> names;
  for (const RatioPanel& panel : input.panels)
    for (const RatioMark& mark : panel.marks) names.push_back(mark.policy);
  std::vector<Json> panels;
  for (const RatioPanel& panel : input.panels)
    panels.push_back(
        {{"title", panel_title(panel.title, size)},
         {"width", size.width},
         {"height", kRow * static_cast<double>(input.worlds.size())},
         {"layer",
          {near_band(), marks(input, panel, names, false), marks(input, panel, names, true)}}});
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
