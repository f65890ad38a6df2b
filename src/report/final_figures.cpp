#include "report/final_figures.h"

// A cell lies in the panel of everything it shares with others but x, on the line of its policy
// without x, at its own x. All three come from the names' structure, never from cutting up labels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "figures/final.h"
#include "report/cell_bound.h"

namespace armature {
namespace {

using figures::Scale;
// Along its own parameter a sweep is shown whole: its members are the points of one line there, and
// thinning them would leave gaps in it.
bool is_policy_parameter(const PlannedCell& cell, const std::string& key) {
  return std::any_of(cell.policy_name.varied.begin(), cell.policy_name.varied.end(),
                     [&](const auto& pair) { return pair.first == key; });
}

// The symbols are those of the specification. A parameter of a family or a policy keeps its name.
std::string x_title(const std::string& x) {
  if (x == "horizon") return "horizon T";
  if (x == "actions") return "number of actions |A|";
  if (x == "contexts") return "number of contexts |Z|";
  if (x == "gap") return "gap Δ";
  if (x == "epsilon") return "error of the given marginals ε";
  if (x == "delay") return "delay of outcomes, in rounds";
  if (x == "loss") return "share of outcomes that never come";
  return x;
}

// Everything with at least two values that are numbers: the horizon, then grid keys in file order.
std::vector<std::string> what_varies(const StudyPlan& plan) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& key) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  };
  add("horizon");
  for (const PlannedCell& cell : plan.cells)
    for (const WrittenValues* values :
         {&cell.instance_name.varied, &cell.instance_name.conditions, &cell.policy_name.varied})
      for (const auto& [key, value] : *values) add(key);
  // By value and not as written: 1e3 and 1000 are one, and words have no place on an axis.
  std::erase_if(keys, [&](const std::string& key) {
    std::vector<double> values;
    for (const PlannedCell& cell : plan.cells)
      if (const auto x = cell.x(key)) values.push_back(*x);
    std::sort(values.begin(), values.end());
    return std::unique(values.begin(), values.end()) - values.begin() < 2;
  });
  return keys;
}

// What a cell with this x shares a panel with, and what its line is called.
std::string panel_of(const PlannedCell& cell, const std::string& x) {
  return cell.instance_name.without({x});
}
std::string curve_of(const PlannedCell& cell, const std::string& x) {
  return cell.policy_name.without({x});
}

// By search and not by a map: panels and lines keep the order of the plan, which legends follow.
// The reference holds until the next item is added.
template <class Item, class Name>
Item& found_or_added(std::vector<Item>& items, const std::string& name, Name&& name_of) {
  for (Item& item : items)
    if (name_of(item) == name) return item;
  items.emplace_back();
  name_of(items.back()) = name;
  return items.back();
}

// A number that some policy varies belongs to that policy: the others have no place along it, even
// where their world has a number of the same name.
std::optional<double> place_of(const StudyPlan& plan, const PlannedCell& cell,
                               const std::string& x) {
  const bool of_policies =
      std::any_of(plan.cells.begin(), plan.cells.end(),
                  [&](const PlannedCell& other) { return is_policy_parameter(other, x); });
  return of_policies && !is_policy_parameter(cell, x) ? std::nullopt : cell.x(x);
}

void add_cell(figures::CurvePanel& panel, const CellSummary& cell, const std::string& x,
              const std::optional<double>& at, bool theory) {
  const std::string name = curve_of(cell.cell, x);
  const Spread& regret = cell.final_regret();
  figures::Curve& curve = found_or_added(
      panel.curves, name, [](figures::Curve& c) -> std::string& { return c.policy; });
  // The x of a level line is not known before all others are: `order_by_x` fills it in.
  curve.level = !at;
  curve.points.push_back({at.value_or(0), regret.mean, regret.low(), regret.high()});
  // A bound is a point at an x; a level line has none to offer.
  if (!at || !theory) return;
  if (const auto bound = cell_bound(cell.cell, static_cast<double>(cell.cell.horizon)))
    found_or_added(panel.bounds, name, [](figures::BoundCurve& b) -> std::string& {
      return b.policy;
    }).points.push_back({*at, *bound});
}

