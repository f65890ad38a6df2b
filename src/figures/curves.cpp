#include "figures/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace armature::figures {
namespace {

// Of a line over time the beginning matters least. Where it is in the way of the rest, for regret
// of 0 has no place on a logarithmic axis and the first regrets after it are tiny, the lowest tenth
// of the points may rise from below the edge; where lines end is shown always.
std::vector<double> without_beginnings(const CurvePanel& panel) {
  std::vector<double> means, ends;
  for (const Curve& curve : panel.curves) {
    for (const MeanPoint& point : curve.points)
      if (point.mean > 0) means.push_back(point.mean);
    if (!curve.points.empty()) ends.push_back(curve.points.back().mean);
  }
  std::sort(means.begin(), means.end());
  means.erase(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(means.size() / 10));
  means.insert(means.end(), ends.begin(), ends.end());
  return means;
}

// What decides the range: means, and the upper ends of their intervals.
std::vector<double> measured(const CurvePanel& panel, const CurveAxes& axes) {
  std::vector<double> values;
  bool zero = false;
  for (const Curve& curve : panel.curves)
    for (const MeanPoint& point : curve.points) {
      values.push_back(point.mean);
      zero = zero || point.mean <= 0;
      if (axes.every_point || axes.up != Scale::kLog) values.push_back(point.high);
    }
  return zero && axes.up == Scale::kLog && !axes.every_point ? without_beginnings(panel) : values;
}

struct Bounds {
  std::vector<Json> layers;
  std::vector<EndLabel> labels;
  std::vector<std::string> notes;  // on those that end outside the plot
};

Json bound_layer(const Looks& looks, const BoundCurve& bound, const Axis& across, const Axis& up) {
  Json rows = Json::array();
  for (const BoundPoint& point : bound.points)
    rows.push_back({{"x", point.x}, {"bound", point.value}, {kPolicy, bound.policy}});
  return {{"data", {{"values", std::move(rows)}}},
          {"mark",
           {{"type", "line"},
            {"strokeDash", {4, 3}},
            {"strokeWidth", 1.5},
            {"color", colour(look_of(looks, bound.policy))},
            {"clip", true}}},
          {"encoding",
           {{"x", along(across, "x")},
            {"y", along(up, "bound")},
            {"tooltip",
             {shown_text(kPolicy, "bound for"), shown_number("x", across.title),
              shown_number("bound", "regret at most")}}}}};
}

// "bound of db: 31M, above"
void note_bounds(std::vector<std::string>& notes, const std::vector<std::string>& names,
                 const std::vector<std::string>& values, const char* where) {
  if (names.empty()) return;
  if (names.size() == 1) {
    notes.push_back(fmt::format("bound of {}: {}{}", names[0], values[0], where));
    return;
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i)
    parts.push_back(names[i] + "\u00a0" + values[i]);  // one word
  notes.push_back(fmt::format("bounds of {}{}", join(parts, "; "), where));
}

// Bounds have no say in the range of an axis. What of them falls inside is drawn; one that ends
// outside is told in words.
Bounds bounds_of(const Looks& looks, const CurvePanel& panel, const Axis& across, const Axis& up) {
  Bounds result;
  for (const int side : {1, 0, -1}) {
    std::vector<std::string> names, values;
    for (const BoundCurve& bound : panel.bounds) {
      if (bound.points.empty()) continue;
      const double last = bound.points.back().value;
      if (side_of(up, last) != side) continue;
      const bool drawn =
          bound.points.size() > 1 &&
          std::any_of(bound.points.begin(), bound.points.end(),
                      [&](const BoundPoint& point) { return side_of(up, point.value) == 0; });
      if (drawn) result.layers.push_back(bound_layer(looks, bound, across, up));
      if (drawn && side == 0) {
        result.labels.push_back({bound.policy, bound.policy + " bound", last});
      } else {
        names.push_back(bound.policy);
        values.push_back(short_number(last));
      }
    }
    note_bounds(result.notes, names, values, side > 0 ? ", above" : side < 0 ? ", below" : "");
  }
  return result;
}

// Whether a point outside the plot is marked: where each point is data of its own, all of them;
// else where the line leaves the plot and where it ends. Where it enters, that is seen.
bool is_marked(const Curve& curve, std::size_t index, const CurveAxes& axes, const Axis& up) {
  const auto inside = [&](std::size_t i) { return side_of(up, curve.points[i].mean) == 0; };
  const std::size_t last = curve.points.size() - 1;
  if (inside(index)) return false;
  if (index == last || (axes.every_point && !curve.level)) return true;
  return index > 0 && inside(index - 1);
}

std::vector<EdgeMark> outside(const CurvePanel& panel, const CurveAxes& axes, const Axis& across,
                              const Axis& up, bool named) {
  std::vector<EdgeMark> marks;
  for (const Curve& curve : panel.curves)
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      if (!is_marked(curve, i, axes, up)) continue;
      const MeanPoint& point = curve.points[i];
      EdgeMark mark;
      mark.policy = curve.policy;
      mark.edge = side_of(up, point.mean) < 0 ? Edge::kBottom : Edge::kTop;
      mark.value = point.mean;
      mark.row = curve_row(curve, point, axes.x_field, up);
      mark.along = place_of(across, point.x);
      mark.silent = named && i + 1 == curve.points.size();
      marks.push_back(std::move(mark));
    }
  return marks;
}

