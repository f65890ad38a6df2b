// Mean and variance in one pass, in the order of the values (Welford).
#pragma once

#include <cmath>
#include <cstdint>

namespace armature {

/// A running mean, not a running sum of squares: Σx² − n·mean² would cancel where regrets are large
/// and close together. Bits depend on the order of `add`, so callers feed replications in the order
/// of their numbers.
struct Moments {
  std::uint64_t count = 0;
  double mean = 0;
  double squares = 0;  // Σ (x − mean)²

  void add(double x) {
    ++count;
    // One factor from the old mean, one from the new: their product is exactly what Σ (x − mean)²
    // grows by.
    const double from_old = x - mean;
    mean += from_old / static_cast<double>(count);
    squares += from_old * (x - mean);
  }
  double standard_error() const {
    if (count < 2) return 0;
    const auto n = static_cast<double>(count);
    return std::sqrt(squares / (n - 1) / n);
  }
};

}  // namespace armature
