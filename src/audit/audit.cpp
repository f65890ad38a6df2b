// One pass over the log fills the table, the reservoir and the looks of the e-process; everything
// else is worked out from these.
#include "armature/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "armature/theory.h"
#include "audit/effect.h"
#include "audit/intervals.h"
#include "audit/power.h"
#include "audit/separator.h"
#include "base/gamma.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr std::uint32_t kEffectStream = 1;
constexpr double kMatters = 0.4;  // of the standard deviation of rewards

// The z with P(|X| > z) = δ for a normal X.
double normal_width(double delta) { return std::sqrt(chi_square_upper_quantile(delta, 1)); }

struct ReadLog {
  AuditTable table;
  Reservoir reservoir;
  EvidenceProcess process;
};

ReadLog read(LogSource& log, const AuditQuestion& question) {
  ReadLog read{{}, Reservoir(question.reservoir, question.seed), {}};
  read.table.name(log.actions().size(), log.contexts().size());
  LogRow row;
  while (log.next(row)) {
    read.table.add(row);
    if (!log.adaptive()) read.reservoir.add(row);  // nothing is permuted there
    if (read.process.due(read.table.rows())) read.process.look(read.table);
  }
  read.table.widen(log.actions().size(), log.contexts().size());
  read.process.look(read.table);
  return read;
}

AuditCell all_rows(const AuditTable& table) {
  AuditCell all;
  for (std::size_t a = 0; a < table.actions(); ++a) all += table.of_action(a);
  return all;
}

std::size_t played_actions(const AuditTable& table) {
  std::size_t played = 0;
  for (std::size_t a = 0; a < table.actions(); ++a) played += table.of_action(a).rows > 0 ? 1 : 0;
  return played;
}

std::size_t seen_contexts(const AuditTable& table) {
  std::size_t seen = 0;
  for (std::size_t z = 0; z < table.contexts(); ++z) seen += table.of_context(z).rows > 0 ? 1 : 0;
  return seen;
}

void require_something_to_compare(const AuditTable& table, const LogSource& log) {
  if (table.rows() == 0) throw Error({"", "log", "no row that can be used", "at least one"});
  const auto only = [](const std::vector<std::string>& names) {
    return names.size() == 1 ? "'" + names.front() + "' alone" : std::string("one alone");
  };
  if (played_actions(table) < 2)
    throw Error({"", "actions", only(log.actions()),
                 "at least two that were played: one action has nobody to be compared with"});
  if (seen_contexts(table) < 2)
    throw Error({"", "contexts", only(log.contexts()),
                 "at least two that were seen: a context that is always the same tells nothing"});
}

// --- What is estimated ---------------------------------------------------------------------------

AuditCellAnswer cell_answer(const AuditTable& table, const Estimates& estimates, std::size_t a,
                            std::size_t z, const AuditAnswer& answer) {
  const double delta = answer.question.delta;
  const AuditCell& cell = table.cell(a, z);
  const CellEstimate& estimate = estimates.cell(a, z);
  const AuditCell all = table.of_action(a);
  AuditCellAnswer out;
  out.rows = cell.rows;
  out.marginal = estimate.marginal;
  if (cell.rows > 0) out.mean = estimate.mean;
  if (answer.weighted) {  // approximations: weights have no exact interval, and none for all n
    const double rows = estimates.rows[a];
    out.marginal_fixed = score_interval({rows * out.marginal, rows}, delta);
    out.mean_fixed = score_interval({estimate.sum(), estimate.rows}, delta);
    return out;
  }
  if (all.rows > 0) {
    out.marginal_fixed = binomial_interval(cell.rows, all.rows, delta);
    out.marginal_anytime = anytime_interval(static_cast<double>(cell.rows), all.rows, delta);
  }
  out.mean_fixed = mean_interval(cell, table.binary(), delta);
  out.mean_anytime = anytime_interval(cell.sum, cell.rows, delta);
  return out;
}

