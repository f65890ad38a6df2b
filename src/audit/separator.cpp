#include "audit/separator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/gamma.h"
#include "base/mathematics.h"

namespace armature {
namespace {

// Numbers of streams: reservoir 0, effect 1, contexts from here on.
constexpr std::uint32_t kFirstContextStream = 16;

Stream context_stream(std::uint64_t seed, std::size_t context) {
  return Stream(
      {seed, kFirstContextStream + static_cast<std::uint32_t>(context), Purpose::kEstimate});
}

// The same in context z, telling how far all contexts are.
Trials told(Trials trials, const AuditTable& table, std::size_t z, const Drawing& drawing) {
  if (!drawing.progress) return trials;
  trials.progress = [all = static_cast<double>(table.contexts()), most = trials.draws, z,
                     &drawing](std::uint64_t done) {
    drawing.progress(
        (static_cast<double>(z) + static_cast<double>(done) / static_cast<double>(most)) / all);
  };
  return trials;
}

}  // namespace

Trials planned_trials(std::size_t contexts, double level, double moved) {
  const auto affordable = [&](double all, double low, double high) {
    return static_cast<std::uint64_t>(std::clamp(all / std::max(1.0, moved), low, high));
  };
  // Where even that is too dear, p-values are larger than they need be: valid, and less sharp.
  const double wanted = std::ceil(8 * static_cast<double>(contexts) / level);
  const std::uint64_t least = affordable(4e9, 999, std::max(999.0, std::min(wanted, 1e9)));
  return {.draws = std::max(affordable(1e8, 0, 19'999), least), .enough = affordable(2e7, 20, 200)};
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest,
                       std::min(1.0, static_cast<double>(order.size() - i) * p_values[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

double fisher_combination(const std::vector<double>& p_values) {
  if (p_values.empty()) return 1;
  double statistic = 0;
  for (const double p : p_values) statistic -= 2 * portable::log(std::max(p, 1e-300));
  return chi_square_tail(statistic, 2 * static_cast<double>(p_values.size()));
}

TestResult weighted_test(const Estimates& estimates, std::size_t context) {
  const PooledEstimate all = pooled(estimates, context);
  double weights = 0, weighted = 0, statistic = 0, groups = 0;
  for (std::size_t a = 0; a < estimates.actions; ++a) {
    if (!takes_part(estimates, a, all, context)) continue;
    const CellEstimate& cell = estimates.cell(a, context);
    // A cell whose rewards happen to be alike is not known the better for it.
    const double variance = std::max(cell.variance, all.variance()) / cell.rows;
    if (!(variance > 0)) continue;
    weights += 1 / variance;
    weighted += cell.mean / variance;
    statistic += cell.mean * cell.mean / variance;
    groups += 1;
  }
  if (groups < 2) return {};
  const double spread = std::max(0.0, statistic - weighted * weighted / weights);
  return {chi_square_tail(spread, groups - 1), "weighted", 0, 0};
}

std::vector<TestResult> exact_tests(const AuditTable& table, const Drawing& drawing) {
  ExactWork work;
  constexpr double kPerDraw = 10;  // drawing a count takes as long as moving so many rows
  const Trials trials =
      planned_trials(table.contexts(), drawing.level,
                     kPerDraw * static_cast<double>(table.actions() * table.contexts()));
  std::vector<TestResult> results;
  for (std::size_t z = 0; z < table.contexts(); ++z) {
    SuccessTable counts;
    for (std::size_t a = 0; a < table.actions(); ++a) {
      counts.rows.push_back(table.cell(a, z).rows);
      counts.successes.push_back(static_cast<std::uint64_t>(table.cell(a, z).sum));
    }
    Stream stream = context_stream(drawing.seed, z);
    work.trials = told(trials, table, z, drawing);
    results.push_back(freeman_halton(counts, stream, work));
  }
  return results;
}

std::vector<TestResult> permutation_tests(const AuditTable& table, const Reservoir& reservoir,
                                          const Drawing& drawing) {
  const Trials trials =
      planned_trials(table.contexts(), drawing.level, static_cast<double>(reservoir.rows().size()));
  std::vector<RewardSample> samples = by_context(reservoir, table.contexts());
  std::vector<TestResult> results;
  for (std::size_t z = 0; z < table.contexts(); ++z) {
    Stream stream = context_stream(drawing.seed, z);
    results.push_back(permutation_test(std::move(samples[z]), table.actions(), stream,
                                       told(trials, table, z, drawing)));
  }
  return results;
}

CellNaming permutations_of_cells(const std::vector<CellPlace>& cells, const AuditTable& table,
                                 const Reservoir& reservoir, double level, const Drawing& drawing) {
  constexpr double kMoves = 4e8;     // of all contexts together: seconds
  constexpr double kLeastRows = 50;  // of a context: fewer name nobody
  // So many draws that a p-value can fall well below what Holm asks.
  const double draws = std::ceil(8 / level);
  std::map<std::size_t, std::vector<std::size_t>> by_z;  // places in `cells`
  for (std::size_t i = 0; i < cells.size(); ++i) by_z[cells[i].context].push_back(i);
  CellNaming naming{std::vector<double>(cells.size(), 1.0), 0, true};
  if (cells.empty()) return naming;
  const double most_rows = std::floor(kMoves / draws / static_cast<double>(by_z.size()));
  if (most_rows < kLeastRows) {
    naming.affordable = false;
    return naming;
  }
  std::vector<RewardSample> samples = by_context(reservoir, table.contexts());
  std::size_t contexts_done = 0;
  for (const auto& [z, places] : by_z) {
    Stream stream = context_stream(drawing.seed, table.contexts() + z);
    RewardSample sample =
        subsample(std::move(samples[z]), static_cast<std::size_t>(most_rows), stream);
    naming.rows += sample.rewards.size();
    std::vector<std::size_t> tested;
    for (const std::size_t i : places) tested.push_back(cells[i].action);
    Trials trials{.draws = static_cast<std::uint64_t>(draws), .enough = 20};
    if (drawing.progress)
      trials.progress = [&](std::uint64_t done) {
        drawing.progress((static_cast<double>(contexts_done) + static_cast<double>(done) / draws) /
                         static_cast<double>(by_z.size()));
      };
    const std::vector<double> found =
        permutation_of_each(std::move(sample), table.actions(), tested, stream, trials);
    for (std::size_t i = 0; i < places.size(); ++i) naming.p_values[places[i]] = found[i];
    ++contexts_done;
  }
  return naming;
}

std::vector<TestResult> weighted_tests(const Estimates& estimates) {
  std::vector<TestResult> results;
  for (std::size_t z = 0; z < estimates.contexts; ++z)
    results.push_back(weighted_test(estimates, z));
  return results;
}

std::vector<TestResult> evidence_tests(const AuditTable& table, const EvidenceProcess& process) {
  std::vector<TestResult> results;
  for (std::size_t z = 0; z < table.contexts(); ++z)
    results.push_back(table.actions_in(z) < 2
                          ? TestResult{}
                          : TestResult{anytime_p_value(process.log_largest(z)), "e-process", 0, 0});
  return results;
}

}  // namespace armature
