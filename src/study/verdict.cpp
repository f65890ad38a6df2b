#include "study/verdict.h"

// Verdicts: what the data say to a study's questions, by rules whose margins were stated
// beforehand. A rule may fit several series of cells; the verdict is that of the worst of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "armature/error.h"
#include "armature/study.h"
#include "armature/theory.h"
#include "base/mathematics.h"
#include "base/text.h"
#include "study/fit.h"
#include "study/student.h"

namespace armature {
namespace {

constexpr const char* kHolds = "holds";
constexpr const char* kUnclear = "does not show at these horizons";
constexpr const char* kContradicted = "contradicted";

constexpr const char* kFrontierLower = "frontier-lower";  // of `product`: judged where it speaks

using Series = std::vector<const CellSummary*>;

// The label itself, or that of a grid's member: "db (dial=0.5)".
bool names(const std::string& wanted, const std::string& label) {
  return label == wanted || label.starts_with(wanted + " (");
}

std::optional<double> parameter(const StudyCell& cell, const std::string& key) {
  for (const auto* list : {&cell.instance_parameters, &cell.policy_parameters})
    for (const auto& [name, value] : *list)
      if (name == key) return parse_real(value);
  return std::nullopt;
}

std::optional<double> x_of(const StudyCell& cell, const std::string& x) {
  if (x == "horizon") return static_cast<double>(cell.horizon);
  if (x == "actions") return cell.actions;
  if (x == "contexts") return cell.contexts;
  if (x == "rank") return cell.rank;
  if (x == "epsilon") return cell.epsilon;
  if (x == "gap" && cell.gap) return cell.gap;
  return parameter(cell, x);
}

struct Measured {
  double value = 0;
  double error = 0;
};

// Final regret, or the plays a balancer gave to one of its learners.
std::optional<Measured> measured(const CellSummary& summary, const std::string& quantity) {
  if (quantity == "regret")
    return Measured{summary.final_regret().mean, summary.final_regret().standard_error};
  if (!quantity.starts_with("plays(") || !quantity.ends_with(")")) return std::nullopt;
  const std::string share = "share" + quantity.substr(5);
  for (const DiagnosticSummary& entry : summary.diagnostics)
    if (entry.name == share)
      return Measured{entry.mean * static_cast<double>(summary.cell.horizon), 0};
  return std::nullopt;
}

bool in_range(const VerdictRule& rule, double x) {
  return (!rule.from || x >= *rule.from) && (!rule.until || x <= *rule.until);
}

Series cells_for(const VerdictRule& rule, const StudyResult& result, const std::string& policy) {
  Series series;
  for (const CellSummary& summary : result.cells)
    if (names(policy, summary.cell.policy_label) &&
        (rule.instance.empty() || names(rule.instance, summary.cell.instance_label)))
      series.push_back(&summary);
  return series;
}

// The label without the values that vary.
std::string base_label(const std::string& label,
                       const std::vector<std::pair<std::string, std::string>>& varied) {
  return varied.empty() ? label : label.substr(0, std::min(label.find(" ("), label.find(':')));
}

// What a cell is called by all that stays the same while x varies.
std::string series_key(const StudyCell& cell, const std::string& x) {
  std::string key = base_label(cell.policy_label, cell.policy_parameters) + "|" +
                    base_label(cell.instance_label, cell.instance_parameters);
  if (x != "horizon") key += fmt::format("|{}", cell.horizon);
  for (const auto* list : {&cell.instance_parameters, &cell.policy_parameters})
    for (const auto& [name, value] : *list)
      if (name != x) key += "|" + name + "=" + value;
  return key;
}

std::string number(double value) { return fmt::format("{:.3g}", value); }

std::string margin_of(const VerdictRule& rule) {
  if (!rule.low) return fmt::format("at most {}", number(*rule.high));
  if (!rule.high) return fmt::format("at least {}", number(*rule.low));
  return fmt::format("in [{}, {}]", number(*rule.low), number(*rule.high));
}

Verdict unclear(const VerdictRule& rule, const std::string& because) {
  return {rule, kUnclear, {}, {}, {}, because};
}

// A number with its interval against the margin.
Verdict against_margin(const VerdictRule& rule, const char* what, const LineFit& found) {
  const bool inside =
      (!rule.low || found.low >= *rule.low) && (!rule.high || found.high <= *rule.high);
  const bool outside =
      (rule.low && found.high < *rule.low) || (rule.high && found.low > *rule.high);
  return {rule,
          inside    ? kHolds
          : outside ? kContradicted
                    : kUnclear,
          found.slope,
          found.low,
          found.high,
          fmt::format("{} {} in [{}, {}], expected {}", what, number(found.slope),
                      number(found.low), number(found.high), margin_of(rule))};
}

Verdict slope_of(const VerdictRule& rule, const Series& series) {
  std::vector<FitPoint> points;
  std::set<double> distinct;
  for (const CellSummary* summary : series) {
    const auto x = x_of(summary->cell, rule.x);
    const auto y = measured(*summary, rule.quantity);
    if (!x || !y || !(*x > 0) || !(y->value > 0) || !in_range(rule, *x)) continue;
    points.push_back({*x, y->value, y->error});
    distinct.insert(*x);
  }
  if (distinct.size() < 3) return unclear(rule, "fewer than three points to fit");
  return against_margin(rule, "exponent", fit_power(points));
}

Verdict ratio_of(const VerdictRule& rule, const CellSummary& one, const CellSummary& other) {
  const auto above = measured(one, rule.quantity);
  const auto below = measured(other, rule.quantity);
  if (!above || !below || !(below->value > 0) || !(above->value > 0))
    return unclear(rule, "no positive numbers to compare");
  const double ratio = above->value / below->value;
  const double relative = portable::hypot(above->error / above->value, below->error / below->value);
  const double factor = portable::exp(kNormal95 * relative);
  return against_margin(rule, "ratio", {ratio, ratio / factor, ratio * factor});
}

// Bounds that hold for all t ≤ T together, as functions of t.
const std::map<std::string, double (*)(const Setting&, double)>& anytime_bounds() {
  static const std::map<std::string, double (*)(const Setting&, double)> table = {
      {"ucb", ucb_bound},
      {"c-ucb", c_ucb_bound},
      {"c-ucb-sharp", c_ucb_sharp_bound},
      {"pe", pe_bound}};
  return table;
}

const Bound& bound_named(const std::vector<Bound>& table, const VerdictRule& rule) {
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const Bound& bound) { return bound.name == rule.bound; });
  if (row == table.end() || row->group != "upper")
    throw Error({"", "verdict " + rule.name, "bound '" + rule.bound + "'",
                 "an upper bound that armature bounds prints"});
  return *row;
}

