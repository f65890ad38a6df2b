// Confidence widths by the number of samples (policies' Confidence), from a table where there is
// one.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/memory.h"

namespace armature::cuda {

/// portable::log with tables of the device's own; x is positive and normal.
struct Logarithm {
  const portable::LogarithmRow* rows = nullptr;
  const double* coefficients = nullptr;

  ARMATURE_HOST_AND_DEVICE double operator()(double x) const {
    return portable::logarithm::log_of(bits_of(x), 0, rows, coefficients);
  }
};

/// A number that nobody writes while a device plays: it need not wait for what is written.
ARMATURE_HOST_AND_DEVICE double only_read(const double* place) {
#if defined(__CUDA_ARCH__)
  return __ldg(place);
#else
  return *place;
#endif
}

/// How widths are got, where a whole loop of rounds can know it: by fixed_upper_of with quick roots
/// and the scale 1, or from the table alone.
enum class Way { kAsk, kRoot, kTable };

/// w(n), whatever the family: values for n below `tabulated` are in the table, the others are
/// computed. db's terms are of this kind, too: γ(n), and in round t the part of η that is the same
/// in all replications.
struct Widths {
  enum Kind : std::uint32_t { kFixed, kAnytime, kMoss, kWatch, kSpread, kBias };
  Kind kind = kFixed;
  double log_term = 0;  // kMoss, kWatch: T/|A|; kSpread, kBias: δ
  double scale = 1;
  double learners = 0;  // kSpread, kBias: M
  double bias = 0;      // kBias: 2·Z·D; kWatch: r
  const double* table = nullptr;
  std::uint64_t tabulated = 0;
  Logarithm log;
  bool quick_roots = false;  // kFixed: a shorter way was compared with IEEE's for every count

  /// Of rounds up to the last.
  ARMATURE_HOST_AND_DEVICE Way way(std::uint64_t last) const {
    if (kind != kFixed) return last < tabulated ? Way::kTable : Way::kAsk;
#if defined(__CUDA_ARCH__)
    if (!quick_roots) return Way::kAsk;
#endif
    return scale == 1 ? Way::kRoot : Way::kAsk;
  }
  template <Way kWay = Way::kAsk>
  ARMATURE_HOST_AND_DEVICE double at(std::uint64_t count) const {
    if constexpr (kWay == Way::kTable) return only_read(table + count);
    if (kind == kFixed) return computed(static_cast<double>(count));
    return count < tabulated ? only_read(table + count) : computed(static_cast<double>(count));
  }
  ARMATURE_HOST_AND_DEVICE static double fixed(double scale, double log_term, double n) {
    return scale * std::sqrt(log_term / (2.0 * n));
  }
  ARMATURE_HOST_AND_DEVICE double computed(double n) const {
    if (kind == kFixed) return fixed(scale, log_term, n);
    if (kind == kAnytime) return scale * (0.85 * std::sqrt((log(log(2 * n)) + log_term) / n));
    if (kind == kMoss || kind == kWatch) {
      const double level = log(log_term / n);
      const double width = scale * std::sqrt((level > 0 ? level : 0.0) / (2 * n));
      if (kind == kMoss) return width;
      return bias / n < width ? bias / n : width;
    }
    const double level = log(learners * log(n > 2 ? n : 2.0) / log_term);
    if (kind == kSpread) return scale * 3 * std::sqrt(level / n);
    const double common = 3 * std::sqrt(learners * level);
    return scale * (bias < common ? common : bias) / std::sqrt(n);
  }
};

/// Mean and fixed width together: the upper end of the interval of a sample with outcomes.
ARMATURE_HOST_AND_DEVICE double fixed_upper_of(SmallNumbers::Sample sample, double scale,
                                               double log_term, bool quick_roots) {
  const WholeDenominator count(sample.count);
  // L/(2n) is (L/2)/n, to the bit.
  return count.under(whole(sample.sum)) + scale * root(count.under(0.5 * log_term), quick_roots);
}
ARMATURE_HOST_AND_DEVICE double fixed_upper_of(LargeNumbers::Sample sample, double scale,
                                               double log_term, bool) {
  return mean_of(sample) + Widths::fixed(scale, log_term, static_cast<double>(sample.count));
}

template <Way kWay = Way::kAsk, class Sample>
ARMATURE_HOST_AND_DEVICE double upper_of(Sample sample, const Widths& widths) {
  if constexpr (kWay == Way::kRoot) return fixed_upper_of(sample, 1, widths.log_term, true);
  if constexpr (kWay == Way::kTable) return mean_of(sample) + widths.at<kWay>(sample.count);
  if (widths.kind == Widths::kFixed)
    return fixed_upper_of(sample, widths.scale, widths.log_term, widths.quick_roots);
  return mean_of(sample) + widths.at(sample.count);
}

}  // namespace armature::cuda
