// Mean and variance in one pass, and their merger, in a fixed order (Welford; Chan et al.).
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
  /// Right to rounding only: a merged mean may differ in its last bit from one pass over all
  /// values. No printed result is therefore merged from parts (lab/summary.cpp).
  void merge(const Moments& other) {
    if (other.count == 0) return;
    if (count == 0) {  // exactly: the formula below would round
      *this = other;
      return;
    }
    const double difference = other.mean - mean;
    const auto mine = static_cast<double>(count);
    const auto theirs = static_cast<double>(other.count);
    count += other.count;
    mean += difference * theirs / (mine + theirs);
    squares += other.squares + difference * difference * mine * theirs / (mine + theirs);
  }
  /// Of the mean. 0 for fewer than two values, which say nothing of their spread.
  double standard_error() const {
    if (count < 2) return 0;
    const auto n = static_cast<double>(count);
    return std::sqrt(squares / (n - 1) / n);
  }
};

}  // namespace armature
