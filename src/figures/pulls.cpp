// Which arms were played: a map with one row per policy and one column per arm.
#include <fmt/format.h>

#include <algorithm>

#include "figures/rows.h"

namespace armature::figures {
namespace {

constexpr double kRow = 24;  // pixels
constexpr std::size_t kMostColumns = 50;

struct Cells {
  Json rows = Json::array();
  std::size_t columns = 0;
  double least = INFINITY;  // positive
  double most = 0;
};

void add(Cells& cells, const Pulls& pulls) {
  const std::size_t arms = pulls.mean.size();
  const std::size_t group = (arms + kMostColumns - 1) / kMostColumns;
  for (std::size_t first = 0, column = 0; first < arms; first += group, ++column) {
    const std::size_t end = std::min(arms, first + group);
    double sum = 0;
    for (std::size_t arm = first; arm < end; ++arm) sum += pulls.mean[arm];
    const double mean = sum / static_cast<double>(end - first);
    cells.rows.push_back(
        {{kPolicy, pulls.policy},
         {"column", column},
         {"arm", group == 1 ? fmt::format("{}", first) : fmt::format("{}–{}", first, end - 1)},
         {"pulls", mean}});
    cells.columns = std::max(cells.columns, column + 1);
    cells.most = std::max(cells.most, mean);
    if (mean > 0) cells.least = std::min(cells.least, mean);
  }
}

// Arms are numbered along the bottom, every fifth or so where there are many.
Json arm_encoding(const Cells& cells) {
  const std::size_t stride = cells.columns > 10 ? 5 : 1;
  std::string label = fmt::format("datum.value % {} == 0 ? datum.label : ''", stride);
  return {{"field", "column"},
          {"type", "ordinal"},
          {"title", "arm"},
          {"axis", {{"labelAngle", 0}, {"labelExpr", label}, {"domain", false}}}};
}

Json panel_spec(const PullsPanel& panel, const Heading& heading, const Axis& shade,
                const PanelSize& size) {
  Cells cells;
  std::vector<std::string> order;
  for (const Look& look : heading.looks)
    for (const Pulls& pulls : panel.policies)
      if (pulls.policy == look.name) order.push_back(look.name);
  for (const Pulls& pulls : panel.policies) add(cells, pulls);
  Json colours = {
      {"field", "pulls"},
      {"type", "quantitative"},
      {"scale",
       {{"type", "symlog"}, {"domain", {0, shade.high}}, {"scheme", "viridis"}, {"nice", false}}},
      {"legend",
       {{"title", "mean plays of the arm"},
        {"orient", "top"},
        {"gradientLength", 220},
        {"gradientThickness", 10},
        {"values", ticks(shade)},
        {"labelExpr", along(shade, "pulls")["axis"]["labelExpr"]}}}};
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
            {"color", std::move(colours)},
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
