#include "figures/plane.h"

// Labels are placed by hand, in pixels: each takes the first of its candidate places where it
// covers no point, no line and no label before it.
#include <algorithm>
#include <cmath>

#include "armature/theory.h"
#include "base/mathematics.h"

namespace armature::figures {
namespace {

constexpr int kCurvePoints = 60;
constexpr const char* kFormula = "R₁R₂ = |A|T";

struct Plane {
  Axis worst;   // across
  Axis benign;  // up
};

// --- Ranges --------------------------------------------------------------------------------------

// Symbols at the edge stay whole: a twentieth of the axis is left free at its ends.
Axis roomy(Axis axis) {
  const double room = portable::pow(axis.high / axis.low, 0.05);
  axis.low /= room;
  axis.high *= room;
  return axis;
}

// R₁ measured, and the frontier below or above it where that is near: else it would decide.
std::vector<double> heights(const PlanePanel& panel) {
  constexpr double kNear = 30;
  const double product = panel.actions * panel.horizon, root = std::sqrt(product);
  std::vector<double> values, measured;
  for (const PlanePoint& point : panel.points) {
    values.push_back(point.benign);
    if (point.benign > 0) measured.push_back(point.benign);
  }
  if (measured.empty()) return values;
  const auto [least, most] = std::minmax_element(measured.begin(), measured.end());
  for (const PlanePoint& point : panel.points) {
    // Within the frontier's own range.
    const double there = product / std::clamp(point.worst, root, std::max(root, panel.horizon));
    if (there >= *least / kNear && there <= *most * kNear) values.push_back(there);
  }
  return values;
}

// One range for all panels, that they compare at sight, but for those it would shrink to a corner.
std::vector<Plane> planes_of(const std::vector<PlanePanel>& panels, const PanelSize& size) {
  constexpr double kLeastFilled = 0.5;
  std::vector<std::vector<double>> worst, benign;
  for (const PlanePanel& panel : panels) {
    benign.push_back(heights(panel));
    worst.emplace_back();
    for (const PlanePoint& point : panel.points) worst.back().push_back(point.worst);
  }
  const auto across = shared("worst-case regret R₂", Scale::kLog, worst, kLeastFilled);
  const auto up = shared("benign regret R₁", Scale::kLog, benign, kLeastFilled);
  std::vector<Plane> planes;
  for (std::size_t i = 0; i < panels.size(); ++i)
    planes.push_back({labelled_across(roomy(across[i].axis), size.width), roomy(up[i].axis)});
  return planes;
}

bool is_inside(const PlanePoint& point, const Plane& plane) {
  return side_of(plane.worst, point.worst) == 0 && side_of(plane.benign, point.benign) == 0;
}

std::vector<EdgeMark> outside(const PlanePanel& panel, const Plane& plane) {
  std::vector<EdgeMark> marks;
  for (const PlanePoint& point : panel.points) {
    if (is_inside(point, plane)) continue;
    const double worst = kept_inside(plane.worst, point.worst);
    const double benign = kept_inside(plane.benign, point.benign);
    const int across = side_of(plane.worst, point.worst), up = side_of(plane.benign, point.benign);
    const bool upright = up != 0;  // a point off both axes is marked below or above the plot
    marks.push_back(
        {.policy = point.policy,
         .edge = upright ? (up < 0 ? Edge::kBottom : Edge::kTop)
                         : (across < 0 ? Edge::kLeft : Edge::kRight),
         .value = upright ? point.benign : point.worst,
         .row = {{"worst", worst}, {"benign", benign}},
         .along = upright ? place_of(plane.worst, worst) : place_of(plane.benign, benign)});
  }
  return marks;
}

// --- The frontier and what is excluded -----------------------------------------------------------

struct FrontierSpot {
  double worst;
  double benign;
};

// R_1·R_2 = |A|T from R_2 = √(|A|T) to T: up to a constant nobody with R_2 ≤ T/641 is below it.
std::vector<FrontierSpot> frontier_of(const PlanePanel& panel) {
  const double product = panel.actions * panel.horizon;
  const double from = portable::log(std::sqrt(product)), to = portable::log(panel.horizon);
  std::vector<FrontierSpot> curve;
  for (int i = 0; i <= kCurvePoints && to > from; ++i) {
    const double worst = portable::exp(from + (to - from) * i / kCurvePoints);
    curve.push_back({worst, product / worst});
  }
  return curve;
}

Json frontier_layer(const std::vector<FrontierSpot>& curve, const Plane& plane) {
  Json rows = Json::array();
  for (const FrontierSpot& point : curve)
    rows.push_back({{"worst", point.worst}, {"benign", point.benign}, {"what", kFormula}});
  return {{"data", {{"values", std::move(rows)}}},
          {"mark",
           {{"type", "line"},
            {"strokeDash", {6, 4}},
            {"strokeWidth", 1.5},
            {"color", neutral_colour()},
            {"clip", true}}},
          {"encoding",
           {{"x", along(plane.worst, "worst")},
            {"y", along(plane.benign, "benign")},
            {"tooltip", {shown_text("what", "frontier")}}}}};
}

// Where it does not pass through the panel, what it would have shown is said.
std::string out_of_sight(const PlanePanel& panel, const std::vector<FrontierSpot>& curve,
                         const Plane& plane) {
  const auto inside = [](const Axis& axis, double value) {
    return value >= axis.low && value <= axis.high;
  };
  if (curve.empty() || std::any_of(curve.begin(), curve.end(), [&](const FrontierSpot& spot) {
        return inside(plane.worst, spot.worst) && inside(plane.benign, spot.benign);
      }))
    return "";
  const PlanePoint& any = panel.points.front();
  const bool below = any.worst * any.benign > panel.actions * panel.horizon;
  return std::string(kFormula) + (below ? " lies far below" : " lies far above");
}

// Pairs below this curve are excluded by proof, constants and all; void at short horizons. What
// would be a sliver at the panel's edge is none to look at.
Json excluded_rows(const PlanePanel& panel, const Plane& plane) {
  constexpr double kSliver = 0.08;  // of the panel's width or height
  Json rows = Json::array();
  double height = 0;
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double worst = value_at(plane.worst, static_cast<double>(i) / kCurvePoints);
    Setting setting;
    setting.actions = panel.actions;
    setting.contexts = panel.contexts;
    setting.horizon = panel.horizon;
    setting.r2 = std::max(worst, std::sqrt(panel.actions * panel.horizon));
    if (*setting.r2 > panel.horizon) continue;
    const std::optional<double> lower = frontier_lower_sharp(setting);
    if (!lower || *lower <= plane.benign.low) continue;
    rows.push_back({{"worst", worst}, {"benign", *lower}, {"floor", plane.benign.low}});
    height = std::max(height, place_of(plane.benign, *lower));
  }
  const double width = static_cast<double>(rows.size()) / kCurvePoints;
  return width < kSliver || height < kSliver ? Json::array() : rows;
}

Json excluded_layer(Json rows, const Plane& plane) {
  return {{"data", {{"values", std::move(rows)}}},
          {"mark",
           {{"type", "area"},
            {"color", neutral_colour()},
            {"opacity", 0.25},
            {"clip", true},
            {"tooltip", "excluded by the lower bound"}}},
          {"encoding",
           {{"x", along(plane.worst, "worst")},
            {"y", along(plane.benign, "benign")},
            {"y2", {{"field", "floor"}}}}}};
}

// --- Labels --------------------------------------------------------------------------------------

// Pixels from the left and from the top of the panel.
struct Spot {
  double x;
  double y;
};
struct TextArea {
  double left, top, right, bottom;
  bool covers(const Spot& spot, double margin) const {
    return spot.x > left - margin && spot.x < right + margin && spot.y > top - margin &&
           spot.y < bottom + margin;
  }
};

class Labels {
 public:
  Labels(const Plane& plane, const PanelSize& size) : plane_(&plane), size_(size) {}

