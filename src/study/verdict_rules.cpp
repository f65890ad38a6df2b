#include "study/verdict_rules.h"

// The rules by which a study's questions are judged: how each finds its number, and what the margin
// says to it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "armature/error.h"
#include "base/formula.h"
#include "base/mathematics.h"
#include "base/text.h"
#include "lab/student.h"
#include "study/fit.h"
#include "study/plan.h"

namespace armature {
namespace {

// A mean with its standard error; 0 where no error is kept.
struct Measured {
  double value = 0;
  double error = 0;
};

// Final regret, or the plays a balancer gave to one of its learners: plays(NAME) is read off its
// diagnostic share(NAME). Summaries keep no error of diagnostics, so of plays only residuals count.
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

std::string number(double value) { return fmt::format("{:.3g}", value); }

std::string margin_of(const VerdictRule& rule) {
  if (!rule.low) return fmt::format("at most {}", number(*rule.high));
  if (!rule.high) return fmt::format("at least {}", number(*rule.low));
  return fmt::format("in [{}, {}]", number(*rule.low), number(*rule.high));
}

// A number with its interval against the margin. Only a whole interval inside shows the claim, only
// a whole one outside refutes it. `found` need not be a slope: any number with an interval.
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
    const auto x = summary->cell.x(rule.x);
    const auto y = measured(*summary, rule.quantity);
    // Logarithms need positive numbers: a policy without regret has no exponent there.
    if (!x || !y || !(*x > 0) || !(y->value > 0) || !in_range(rule, *x)) continue;
    points.push_back({*x, y->value, y->error});
    distinct.insert(*x);
  }
  // Through two places any law fits. Repeated x count once, however many cells share it.
  if (distinct.size() < 3) return unclear(rule, "fewer than three points to fit");
  return against_margin(rule, "exponent", fit_power(points));
}

// The interval is made on the scale of logarithms: it stays positive, and a ratio and its inverse
// are judged alike. The two errors count as independent; where both policies met the same luck,
// that is usually more cautious than need be.
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

// What a cell is called by all that stays the same while x varies: one line is fitted per name. The
// horizon is in no name and must be added, or cells of several horizons would share a line.
std::string series_key(const PlannedCell& cell, const std::string& x) {
  std::string key = cell.policy_name.without({x}) + "|" + cell.instance_name.without({x});
  return x == "horizon" ? key : key + fmt::format("|{}", cell.horizon);
}

std::map<std::string, Series> by_all_but(const Series& cells, const std::string& x) {
  std::map<std::string, Series> groups;
  for (const CellSummary* summary : cells) groups[series_key(summary->cell, x)].push_back(summary);
  return groups;
}

std::vector<Verdict> slopes(const VerdictRule& rule, const Series& cells, const Series&) {
  std::vector<Verdict> verdicts;
  for (const auto& [key, series] : by_all_but(cells, rule.x))
    verdicts.push_back(slope_of(rule, series));
  return verdicts;
}

std::vector<Verdict> ratios(const VerdictRule& rule, const Series& cells, const Series& others) {
  std::vector<Verdict> verdicts;
  for (const CellSummary* one : cells)
    for (const CellSummary* other : others)
      if (one->cell.same_world(other->cell) &&
          in_range(rule, static_cast<double>(one->cell.horizon)))
        verdicts.push_back(ratio_of(rule, *one, *other));
  return verdicts;
}

// The rule with its margin worked out for this cell.
VerdictRule at_sizes(VerdictRule rule, const PlannedCell& cell) {
  if (rule.high_formula.empty()) return rule;
  FormulaVariables sizes;
  sizes.actions = cell.actions;
  sizes.contexts = cell.contexts;
  sizes.horizon = static_cast<double>(cell.horizon);
  rule.high = real_value(rule.high_formula, sizes);
  return rule;
}

// What each round of delay costs: the regret above that with prompt outcomes, over the delay. The
// two errors count as independent, as for ratios.
std::vector<Verdict> delay_slopes_of(const VerdictRule& rule, const Series& series) {
  const auto delay = [](const CellSummary* summary) { return summary->cell.x("delay"); };
  const auto prompt = std::find_if(series.begin(), series.end(), [&](const CellSummary* summary) {
    return delay(summary) == 0.0;
  });
  if (prompt == series.end())
    return {unclear(rule, "no cell with prompt outcomes to compare with")};
  std::vector<Verdict> verdicts;
  for (const CellSummary* late : series) {
    const double rounds = delay(late).value_or(0);
    if (!(rounds > 0) || !in_range(rule, rounds)) continue;
    const Spread& one = late->final_regret();
    const Spread& other = (*prompt)->final_regret();
    const double slope = (one.mean - other.mean) / rounds;
    const double reach =
        kNormal95 * portable::hypot(one.standard_error, other.standard_error) / rounds;
    verdicts.push_back(against_margin(at_sizes(rule, late->cell), "regret per round of delay",
                                      {slope, slope - reach, slope + reach}));
    verdicts.back().because += fmt::format(", at delay {}", number(rounds));
  }
  return verdicts;
}