// A line that ends off the axis has its value beside its name.
std::vector<EndLabel> names_at_ends(const CurvePanel& panel, const Axis& up) {
  std::vector<EndLabel> labels;
  for (const Curve& curve : panel.curves) {
    if (curve.points.empty()) continue;
    const double last = curve.points.back().mean;
    const std::string value = side_of(up, last) == 0 ? "" : ": " + short_number(last);
    labels.push_back({curve.policy, curve.policy + value, last});
  }
  return labels;
}

bool all_end_at_the_right(const CurvePanel& panel, const Axis& across) {
  return std::all_of(panel.curves.begin(), panel.curves.end(), [&](const Curve& curve) {
    return curve.points.empty() || curve.points.back().x == across.high;
  });
}

}  // namespace

CurveFrames curve_frames(const Looks& looks, const std::vector<CurvePanel>& panels,
                         const CurveAxes& axes, const PanelSize& size) {
  std::vector<std::vector<double>> values;
  for (const CurvePanel& panel : panels) values.push_back(measured(panel, axes));
  const std::vector<PanelAxis> up = shared(axes.up_title, axes.up, values);
  std::vector<Bounds> bounds;
  CurveFrames frames;
  frames.named = true;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    bounds.push_back(bounds_of(looks, panels[i], axes.across[i], up[i].axis));
    frames.named = frames.named && all_end_at_the_right(panels[i], axes.across[i]) &&
                   labels_fit(panels[i].curves.size() + bounds[i].labels.size(), size);
  }
  for (std::size_t i = 0; i < panels.size(); ++i) {
    CurveFrame frame{axes.across[i], up[i].axis, {}, std::move(bounds[i].layers), {}};
    std::vector<std::string> notes;
    if (up[i].own) notes.push_back("its own vertical range");
    notes.insert(notes.end(), bounds[i].notes.begin(), bounds[i].notes.end());
    frame.title = panel_title(panels[i].title, size, notes);
    std::vector<EndLabel> labels =
        frames.named ? names_at_ends(panels[i], frame.up) : std::vector<EndLabel>{};
    // Beside a legend, which has its colour, a bound needs no label.
    if (frames.named) labels.insert(labels.end(), bounds[i].labels.begin(), bounds[i].labels.end());
    frame.labels = end_labels(looks, labels, frame.up, size);
    for (Json& layer :
         edge_marks(looks, outside(panels[i], axes, frame.across, frame.up, frames.named),
                    along(frame.across, axes.x_field), along(frame.up, "shown")))
      frame.labels.push_back(std::move(layer));
    frames.panels.push_back(std::move(frame));
  }
  return frames;
}

Json curve_row(const Curve& curve, const MeanPoint& point, const std::string& x_field,
               const Axis& up) {
  return {{kPolicy, curve.policy},
          {x_field, point.x},
          {"mean", point.mean},
          {"low", point.low},
          {"high", point.high},
          {"shown", kept_inside(up, point.mean)},
          {"shown_low", kept_inside(up, point.low)},
          {"shown_high", kept_inside(up, point.high)},
          {"inside", side_of(up, point.mean) == 0}};
}

std::vector<MeanPoint> from_entry(const Curve& curve, const Axis& up) {
  const auto entry =
      std::find_if(curve.points.begin(), curve.points.end(),
                   [&](const MeanPoint& point) { return side_of(up, point.mean) == 0; });
  if (entry == curve.points.begin() || entry == curve.points.end()) return curve.points;
  return {entry - 1, curve.points.end()};
}

std::vector<std::string> policies_of(const std::vector<CurvePanel>& panels) {
  std::vector<std::string> names;
  for (const CurvePanel& panel : panels)
    for (const Curve& curve : panel.curves) names.push_back(curve.policy);
  return names;
}

std::vector<double> places_across(const CurvePanel& panel) {
  std::vector<double> places;
  for (const Curve& curve : panel.curves)
    for (const MeanPoint& point : curve.points) places.push_back(point.x);
  return places;
}

}  // namespace armature::figures
