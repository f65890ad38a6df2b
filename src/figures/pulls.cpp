// Which arms were played: a map with one row per policy and one column per arm.
#include <fmt/format.h>

#include <algorithm>

#include "figures/rows.h"

namespace armature::figures {
namespace {

constexpr double kRow = 24;  // pixels
constexpr std::size_t kMostColumns = 50;
constexpr double kLegend = 300;    // pixels
constexpr double kTickRoom = 0.1;  // of the legend: labels nearer than this merge

struct Cells {
  Json rows = Json::array();
  std::size_t columns = 0;
  std::size_t group = 1;  // arms to a column
};

// Cells are coloured by their place along the logarithmic axis, not by the number itself: a
// renderer draws the legend of a bent scale with too few colours, and it would not be that of the
// cells.
void add(Cells& cells, const Pulls& pulls, const Axis& shade) {
  const std::size_t arms = pulls.mean.size();
  const std::size_t group = (arms + kMostColumns - 1) / kMostColumns;
  cells.group = std::max(cells.group, group);
  for (std::size_t first = 0, column = 0; first < arms; first += group, ++column) {
    const std::size_t end = std::min(arms, first + group);
    double sum = 0;
    for (std::size_t arm = first; arm < end; ++arm) sum += pulls.mean[arm];
    const double mean = sum / static_cast<double>(end - first);
    cells.rows.push_back(
        {{kPolicy, pulls.policy},
         {"column", column},
         {"arm", group == 1 ? fmt::format("{}", first) : fmt::format("{}–{}", first, end - 1)},
         {"pulls", mean},
         {"place", place_of(shade, mean)}});
    cells.columns = std::max(cells.columns, column + 1);
  }
}

// Arms are numbered along the bottom, every fifth column or so where there are many; a column of
// several has the number of its first.
Json arm_encoding(const Cells& cells) {
  const std::size_t stride = cells.columns > 25 ? 10 : cells.columns > 10 ? 5 : 1;
  std::string label = fmt::format("datum.value % {} == 0 ? format(datum.value * {}, 'd') : ''",
                                  stride, cells.group);
  return {{"field", "column"},
          {"type", "ordinal"},
          {"title", "arm"},
          {"scale", {{"paddingInner", 0.06}, {"paddingOuter", 0}}},
          {"axis", {{"labelAngle", 0}, {"labelExpr", label}, {"domain", false}}}};
}

// The ticks of the axis that have room beside each other, as places along the legend.
Json colour_encoding(const Axis& shade) {
  std::vector<double> places;
  std::string labels = "''";
  for (const double tick : ticks(shade)) {
    const double place = place_of(shade, tick);
    if (!places.empty() && place - places.back() < kTickRoom) continue;
    places.push_back(place);
    labels = fmt::format("datum.value == {} ? '{}' : {}", place, tick_label(shade, tick), labels);
  }
  return {{"field", "place"},
          {"type", "quantitative"},
          {"scale", {{"domain", {0, 1}}, {"scheme", "viridis"}, {"nice", false}}},
          {"legend",
           {{"title", "mean plays of the arm"},
            {"orient", "top"},
            {"gradientLength", kLegend},
            {"gradientThickness", 12},
            {"values", places},
            {"labelExpr", labels}}}};
}

Json panel_spec(const PullsPanel& panel, const Heading& heading, const Axis& shade,
                const PanelSize& size) {
  Cells cells;
  std::vector<std::string> order;
  for (const Look& look : heading.looks)
    for (const Pulls& pulls : panel.policies)
      if (pulls.policy == look.name) order.push_back(look.name);
  for (const Pulls& pulls : panel.policies) add(cells, pulls, shade);
  return {{"title", panel_title(panel.title, size)},
          {"width", size.width},
          {"height", {{"step", kRow}}},
          {"data", {{"values", std::move(cells.rows)}}},
          {"mark", {{"type", "rect"}}},
          {"encoding",
           {{"x", arm_encoding(cells)},
            {"y",
             {{"field", kPolicy},
              {"type", "nominal"},
              {"title", nullptr},
              {"scale", {{"domain", order}, {"paddingInner", 0.12}}},
              {"axis", {{"domain", false}, {"labelLimit", 240}}}}},
            {"color", colour_encoding(shade)},
            {"tooltip",
             {shown_text(kPolicy, "policy"), shown_text("arm", "arm"),
              shown_number("pulls", "mean plays")}}}}};
}

}  // namespace

Figure pulls_figure(const PullsFigure& input) {
  const PanelSize size = panel_size_beside_names(input.panels.size());
  std::vector<double> values = {0};
  for (const PullsPanel& panel : input.panels)
    for (const Pulls& pulls : panel.policies)
      values.insert(values.end(), pulls.mean.begin(), pulls.mean.end());
  const Axis shade = exact("", Scale::kSymlog, values);
  std::vector<Json> panels;
  for (const PullsPanel& panel : input.panels)
    panels.push_back(panel_spec(panel, input.heading, shade, size));
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
