#include "study/verdict_rules.h"

// The rules by which a study's questions are judged: how each finds its number, and what the margin
// says to it.
#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "armature/error.h"
#include "armature/random.h"
#include "base/formula.h"
#include "base/mathematics.h"
#include "base/text.h"
#include "lab/moments.h"
#include "lab/student.h"
#include "study/fit.h"
#include "study/plan.h"

namespace armature {
namespace {

// Of `plane`: its x where that is none of a cell's keys, and its quantities.
constexpr const char* kSize = "size";
constexpr const char* kBenignRegret = "R1";
constexpr const char* kWorstRegret = "R2";
constexpr const char* kBothRegrets = "R1R2";

// A mean with its standard error; 0 where no error is kept.
struct Measured {
  double value = 0;
  double error = 0;
  std::uint64_t degrees = 0;  // of the error, for Student's law; 0: taken as known
};

FormulaVariables sizes_of(const PlannedCell& cell) {
  FormulaVariables sizes;
  sizes.actions = cell.actions;
  sizes.contexts = cell.contexts;
  sizes.horizon = static_cast<double>(cell.horizon);
  return sizes;
}

// What the quantity is divided by before anything else is done with it.
double divisor(const VerdictRule& rule, const FormulaVariables& sizes) {
  return rule.per.empty() ? 1 : real_value(rule.per, sizes);
}

// What a cell is called by all that stays the same while x varies: one line is fitted per name. The
// horizon is in no name and must be added, or cells of several horizons would share a line.
std::string series_key(const PlannedCell& cell, const std::string& x) {
  std::string key = cell.policy_name.without({x}) + "|" + cell.instance_name.without({x});
  return x == "horizon" ? key : key + fmt::format("|{}", cell.horizon);
}

// The KEY of extra(KEY); none if the quantity is another one.
std::optional<std::string> key_of_extra(const std::string& quantity) {
  if (!quantity.starts_with("extra(") || !quantity.ends_with(")")) return std::nullopt;
  return quantity.substr(6, quantity.size() - 7);
}

// At KEY = 0 there is nothing extra, and no question.
bool is_asked(const VerdictRule& rule, const CellSummary& summary) {
  const auto key = key_of_extra(rule.quantity);
  return !key || summary.cell.x(*key).value_or(0) != 0;
}

// Regret above that of the cell that is the same in all but KEY, where KEY is 0. Replication by
// replication: both meet the same worlds, and where they are stepped the same luck.
std::optional<Measured> extra_regret(const Question& question, const CellSummary& summary,
                                     const std::string& key) {
  const auto base =
      std::find_if(question.all.begin(), question.all.end(), [&](const CellSummary* other) {
        return other->cell.x(key) == 0.0 &&
               series_key(other->cell, key) == series_key(summary.cell, key);
      });
  if (base == question.all.end() || !is_asked(question.rule, summary)) return std::nullopt;
  const std::vector<double>& with = summary.finals;
  const std::vector<double>& without = (*base)->finals;
  // Regrets that were not kept, or not all are there: two means with independent errors.
  if (with.empty() || with.size() != without.size())
    return Measured{summary.final_regret().mean - (*base)->final_regret().mean,
                    portable::hypot(summary.final_regret().standard_error,
                                    (*base)->final_regret().standard_error),
                    0};
  Moments differences;
  for (std::size_t i = 0; i < with.size(); ++i) differences.add(with[i] - without[i]);
  return Measured{differences.mean, differences.standard_error(), with.size() - 1};
}

// Final regret, its excess over that at KEY = 0, or the plays a balancer gave to one of its
// learners: plays(NAME) is read off its diagnostic share(NAME). Summaries keep no error of
// diagnostics, so of plays only residuals count.
std::optional<Measured> measured(const Question& question, const CellSummary& summary) {
  const std::string& quantity = question.rule.quantity;
  const Spread& regret = summary.final_regret();
  if (quantity == "regret") return Measured{regret.mean, regret.standard_error, regret.count - 1};
  if (const auto key = key_of_extra(quantity)) return extra_regret(question, summary, *key);
  if (!quantity.starts_with("plays(") || !quantity.ends_with(")")) return std::nullopt;
  const std::string share = "share" + quantity.substr(5);
  for (const DiagnosticSummary& entry : summary.diagnostics)
    if (entry.name == share)
      return Measured{entry.mean * static_cast<double>(summary.cell.horizon), 0, 0};
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

// P(an estimate this far from the margin, or farther), if the truth lies at the margin.
double chance_beyond(const LineFit& found, double distance) {
  if (!(found.error > 0)) return 0;  // no luck, no chance: the number is what it is
  return student_tail(distance / found.error, found.degrees);
}

// For an answer that is clear: of two margins to keep to, the nearer one is the more doubtful.
std::optional<double> chance_of(const VerdictRule& rule, const LineFit& found,
                                const char* outcome) {
  // How far `value` lies above `margin`, on the scale on which the error is known. No ratio gets
  // down to a margin of 0.
  const auto above = [&](double value, double margin) {
    if (!found.logarithmic) return value - margin;
    return margin > 0 ? portable::log(value) - portable::log(margin) : HUGE_VAL;
  };
  if (outcome == kHolds)
    return std::max(rule.low ? chance_beyond(found, above(found.slope, *rule.low)) : 0,
                    rule.high ? chance_beyond(found, -above(found.slope, *rule.high)) : 0);
  if (outcome != kContradicted) return std::nullopt;
  return rule.low && found.high < *rule.low ? chance_beyond(found, -above(found.slope, *rule.low))
                                            : chance_beyond(found, above(found.slope, *rule.high));
}

// A number with its interval against the margin. Only a whole interval inside shows the claim, only
// a whole one outside refutes it. `found` need not be a slope: any number with an interval.
Verdict against_margin(const VerdictRule& rule, const std::string& what, const LineFit& found) {
  const bool inside =
      (!rule.low || found.low >= *rule.low) && (!rule.high || found.high <= *rule.high);
  const bool outside =
      (rule.low && found.high < *rule.low) || (rule.high && found.low > *rule.high);
  const char* outcome = inside ? kHolds : outside ? kContradicted : kUnclear;
  return {rule,
          outcome,
          found.slope,
          found.low,
          found.high,
          fmt::format("{} {} in [{}, {}], expected {}", what, number(found.slope),
                      number(found.low), number(found.high), margin_of(rule)),
          chance_of(rule, found, outcome)};
}

// " divided by sqrt(log(T))", or nothing.
std::string per_words(const VerdictRule& rule) {
  return rule.per.empty() ? "" : " divided by " + rule.per;
}

Verdict slope_of(const Question& question, const Series& series) {
  const VerdictRule& rule = question.rule;
  std::vector<FitPoint> points;
  std::set<double> distinct;
  std::size_t without_logarithm = 0;
  for (const CellSummary* summary : series) {
    const auto x = summary->cell.x(rule.x);
    const auto y = measured(question, *summary);
    if (!x || !y || !(*x > 0) || !in_range(rule, *x)) continue;
    // Logarithms need positive numbers: a policy without regret has no exponent there.
    if (!(y->value > 0)) {
      ++without_logarithm;
      continue;
    }
    const double per = divisor(rule, sizes_of(summary->cell));
    points.push_back({*x, y->value / per, y->error / per});
    distinct.insert(*x);
  }
  // Through two places any law fits. Repeated x count once, however many cells share it.
  if (distinct.size() < 3) return unclear(rule, "fewer than three points to fit");
  Verdict verdict = against_margin(rule, "exponent" + per_words(rule), fit_power(points));
  // Dropped in silence, small and noisy values would make the rest look steeper or flatter.
  if (without_logarithm > 0)
    verdict.because += fmt::format(", {} not above 0 left out", without_logarithm);
  return verdict;
}

// The interval is made on the scale of logarithms: it stays positive, and a ratio and its inverse
// are judged alike.
LineFit positive(double value, double relative_error, std::uint64_t degrees) {
  const LineFit logarithm = around(0, relative_error, degrees);
  const double factor = portable::exp(logarithm.high);
  return {value, value / factor, value * factor, relative_error, degrees, true};
}

// One replication has no error, and an interval without length would pass for certainty.
constexpr const char* kNoInterval = "one replication has no interval";
bool alone(const CellSummary& summary) { return summary.final_regret().count < 2; }

// The two errors count as independent; where both policies met the same luck, that is usually more
// cautious than need be.
Verdict ratio_of(const Question& question, const CellSummary& one, const CellSummary& other) {
  const auto above = measured(question, one);
  const auto below = measured(question, other);
  if (!above || !below || !(below->value > 0) || !(above->value > 0))
    return unclear(question.rule, "no positive numbers to compare");
  if (alone(one) || alone(other)) return unclear(question.rule, kNoInterval);
  const double relative = portable::hypot(above->error / above->value, below->error / below->value);
  // The fewer degrees of the two: more cautious than Welch's, and simpler.
  return against_margin(
      question.rule, "ratio",
      positive(above->value / below->value, relative, std::min(above->degrees, below->degrees)));
}

std::map<std::string, Series> by_all_but(const Series& cells, const std::string& x) {
  std::map<std::string, Series> groups;
  for (const CellSummary* summary : cells) groups[series_key(summary->cell, x)].push_back(summary);
  return groups;
}

std::vector<Verdict> slopes(const Question& question) {
  // Baselines of an extra regret make no line of their own.
  Series asked;
  for (const CellSummary* summary : question.cells)
    if (is_asked(question.rule, *summary)) asked.push_back(summary);
  std::vector<Verdict> verdicts;
  for (const auto& [key, series] : by_all_but(asked, question.rule.x))
    verdicts.push_back(slope_of(question, series));
  return verdicts;
}

std::vector<Verdict> ratios(const Question& question) {
  std::vector<Verdict> verdicts;
  for (const CellSummary* one : question.cells)
    for (const CellSummary* other : question.others)
      if (one->cell.same_world(other->cell) && is_asked(question.rule, *one) &&
          in_range(question.rule, static_cast<double>(one->cell.horizon)))
        verdicts.push_back(ratio_of(question, *one, *other));
  return verdicts;
}

// The number itself, cell by cell.
std::vector<Verdict> levels(const Question& question) {
  const VerdictRule& rule = question.rule;
  std::vector<Verdict> verdicts;
  for (const CellSummary* summary : question.cells) {
    if (!is_asked(rule, *summary) || !in_range(rule, static_cast<double>(summary->cell.horizon)))
      continue;
    const auto found = measured(question, *summary);
    if (!found || alone(*summary)) {
      verdicts.push_back(unclear(rule, !found ? "nothing to compare with at 0" : kNoInterval));
      continue;
    }
    const double per = divisor(rule, sizes_of(summary->cell));
    verdicts.push_back(
        against_margin(rule, rule.quantity + per_words(rule),
                       around(found->value / per, found->error / per, found->degrees)));
    verdicts.back().because +=
        fmt::format(", on {} at T = {}", summary->cell.instance_label, summary->cell.horizon);
  }
  return verdicts;
}

// The rule with its margin worked out for this cell.
VerdictRule at_sizes(VerdictRule rule, const PlannedCell& cell) {
  if (!rule.high_formula.empty()) rule.high = real_value(rule.high_formula, sizes_of(cell));
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
    if (alone(*late) || alone(**prompt)) {
      verdicts.push_back(unclear(rule, kNoInterval));
      continue;
    }
    const Spread& one = late->final_regret();
    const Spread& other = (*prompt)->final_regret();
    const double error = portable::hypot(one.standard_error, other.standard_error);
    verdicts.push_back(against_margin(at_sizes(rule, late->cell), "regret per round of delay",
                                      around((one.mean - other.mean) / rounds, error / rounds,
                                             std::min(one.count, other.count) - 1)));
    verdicts.back().because += fmt::format(", at delay {}", number(rounds));
  }
  return verdicts;
}

std::vector<Verdict> delay_slopes(const Question& question) {
  std::vector<Verdict> verdicts;
  for (const auto& [key, series] : by_all_but(question.cells, "delay"))
    for (Verdict& verdict : delay_slopes_of(question.rule, series))
      verdicts.push_back(std::move(verdict));
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

std::vector<Verdict> bounds_kept(const Question& question) {
  std::vector<Verdict> verdicts;
  for (const CellSummary* summary : question.cells)
    verdicts.push_back(below_bound(question.rule, *summary));
  return verdicts;
}

// --- R₁ and R₂ ---

// The worlds at one place of a line: maxima of mean regret are taken over them, for the theorems on
// the frontier promise something for every world of a class. Cells by their places in the line's
// list.
struct PlanePlace {
  double x = 0;
  FormulaVariables sizes;
  std::vector<std::size_t> benign, worst;
};

// All places of one line, with the cells behind them.
struct PlaneLine {
  Series cells;
  std::map<std::pair<double, double>, PlanePlace> places;  // by |A| and T, or by x
};

// A size that the study varies, as it is written: a formula is one size to the study.
std::string varied_value(const WrittenValues& values, const std::string& key) {
  for (const auto& [name, value] : values)
    if (name == key) return fmt::format("|{}={}", name, value);
  return "";
}

// What all places of a line share: the policy (by label, so that each member of a grid is judged by
// itself: a point whose two regrets came from two members would be one that no policy has), how
// outcomes come, and the sizes that are not x.
std::string line_key(const PlannedCell& cell, const std::string& x) {
  std::string key = cell.policy_name.without({x});
  for (const auto& [name, value] : cell.instance_name.conditions)
    if (name != x) key += fmt::format("|{}={}", name, value);
  if (x == kSize) return key;
  if (x != "contexts") key += varied_value(cell.instance_name.varied, "contexts");
  if (x != "actions") key += fmt::format("|{}", cell.actions);
  if (x != "horizon") key += fmt::format("|{}", cell.horizon);
  return key;
}

std::map<std::string, PlaneLine> plane_lines(const VerdictRule& rule, const Series& cells,
                                             const std::string& x) {
  std::map<std::string, PlaneLine> lines;
  for (const CellSummary* summary : cells) {
    const PlannedCell& cell = summary->cell;
    const auto horizon = static_cast<double>(cell.horizon);
    const double size = static_cast<double>(cell.actions) * horizon;
    const auto at = x == kSize ? std::optional(size) : cell.x(x);
    if (!at || !in_range(rule, x == kSize ? horizon : *at)) continue;
    PlaneLine& line = lines[line_key(cell, x)];
    // Sizes with the same product are two places.
    PlanePlace& place = line.places[x == kSize ? std::pair<double, double>(cell.actions, horizon)
                                               : std::pair(*at, 0.0)];
    place.x = *at;
    // In this order: of a place without cells it is no number.
    const double contexts = std::max(static_cast<double>(cell.contexts), place.sizes.contexts);
    place.sizes = sizes_of(cell);
    place.sizes.contexts = contexts;
    (cell.role == "benign" ? place.benign : place.worst).push_back(line.cells.size());
    line.cells.push_back(summary);
  }
  return lines;
}

using Means = std::vector<double>;  // of a line's cells

double largest(const std::vector<std::size_t>& cells, const Means& means) {
  double most = 0;
  for (const std::size_t cell : cells) most = std::max(most, means[cell]);
  return most;
}

// R₂ is over all worlds (Definition 3.1): a benign one may be the worst.
double worst_regret(const PlanePlace& place, const Means& means) {
  return std::max(largest(place.benign, means), largest(place.worst, means));
}

double plane_value(const std::string& quantity, const PlanePlace& place, const Means& means) {
  if (quantity == kBenignRegret) return largest(place.benign, means);
  if (quantity == kWorstRegret) return worst_regret(place, means);
  return largest(place.benign, means) * worst_regret(place, means);
}

// A place that lacks the worlds its quantity is about says nothing.
bool is_measured(const std::string& quantity, const PlanePlace& place, const Means& means) {
  return (quantity == kWorstRegret || !place.benign.empty()) &&
         (quantity == kBenignRegret || !place.worst.empty()) &&
         plane_value(quantity, place, means) > 0;
}

Means means_of(const Series& cells) {
  Means means;
  for (const CellSummary* summary : cells) means.push_back(summary->final_regret().mean);
  return means;
}

// --- The bootstrap: replications are drawn anew within each cell, and all that is made of their
// means is made anew, the maxima too.

constexpr int kResamples = 1000;

// Which replications a resample is made of: one list for all cells with as many of them. Cells that
// were stepped share their luck, replication by replication, and must be drawn together.
using DrawnReplications = std::map<std::size_t, std::vector<std::uint32_t>>;

const std::vector<std::uint32_t>& drawn_replications(DrawnReplications& drawn, std::size_t count,
                                                     Stream& stream) {
  std::vector<std::uint32_t>& list = drawn[count];
  for (std::size_t i = list.size(); i < count; ++i)
    list.push_back(uniform_index(stream, static_cast<std::uint32_t>(count)));
  return list;
}

double resampled_mean(const CellSummary& summary, DrawnReplications& drawn, Stream& stream) {
  const Spread& regret = summary.final_regret();
  // Too many to be kept: the mean of as many is normal. Regret is not negative.
  if (summary.finals.empty())
    return std::max(0.0, regret.mean + regret.standard_error * normal(stream));
  double sum = 0;
  for (const std::uint32_t i : drawn_replications(drawn, summary.finals.size(), stream))
    sum += summary.finals[i];
  return sum / static_cast<double>(summary.finals.size());
}

// The statistic of every resample, ascending; it depends on the cells of `places` alone. Always the
// same stream: the same data give the same bytes.
std::vector<double> resampled(const Series& cells, const std::vector<const PlanePlace*>& places,
                              const std::function<double(const Means&)>& statistic) {
  std::vector<std::size_t> behind;
  for (const PlanePlace* place : places)
    for (const auto* side : {&place->benign, &place->worst})
      behind.insert(behind.end(), side->begin(), side->end());
  Stream stream({0, 0, Purpose::kEstimate});
  std::vector<double> values;
  Means means(cells.size());
  for (int i = 0; i < kResamples; ++i) {
    DrawnReplications drawn;
    for (const std::size_t cell : behind) means[cell] = resampled_mean(*cells[cell], drawn, stream);
    values.push_back(statistic(means));
  }
  std::sort(values.begin(), values.end());
  return values;
}

// Linear between order statistics (type 7), as everywhere.
double quantile(const std::vector<double>& ascending, double share) {
  const double at = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double next = ascending[std::min(below + 1, ascending.size() - 1)];
  return ascending[below] + (at - static_cast<double>(below)) * (next - ascending[below]);
}

double deviation_of(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return moments.standard_error() * std::sqrt(static_cast<double>(values.size()));
}

LineFit percentile_interval(double value, const std::vector<double>& ascending) {
  return {value, quantile(ascending, 0.025), quantile(ascending, 0.975), deviation_of(ascending)};
}

// Resamples may have regret 0 where the data have not: the smallest positive number stands for it.
double logarithm(double value) { return portable::log(std::max(value, DBL_MIN)); }

// Least squares through logarithms. Residuals know of a bend, the bootstrap of noise and of maxima:
// the wider counts.
Verdict plane_of(const VerdictRule& rule, const PlaneLine& line) {
  const Means means = means_of(line.cells);
  std::vector<const PlanePlace*> places;
  std::set<double> distinct;
  for (const auto& [at, place] : line.places)
    if (place.x > 0 && is_measured(rule.quantity, place, means)) {
      places.push_back(&place);
      distinct.insert(place.x);
    }
  if (distinct.size() < 3) return unclear(rule, "fewer than three points to fit");
  const auto fitted = [&](const Means& of) {
    std::vector<FitPoint> points;
    for (const PlanePlace* place : places)
      points.push_back(
          {portable::log(place->x),
           logarithm(plane_value(rule.quantity, *place, of) / divisor(rule, place->sizes)), 0});
    return fit_line(points);
  };
  const LineFit residuals = fitted(means);
  const LineFit bootstrap = percentile_interval(
      residuals.slope,
      resampled(line.cells, places, [&](const Means& resample) { return fitted(resample).slope; }));
  const bool one = rule.quantity == kBenignRegret || rule.quantity == kWorstRegret;
  const std::string what = fmt::format("exponent of {}{} against {}",
                                       !one                             ? "R₁R₂"
                                       : rule.quantity == kBenignRegret ? "R₁"
                                                                        : "R₂",
                                       per_words(rule), rule.x == kSize ? "|A|T" : rule.x);
  return against_margin(rule, what, wider(bootstrap, residuals));
}

std::vector<Verdict> planes(const Question& question) {
  std::vector<Verdict> verdicts;
  for (const auto& [key, line] : plane_lines(question.rule, question.cells, question.rule.x))
    verdicts.push_back(plane_of(question.rule, line));
  return verdicts;
}

// R₁·R₂/(|A|T) at each horizon; for the frontier's lower bound only where it says anything.
std::vector<Verdict> products_of(const VerdictRule& rule, const PlaneLine& line) {
  std::vector<Verdict> verdicts;
  const Means means = means_of(line.cells);
  for (const auto& [at, place] : line.places) {
    if (!is_measured(kBothRegrets, place, means)) continue;
    // The theorem speaks only up to some R₂: silence must not be judged.
    if (rule.bound == kFrontierLower) {
      Setting setting = line.cells.front()->cell.setting();
      setting.actions = at.first;
      setting.horizon = at.second;
      setting.r2 = worst_regret(place, means);
      if (!frontier_lower(setting)) continue;
    }
    const auto value = [&, &here = place](const Means& of) {
      return plane_value(kBothRegrets, here, of) / here.x;
    };
    // One replication resampled is always itself: an interval without length.
    if (std::all_of(line.cells.begin(), line.cells.end(),
                    [](const CellSummary* summary) { return alone(*summary); })) {
      verdicts.push_back(unclear(rule, kNoInterval));
      continue;
    }
    const std::vector<double> resamples = resampled(line.cells, {&place}, value);
    LineFit found = percentile_interval(value(means), resamples);
    // On the scale of logarithms, as ratios are, unless a resample has none.
    if (resamples.front() > 0) {
      std::vector<double> logarithms;
      for (const double resample : resamples) logarithms.push_back(portable::log(resample));
      found.error = deviation_of(logarithms);
      found.logarithmic = true;
    }
    verdicts.push_back(against_margin(rule, "R₁R₂/(|A|T)", found));
  }
  return verdicts;
}

std::vector<Verdict> products(const Question& question) {
  std::vector<Verdict> verdicts;
  for (const auto& [key, line] : plane_lines(question.rule, question.cells, kSize))
    for (Verdict& verdict : products_of(question.rule, line))
      verdicts.push_back(std::move(verdict));
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

void refuse_quantity(const VerdictRule& rule, const std::string& expected) {
  throw Error({"", "verdict '" + rule.name + "': quantity", "'" + rule.quantity + "'", expected});
}
// What is extra needs what it is extra to: a cell that differs in KEY alone and has 0 there.
void check_extra(const VerdictRule& rule, const StudyPlan& plan) {
  const auto key = key_of_extra(rule.quantity);
  if (!key) return;
  std::set<std::string> at_zero;
  for (const PlannedCell& cell : plan.cells)
    if (cell.x(*key) == 0.0) at_zero.insert(series_key(cell, *key));
  if (std::none_of(plan.cells.begin(), plan.cells.end(), [&](const PlannedCell& cell) {
        return cell.x(*key).value_or(0) != 0 && at_zero.contains(series_key(cell, *key));
      }))
    refuse_quantity(rule, fmt::format("a grid of {} with 0 and another value", *key));
  if (plan.study.search) refuse_quantity(rule, "regret: a search keeps no cell to compare with");
}
void check_quantity(const VerdictRule& rule, const StudyPlan& plan) {
  if (rule.quantity != "regret" && !key_of_extra(rule.quantity) &&
      !rule.quantity.starts_with("plays("))
    refuse_quantity(rule, "regret, extra(KEY) or plays(LEARNER)");
  check_extra(rule, plan);
}
void check_level(const VerdictRule& rule, const StudyPlan& plan) {
  if (rule.quantity != "regret" && !key_of_extra(rule.quantity))
    refuse_quantity(rule, "regret or extra(KEY)");
  check_extra(rule, plan);
}
// A search leaves one world per policy and size: along what it chose from there is no line.
void check_x(const VerdictRule& rule, const StudyPlan& plan) {
  const std::string field = "verdict '" + rule.name + "': x";
  require_key(plan, rule.x, field);
  if (!plan.study.search || rule.x == "actions" || rule.x == "contexts") return;
  for (const PlannedCell& cell : plan.cells)
    if (!varied_value(cell.instance_name.varied, rule.x).empty())
      throw Error({"", field, "'" + rule.x + "'",
                   "a size or a key of policies: a search chooses one world of each size"});
}
void check_ratio(const VerdictRule& rule, const StudyPlan& plan) {
  if (plan.study.search)
    throw Error({"", "verdict '" + rule.name + "': rule", "'ratio'",
                 "plane, product or level: after a search policies stand in different worlds"});
  check_quantity(rule, plan);
}
void check_product(const VerdictRule& rule, const StudyPlan&) {
  if (!rule.bound.empty() && rule.bound != kFrontierLower)
    throw Error({"", "verdict '" + rule.name + "': bound", "'" + rule.bound + "'",
                 "'" + std::string(kFrontierLower) + "', or none"});
}
void check_slope(const VerdictRule& rule, const StudyPlan& plan) {
  check_x(rule, plan);
  check_quantity(rule, plan);
}
void check_plane(const VerdictRule& rule, const StudyPlan& plan) {
  if (rule.x != kSize) check_x(rule, plan);
  if (rule.quantity != kBenignRegret && rule.quantity != kWorstRegret &&
      rule.quantity != kBothRegrets)
    refuse_quantity(rule, "R1, R2 or R1R2");
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
      {"slope",
       {"x", "quantity", "per", "low", "high", "from", "until"},
       margin_missing,
       slopes,
       check_slope},
      {"ratio",
       {"against", "quantity", "low", "high", "from", "until"},
       ratio_missing,
       ratios,
       check_ratio},
      {"level",
       {"quantity", "per", "low", "high", "from", "until"},
       margin_missing,
       levels,
       check_level},
      {"delay-slope",
       {"high", "from", "until"},
       delay_slope_missing,
       delay_slopes,
       check_delays,
       true},
      {"bound", {"bound"}, bound_missing, bounds_kept, check_bound},
      {"plane",
       {"x", "quantity", "per", "low", "high", "from", "until"},
       margin_missing,
       planes,
       check_plane,
       false,
       kSize,
       kBothRegrets},
      {"product",
       {"bound", "low", "high", "from", "until"},
       margin_missing,
       products,
       check_product},
  };
  return table;
}

const RuleFacts& rule_named(const std::string& name) {
  for (const RuleFacts& facts : verdict_rules())
    if (facts.name == name) return facts;
  throw Error({"", "rule", "'" + name + "'", "one that docs/studies.md names"});
}

double divisor_at(const VerdictRule& rule, const PlannedCell& cell) {
  return divisor(rule, sizes_of(cell));
}

Verdict unclear(const VerdictRule& rule, const std::string& because) {
  return {rule, kUnclear, {}, {}, {}, because};
}

}  // namespace armature