  Spot spot_of(double worst, double benign) const {
    return {place_of(plane_->worst, worst) * size_.width,
            (1 - place_of(plane_->benign, benign)) * size_.height};
  }
  void avoid(const Spot& spot) { taken_.push_back(spot); }
  void avoid_point(const Spot& at) {
    points_.push_back(at);
    for (const double x : {-5, 0, 5})
      for (const double y : {-5, 0, 5}) avoid({at.x + x, at.y + y});
  }
  void avoid_line(const Spot& from, const Spot& to) {
    const double steps = std::ceil(std::max(std::abs(to.x - from.x), std::abs(to.y - from.y)) / 3);
    for (double i = 0; i <= steps; ++i) {
      const double share = steps == 0 ? 0 : i / steps;
      avoid({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
    }
  }

  /// At the best of these places, each the middle of the text's left end. One that is not `needed`
  /// is left out where nothing is free. `apart`: how far it stays from points, lest it be taken for
  /// the name of one.
  void add(const std::string& text, std::size_t letters, const std::vector<Spot>& candidates,
           bool needed, double apart = 0) {
    std::size_t fewest = SIZE_MAX;
    Spot best{};
    for (const Spot& spot : candidates)
      if (const std::size_t covered = covered_by(box_of(spot, letters), apart); covered < fewest) {
        fewest = covered;
        best = spot;
      }
    if (fewest == SIZE_MAX || (fewest > 0 && !needed)) return;
    const TextArea box = box_of(best, letters);
    for (double x = box.left; x <= box.right; x += 3)
      for (const double y : {box.top, best.y, box.bottom}) avoid({x, y});
    rows_.push_back({{"worst", value_at(plane_->worst, best.x / size_.width)},
                     {"benign", value_at(plane_->benign, 1 - best.y / size_.height)},
                     {"label", text}});
  }

  /// Around a point: right, left, above, below, then the corners.
  static std::vector<Spot> around(const Spot& at, std::size_t letters) {
    const double width = kLetter * static_cast<double>(letters), gap = 9, up = 14;
    return {{at.x + gap, at.y},
            {at.x - gap - width, at.y},
            {at.x - width / 2, at.y - up},
            {at.x - width / 2, at.y + up},
            {at.x + gap / 2, at.y - up},
            {at.x + gap / 2, at.y + up},
            {at.x - gap / 2 - width, at.y - up},
            {at.x - gap / 2 - width, at.y + up}};
  }
  static double width_of(std::size_t letters) { return kLetter * static_cast<double>(letters); }

  Json layer() const {
    return {{"data", {{"values", rows_}}},
            {"mark",
             {{"type", "text"},
              {"align", "left"},
              {"baseline", "middle"},
              {"fontSize", 11},
              {"tooltip", nullptr}}},
            {"encoding",
             {{"x", along(plane_->worst, "worst")},
              {"y", along(plane_->benign, "benign")},
              {"text", {{"field", "label"}, {"type", "nominal"}}}}}};
  }

 private:
  static constexpr double kLetter = 6;  // its mean width in pixels
  static constexpr double kHalf = 6;    // half the height of a line of text

  static TextArea box_of(const Spot& spot, std::size_t letters) {
    return {spot.x, spot.y - kHalf, spot.x + width_of(letters), spot.y + kHalf};
  }
  std::size_t covered_by(const TextArea& box, double apart) const {
    if (box.left < 2 || box.right > size_.width || box.top < 0 || box.bottom > size_.height)
      return SIZE_MAX;
    const auto count = [&](const std::vector<Spot>& spots, double margin) {
      return static_cast<std::size_t>(std::count_if(
          spots.begin(), spots.end(), [&](const Spot& spot) { return box.covers(spot, margin); }));
    };
    // To be struck is worse than to stand near.
    return 100 * count(taken_, 3) + count(points_, apart);
  }

  const Plane* plane_;
  PanelSize size_;
  std::vector<Spot> taken_;
  std::vector<Spot> points_;
  Json rows_ = Json::array();
};

// Beside the frontier, right above or left below it, where there is room.
void label_frontier(Labels& labels, const std::vector<FrontierSpot>& curve) {
  constexpr std::size_t kLetters = 11;
  std::vector<Spot> candidates;
  for (const double side : {1.0, -1.0})
    for (std::size_t i = 4; i < curve.size(); i += 4) {
      const Spot spot = labels.spot_of(curve[i].worst, curve[i].benign);
      candidates.push_back(side > 0 ? Spot{spot.x + 8, spot.y - 9}
                                    : Spot{spot.x - 8 - Labels::width_of(kLetters), spot.y + 9});
    }
  labels.add(kFormula, kLetters, candidates, true, 20);
}

// The settings of each dial: its first with the dial's name, its last, and those between that have
// room.
void label_dials(Labels& labels, const std::vector<PlanePoint>& points) {
  const auto add = [&](std::size_t i, bool needed) {
    const PlanePoint& point = points[i];
    const bool first = i == 0 || points[i - 1].policy != point.policy;
    const std::string text = first ? point.dial + " = " + point.setting : point.setting;
    labels.add(text, text.size(),
               Labels::around(labels.spot_of(point.worst, point.benign), text.size()), needed);
  };
  for (const bool ends : {true, false})
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].dial.empty()) continue;
      const bool end = i == 0 || i + 1 == points.size() ||
                       points[i - 1].policy != points[i].policy ||
                       points[i + 1].policy != points[i].policy;
      if (end == ends) add(i, end);
    }
}

