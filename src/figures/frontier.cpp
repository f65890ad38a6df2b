#include "figures/frontier.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::figures {
namespace {

// Regrets as the axes show them.
class Scale {
 public:
  Scale(const Frontier& frontier, FrontierAxes axes)
      : horizon_(frontier.setting.horizon),
        normalised_(axes == FrontierAxes::kNormalised && horizon_ > 1) {
    for (const FrontierPoint& point : frontier.points) top_ = std::max(top_, (*this)(point.r1));
  }

  bool normalised() const { return normalised_; }
  double top() const { return top_; }  // of the benign regrets
  double operator()(double regret) const {
    return normalised_ ? log_normalised(regret, horizon_).value() : regret;
  }
  /// The position channels, the same in every layer, so that all share one scale.
  Json position() const {
    return {{"x", axis("x", "R₂", "worst world")}, {"y", axis("y", "R₁", "benign worlds")}};
  }

 private:
  Json axis(const char* field, const char* regret, const char* world) const {
    return normalised_ ? quantity(field, fmt::format("log {} / log T, {}", regret, world))
                       : log_quantity(field, fmt::format("{}, {}", regret, world));
  }

  double horizon_;
  bool normalised_;
  double top_ = 0;
};

// The corner of the picture below and left of everything.
struct Corner {
  double x;
  double y;
};

Corner corner_of(const Frontier& frontier, const Scale& scale) {
  double least_r1 = frontier.points.front().r1;
  double least_r2 = frontier.points.front().r2;
  for (const FrontierPoint& point : frontier.points) {
    least_r1 = std::min(least_r1, point.r1);
    least_r2 = std::min(least_r2, point.r2);
  }
  return {scale(least_r2 / 2), scale(least_r1 / 2)};
}

Json rows_of(const Frontier& frontier, const Scale& scale, bool (*wanted)(const FrontierPoint&)) {
  Json rows = Json::array();
  for (const FrontierPoint& point : frontier.points) {
    if (!wanted(point)) continue;
    rows.push_back({{"series", point.series},
                    {"policy", point.policy},
                    {"kind", kind_name(point.kind)},
                    {"r1", point.r1},
                    {"r2", point.r2},
                    {"x", scale(point.r2)},
                    {"y", scale(point.r1)}});
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

Json shaded(Json rows, const Scale& scale, const Corner& corner, double opacity) {
  for (Json& row : rows) row["floor"] = corner.y;
  Json encoding = scale.position();
  encoding["y2"] = {{"field", "floor"}};
  return layer(std::move(rows),
               {{"type", "area"}, {"color", neutral_colour()}, {"opacity", opacity}},
               std::move(encoding));
}

// Left of R_2 = sqrt(|A|T) nobody gets, whatever R_1 is.
Json strip_left_of(const Json& frontier_rows, const Scale& scale, const Corner& corner) {
  const Json row = {
      {"x", corner.x}, {"x2", frontier_rows.front()["x"]}, {"y", corner.y}, {"y2", scale.top()}};
  Json encoding = scale.position();
  encoding["x2"] = {{"field", "x2"}};
  encoding["y2"] = {{"field", "y2"}};
  return layer(Json::array({row}),
               {{"type", "rect"}, {"color", neutral_colour()}, {"opacity", 0.15}},
               std::move(encoding));
}

Json frontier_line(const Json& rows, const Scale& scale) {
  return layer(rows,
               {{"type", "line"}, {"color", neutral_colour()}, {"strokeDash", Json::array({6, 4})}},
               scale.position());
}

Json policy_marks(Json rows, const Scale& scale) {
  Json lines = scale.position();
  lines["color"] = colour_of("series", {"ucb", "c-ucb", "hac-ucb", "db", "sentry", "warden"});
  Json points = lines;
  lines["strokeDash"] = {{"field", "kind"}, {"type", "nominal"}, {"legend", nullptr}};
  points["shape"] = {{"field", "kind"}, {"type", "nominal"}, {"title", "bound"}};
  points["tooltip"] = Json::array();
  for (const char* field : {"policy", "kind", "r1", "r2"})
    points["tooltip"].push_back({{"field", field}});
  Json line_layer = {{"mark", "line"}, {"encoding", std::move(lines)}};
  Json point_layer = {{"mark", "point"}, {"encoding", std::move(points)}};
  return {{"data", {{"values", std::move(rows)}}},
          {"layer", Json::array({std::move(line_layer), std::move(point_layer)})}};
}

}  // namespace

Figure frontier_figure(const Frontier& frontier, FrontierAxes axes) {
  const Scale scale(frontier, axes);
  const Setting& s = frontier.setting;
  const std::string title = "The Pareto frontier of benign and worst-case regret";
  Json spec = base_spec(title, fmt::format("|A| = {:.6g}, |Z| = {:.6g}, T = {:.6g}", s.actions,
                                           s.contexts, s.horizon));
  const Corner corner = corner_of(frontier, scale);
  const Json curve = rows_of(frontier, scale, on_frontier);
  Json layers = Json::array();
  if (!curve.empty()) {
    layers.push_back(shaded(curve, scale, corner, 0.15));
    layers.push_back(strip_left_of(curve, scale, corner));
    layers.push_back(frontier_line(curve, scale));
  }
  const Json lower = rows_of(frontier, scale, on_lower);
  if (!lower.empty()) layers.push_back(shaded(lower, scale, corner, 0.35));
  layers.push_back(policy_marks(rows_of(frontier, scale, of_policy), scale));
  spec["layer"] = std::move(layers);
  return {.name = scale.normalised() ? "frontier" : "frontier-absolute",
          .title = title,
          .caption =
              "Dashed: R₁·R₂ = |A|T, reached up to logs. Light grey: out of reach as a rate. "
              "Dark grey: excluded by the explicit lower bound, where it is not void. Points "
              "and lines: what is proved for each policy along its dial, as a rate with "
              "constant 1 or explicitly at δ = 1/T.",
          .spec = spec.dump(2) + "\n"};
}

}  // namespace armature::figures
