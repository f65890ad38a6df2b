// The best row of min(cap, Σ_z ν̃(z)·U(z)) when one U(z) or one cap changes at a time, in far less
// work than computing all sums, and with exactly the answer that computing all canonical sums would
// give. Without caps (c-ucb) it is the best row of the sums.
//
// How: a few rows, the contenders, are followed closely by rank-one updates. All other rows
// together are kept below a bound: since the last refresh U(z) has moved by d(z), so no row's sum
// can have risen by more than Σ_z (d(z) > 0 ? column_high(z) : column_low(z))·d(z), which costs
// O(1) a change to maintain. While the best contender is above that bound the far rows cannot win.
// Rank-one updates round, so every comparison leaves room for the accumulated error; what is closer
// than that is decided by the canonical sums.
#pragma once

#include <algorithm>
#include <cmath>

#include "policies/tools/marginal_rows.h"

namespace armature {

class ContextScores {
 public:
  /// All U(z) start at `value`, without caps. The rows must outlive this object.
  ContextScores(const MarginalRows& rows, double value);

  void set(Context z, double value);
  void set_cap(std::uint32_t row, double cap);
  double cap(std::uint32_t row) const { return caps_[row]; }

  /// All rows of the largest value, ascending; valid until the next call.
  std::span<const std::uint32_t> best_rows() {
    // Mostly the leader stays. That is one branch, which is foretold well: whoever asks goes on
    // with the answer while it is still being checked.
    if (leader_is_ahead()) [[likely]]
      return {&contender_row_[leader_], 1};
    return search();
  }
  std::uint32_t best_row() { return best_rows().front(); }

  std::span<const double> values() const { return values_; }
  /// Starts afresh from these values, caps kept.
  void reset(std::span<const double> values);

 private:
  static constexpr std::uint32_t kContenders = 8;
  static constexpr std::uint64_t kFreshAfter = 1 << 20;  // updates between fresh starts

  double capped_sum(std::uint32_t row) const { return std::min(sums_[row], caps_[row]); }
  double contender_value(std::uint32_t k) const {
    return std::min(contender_sum_[k], caps_[contender_row_[k]]);
  }
  std::uint32_t best_contender() const;
  double best_contender_value() const { return contender_value(best_contender()); }
  void follow(std::uint32_t contender);
  std::span<const std::uint32_t> search();
  bool leader_is_ahead() const;
  // A row held down by its cap does not fall with the sums: only rises count.
  double far_bound() const { return far_base_ + (capped_ ? std::max(0.0, far_rise_) : far_rise_); }
  bool contenders_lead() const { return best_contender_value() > far_bound() + 4 * error_bound(); }
  double rise(Context z) const;
  double error_bound() const;

  void fresh_sums();
  void refresh();
  void pick_contenders();
  void decide_close_contenders();

  const MarginalRows& rows_;
  std::vector<double> values_;  // U(z)
  double largest_value_ = 0;    // the largest |U(z)| since the sums were fresh, for the error bound
  std::uint64_t updates_ = 0;   // rank-one updates since the sums were fresh
  std::vector<double> caps_;
  bool capped_ = false;

  std::vector<double> sums_;          // of all rows, as of the last refresh
  std::vector<double> then_;          // U(z) as of the last refresh
  std::vector<Context> changed_;      // contexts whose U(z) was set since
  std::vector<char> is_changed_;      // the same as flags
  std::vector<std::uint32_t> order_;  // scratch for picking contenders
  double far_base_ = 0;               // the largest value of a far row at the last refresh
  double far_rise_ = 0;               // how much a sum can have risen since

  std::uint32_t contenders_ = 0;
  std::vector<std::uint8_t> place_;  // of a row among the contenders; kContenders: far
  std::uint32_t contender_row_[kContenders] = {};
  double contender_sum_[kContenders] = {};
  std::uint32_t leader_ = 0;  // the contender that was best when last asked
  // Minus infinity for the leader and where there are fewer contenders. Mostly it is the leader's
  // cap that changes: kept apart, it does not hold up reading the others' side by side.
  double rival_cap_[kContenders] = {};
  std::vector<double> contender_entry_;  // [z][contender]
  std::vector<std::uint32_t> winners_;
};

inline double ContextScores::rise(Context z) const {
  const double change = values_[z] - then_[z];
  return std::max(rows_.column_high(z) * change, rows_.column_low(z) * change);
}

inline void ContextScores::set_cap(std::uint32_t row, double cap) {
  capped_ = true;
  caps_[row] = cap;
  const std::uint32_t place = place_[row];
  if (place == kContenders)
    far_base_ = std::max(far_base_, capped_sum(row));
  else if (place != leader_)
    rival_cap_[place] = cap;
}

inline void ContextScores::set(Context z, double value) {
  const double step = value - values_[z];
  if (step == 0) return;
  if (!is_changed_[z]) {
    is_changed_[z] = 1;
    changed_.push_back(z);
  }
  const double risen_before = rise(z);
  values_[z] = value;
  far_rise_ += rise(z) - risen_before;
  if (std::abs(value) > largest_value_) largest_value_ = std::abs(value);
  ++updates_;
  const double* entry = contender_entry_.data() + std::size_t{z} * kContenders;
  for (std::uint32_t k = 0; k < kContenders; ++k) contender_sum_[k] += entry[k] * step;
}

inline double ContextScores::error_bound() const {
  // One rounding costs at most 2^-53 of a sum that is at most the largest value. A canonical sum
  // has 2|Z| roundings, an update of a contender or of the far bound at most 8; 2^-49 leaves
  // another factor.
  return 0x1p-49 * largest_value_ *
         static_cast<double>(static_cast<std::int64_t>(updates_ + values_.size() + 1));
}

// Clearly ahead of the other contenders and of the far rows?
inline bool ContextScores::leader_is_ahead() const {
  const double lead = contender_value(leader_);
  const double close = 4 * error_bound();
  std::int64_t rivals = lead > far_bound() + close ? 0 : 1;
  for (std::uint32_t k = 0; k < kContenders; ++k)
    rivals += lead > std::min(contender_sum_[k], rival_cap_[k]) + close ? 0 : 1;
  return rivals == 0;
}

}  // namespace armature
