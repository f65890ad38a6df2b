#include "figures/frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figures/axes.h"

namespace armature::figures {
namespace {

// Regrets as the axes show them, and where the axes end.
class View {
 public:
  View(const Frontier& frontier, FrontierAxes axes)
      : horizon_(frontier.setting.horizon),
        normalised_(axes == FrontierAxes::kNormalised && horizon_ > 1),
        across_(axis_of("R₂", "worst world")),
        up_(axis_of("R₁", "benign worlds")) {
    double least_r1 = INFINITY, least_r2 = INFINITY, most_r1 = 0;
    for (const FrontierPoint& point : frontier.points) {
      least_r1 = std::min(least_r1, point.r1);
      least_r2 = std::min(least_r2, point.r2);
      if (says_something(point)) most_r1 = std::max(most_r1, point.r1);
    }
    fit(across_, least_r2, horizon_);
    fit(up_, least_r1, most_r1);
  }

  /// A bound above T says nothing.
  bool says_something(const FrontierPoint& point) const {
    return std::max(point.r1, point.r2) <= horizon_;
  }
  bool normalised() const { return normalised_; }
  const Axis& across() const { return across_; }
  const Axis& up() const { return up_; }
  double operator()(double regret) const {
    return normalised_ ? log_normalised(regret, horizon_).value() : regret;
  }
  /// The position channels, the same in every layer, so that all share one scale.
  Json position() const { return {{"x", along(across_, "x")}, {"y", along(up_, "y")}}; }

 private:
  Axis axis_of(const char* regret, const char* world) const {
    return normalised_
               ? Axis{fmt::format("log {} / log T, {}", regret, world), Scale::kLinear, 0, 1}
               : Axis{fmt::format("{}, {}", regret, world), Scale::kLog, 1, 10};
  }
  void fit(Axis& axis, double least, double most) const {
    constexpr double kBelow = 4;  // for what is out of reach
    constexpr double kAbove = 2;  // for symbols
    axis.low = (*this)(least / kBelow);
    axis.high = (*this)(std::max(most, least) * kAbove);
  }