std::vector<Verdict> delay_slopes(const VerdictRule& rule, const Series& cells, const Series&) {
  std::vector<Verdict> verdicts;
  for (const auto& [key, series] : by_all_but(cells, "delay"))
    for (Verdict& verdict : delay_slopes_of(rule, series)) verdicts.push_back(std::move(verdict));
  return verdicts;
}

// Bounds that hold for all t ≤ T together, as functions of t, by their names in `armature bounds`.
// Any other bound is about T alone: earlier checkpoints may lie above what it says there.
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
  // Lower bounds and zones stand in the same table, but regret above them is what they promise.
  if (row == table.end() || row->group != "upper")
    throw Error({"", "verdict " + rule.name, "bound '" + rule.bound + "'",
                 "an upper bound that armature bounds prints"});
  return *row;
}

// No replication above the bound: at every checkpoint where the bound is anytime, else at T.
Verdict below_bound(const VerdictRule& rule, const CellSummary& summary) {
  if (!summary.cell.theorems_apply())
    return unclear(rule, "the bound does not apply: outcomes are not prompt (" +
                             summary.cell.feedback.describe() + ")");
  const Setting setting = summary.cell.setting();
  const std::vector<Bound> table = bounds(setting);
  const Bound& row = bound_named(table, rule);
  // Where a theorem's premises fail, regret above its bound contradicts nothing, and regret below
  // it confirms nothing.
  const bool elsewhere =
      row.world == "benign" && (!summary.cell.benign || summary.cell.epsilon > 0);
  if (!row.value || elsewhere || row.validity.starts_with("outside"))
    return unclear(
        rule, "the bound does not apply: " +
                  (elsewhere ? "it is one for benign worlds with exact marginals" : row.validity));
  const auto anytime = anytime_bounds().find(rule.bound);
  // The worst replication, not the mean: a bound with high probability is one on single runs.
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

std::vector<Verdict> bounds_kept(const VerdictRule& rule, const Series& cells, const Series&) {
  std::vector<Verdict> verdicts;
  for (const CellSummary* summary : cells) verdicts.push_back(below_bound(rule, *summary));
  return verdicts;
}

// (benign, worst-case) regret: maxima of mean regret over the instances of each role, for the
// theorems on the frontier promise something for every world of a class.
struct PlanePoint {
  Measured benign, worst;
};

// Of the product of the two.
double relative_error(const PlanePoint& point) {
  return portable::hypot(point.benign.error / point.benign.value,
                         point.worst.error / point.worst.value);
}

// By |A| and T: what bounds the product of the two regrets.
using Size = std::pair<double, double>;
double product_of(const Size& size) { return size.first * size.second; }

std::map<Size, PlanePoint> plane_points(const VerdictRule& rule, const Series& series) {
  std::map<Size, PlanePoint> at;
  for (const CellSummary* summary : series) {
    const auto horizon = static_cast<double>(summary->cell.horizon);
    if (!in_range(rule, horizon)) continue;
    PlanePoint& point = at[{static_cast<double>(summary->cell.actions), horizon}];
    Measured& side = summary->cell.role == "benign" ? point.benign : point.worst;
    if (summary->final_regret().mean > side.value)
      side = {summary->final_regret().mean, summary->final_regret().standard_error};
  }
  // A point needs both roles: a size that has only one of them says nothing of a trade.
  std::erase_if(at, [](const auto& entry) {
    return !(entry.second.benign.value > 0 && entry.second.worst.value > 0);
  });
  return at;
}

Verdict plane_of(const VerdictRule& rule, const Series& series) {
  std::vector<FitPoint> points;
  std::set<double> distinct;
  for (const auto& [size, point] : plane_points(rule, series)) {
    const double value = point.benign.value * point.worst.value;
    points.push_back({product_of(size), value, value * relative_error(point)});
    distinct.insert(product_of(size));
  }
  if (distinct.size() < 3) return unclear(rule, "fewer than three points to fit");
  return against_margin(rule, "exponent of R₁R₂ against |A|T", fit_power(points));
}

// R₁·R₂/(|A|T) at each horizon; for the frontier's lower bound only where it says anything.
std::vector<Verdict> products_of(const VerdictRule& rule, const Series& series) {
  std::vector<Verdict> verdicts;
  for (const auto& [size, point] : plane_points(rule, series)) {
    // The theorem speaks only up to some R₂: silence must not be judged.
    if (rule.bound == kFrontierLower) {
      Setting setting = series.front()->cell.setting();
      setting.actions = size.first;
      setting.horizon = size.second;
      setting.r2 = point.worst.value;
      if (!frontier_lower(setting)) continue;
    }
    // As for ratios: an interval on the scale of logarithms.
    const double value = point.benign.value * point.worst.value / product_of(size);
    const double factor = portable::exp(kNormal95 * relative_error(point));
    verdicts.push_back(
        against_margin(rule, "R₁R₂/(|A|T)", {value, value / factor, value * factor}));
  }
  return verdicts;
}

// By label, so that each member of a grid is judged by itself: a point whose two regrets came from
// two members would be one that no policy has.
std::map<std::string, Series> by_policy(const Series& cells) {
  std::map<std::string, Series> groups;
  for (const CellSummary* summary : cells) groups[summary->cell.policy_label].push_back(summary);
  return groups;
}

std::vector<Verdict> planes(const VerdictRule& rule, const Series& cells, const Series&) {
  std::vector<Verdict> verdicts;
  for (const auto& [policy, series] : by_policy(cells)) verdicts.push_back(plane_of(rule, series));
  return verdicts;
}

std::vector<Verdict> products(const VerdictRule& rule, const Series& cells, const Series&) {
  std::vector<Verdict> verdicts;
  for (const auto& [policy, series] : by_policy(cells))
    for (Verdict& verdict : products_of(rule, series)) verdicts.push_back(std::move(verdict));
  return verdicts;
}

// Asked while the file is read, so that the complaint can name the line.
std::string margin_missing(const VerdictRule& rule) {
  return rule.low || rule.high ? "" : "low or high, or both";
}
std::string ratio_missing(const VerdictRule& rule) {
  const std::string missing = margin_missing(rule);
  return missing.empty() && rule.against.empty() ? "against = \"…\", the other policy" : missing;
}
std::string delay_slope_missing(const VerdictRule& rule) {
  return rule.high || !rule.high_formula.empty() ? "" : "high = …, the most per round of delay";
}
std::string bound_missing(const VerdictRule& rule) {
  return rule.bound.empty() ? "bound = \"…\"" : "";
}

void check_x(const VerdictRule& rule, const StudyPlan& plan) {
  require_key(plan, rule.x, "verdict '" + rule.name + "': x");
}
// A question about delays needs prompt outcomes beside late ones.
void check_delays(const VerdictRule& rule, const StudyPlan& plan) {
  const auto some = [&](bool prompt) {
    return std::any_of(plan.cells.begin(), plan.cells.end(), [&](const PlannedCell& cell) {
      return (cell.x("delay").value_or(0) == 0) == prompt;
    });
  };
  if (!some(true) || !some(false))
    throw Error({"", "verdict '" + rule.name + "'", "the delays of this study",
                 "0 and at least one other"});
}
// Any cell will do: the table has the same names in every setting, values or not.
void check_bound(const VerdictRule& rule, const StudyPlan& plan) {
  bound_named(bounds(plan.cells.front().setting()), rule);
}

}  // namespace

const std::vector<RuleFacts>& verdict_rules() {
  // `keys` decide what a study file may say under a rule, and whether x and quantity, which always
  // have a value, are written back.
  static const std::vector<RuleFacts> table = {
      {"slope", {"x", "quantity", "low", "high", "from", "until"}, margin_missing, slopes, check_x},
      {"ratio", {"against", "quantity", "low", "high", "from", "until"}, ratio_missing, ratios},
      {"delay-slope",
       {"high", "from", "until"},
       delay_slope_missing,
       delay_slopes,
       check_delays,
       true},
      {"bound", {"bound"}, bound_missing, bounds_kept, check_bound},
      {"plane", {"low", "high", "from", "until"}, margin_missing, planes},
      {"product", {"bound", "low", "high", "from", "until"}, margin_missing, products},
  };
  return table;
}

const RuleFacts& rule_named(const std::string& name) {
  for (const RuleFacts& facts : verdict_rules())
    if (facts.name == name) return facts;
  throw Error({"", "rule", "'" + name + "'", "one that docs/studies.md names"});
}

Verdict unclear(const VerdictRule& rule, const std::string& because) {
  return {rule, kUnclear, {}, {}, {}, because};
}

}  // namespace armature
