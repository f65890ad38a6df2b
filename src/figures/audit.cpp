#include "figures/audit.h"

#include <algorithm>

#include "base/display.h"
#include "figures/panels.h"

namespace armature::figures {
namespace {

constexpr double kRow = 20;  // pixels
constexpr double kWidest = 520;
constexpr const char* kBlue = "#0871BC";
constexpr const char* kOrange = "#D55E00";

Heading heading_of(const char* name, const std::string& title, const std::string& caption) {
  return {.name = name, .title = title, .caption = caption, .looks = {}};
}

// Names in the order given, not of the alphabet.
Json names_down(const char* field) {
  return {{"field", field},
          {"type", "nominal"},
          {"title", nullptr},
          {"sort", nullptr},
          {"axis", {{"grid", false}, {"domain", false}, {"labelLimit", 180}}}};
}

Json odd_colour() {
  return {{"condition", {{"test", "datum.odd"}, {"value", kOrange}}}, {"value", kBlue}};
}

Json means_panel(const ContextPanel& panel, const PanelAxis& across_panel, const PanelSize& size) {
  Axis axis = labelled_across(across_panel.axis, size.width);
  axis.room = 6;  // dots at 0 stay clear of names
  std::vector<std::string> notes;
  if (across_panel.own) notes.push_back("its own range");
  Json rows = Json::array();
  for (const ActionMean& action : panel.actions)
    rows.push_back({{"action", action.action},
                    {"mean", action.mean},
                    {"low", action.low},
                    {"high", action.high},
                    {"rows", action.rows},
                    {"odd", action.odd}});
  const Json tooltip = {shown_text("action", "action"), shown_number("mean", "mean reward"),
                        shown_number("low", "from"), shown_number("high", "to"),
                        shown_number("rows", "rows")};
  const Json across = along(axis, "mean"), down = names_down("action");
  return {{"title", panel_title(panel.title, size, notes)},
          {"width", size.width},
          {"height", {{"step", kRow}}},
          {"data", {{"values", std::move(rows)}}},
          {"layer",
           {{{"data", {{"values", Json::array({{{"mean", panel.mean}}})}}},
             {"mark", {{"type", "rule"}, {"color", neutral_colour()}, {"strokeDash", {4, 3}}}},
             {"encoding", {{"x", across}}}},
            {{"mark", {{"type", "rule"}, {"strokeWidth", 2}}},
             {"encoding",
              {{"x", along(axis, "low")},
               {"x2", {{"field", "high"}}},
               {"y", down},
               {"color", odd_colour()},
               {"tooltip", tooltip}}}},
            {{"mark", {{"type", "point"}, {"filled", true}, {"size", 50}, {"opacity", 1}}},
             {"encoding",
              {{"x", across}, {"y", down}, {"color", odd_colour()}, {"tooltip", tooltip}}}}}}};
}

}  // namespace

Figure audit_means_figure(const std::vector<ContextPanel>& panels, const std::string& caption) {
  const PanelSize size = panel_size_beside_names(panels.size());
  std::vector<std::vector<double>> values;
  for (const ContextPanel& panel : panels) {
    values.push_back({0, panel.mean});
    for (const ActionMean& action : panel.actions)
      values.back().insert(values.back().end(), {action.low, action.high});
  }
  const std::vector<PanelAxis> axes = shared("mean reward", Scale::kLinear, values);
  Heading heading = heading_of("means", "What each action pays, context by context", caption);
  heading.key = "dot: mean; line: interval; dashes: all actions; orange: differs";
  std::vector<Json> drawn;
  for (std::size_t i = 0; i < panels.size(); ++i)
    drawn.push_back(means_panel(panels[i], axes[i], size));
  return assemble(heading, std::move(drawn), size);
}

Figure audit_marginals_figure(const std::vector<MarginalCell>& cells, const std::string& caption) {
  Json rows = Json::array();
  std::vector<std::string> contexts;
  double most = 0;
  double widest = 0;  // name, in pixels
  for (const MarginalCell& cell : cells) {
    if (std::find(contexts.begin(), contexts.end(), cell.context) == contexts.end())
      contexts.push_back(cell.context);
    widest = std::max(widest, 6.5 * static_cast<double>(display_width(cell.context)));
    most = std::max(most, cell.marginal);
  }
  for (const MarginalCell& cell : cells)
    rows.push_back({{"action", cell.action},
                    {"context", cell.context},
                    {"marginal", cell.marginal},
                    {"rows", cell.rows}});
  // Columns are as wide as their names; where a telephone has no room for that, the names stand
  // aslant.
  const auto columns = static_cast<double>(contexts.size());
  const double wanted = std::max(60.0, widest + 8) * columns;
  constexpr double kNarrowPage = 260;
  const bool slanted = wanted > kNarrowPage;
  const PanelSize size{std::clamp(slanted ? 60 * columns : wanted, 120.0, kWidest), 0, 1};
  Json panel = {{"width", size.width},
                {"height", {{"step", kRow}}},
                {"data", {{"values", std::move(rows)}}},
                {"mark", {{"type", "rect"}}},
                {"encoding",
                 {{"x",
                   {{"field", "context"},
                    {"type", "nominal"},
                    {"title", "context"},
                    {"sort", nullptr},
                    {"scale", {{"paddingInner", 0.06}}},
                    {"axis", {{"labelAngle", slanted ? -45 : 0}, {"labelLimit", 160}}}}},
                  {"y", names_down("action")},
                  {"color",
                   {{"field", "marginal"},
                    {"type", "quantitative"},
                    {"scale", {{"domain", {0, most}}, {"scheme", "viridis"}, {"nice", false}}},
                    {"legend",
                     {{"title", "share of the action's rows"},
                      {"orient", "top"},
                      {"gradientLength", 200},
                      {"gradientThickness", 12},
                      {"tickCount", 4}}}}},
                  {"tooltip",
                   {shown_text("action", "action"), shown_text("context", "context"),
                    shown_number("marginal", "share"), shown_number("rows", "rows")}}}}};
  return assemble(heading_of("marginals", "Where each action leads", caption), {panel}, size);
}

Figure audit_power_figure(const std::vector<PowerCurvePoint>& points, double smallest,
                          const std::string& caption) {
  const PanelSize size{kWidest, 260, 1};
  Json rows = Json::array();
  std::vector<double> across;
  for (const PowerCurvePoint& point : points) {
    rows.push_back({{"violation", point.violation}, {"power", point.power}});
    across.push_back(point.violation);
  }
  const Axis x = labelled_across(
      exact("shift of an action's rewards, in every context", Scale::kLinear, across), size.width);
  Axis y{.title = "probability that it shows", .low = 0, .high = 1};
  y.chosen_ticks = {0, 0.2, 0.4, 0.6, 0.8, 1};
  Json layers = Json::array();
  layers.push_back(
      {{"mark", {{"type", "line"}, {"color", kBlue}}},
       {"encoding",
        {{"x", along(x, "violation")},
         {"y", along(y, "power")},
         {"tooltip", {shown_number("violation", "shift"), shown_number("power", "power")}}}}});
  if (smallest <= 1) {
    const Json here = {{"values", Json::array({{{"violation", smallest}, {"power", 0.8}}})}};
    layers.push_back(
        {{"data", here},
         {"mark", {{"type", "rule"}, {"color", neutral_colour()}, {"strokeDash", {4, 3}}}},
         {"encoding", {{"x", along(x, "violation")}}}});
    layers.push_back(
        {{"data", here},
         {"mark",
          {{"type", "point"}, {"filled", true}, {"size", 80}, {"color", kOrange}, {"opacity", 1}}},
         {"encoding", {{"x", along(x, "violation")}, {"y", along(y, "power")}}}});
  }
  const Json panel = {{"width", size.width},
                      {"height", size.height},
                      {"data", {{"values", std::move(rows)}}},
                      {"layer", std::move(layers)}};
  return assemble(heading_of("power", "What these data would have shown", caption), {panel}, size);
}

}  // namespace armature::figures
