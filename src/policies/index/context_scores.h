// The best row of Σ_z ν̃(z)·U(z) when one U(z) changes at a time, in far less work than computing
// all sums, and with exactly the answer that computing all canonical sums would give.
//
// How: a few rows, the contenders, are followed closely by rank-one updates. All other rows
// together are kept below a bound: since the last refresh U(z) has moved by d(z), so no row's sum
// can have risen by more than Σ_z (d(z) > 0 ? column_high(z) : column_low(z))·d(z), which costs
// O(1) a change to maintain. While the best contender is above that bound the far rows cannot win.
// Rank-one updates round, so every comparison leaves room for the accumulated error; what is closer
// than that is decided by the canonical sums.
#pragma once

#include "policies/index/marginal_rows.h"

namespace armature {

class ContextScores {
 public:
  /// All U(z) start at `value`. The rows must outlive this object.
  ContextScores(const MarginalRows& rows, double value);

  void set(Context z, double value);
  /// The row with the largest canonical sum, the lowest on ties.
  std::uint32_t best_row();

  std::span<const double> values() const { return values_; }
  /// Starts afresh from these values.
  void reset(std::span<const double> values);

 private:
  static constexpr std::uint32_t kContenders = 8;
  static constexpr std::uint64_t kFreshAfter = 1 << 20;  // updates between fresh starts

  void fresh_sums();
  void refresh();
  void pick_contenders();
  double far_rise(Context z) const;
  bool contenders_lead() const;
  double error_bound() const;
  std::uint32_t best_of_close_contenders() const;

  const MarginalRows& rows_;
  std::vector<double> values_;  // U(z)
  double largest_value_ = 0;    // the largest |U(z)| since the sums were fresh, for the error bound
  std::uint64_t updates_ = 0;   // rank-one updates since the sums were fresh

  std::vector<double> sums_;          // of all rows, as of the last refresh
  std::vector<double> then_;          // U(z) as of the last refresh
  std::vector<Context> changed_;      // contexts whose U(z) was set since
  std::vector<char> is_changed_;      // the same as flags
  std::vector<std::uint32_t> order_;  // scratch for picking contenders
  double far_bound_ = 0;              // no row that is not a contender has a sum above it

  std::uint32_t contenders_ = 0;
  std::uint32_t contender_row_[kContenders] = {};
  double contender_sum_[kContenders] = {};
  std::vector<double> contender_entry_;  // [z][contender]
};

}  // namespace armature
