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
        normalised_(axes == FrontierAxes::kNormalised && horizon_ > 1) {}

  bool normalised() const { return normalised_; }
  double operator()(double regret) const {
    return normalised_ ? log_normalised(regret, horizon_).value() : regret;
  }
  Json axis(const char* field, const char* regret, const char* world) const {
    return normalised_ ? quantity(field, fmt::format("log {} / log T, {}", regret, world))
                       : log_quantity(field, fmt::format("{}, {}", regret, world));
  }

 private:
  double horizon_;
  bool normalised_;
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
                    {"kind", point.kind == BoundKind::kRate ? "rate" : "explicit"},
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

Json shaded(Json rows, const Corner& corner, double opacity) {
  for (Json& row : rows) row["floor"] = corner.y;
  return {{"data", {{"values", std::move(rows)}}},
          {"mark", {{"type", "area"}, {"color", neutral_colour()}, {"opacity", opacity}}},
          {"encoding",
           {{"x", {{"field", "x"}, {"type", "quantitative"}}},
            {"y", {{"field", "y"}, {"type", "quantitative"}}},
            {"y2", {{"field", "floor"}}}}}};
}

// Left of R_2 = sqrt(|A|T) nobody gets, whatever R_1 is.
Json strip_left_of(const Json& frontier_rows, const Corner& corner) {
  const Json row = {{"x", corner.x},
                    {"x2", frontier_rows.front()["x"]},
                    {"y", corner.y},
                    {"y2", frontier_rows.front()["y"]}};
  return {{"data", {{"values", Json::array({row})}}},
          {"mark", {{"type", "rect"}, {"color", neutral_colour()}, {"opacity", 0.15}}},
          {"encoding",
           {{"x", {{"field", "x"}, {"type", "quantitative"}}},
            {"x2", {{"field", "x2"}}},
            {"y", {{"field", "y"}, {"type", "quantitative"}}},
            {"y2", {{"field", "y2"}}}}}};
}

Json frontier_line(const Json& rows) {
  return {{"data", {{"values", rows}}},
          {"mark",
           {{"type", "line"}, {"color", neutral_colour()}, {"strokeDash", Json::array({6, 4})}}},
          {"encoding",
           {{"x", {{"field", "x"}, {"type", "quantitative"}}},
            {"y", {{"field", "y"}, {"type", "quantitative"}}}}}};
}

Json policy_marks(Json rows, const Scale& scale) {
  const std::vector<std::string> names = {"ucb", "c-ucb", "hac-ucb", "db", "sentry"};
  Json encoding = {{"x", scale.axis("x", "R₂", "worst world")},
                   {"y", scale.axis("y", "R₁", "benign worlds")},
                   {"color", colour_of("series", names)}};
  Json lines = encoding;
  lines["strokeDash"] = {{"field", "kind"}, {"type", "nominal"}, {"legend", nullptr}};
  Json points = encoding;
  points["shape"] = {{"field", "kind"}, {"type", "nominal"}, {"title", "bound"}};
  points["tooltip"] = Json::array(
      {{{"field", "policy"}}, {{"field", "kind"}}, {{"field", "r1"}}, {{"field", "r2"}}});
  return {{"data", {{"values", std::move(rows)}}},
          {"layer", Json::array({{{"mark", "line"}, {"encoding", std::move(lines)}},
                                 {{"mark", "point"}, {"encoding", std::move(points)}}})}};
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
    layers.push_back(shaded(curve, corner, 0.15));
    layers.push_back(strip_left_of(curve, corner));
    layers.push_back(frontier_line(curve));
  }
  const Json lower = rows_of(frontier, scale, on_lower);
  if (!lower.empty()) layers.push_back(shaded(lower, corner, 0.35));
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