void answer_marginals(AuditAnswer& answer, const Estimates& estimates) {
  const auto contexts = static_cast<double>(answer.contexts.size());
  const double delta = answer.question.delta / static_cast<double>(answer.actions.size());
  answer.epsilon = 0;
  for (std::size_t a = 0; a < answer.actions.size(); ++a) {
    AuditActionAnswer& action = answer.of_actions[a];
    action.radius_fixed = marginal_radius(estimates.rows[a], contexts, delta);
    action.radius_anytime = anytime_marginal_radius(estimates.rows[a], contexts, delta);
    answer.epsilon =
        std::max(answer.epsilon, answer.adaptive ? action.radius_anytime : action.radius_fixed);
  }
  if (!answer.question.horizon) return;
  Setting setting;
  setting.actions = static_cast<double>(answer.actions.size());
  setting.contexts = contexts;
  setting.horizon = static_cast<double>(*answer.question.horizon);
  answer.harmless = harmless_epsilon(setting);
  answer.worthless = worthless_epsilon(setting);
  answer.worthless_regret = zero_knowledge_lower(setting);
  answer.zone = answer.epsilon <= *answer.harmless    ? EpsilonZone::kHarmless
                : answer.epsilon >= *answer.worthless ? EpsilonZone::kHopeless
                                                      : EpsilonZone::kCostly;
  const double needed = rows_for_radius(*answer.harmless, contexts, delta,
                                        answer.adaptive ? Validity::kAnytime : Validity::kFixed);
  for (std::size_t a = 0; a < answer.actions.size(); ++a)
    answer.of_actions[a].further_plays = std::max(0.0, std::ceil(needed - estimates.rows[a]));
}

// --- Is Z a separator? ---------------------------------------------------------------------------

std::vector<TestResult> fitting_tests(const ReadLog& log, const Estimates& estimates,
                                      const AuditQuestion& question, AuditAnswer& answer) {
  if (answer.adaptive) {
    answer.rests_on = "e-process";
    return evidence_tests(log.table, log.process);
  }
  if (answer.weighted) {
    answer.rests_on = "weighted test";
    return weighted_tests(estimates);
  }
  const Drawing drawing{question.seed, question.level, question.progress};
  if (answer.binary) {
    answer.rests_on = "exact test";
    return exact_tests(log.table, drawing);
  }
  answer.rests_on = "permutation test";
  answer.permuted_rows = log.reservoir.rows().size();
  return permutation_tests(log.table, log.reservoir, drawing);
}

void answer_tests(AuditAnswer& answer, const ReadLog& log, const Estimates& estimates,
                  const AuditQuestion& question) {
  const std::vector<TestResult> results = fitting_tests(log, estimates, question, answer);
  std::vector<double> p_values;
  std::vector<std::size_t> tested;
  for (std::size_t z = 0; z < results.size(); ++z) {
    AuditContextAnswer& context = answer.of_contexts[z];
    context.rows = log.table.of_context(z).rows;
    context.actions = log.table.actions_in(z);
    context.mean = pooled(estimates, z).mean();
    context.p_value = results[z].p_value;
    context.method = results[z].method;
    context.draws = results[z].draws;
    context.standard_error = results[z].standard_error;
    context.log_evidence = log.process.log_largest(z);
    if (results[z].method == "none") continue;
    p_values.push_back(results[z].p_value);
    tested.push_back(z);
  }
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i)
    answer.of_contexts[tested[i]].adjusted = adjusted[i];
  answer.log_evidence = log.process.log_largest();
  answer.log_evidence_now = log.process.log_now();
  if (tested.empty()) return;
  answer.smallest_p = *std::min_element(adjusted.begin(), adjusted.end());
  if (answer.adaptive) {
    answer.p_value = answer.combined_p = anytime_p_value(answer.log_evidence);
    return;
  }
  // The smaller of two p-values, paid for by doubling it: one finds a single odd context, the other
  // many that are a little odd.
  answer.combined_p = fisher_combination(p_values);
  answer.p_value = std::min(1.0, 2 * std::min(answer.smallest_p, answer.combined_p));
}

constexpr std::size_t kMostBreaks = 20;  // that are named

// An action against all others in a context. Of two actions one is enough.
struct Comparison {
  AuditBreak difference;
  double p_value = 1;
};