// Lines run along x; a policy without the parameter runs level from end to end.
// In a panel of level lines alone `low` stays above `high`: no line then runs from left to right,
// and the panel is dropped by the caller.
void order_by_x(figures::CurvePanel& panel) {
  double low = INFINITY, high = -INFINITY;
  const auto by_x = [](const auto& a, const auto& b) { return a.x < b.x; };
  for (figures::Curve& curve : panel.curves) {
    if (curve.level) continue;
    std::stable_sort(curve.points.begin(), curve.points.end(), by_x);
    low = std::min(low, curve.points.front().x);
    high = std::max(high, curve.points.back().x);
  }
  for (figures::Curve& curve : panel.curves) {
    if (!curve.level) continue;
    // A level line has one mean, drawn at both ends.
    curve.points.resize(1);
    curve.points.push_back(curve.points.front());
    curve.points[0].x = low;
    curve.points[1].x = high;
  }
  for (figures::BoundCurve& bound : panel.bounds)
    std::stable_sort(bound.points.begin(), bound.points.end(), by_x);
}

// The scales that the data ask for, unless the study asks for others. One kind for all panels, so
// that equal slopes mean the same in each.
void set_scales(figures::FinalFigure& input, const std::string& scale, const std::string& x) {
  std::vector<double> xs, means;
  for (const figures::CurvePanel& panel : input.panels)
    for (const figures::Curve& curve : panel.curves)
      for (const figures::MeanPoint& point : curve.points) {
        if (point.x != 0) xs.push_back(point.x);
        means.push_back(point.mean);
      }
  input.across = figures::scale_for(xs);
  input.up = figures::scale_for(means);
  if (x == "horizon") input.across = Scale::kLog;  // horizons are powers, near as they may be
  if (scale == "linear" || scale == "log-x") input.up = Scale::kLinear;
  if (scale == "linear") input.across = Scale::kLinear;
  if (scale == "log-x" || scale == "log-log") input.across = Scale::kLog;
  if (scale == "log-log") input.up = Scale::kLog;
}

std::optional<figures::Figure> final_figure_for(const FigureCells& cells,
                                                const FigureRequest& request,
                                                const std::string& x) {
  figures::FinalFigure input;
  input.x_title = x_title(x);
  for (const CellSummary& cell : cells.result().cells) {
    // Only the horizon itself mixes horizons: regret at different T against anything else would
    // compare what cannot be compared. The oracle's 0 would bend the scale of all others.
    const bool at_its_horizon =
        x == "horizon" || static_cast<double>(cell.cell.horizon) == cells.longest();
    const bool shown = is_policy_parameter(cell.cell, x) || cells.is_drawn(cell.cell);
    if (!at_its_horizon || !shown || cell.cell.policy == kOracle) continue;
    figures::CurvePanel& panel =
        found_or_added(input.panels, panel_of(cell.cell, x),
                       [](figures::CurvePanel& p) -> std::string& { return p.title; });
    add_cell(panel, cell, x, place_of(cells.result().plan, cell.cell, x), request.theory);
  }
  for (figures::CurvePanel& panel : input.panels) order_by_x(panel);
  // A panel where nothing varies (an instance outside the grid of x) has points but no line.
  std::erase_if(input.panels, [](const figures::CurvePanel& panel) {
    return std::none_of(panel.curves.begin(), panel.curves.end(), [](const auto& curve) {
      return curve.points.size() > 1 && curve.points.front().x < curve.points.back().x;
    });
  });
  if (input.panels.empty()) return std::nullopt;
  set_scales(input, request.scale, x);
  const std::string when = x == "horizon" ? "" : " after " + cells.rounds_words();
  input.heading = cells.heading(
      "final-" + x,
      request.title.empty() ? fmt::format("Regret{} against {}", when, x_title(x)) : request.title,
      fmt::format("Points: mean final regret. Whiskers: {}.{}", cells.interval_words(),
                  request.theory ? " Thin dashes: the bound proved for the policy, where there is "
                                   "one below T and it falls among what was measured; others are "
                                   "named above."
                                 : ""));
  return figures::final_figure(input);
}

}  // namespace

std::vector<figures::Figure> final_figures(const FigureCells& cells, const FigureRequest& request) {
  std::vector<std::string> keys = {request.x};
  if (request.x.empty()) keys = what_varies(cells.result().plan);
  std::vector<figures::Figure> drawn;
  for (const std::string& x : keys)
    if (auto figure = final_figure_for(cells, request, x)) drawn.push_back(std::move(*figure));
  return drawn;
}

}  // namespace armature
