// What is estimated of every cell, by counts or, where propensities vary, by weights.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/table.h"

namespace armature {

struct CellEstimate {
  double marginal = 0;  // ν̂_a(z)
  double rows = 0;      // of the cell; of weights: how many even rows would be as good
  double mean = 0;      // 0 without rows
  double variance = 0;  // of one reward
  double sum() const { return rows * mean; }
};

struct Estimates {
  std::size_t actions = 0;
  std::size_t contexts = 0;
  bool binary = true;
  bool weighted = false;
  std::vector<CellEstimate> cells;                    // action by action
  std::vector<double> rows;                           // of actions
  std::vector<bool> covered;                          // do an action's weights stand for the log?
  std::size_t known_actions = 0, known_contexts = 0;  // by name, before the first row

  const CellEstimate& cell(std::size_t a, std::size_t z) const { return cells[a * contexts + z]; }
};

Estimates estimates_of(const AuditTable& table, bool weighted);

/// Several groups as one.
struct PooledEstimate {
  double rows = 0;
  double sum = 0;
  double squares = 0;
  void add(const CellEstimate& cell) {
    rows += cell.rows;
    sum += cell.sum();
    squares += cell.rows * (cell.variance + cell.mean * cell.mean);
  }
  /// The same but for one group of it.
  PooledEstimate without(const CellEstimate& cell) const;
  double mean() const { return rows > 0 ? sum / rows : 0; }
  double variance() const;
};
/// All rows of a context.
PooledEstimate pooled(const Estimates& estimates, std::size_t context);
/// Whether an action is tested in a context, of which all rows are these. Of weighted rows the
/// normal law speaks, and only where the action's weights add up to the log within a fifth, there
/// is as much as 30 even rows, and 5 rewards and 5 failures are to be expected.
bool takes_part(const Estimates& estimates, std::size_t action, const PooledEstimate& rows,
                std::size_t context);

}  // namespace armature
