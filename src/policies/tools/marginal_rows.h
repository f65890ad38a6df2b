// Given marginals, made ready for sums over contexts. Identical rows are kept once, under their
// lowest action: they have the same sums bit for bit, so the others can only tie with it and lose
// by index.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "armature/model.h"
#include "linear/distinct_rows.h"

namespace armature {

class MarginalRows {
 public:
  explicit MarginalRows(const Matrix& marginals);

  std::uint32_t rows() const { return static_cast<std::uint32_t>(distinct_.first.size()); }
  std::uint32_t contexts() const { return contexts_; }
  std::uint32_t actions() const { return static_cast<std::uint32_t>(distinct_.number.size()); }
  Arm action(std::uint32_t row) const { return distinct_.first[row]; }  // ascending in row
  std::uint32_t row(Arm action) const { return distinct_.number[action]; }

  /// Σ_z ν̃(z)·u(z), summed in index order without fused multiply-add: the canonical sum (spec §2).
  double sum(std::uint32_t row, std::span<const double> u) const;
  /// The canonical sums of all rows, many rows at a time, each in the same order as `sum`.
  void sums(std::span<const double> u, std::span<double> out) const;
  /// out[row] += ν̃_row(z)·step for all rows.
  void add_column(Context z, double step, std::span<double> out) const;

  double at(std::uint32_t row, Context z) const {
    return by_row_[std::size_t{row} * contexts_ + z];
  }
  std::span<const double> entries(std::uint32_t row) const {
    return {by_row_.data() + std::size_t{row} * contexts_, contexts_};
  }
  /// The largest and smallest entry of a column.
  double column_high(Context z) const { return column_high_[z]; }
  double column_low(Context z) const { return column_low_[z]; }

 private:
  std::uint32_t contexts_;
  DistinctRows distinct_;
  std::vector<double> by_row_;
  std::vector<double> by_column_;
  std::vector<double> column_high_;
  std::vector<double> column_low_;
};

/// The lowest row with the largest value.
std::uint32_t first_largest(std::span<const double> values);

}  // namespace armature
