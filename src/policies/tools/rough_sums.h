// The sums Σ ν̃(z)·u(z) of all rows at once, roughly, on 16-bit integers, with a bound on what that
// is off by: a quarter of the memory to walk through, and four times the entries in a register.
// What may decide is then summed as it should (MarginalRows).
#pragma once

#include "base/whole_sums.h"
#include "policies/tools/marginal_rows.h"

namespace armature {

class RoughSums {
 public:
  explicit RoughSums(const MarginalRows& rows);

  /// False if u is no finite vector, or too small; then nothing is known.
  bool take(std::span<const double> u);
  /// Per row, in units, and of further rows up to a multiple of 32: copies of the last.
  std::span<const std::int32_t> sums() const { return sums_; }
  std::int32_t largest() const { return largest_; }
  double unit() const { return unit_; }
  double error() const { return error_; }  // of each, in units
  /// The rows whose sums are at least this, ascending, but not more than `out` has room for.
  std::size_t reaching(double least, std::span<std::uint32_t> out) const;

 private:
  std::uint32_t rows_;
  double steps_ = 0;     // whole numbers in an entry of 1
  double heaviest_ = 0;  // the largest sum of a row of whole numbers
  WholeRows entries_;
  std::vector<std::int32_t> factors_;  // u in pairs
  std::vector<std::int32_t> sums_;
  std::int32_t largest_ = 0;
  double unit_ = 0, error_ = 0;
};

/// Which row has the largest canonical sum, for a u that is another one every time.
class LargestSum {
 public:
  explicit LargestSum(const MarginalRows& rows);

  /// The lowest row with the largest sum. `rows` as at the beginning.
  std::uint32_t row(const MarginalRows& rows, std::span<const double> u);

 private:
  RoughSums rough_;
  bool many_;  // entries, so that a rough look comes first
  std::vector<std::uint32_t> contenders_;
  std::vector<double> sums_;
};

}  // namespace armature