// No replication above the bound: at every checkpoint where the bound is anytime, else at T.
Verdict below_bound(const VerdictRule& rule, const CellSummary& summary) {
  const Setting setting = setting_of(summary.cell);
  const std::vector<Bound> table = bounds(setting);
  const Bound& row = bound_named(table, rule);
  const bool elsewhere =
      row.world == "benign" && (!summary.cell.benign || summary.cell.epsilon > 0);
  if (!row.value || elsewhere || row.validity.starts_with("outside"))
    return unclear(
        rule, "the bound does not apply: " +
                  (elsewhere ? "it is one for benign worlds with exact marginals" : row.validity));
  const auto anytime = anytime_bounds().find(rule.bound);
  double largest = summary.final_regret().most / *row.value;
  if (anytime != anytime_bounds().end())
    for (const CurvePoint& point : summary.curve)
      largest = std::max(
          largest, point.regret.most / anytime->second(setting, static_cast<double>(point.round)));
  return {rule,
          largest <= 1 ? kHolds : kContradicted,
          largest,
          {},
          {},
          fmt::format("largest regret of {} replications is {} of the bound",
                      summary.final_regret().count, number(largest))};
}

// (benign, worst-case) regret: maxima of mean regret over the instances of each role.
struct PlanePoint {
  Measured benign, worst;
};

// Of the product of the two.
double relative_error(const PlanePoint& point) {
  return portable::hypot(point.benign.error / point.benign.value,
                         point.worst.error / point.worst.value);
}

// By |A|·T.
std::map<double, PlanePoint> plane_points(const VerdictRule& rule, const Series& series) {
  std::map<double, PlanePoint> at;
  for (const CellSummary* summary : series) {
    const auto horizon = static_cast<double>(summary->cell.horizon);
    if (!in_range(rule, horizon)) continue;
    PlanePoint& point = at[horizon * static_cast<double>(summary->cell.actions)];
    Measured& side = summary->cell.role == "benign" ? point.benign : point.worst;
    if (summary->final_regret().mean > side.value)
      side = {summary->final_regret().mean, summary->final_regret().standard_error};
  }
  std::erase_if(at, [](const auto& entry) {
    return !(entry.second.benign.value > 0 && entry.second.worst.value > 0);
  });
  return at;
}

Verdict plane_of(const VerdictRule& rule, const Series& series) {
  std::vector<FitPoint> points;
  for (const auto& [product, point] : plane_points(rule, series)) {
    const double value = point.benign.value * point.worst.value;
    points.push_back({product, value, value * relative_error(point)});
  }
  if (points.size() < 3) return unclear(rule, "fewer than three points to fit");
  return against_margin(rule, "exponent of R₁R₂ against |A|T", fit_power(points));
}

