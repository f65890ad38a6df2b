// Is Z a separator? The test of each context that fits the log, and what all contexts say together.
#pragma once

#include <functional>
#include <vector>

#include "audit/eprocess.h"
#include "audit/estimates.h"
#include "audit/exact.h"
#include "audit/permutation.h"

namespace armature {

/// Holm's p-values, in the order of those given.
std::vector<double> holm(const std::vector<double>& p_values);
/// Fisher's combination of independent p-values; too large rather than too small where they are
/// discrete.
double fisher_combination(const std::vector<double>& p_values);

/// A score test of equal weighted means, of the actions that take part (estimates.h): right as the
/// rows grow, not before.
TestResult weighted_test(const Estimates& estimates, std::size_t context);

/// What tests that draw are told. The hook hears which share of all draws is done; tests that stop
/// early jump.
struct Drawing {
  std::uint64_t seed = 1;
  double level = 0.05;
  std::function<void(double share)> progress = nullptr;
};
/// How much is tried, if one draw in every context moves so many things. At least so often that the
/// least p-value there can be is far below what Holm asks of a single context; more where it is
/// cheap; and where it is dear a rough p-value is enough, if it is large. No more than 4·10^9 moves
/// in all, or 999 draws.
Trials planned_trials(std::size_t contexts, double level, double moved);
/// All contexts, by rewards of 0 and 1 alone: from the table.
std::vector<TestResult> exact_tests(const AuditTable& table, const Drawing& drawing);
/// By rows of the reservoir.
std::vector<TestResult> permutation_tests(const AuditTable& table, const Reservoir& reservoir,
                                          const Drawing& drawing);

/// One action in one context.
struct CellPlace {
  std::size_t action;
  std::size_t context;
};
/// Which of them differ from all others of their context, by permuting: p-values in their order.
struct CellNaming {
  std::vector<double> p_values;
  std::size_t rows = 0;    // that were permuted: as many as can be, so often as `level` asks
  bool affordable = true;  // false: so many draws leave too few rows, and every p-value is 1
};
/// `level` is what a single p-value must come down to.
CellNaming permutations_of_cells(const std::vector<CellPlace>& cells, const AuditTable& table,
                                 const Reservoir& reservoir, double level, const Drawing& drawing);
std::vector<TestResult> weighted_tests(const Estimates& estimates);
std::vector<TestResult> evidence_tests(const AuditTable& table, const EvidenceProcess& process);

}  // namespace armature