Json label_layer(const PlanePanel& panel, const std::vector<FrontierSpot>& curve,
                 const Plane& plane, const PanelSize& size) {
  Labels labels(plane, size);
  const auto spot = [&](const auto& point) { return labels.spot_of(point.worst, point.benign); };
  for (std::size_t i = 1; i < curve.size(); ++i)
    labels.avoid_line(spot(curve[i - 1]), spot(curve[i]));
  std::vector<PlanePoint> points;  // those outside are marked, and named, at the edge
  for (const PlanePoint& point : panel.points)
    if (is_inside(point, plane)) points.push_back(point);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Spot at = spot(points[i]);
    labels.avoid_point(at);
    if (i > 0 && points[i - 1].policy == points[i].policy)
      labels.avoid_line(spot(points[i - 1]), at);
  }
  label_dials(labels, points);
  if (out_of_sight(panel, curve, plane).empty()) label_frontier(labels, curve);
  return labels.layer();
}

// --- Points --------------------------------------------------------------------------------------

Json rows_of(const PlanePanel& panel, const Plane& plane) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < panel.points.size(); ++i) {
    const PlanePoint& point = panel.points[i];
    if (!is_inside(point, plane)) continue;
    rows.push_back({{kPolicy, point.policy},
                    {"member", point.member},
                    {"order", i},
                    {"benign", point.benign},
                    {"benign_low", point.benign_low},
                    {"benign_high", point.benign_high},
                    {"worst", point.worst},
                    {"worst_low", point.worst_low},
                    {"worst_high", point.worst_high}});
  }
  return rows;
}