// R₁·R₂/(|A|T) at each horizon; for the frontier's lower bound only where it says anything.
std::vector<Verdict> products_of(const VerdictRule& rule, const Series& series) {
  std::vector<Verdict> verdicts;
  for (const auto& [product, point] : plane_points(rule, series)) {
    if (rule.bound == kFrontierLower) {
      Setting setting = setting_of(series.front()->cell);
      setting.horizon = product / setting.actions;
      setting.r2 = point.worst.value;
      if (!frontier_lower(setting)) continue;
    }
    const double value = point.benign.value * point.worst.value / product;
    const double factor = portable::exp(kNormal95 * relative_error(point));
    verdicts.push_back(
        against_margin(rule, "R₁R₂/(|A|T)", {value, value / factor, value * factor}));
  }
  return verdicts;
}

int severity(const Verdict& verdict) {
  return verdict.outcome == kHolds ? 0 : verdict.outcome == kUnclear ? 1 : 2;
}

// How far inside its margin the interval lies; less is worse.
double slack(const Verdict& verdict) {
  if (!verdict.value) return 0;
  if (verdict.rule.rule == "bound") return 1 - *verdict.value;
  double least = HUGE_VAL;
  if (verdict.rule.low) least = std::min(least, *verdict.low - *verdict.rule.low);
  if (verdict.rule.high) least = std::min(least, *verdict.rule.high - *verdict.high);
  return least;
}

Verdict worst_of(const VerdictRule& rule, const std::vector<Verdict>& verdicts) {
  if (verdicts.empty())
    return unclear(rule, rule.bound == kFrontierLower
                             ? "R₂ > T/641 everywhere: the theorem is silent"
                             : "no cell fits the rule");
  Verdict worst = *std::max_element(
      verdicts.begin(), verdicts.end(), [](const Verdict& one, const Verdict& other) {
        return severity(one) != severity(other) ? severity(one) < severity(other)
                                                : slack(one) > slack(other);
      });
  if (verdicts.size() > 1) worst.because += fmt::format(" (the worst of {})", verdicts.size());
  return worst;
}

Verdict judge_rule(const VerdictRule& rule, const StudyResult& result) {
  const Series cells = cells_for(rule, result, rule.policy);
  std::vector<Verdict> verdicts;
  if (rule.rule == "bound") {
    for (const CellSummary* summary : cells) verdicts.push_back(below_bound(rule, *summary));
  } else if (rule.rule == "ratio") {
    for (const CellSummary* one : cells)
      for (const CellSummary* other : cells_for(rule, result, rule.against))
        if (one->cell.instance == other->cell.instance &&
            one->cell.horizon == other->cell.horizon &&
            in_range(rule, static_cast<double>(one->cell.horizon)))
          verdicts.push_back(ratio_of(rule, *one, *other));
  } else {
    const bool slope = rule.rule == "slope";
    std::map<std::string, Series> groups;
    for (const CellSummary* summary : cells)
      groups[slope ? series_key(summary->cell, rule.x) : summary->cell.policy_label].push_back(
          summary);
    for (const auto& [key, series] : groups) {
      if (rule.rule == "product") {
        for (Verdict& verdict : products_of(rule, series)) verdicts.push_back(std::move(verdict));
      } else {
        verdicts.push_back(slope ? slope_of(rule, series) : plane_of(rule, series));
      }
    }
  }
  return worst_of(rule, verdicts);
}

}  // namespace

std::vector<Verdict> judge(const StudyResult& result) {
  std::vector<Verdict> verdicts;
  for (const VerdictRule& rule : result.plan.study.verdicts)
    verdicts.push_back(judge_rule(rule, result));
  return verdicts;
}

void check_verdicts(const StudyPlan& plan) {
  const auto reject = [](const VerdictRule& rule, const std::string& got,
                         const std::string& expected) {
    throw Error({"", "verdict '" + rule.name + "'", got, expected});
  };
  for (const VerdictRule& rule : plan.study.verdicts) {
    const auto some = [&](const std::string& wanted, std::string StudyCell::*label) {
      return std::any_of(plan.cells.begin(), plan.cells.end(),
                         [&](const StudyCell& cell) { return names(wanted, cell.*label); });
    };
    for (const std::string* policy : {&rule.policy, &rule.against})
      if (!policy->empty() && !some(*policy, &StudyCell::policy_label))
        reject(rule, "policy '" + *policy + "'", "the label of a policy of this study");
    if (!rule.instance.empty() && !some(rule.instance, &StudyCell::instance_label))
      reject(rule, "instance '" + rule.instance + "'", "the label of an instance of this study");
    if (rule.low && rule.high && *rule.low > *rule.high)
      reject(rule, fmt::format("low {} above high {}", *rule.low, *rule.high), "low ≤ high");
    if (rule.rule == "bound") bound_named(bounds(setting_of(plan.cells.front())), rule);
    if (rule.rule == "slope" &&
        std::none_of(plan.cells.begin(), plan.cells.end(),
                     [&](const StudyCell& cell) { return x_of(cell, rule.x).has_value(); }))
      reject(rule, "x '" + rule.x + "'",
             "horizon, actions, contexts, rank, gap, epsilon or a parameter that varies");
  }
}

}  // namespace armature
