// Mean and variance in one pass, and their merger, in a fixed order (Welford; Chan et al.).
#pragma once

#include <cmath>
#include <cstdint>

namespace armature {

struct Moments {
  std::uint64_t count = 0;
  double mean = 0;
  double squares = 0;  // Σ (x − mean)²

  void add(double x) {
    ++count;
    const double from_old = x - mean;
    mean += from_old / static_cast<double>(count);
    squares += from_old * (x - mean);
  }
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
  double standard_error() const {
    if (count < 2) return 0;
    const auto n = static_cast<double>(count);
    return std::sqrt(squares / (n - 1) / n);
  }
};

}  // namespace armature