  double horizon_;
  bool normalised_;
  Axis across_;
  Axis up_;
};

Json rows_of(const Frontier& frontier, const View& view, bool (*wanted)(const FrontierPoint&)) {
  Json rows = Json::array();
  for (const FrontierPoint& point : frontier.points) {
    if (!wanted(point) || !view.says_something(point)) continue;
    rows.push_back({{"series", point.series},
                    {"policy", point.policy},
                    {"kind", kind_name(point.kind)},
                    {"r1", point.r1},
                    {"r2", point.r2},
                    {"x", view(point.r2)},
                    {"y", view(point.r1)}});
  }
  return rows;
}

bool on_frontier(const FrontierPoint& point) { return point.series == "frontier"; }
bool on_lower(const FrontierPoint& point) { return point.series == "lower"; }
bool of_policy(const FrontierPoint& point) { return !point.policy.empty(); }

Json layer(Json rows, Json mark, Json encoding) {
  return {{"data", {{"values", std::move(rows)}}},
          {"mark", std::move(mark)},
          {"encoding", std::move(encoding)}};
}

// Everything below a curve, down to the picture's edge.
Json shaded(Json rows, const View& view, double opacity) {
  for (Json& row : rows) row["floor"] = view.up().low;
  Json encoding = view.position();
  encoding["y2"] = {{"field", "floor"}};
  return layer(
      std::move(rows),
      {{"type", "area"}, {"color", neutral_colour()}, {"opacity", opacity}, {"clip", true}},
      std::move(encoding));
}

// Left of R_2 = sqrt(|A|T) nobody gets, whatever R_1 is.
Json strip_left_of(const Json& frontier_rows, const View& view) {
  const Json row = {{"x", view.across().low},
                    {"x2", frontier_rows.front()["x"]},
                    {"y", view.up().low},
                    {"y2", view.up().high}};
  Json encoding = view.position();
  encoding["x2"] = {{"field", "x2"}};
  encoding["y2"] = {{"field", "y2"}};
  return layer(Json::array({row}),
               {{"type", "rect"}, {"color", neutral_colour()}, {"opacity", 0.15}},
               std::move(encoding));
}

Json frontier_line(const Json& rows, const View& view) {
  return layer(rows,
               {{"type", "line"},
                {"color", neutral_colour()},
                {"strokeDash", Json::array({6, 4})},
                {"clip", true}},
               view.position());
}

// Its formula, below its middle.
Json frontier_label(const Json& rows, const View& view) {
  const Json& middle = rows[rows.size() / 2];
  const Json row = {{"x", middle["x"]},
                    {"y", middle["y"]},
                    {"label", Json::array({"below R₁R₂ = |A|T:", "out of reach as a rate"})}};
  Json encoding = view.position();
  encoding["text"] = {{"field", "label"}, {"type", "nominal"}};
  return layer(Json::array({row}),
               {{"type", "text"},
                {"align", "left"},
                {"baseline", "top"},
                {"dy", 14},
                {"fontSize", 11},
                {"tooltip", nullptr}},
               std::move(encoding));
}

// Explicit bounds: whole lines and filled symbols; rates: dashed lines and hollow ones.
Json policy_marks(Json rows, const View& view, const Looks& looks) {
  std::vector<std::string> names;
  for (const Look& look : looks) names.push_back(look.name);
  const auto of_series = [](Json encoding) {
    encoding["field"] = "series";
    return encoding;
  };
  const Json legend = point_looks(looks, names);
  const Json ink = of_series(colour_only(looks, names));
  Json tooltip = Json::array();
  for (const char* field : {"policy", "kind", "r1", "r2"}) tooltip.push_back({{"field", field}});
  Json layers = Json::array();
  for (const BoundKind kind : {BoundKind::kRate, BoundKind::kExplicit}) {
    const bool rate = kind == BoundKind::kRate;
    const Json these = {
        {{"filter", {{"field", "kind"}, {"equal", kind_name(kind)}}}},
    };
    Json line = view.position(), point = view.position();
    line["stroke"] = ink;
    line["detail"] = {{"field", "series"}};
    point[rate ? "stroke" : "color"] = rate ? ink : of_series(legend["color"]);
    point["shape"] = of_series(legend["shape"]);
    point["tooltip"] = tooltip;
    Json line_mark = {{"type", "line"}, {"strokeWidth", 1.5}, {"clip", true}};
    if (rate) line_mark["strokeDash"] = {5, 3};
    layers.push_back({{"transform", these}, {"mark", line_mark}, {"encoding", std::move(line)}});
    layers.push_back({{"transform", these},
                      {"mark",
                       {{"type", "point"},
                        {"filled", !rate},
                        {"size", 55},
                        {"strokeWidth", rate ? 1.5 : 0},
                        {"opacity", 1},
                        {"clip", true}}},
                      {"encoding", std::move(point)}});
  }
  return {{"data", {{"values", std::move(rows)}}}, {"layer", std::move(layers)}};
}

// Who is in the legend and has no point with constants in the picture.
std::string missing_words(const Frontier& frontier, const View& view, const Looks& looks) {
  std::vector<std::string> missing;
  for (const Look& look : looks) {
    const auto any = [&](bool shown) {
      return std::any_of(frontier.points.begin(), frontier.points.end(),
                         [&](const FrontierPoint& point) {
                           return point.series == look.name && point.kind == BoundKind::kExplicit &&
                                  (!shown || view.says_something(point));
                         });
    };
    if (any(false) && !any(true)) missing.push_back(look.name);
  }
  return missing.empty() ? "" : "with constants above T, so left out: " + join(missing, ", ");
}

}  // namespace

Figure frontier_figure(const Frontier& frontier, FrontierAxes axes, const Looks& looks) {
  const View view(frontier, axes);
  const Setting& s = frontier.setting;
  const std::string title = "The Pareto frontier of benign and worst-case regret";
  const Axis around{"", Scale::kLog, s.horizon / 100, s.horizon * 100};
  Json spec = base_spec(title, fmt::format("|A| = {:.6g}, |Z| = {:.6g}, T = {}", s.actions,
                                           s.contexts, tick_label(around, s.horizon)));
  Json& key = spec["title"]["subtitle"];
  key = Json::array({key, "filled: proved with constants; hollow and dashed: as a rate"});
  if (const std::string missing = missing_words(frontier, view, looks); !missing.empty())
    key.push_back(missing);
  spec["title"]["subtitlePadding"] = 4;
  spec["title"]["offset"] = 12;
  spec["width"] = 520;
  spec["height"] = 400;
  const Json curve = rows_of(frontier, view, on_frontier);
  Json layers = Json::array();
  if (!curve.empty()) {
    layers.push_back(shaded(curve, view, 0.15));
    layers.push_back(strip_left_of(curve, view));
    layers.push_back(frontier_line(curve, view));
    layers.push_back(frontier_label(curve, view));
  }
  const Json lower = rows_of(frontier, view, on_lower);
  if (!lower.empty()) layers.push_back(shaded(lower, view, 0.35));
  layers.push_back(policy_marks(rows_of(frontier, view, of_policy), view, looks));
  spec["layer"] = std::move(layers);
  return {.name = view.normalised() ? "frontier" : "frontier-absolute",
          .title = title,
          .caption =
              "Dashed: R₁·R₂ = |A|T, reached up to logs. Light grey: out of reach as a rate. "
              "Dark grey: excluded by the explicit lower bound, where it is not void. Points "
              "and lines: what is proved for each policy along its dial; filled: explicitly, at "
              "δ = 1/T; hollow and dashed: as a rate with constant 1. Bounds above T say nothing "
              "and are left out.",
          .spec = spec.dump(2) + "\n"};
}

}  // namespace armature::figures