std::optional<Comparison> comparison(const AuditAnswer& answer, const ReadLog& log,
                                     const Estimates& estimates, std::size_t a, std::size_t z,
                                     const PooledEstimate& all, std::size_t seen, double delta) {
  const CellEstimate& own = estimates.cell(a, z);
  const PooledEstimate others = all.without(own);
  if (own.rows == 0 || seen < 2 || !(others.rows > 0)) return std::nullopt;
  if (!takes_part(estimates, a, all, z)) return std::nullopt;
  Comparison found{{a, z, own.mean - others.mean(), {}, 1}, 1};
  if (seen == 2 && found.difference.difference < 0) return std::nullopt;
  const double difference = found.difference.difference;
  if (answer.adaptive) {
    const Interval mine = anytime_interval(own.sum(), log.table.cell(a, z).rows, delta / 2);
    const Interval theirs = anytime_interval(
        others.sum, static_cast<std::uint64_t>(std::llround(others.rows)), delta / 2);
    found.difference.interval = {mine.low - theirs.high, mine.high - theirs.low};
    found.p_value = anytime_p_value(log.process.log_largest(a, z));
    return found;
  }
  // A cell whose rewards happen to be alike is not known the better for it.
  const double own_variance = answer.weighted ? std::max(own.variance, all.variance())
                                              : own.variance + all.variance() / own.rows;
  const double error = std::sqrt(own_variance / own.rows + others.variance() / others.rows);
  const double width = normal_width(delta) * error;
  found.difference.interval = {difference - width, difference + width};
  if (answer.binary && !answer.weighted) {
    const auto whole = [](double x) { return static_cast<std::uint64_t>(std::llround(x)); };
    found.difference.interval =
        difference_interval({own.sum(), own.rows}, {others.sum, others.rows}, delta);
    found.p_value = fisher_exact(
        {{whole(own.rows), whole(others.rows)}, {whole(own.sum()), whole(others.sum)}});
  } else if (error > 0) {
    found.p_value = std::min(1.0, 2 * normal_upper_tail(std::abs(difference) / error));
  }
  return found;
}

// How far a mean is from the median of the other actions' means in its context.
double standing_out(const AuditAnswer& answer, const AuditBreak& broken) {
  std::vector<double> others;
  for (std::size_t a = 0; a < answer.actions.size(); ++a)
    if (a != broken.action && answer.cell(a, broken.context).mean)
      others.push_back(*answer.cell(a, broken.context).mean);
  std::sort(others.begin(), others.end());
  const std::size_t middle = others.size() / 2;
  const double median =
      others.size() % 2 == 1 ? others[middle] : (others[middle - 1] + others[middle]) / 2;
  return std::abs(*answer.cell(broken.action, broken.context).mean - median) /
         (broken.interval.high - broken.interval.low);
}

// What could be named: which one is, the data decide, so that intervals hold for all together.
std::size_t possible_comparisons(const AuditTable& table) {
  std::size_t count = 0;
  for (std::size_t z = 0; z < table.contexts(); ++z) {
    const std::size_t seen = table.actions_in(z);
    count += seen == 2 ? 1 : seen < 2 ? 0 : seen;
  }
  return std::max<std::size_t>(count, 1);
}

// The normal law's p-values are no promise where rewards are not 0 and 1: those that look most like
// something are found by permuting, the others are as good as 1.
void permute(std::vector<Comparison>& comparisons, AuditAnswer& answer, const ReadLog& log) {
  const double each = answer.question.level / static_cast<double>(comparisons.size());
  std::vector<std::size_t> order(comparisons.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return comparisons[i].p_value < comparisons[j].p_value;
  });
  std::vector<CellPlace> tested;
  for (std::size_t i = 0; i < std::min(kMostBreaks, order.size()); ++i)
    if (const Comparison& one = comparisons[order[i]]; one.p_value <= 10 * each)
      tested.push_back({one.difference.action, one.difference.context});
  const CellNaming naming = permutations_of_cells(
      tested, log.table, log.reservoir, each,
      {answer.question.seed, answer.question.level, answer.question.progress});
  for (Comparison& one : comparisons) one.p_value = 1;
  for (std::size_t i = 0; i < tested.size(); ++i)
    comparisons[order[i]].p_value = naming.p_values[i];
  if (!naming.affordable)
    answer.warnings.push_back(
        "There are too many cells to say by permutation which of them differ: none is named.");
  else if (naming.rows > 0 && naming.rows < log.reservoir.rows().size())
    answer.warnings.push_back(
        fmt::format("Who differs was looked for in {} rows drawn evenly (seed {}): differences too "
                    "small for them are not named.",
                    grouped(static_cast<double>(naming.rows)), answer.question.seed));
}

