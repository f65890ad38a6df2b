// Confidence widths by the number of samples (policies' Confidence), from a table where there is
// one.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/memory.h"
#include "cuda/quotients.h"

namespace armature::cuda {

/// portable::log with tables of the device's own; x is positive and normal.
struct Logarithm {
  const portable::LogarithmRow* rows = nullptr;
  const double* coefficients = nullptr;

  ARMATURE_HOST_AND_DEVICE double operator()(double x) const {
    return portable::logarithm::log_of(bits_of(x), 0, rows, coefficients);
  }
};

/// w(n), whatever the family: values for n below `tabulated` are in the table, the others are
/// computed.
struct Widths {
  enum Kind : std::uint32_t { kFixed, kAnytime, kMoss };
  Kind kind = kFixed;
  double log_term = 0;  // kMoss: T/|A|
  double scale = 1;
  const double* table = nullptr;
  std::uint64_t tabulated = 0;
  Logarithm log;
  bool quick_roots = false;  // kFixed: a shorter way was compared with IEEE's for every count

  ARMATURE_HOST_AND_DEVICE double at(std::uint64_t count) const {
    if (kind == kFixed) return computed(static_cast<double>(count));
    return count < tabulated ? table[count] : computed(static_cast<double>(count));
  }
  ARMATURE_HOST_AND_DEVICE double computed(double n) const {
    if (kind == kFixed) return scale * std::sqrt(log_term / (2.0 * n));
    if (kind == kAnytime) return scale * (0.85 * std::sqrt((log(log(2 * n)) + log_term) / n));
    const double level = log(log_term / n);
    return scale * std::sqrt((level > 0 ? level : 0.0) / (2 * n));
  }
};

/// Mean and width together: the upper end of the interval of a sample with outcomes.
ARMATURE_HOST_AND_DEVICE double upper_of(SmallNumbers::Sample sample, const Widths& widths) {
  const WholeDenominator count(sample.count);
  const double mean = count.under(static_cast<double>(sample.sum));
  // L/(2n) is (L/2)/n, to the bit.
  if (widths.kind == Widths::kFixed)
    return mean + widths.scale * root(count.under(0.5 * widths.log_term), widths.quick_roots);
  return mean + widths.at(sample.count);
}
ARMATURE_HOST_AND_DEVICE double upper_of(LargeNumbers::Sample sample, const Widths& widths) {
  return mean_of(sample) + widths.at(sample.count);
}

}  // namespace armature::cuda
