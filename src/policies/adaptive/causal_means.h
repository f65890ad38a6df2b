// The means of contexts and what they make of an action's: Σ_z ν̃_a(z)·μ̂(z). Mostly it is enough to
// know that the sum is near a number, and a bound on how far it can have moved since it was last
// worked out tells that without summing.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "policies/tools/marginal_rows.h"

namespace armature {

class CausalMeans {
 public:
  explicit CausalMeans(std::shared_ptr<const MarginalRows> rows)
      : rows_(std::move(rows)), means_(rows_->contexts()), looks_(rows_->rows()) {}

  void set(Context z, double mean) {
    // No row's sum moves by more. The last term is more than adding up loses by rounding.
    moved_ += rows_->column_high(z) * std::abs(mean - means_[z]) + moved_ * 0x1p-50;
    means_[z] = mean;
  }
  std::span<const double> values() const { return means_; }
  /// The canonical sum (spec §2).
  double sum(std::uint32_t row) const { return rows_->sum(row, means_); }

  /// Is the row's sum surely less than `distance` away from `value`? All means are in [0,1].
  bool is_near(std::uint32_t row, double value, double distance) const {
    Look& look = looks_[row];
    const double room = distance - 1e-9;  // for rounding
    if (std::abs(value - look.sum) + (moved_ - look.moved) < room) [[likely]]
      return true;
    look = {quick_sum(rows_->entries(row), means_), moved_};
    return std::abs(value - look.sum) < room;
  }

 private:
  // When a row's sum was last worked out.
  struct Look {
    double sum = 0;
    double moved = -std::numeric_limits<double>::infinity();
  };

  static double quick_sum(std::span<const double> weights, std::span<const double> values);

  std::shared_ptr<const MarginalRows> rows_;
  std::vector<double> means_;  // μ̂(z)
  double moved_ = 0;           // by how much the sum of any row can have moved so far
  mutable std::vector<Look> looks_;
};

}  // namespace armature
