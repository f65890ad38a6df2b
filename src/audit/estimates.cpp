#include "audit/estimates.h"

#include <algorithm>
#include <cmath>

namespace armature {
namespace {

// The weights of an action's rows add up to all rows, on average. Where they are far from it, its
// heavy rows are missing or are all there is, and effective rows say nothing.
constexpr double kUncovered = 0.2;

}  // namespace

Estimates estimates_of(const AuditTable& table, bool weighted) {
  Estimates estimates{.actions = table.actions(),
                      .contexts = table.contexts(),
                      .binary = table.binary(),
                      .weighted = weighted,
                      .cells = {},
                      .rows = {},
                      .covered = {},
                      .known_actions = table.known_actions(),
                      .known_contexts = table.known_contexts()};
  const auto all = static_cast<double>(table.rows());
  for (std::size_t a = 0; a < table.actions(); ++a) {
    const AuditCell action = table.of_action(a);
    estimates.covered.push_back(!weighted || std::abs(action.weight / all - 1) <= kUncovered);
    estimates.rows.push_back(!weighted || action.rows == 0
                                 ? static_cast<double>(action.rows)
                                 : action.weight * action.weight / action.weight_squares);
    for (std::size_t z = 0; z < table.contexts(); ++z) {
      const AuditCell& cell = table.cell(a, z);
      CellEstimate estimate;
      if (cell.rows > 0 && weighted) {
        estimate.marginal = cell.weight / action.weight;
        estimate.rows = std::min(cell.weight * cell.weight / cell.weight_squares,
                                 estimates.rows.back() * estimate.marginal);
        estimate.mean = std::clamp(cell.weighted_mean(), 0.0, 1.0);
        estimate.variance = cell.weighted_variance() * estimate.rows;
      } else if (cell.rows > 0) {
        estimate.marginal = static_cast<double>(cell.rows) / static_cast<double>(action.rows);
        estimate.rows = static_cast<double>(cell.rows);
        estimate.mean = std::clamp(cell.mean(), 0.0, 1.0);
        estimate.variance = cell.variance();
      }
      estimates.cells.push_back(estimate);
    }
  }
  return estimates;
}

double PooledEstimate::variance() const {
  return rows > 0 ? std::max(0.0, squares / rows - mean() * mean()) : 0;
}

PooledEstimate PooledEstimate::without(const CellEstimate& cell) const {
  PooledEstimate rest = *this;
  rest.rows = std::max(0.0, rows - cell.rows);
  rest.sum = std::clamp(sum - cell.sum(), 0.0, rest.rows);
  rest.squares = std::max(0.0, squares - cell.rows * (cell.variance + cell.mean * cell.mean));
  return rest;
}

bool takes_part(const Estimates& estimates, std::size_t a, const PooledEstimate& context,
                std::size_t z) {
  constexpr double kRows = 30, kExpected = 5;
  const double rows = estimates.cell(a, z).rows;
  if (!estimates.weighted) return rows > 0;
  return estimates.covered[a] && rows >= kRows &&
         rows * std::min(context.mean(), 1 - context.mean()) >= kExpected;
}

PooledEstimate pooled(const Estimates& estimates, std::size_t context) {
  PooledEstimate all;
  for (std::size_t a = 0; a < estimates.actions; ++a) all.add(estimates.cell(a, context));
  return all;
}

}  // namespace armature