Json point_layers(const PlaneFigure& input, const PlanePanel& panel, const Plane& plane,
                  const std::vector<std::string>& names) {
  const Json looks = point_looks(input.heading.looks, names);
  const Json rows = {{"values", rows_of(panel, plane)}};
  const Json x = along(plane.worst, "worst"), y = along(plane.benign, "benign");
  Json line = {
      {"data", rows},
      {"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"clip", true}, {"tooltip", nullptr}}},
      {"encoding",
       {{"x", x},
        {"y", y},
        {"stroke", colour_only(input.heading.looks, names)},
        {"order", {{"field", "order"}, {"type", "quantitative"}}}}}};
  Json point = {
      {"data", rows},
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 75}, {"opacity", 1}, {"clip", true}}},
      {"encoding",
       {{"x", x},
        {"y", y},
        {"tooltip",
         {shown_text("member", "policy"), shown_number("benign", "benign regret R₁"),
          shown_number("benign_low", "interval from"), shown_number("benign_high", "to"),
          shown_number("worst", "worst-case regret R₂"),
          shown_number("worst_low", "interval from "), shown_number("worst_high", "to ")}}}}};
  point["encoding"].update(looks);
  return {line, point};
}

Json panel_spec(const PlaneFigure& input, const PlanePanel& panel, const Plane& plane,
                const std::vector<std::string>& names, const PanelSize& size) {
  const std::vector<FrontierSpot> curve = frontier_of(panel);
  std::vector<std::string> notes = panel.notes;
  if (const std::string unseen = out_of_sight(panel, curve, plane); !unseen.empty())
    notes.push_back(unseen);
  Json layers = Json::array();
  Json excluded = excluded_rows(panel, plane);
  if (!excluded.empty()) layers.push_back(excluded_layer(std::move(excluded), plane));
  layers.push_back(frontier_layer(curve, plane));
  for (Json& layer : point_layers(input, panel, plane, names)) layers.push_back(std::move(layer));
  for (Json& layer : edge_marks(input.heading.looks, outside(panel, plane),
                                along(plane.worst, "worst"), along(plane.benign, "benign")))
    layers.push_back(std::move(layer));
  layers.push_back(label_layer(panel, curve, plane, size));
  return {{"title", panel_title(panel.title, size, notes)},
          {"width", size.width},
          {"height", size.height},
          {"layer", std::move(layers)}};
}

}  // namespace

Figure plane_figure(const PlaneFigure& input) {
  PanelSize size = panel_size(input.panels.size());
  size.height = std::round(size.width * 0.85);
  std::vector<std::string> names;
  for (const PlanePanel& panel : input.panels)
    for (const PlanePoint& point : panel.points) names.push_back(point.policy);
  const std::vector<Plane> planes = planes_of(input.panels, size);
  std::vector<Json> panels;
  for (std::size_t i = 0; i < input.panels.size(); ++i)
    panels.push_back(panel_spec(input, input.panels[i], planes[i], names, size));
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
