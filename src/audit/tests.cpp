#include "audit/tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

// So many that the least p-value there can be is far below what Holm asks of a single context.
std::uint64_t least_draws(const AuditTable& table, double level) {
  return static_cast<std::uint64_t>(std::ceil(8 * static_cast<double>(table.contexts()) / level));
}

}  // namespace

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

TestResult weighted_test(const AuditTable& table, std::size_t context) {
  const double common = table.of_context(context).variance();
  double weights = 0, weighted = 0, statistic = 0, groups = 0;
  for (std::size_t a = 0; a < table.actions(); ++a) {
    const AuditCell& cell = table.cell(a, context);
    if (cell.rows < 2) continue;  // tells nothing of its error
    // A cell whose rewards are all equal is not known without error: one row's worth of the
    // context's variance is mixed in.
    const double effective = cell.weight * cell.weight / cell.weight_squares;
    const double variance = cell.weighted_variance() + common / (effective * effective);
    if (!(variance > 0)) continue;
    const double weight = 1 / variance;
    const double mean = cell.weighted_mean();
    weights += weight;
    weighted += weight * mean;
    statistic += weight * mean * mean;
    groups += 1;
  }
  if (groups < 2) return {};
  const double spread = std::max(0.0, statistic - weighted * weighted / weights);
  return {chi_square_tail(spread, groups - 1), "weighted", 0, 0};
}

std::vector<TestResult> exact_tests(const AuditTable& table, std::uint64_t seed, double level) {
  ExactWork work;
  work.trials.draws = std::max(work.trials.draws, least_draws(table, level));
  std::vector<TestResult> results;
  for (std::size_t z = 0; z < table.contexts(); ++z) {
    SuccessTable counts;
    for (std::size_t a = 0; a < table.actions(); ++a) {
      counts.rows.push_back(table.cell(a, z).rows);
      counts.successes.push_back(static_cast<std::uint64_t>(table.cell(a, z).sum));
    }
    Stream stream = context_stream(seed, z);
    results.push_back(freeman_halton(counts, stream, work));
  }
  return results;
}

std::vector<TestResult> permutation_tests(const AuditTable& table, const Reservoir& reservoir,
                                          std::uint64_t seed, double level) {
  // Some seconds, whatever the rows: of long samples a rough p-value is enough where it is large.
  const auto affordable = [&](double moved, double low, double high) {
    const auto rows = static_cast<double>(std::max<std::size_t>(1, reservoir.rows().size()));
    return static_cast<std::uint64_t>(std::clamp(moved / rows, low, high));
  };
  const Trials trials{.draws = std::max(affordable(1e8, 0, 9999), least_draws(table, level)),
                      .enough = affordable(2e7, 20, 200)};
  std::vector<TestResult> results;
  for (std::size_t z = 0; z < table.contexts(); ++z) {
    Stream stream = context_stream(seed, z);
    results.push_back(permutation_test(in_context(reservoir, static_cast<std::uint32_t>(z)),
                                       table.actions(), stream, trials));
  }
  return results;
}

std::vector<TestResult> weighted_tests(const AuditTable& table) {
  std::vector<TestResult> results;
  for (std::size_t z = 0; z < table.contexts(); ++z) results.push_back(weighted_test(table, z));
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