void answer_breaks(AuditAnswer& answer, const ReadLog& log, const Estimates& estimates) {
  const double delta = answer.question.delta / static_cast<double>(possible_comparisons(log.table));
  std::vector<Comparison> comparisons;
  for (std::size_t z = 0; z < answer.contexts.size(); ++z) {
    const PooledEstimate all = pooled(estimates, z);
    const std::size_t seen = log.table.actions_in(z);
    for (std::size_t a = 0; a < answer.actions.size(); ++a)
      if (const auto found = comparison(answer, log, estimates, a, z, all, seen, delta))
        comparisons.push_back(*found);
  }
  if (answer.permuted_rows > 0) permute(comparisons, answer, log);
  std::vector<double> p_values;
  for (const Comparison& each : comparisons) p_values.push_back(each.p_value);
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    comparisons[i].difference.adjusted = adjusted[i];
    if (adjusted[i] <= answer.question.level) answer.breaks.push_back(comparisons[i].difference);
  }
  // Of those that are sure, who stands out most from the middle of the others first, in widths of
  // its interval: where one odd action has most rows, all others differ from the rows of the rest
  // too.
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < answer.breaks.size(); ++i)
    order.emplace_back(-standing_out(answer, answer.breaks[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<AuditBreak> sorted;
  for (const auto& [distance, i] : order) sorted.push_back(answer.breaks[i]);
  answer.breaks = std::move(sorted);
  answer.breaks_found = answer.breaks.size();
  if (answer.breaks.size() > kMostBreaks) answer.breaks.resize(kMostBreaks);
}

// --- What would have shown -----------------------------------------------------------------------

void answer_power(AuditAnswer& answer, const Estimates& estimates) {
  const TestKind kind = answer.adaptive                     ? TestKind::kEvidence
                        : answer.binary && !answer.weighted ? TestKind::kExact
                                                            : TestKind::kPermutation;
  const double share = answer.permuted_rows == 0 ? 1
                                                 : static_cast<double>(answer.permuted_rows) /
                                                       static_cast<double>(answer.rows);
  const AuditPower power(estimates, kind, answer.question.level, share);
  constexpr double kNever = 2;  // of what would not have shown
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t a = 0; a < answer.actions.size(); ++a) {
    answer.of_actions[a].smallest = power.smallest(a);
    order.emplace_back(answer.of_actions[a].smallest.value_or(kNever), a);
  }
  std::sort(order.begin(), order.end());
  const auto [middle, action] = order[(order.size() - 1) / 2];
  if (middle <= 1) answer.smallest = middle;
  for (std::size_t z = 0; z < answer.contexts.size(); ++z) {
    std::vector<double> shifts;
    for (std::size_t a = 0; a < answer.actions.size(); ++a)
      if (answer.cell(a, z).rows > 0) shifts.push_back(power.smallest_in(a, z).value_or(kNever));
    std::sort(shifts.begin(), shifts.end());
    if (!shifts.empty() && shifts[(shifts.size() - 1) / 2] <= 1)
      answer.of_contexts[z].smallest = shifts[(shifts.size() - 1) / 2];
  }
  const double end = std::min(1.0, 2 * middle);
  constexpr int kPoints = 40;
  for (int i = 0; i <= kPoints; ++i) {
    const double violation = end * i / kPoints;
    answer.power.push_back({violation, power.power(action, violation)});
  }
}

// --- What to be careful about --------------------------------------------------------------------

void answer_warnings(AuditAnswer& answer, const AuditTable& table) {
  if (answer.adaptive) {
    answer.warnings.push_back(
        "The decisions depended on earlier outcomes: exact and permutation tests do not hold, and "
        "the verdict rests on the e-process alone.");
  } else if (!table.propensities()) {
    answer.warnings.push_back(
        "No propensities were logged. Unless the actions were chosen by lot, whatever led to the "
        "choices may also have moved contexts and rewards: then this is an audit of the log's own "
        "confounding, not of Z.");
  } else if (table.deterministic()) {
    answer.warnings.push_back(
        "Every propensity is 1: nothing was chosen by lot, and what led to the choices may also "
        "have moved contexts and rewards. If a learning policy wrote this log, say --adaptive.");
  } else if (answer.weighted) {
    double least = 1;
    for (std::size_t a = 0; a < answer.actions.size(); ++a)
      least = std::min(least, table.propensity(a).least);
    answer.warnings.push_back(fmt::format(
        "Propensities depended on something: rows are weighted by 1/propensity, and the test is "
        "an approximation for many rows (the least propensity is {:.3g}). If a policy that learns "
        "from outcomes wrote this log, no such test holds: say --adaptive.",
        least));
  }
  if (!answer.binary && answer.permuted_rows > 0 && answer.permuted_rows < answer.rows)
    answer.warnings.push_back(
        fmt::format("The permutation test used {} rows drawn evenly from {} (seed {}).",
                    grouped(static_cast<double>(answer.permuted_rows)),
                    grouped(static_cast<double>(answer.rows)), answer.question.seed));
}

}  // namespace

