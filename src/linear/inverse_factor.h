// The inverse of a growing matrix V = I + Σ n·xxᵀ, as V^{-1} = MᵀDM with M lower triangular of unit
// diagonal and D diagonal: O(size²) for a product, for a quadratic form and for one more xxᵀ, and
// no root nor division in the inner loops. Sums run in lanes, in one order on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "base/lanes.h"

namespace armature {

/// Vectors handed in and out are whole lanes, filled up with zeros.
class InverseFactor {
 public:
  explicit InverseFactor(std::size_t size);  // of V = I

  std::size_t size() const { return size_; }
  std::size_t blocks() const { return diagonal_.size(); }

  /// V = I + Σ weight·xxᵀ over rows x, one after another in memory.
  void start(const double* rows, std::span<const std::uint64_t> weights);
  /// p = Mx; returns ‖x‖² in the metric V^{-1}, which is Σ d·p².
  double project(const double* x, double* p) const;
  /// V += weight·xxᵀ, given p = Mx: w = V^{-1}x with V as it was; returns 1 + weight·‖x‖².
  double fold(const double* p, double weight, double* w);
  /// out = V^{-1}b.
  void solve(const double* b, double* out);
  /// out = Mᵀ·sqrt(D)·z: of covariance V^{-1}, if z is standard normal.
  void correlate(const double* z, double* out);

  /// The numbers below M's diagonal, row by row, and D's.
  std::vector<double> entries() const;
  void set_entries(std::span<const double> entries);
  std::vector<double> diagonal() const;
  void set_diagonal(std::span<const double> diagonal);
  /// What holds of every V ≥ I with counts below 2^64: D is in (0, 1] and no column of sqrt(D)·M is
  /// longer than 1.
  bool fits() const;

 private:
  std::size_t size_;
  LaneVector lower_;     // M, in bands of eight rows, each as long as the last of them
  LaneVector diagonal_;  // D
  LaneVector moments_;   // V on its way to M
  LaneVector first_, second_;
};

}  // namespace armature
