#include "figures/ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"

namespace armature::figures {
namespace {

constexpr double kRow = 22;     // pixels
constexpr double kMost = 100;   // from here on marks stand in the strip
constexpr double kRoom = 1.08;  // beyond both ends, so that marks stay whole
constexpr double kNear = 1.5;   // shaded: within one and a half times the best
constexpr double kMark = 9;     // pixels that a mark needs…
constexpr double kPlace = 11;   // …and that it has in the strip

// One axis for all panels: as far as the ratios go, and from kMost on a place for each.
struct Ratios {
  Axis axis;
  double width = 0;  // of a panel, in pixels
  double place = 1;  // factor from one place of the strip to the next
  bool strip = false;
};

// The marks of one row, from the best on.
std::vector<RatioMark> row_of(const RatioPanel& panel, const std::string& world) {
  std::vector<RatioMark> row;
  for (const RatioMark& mark : panel.marks)
    if (mark.world == world) row.push_back(mark);
  std::stable_sort(row.begin(), row.end(), [](const RatioMark& one, const RatioMark& other) {
    return one.ratio < other.ratio;
  });
  return row;
}

Ratios ratios_of(const RatioFigure& input, const PanelSize& size) {
  double most = kNear;
  double places = 0;
  for (const RatioPanel& panel : input.panels)
    for (const std::string& world : input.worlds) {
      double beyond = 0;
      for (const RatioMark& mark : row_of(panel, world)) {
        if (mark.ratio < kMost)
          most = std::max(most, mark.ratio);
        else
          ++beyond;
      }
      places = std::max(places, beyond);
    }
  Ratios ratios{{"times the best of the row", Scale::kLog, 1 / kRoom, most * kRoom},
                size.width,
                1,
                places > 0};
  if (ratios.strip) {
    // What is left of the width after the strip is what 1 to 100 has.
    const double before = size.width - (places + 1) * kPlace;
    ratios.place = portable::pow(kMost * kRoom, kPlace / before);
    ratios.axis.high = kMost * portable::pow(ratios.place, places + 1);
    ratios.axis.chosen_ticks = {1, 2, 5, 10, 20, 50, 100};
  } else {
    ratios.axis = labelled_across(ratios.axis, size.width);
  }
  return ratios;
}

// JSON has no infinity: what lies beyond the edge is told in words.
std::string ratio_words(double ratio) {
  if (std::isinf(ratio)) return "infinitely many times the best";
  return fmt::format("{:.{}f} times the best", ratio, ratio < 10 ? 2 : 0);
}

// A mark where others already stand goes beside them, down and up by turns, as far as its row is
// high.
double moved_aside(double place, const std::vector<std::pair<double, double>>& taken) {
  for (const double down : {0.0, 1.0, -1.0, 0.5, -0.5})
    if (std::none_of(taken.begin(), taken.end(), [&](const auto& other) {
          return std::abs(other.first - place) < kMark && other.second == down;
        }))
      return down;
  return 0;
}

struct Marks {
  Json best = Json::array(), others = Json::array();
  Json beyond = Json::array();  // one label per row
};

Marks marks_of(const RatioFigure& input, const RatioPanel& panel, const Ratios& ratios) {
  Marks marks;
  for (const std::string& world : input.worlds) {
    std::vector<std::pair<double, double>> taken;
    std::vector<double> beyond;
    for (const RatioMark& mark : row_of(panel, world)) {
      double shown = mark.ratio;
      if (mark.ratio >= kMost) {
        beyond.push_back(mark.ratio);
        shown = kMost * portable::pow(ratios.place, static_cast<double>(beyond.size()));
      }
      const double place = place_of(ratios.axis, shown) * ratios.width;
      const double down = moved_aside(place, taken);
      taken.push_back({place, down});
      (mark.best ? marks.best : marks.others)
          .push_back({{kPolicy, mark.policy},
                      {"world", mark.world},
                      {"value", mark.value},
                      {"shown", shown},
                      {"down", down},
                      {"times", ratio_words(mark.ratio)}});
    }
    if (beyond.empty()) continue;
    std::string words = short_number(beyond.front());
    if (short_number(beyond.back()) != words) words += "–" + short_number(beyond.back());
    marks.beyond.push_back({{"world", world}, {"label", words}});
  }
  return marks;
}

Json along_ratios(const Ratios& ratios, const std::string& field) {
  Json x = along(ratios.axis, field);
  if (ratios.strip) x["axis"]["labelExpr"] = "datum.value == 100 ? '≥ 100' : '' + datum.value";
  return x;
}

Json row_encoding(const RatioFigure& input) {
  return {{"field", "world"},
          {"type", "nominal"},
          {"title", nullptr},
          {"scale", {{"domain", input.worlds}, {"padding", 0}}},
          {"axis", {{"grid", true}, {"domain", false}, {"labelLimit", 200}}}};
}

// Filled: the best and its equals; hollow: clearly behind. The hollow ones lie below, for a crowd
// of losers must not cover the winner.
Json mark_layer(const RatioFigure& input, const Ratios& ratios, Json rows,
                const std::vector<std::string>& names, bool best) {
  Json layer = {{"data", {{"values", std::move(rows)}}},
                {"mark",
                 {{"type", "point"},
                  {"filled", best},
                  {"size", best ? 70 : 50},
                  {"opacity", 1},
                  {"strokeWidth", 1.8}}},
                {"encoding",
                 {{"x", along_ratios(ratios, "shown")},
                  {"y", row_encoding(input)},
                  {"yOffset",
                   {{"field", "down"},
                    {"type", "quantitative"},
                    {"scale", {{"domain", {-1, 1}}, {"range", {kRow * 0.22, kRow * 0.78}}}}}},
                  {"tooltip",
                   {shown_text(kPolicy, "policy"), shown_text("world", "world"),
                    shown_number("value", input.quantity), shown_text("times", "that is")}}}}};
  layer["encoding"].update(point_looks(input.heading.looks, names));
  return layer;
}

Json near_band(const Ratios& ratios) {
  return {
      {"data", {{"values", Json::array({{{"from", ratios.axis.low}, {"to", kNear}}})}}},
      {"mark",
       {{"type", "rect"}, {"color", neutral_colour()}, {"opacity", 0.12}, {"tooltip", nullptr}}},
      {"encoding", {{"x", along_ratios(ratios, "from")}, {"x2", {{"field", "to"}}}}}};
}

// What the marks in the strip stand for, beside it.
Json beyond_labels(const RatioFigure& input, Json rows) {
  return {{"data", {{"values", std::move(rows)}}},
          {"mark",
           {{"type", "text"},
            {"align", "left"},
            {"baseline", "middle"},
            {"fontSize", 11},
            {"dx", 4},
            {"tooltip", nullptr}}},
          {"encoding",
           {{"x", {{"value", "width"}}},
            {"y", row_encoding(input)},
            {"text", {{"field", "label"}, {"type", "nominal"}}}}}};
}

Json panel_spec(const RatioFigure& input, const RatioPanel& panel, const Ratios& ratios,
                const std::vector<std::string>& names, const PanelSize& size) {
  Marks marks = marks_of(input, panel, ratios);
  std::vector<Json> layers = {near_band(ratios),
                              mark_layer(input, ratios, std::move(marks.others), names, false),
                              mark_layer(input, ratios, std::move(marks.best), names, true)};
  if (!marks.beyond.empty()) layers.push_back(beyond_labels(input, std::move(marks.beyond)));
  return {{"title", panel_title(panel.title, size)},
          {"width", size.width},
          {"height", kRow * static_cast<double>(input.worlds.size())},
          {"layer", std::move(layers)}};
}

}  // namespace

Figure ratio_figure(const RatioFigure& input) {
  const PanelSize size = panel_size_beside_names(input.panels.size());
  const Ratios ratios = ratios_of(input, size);
  std::vector<std::string> names;
  for (const RatioPanel& panel : input.panels)
    for (const RatioMark& mark : panel.marks) names.push_back(mark.policy);
  std::vector<Json> panels;
  for (const RatioPanel& panel : input.panels)
    panels.push_back(panel_spec(input, panel, ratios, names, size));
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