AuditAnswer audit(LogSource& log, const AuditQuestion& question) {
  const ReadLog read_log = read(log, question);
  const AuditTable& table = read_log.table;
  require_something_to_compare(table, log);
  if (!log.adaptive() && table.some_propensities() && !table.propensities())
    throw Error({"", "propensity", "missing in some rows", "one in every row, or in none"});
  AuditAnswer answer;
  answer.question = question;
  answer.question.progress = nullptr;
  answer.actions = log.actions();
  answer.contexts = log.contexts();
  answer.adaptive = log.adaptive();
  answer.weighted = !answer.adaptive && table.propensities_vary();
  answer.binary = table.binary();
  answer.rows = table.rows();
  answer.of_actions.resize(table.actions());
  answer.of_contexts.resize(table.contexts());
  const Estimates estimates = estimates_of(table, answer.weighted);
  for (std::size_t a = 0; a < table.actions(); ++a) {
    answer.of_actions[a].rows = table.of_action(a).rows;
    for (std::size_t z = 0; z < table.contexts(); ++z)
      answer.cells.push_back(cell_answer(table, estimates, a, z, answer));
  }
  answer_marginals(answer, estimates);
  answer_tests(answer, read_log, estimates, question);
  answer.violation = question.violation.value_or(kMatters * std::sqrt(all_rows(table).variance()));
  answer_power(answer, estimates);
  Stream stream({question.seed, kEffectStream, Purpose::kEstimate});
  // A learning policy stops playing what looks bad: its means are biased, and no resampling mends
  // it.
  if (!answer.adaptive) answer.share = effect_share(estimates, question.delta, stream);
  if (answer.p_value <= question.level) {
    answer.verdict = AuditVerdict::kRejected;
    answer_breaks(answer, read_log, estimates);
  } else {
    answer.verdict = answer.smallest && *answer.smallest <= answer.violation
                         ? AuditVerdict::kNotRejected
                         : AuditVerdict::kTooLittle;
  }
  answer_warnings(answer, table);
  return answer;
}

Problem AuditAnswer::problem() const {
  Matrix marginals(actions.size(), contexts.size());
  for (std::size_t a = 0; a < actions.size(); ++a) {
    double sum = 0;
    for (std::size_t z = 0; z < contexts.size(); ++z) sum += cell(a, z).marginal;
    // An action that was never played may lead anywhere.
    for (std::size_t z = 0; z < contexts.size(); ++z)
      marginals(a, z) =
          sum > 0 ? cell(a, z).marginal / sum : 1 / static_cast<double>(contexts.size());
  }
  Problem problem;
  problem.action_names = actions;
  problem.context_names = contexts;
  problem.horizon = question.horizon;
  problem.marginals = std::make_shared<const Matrix>(std::move(marginals));
  problem.epsilon = epsilon;
  return problem;
}

}  // namespace armature
