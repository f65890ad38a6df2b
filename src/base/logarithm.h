// The heart of portable::log, apart from it because a GPU runs it too (base/mathematics.h says what
// is promised, scripts/mathematics_tables.py explains the reduction). Tables are arguments: a GPU
// has its own copy of them.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/host_and_device.h"
#include "base/mathematics_tables.h"

namespace armature::portable::logarithm {

constexpr int kMantissaBits = 52;

ARMATURE_HOST_AND_DEVICE std::uint64_t bits_of(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

ARMATURE_HOST_AND_DEVICE double from_bits(std::uint64_t bits) {
  double x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// a + b without error, |a| ≥ |b| or a = 0.
ARMATURE_HOST_AND_DEVICE Pair ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// x = 2^k·z: log x = k·log 2 + T + log1p(r), none of k·log 2 + T's first part and r rounded.
struct Reduced {
  double whole;      // the first part of k·log 2 + T
  double remainder;  // the second
  double r;          // |r| < 2^-7
};

ARMATURE_HOST_AND_DEVICE Reduced reduce(std::uint64_t bits, const LogarithmRow* rows) {
  constexpr std::uint64_t kLowest = 0x3fe6000000000000;  // 0.6875
  constexpr int kShift = kMantissaBits - 7;
  constexpr double kHigh = kLog2.high, kLow = kLog2.low;
  const std::uint64_t offset = bits - kLowest;
  const auto k = static_cast<double>(static_cast<std::int64_t>(offset) >> kMantissaBits);
  const std::uint64_t z = bits - (offset & 0xfffULL << kMantissaBits);
  const std::uint64_t middle = (z >> kShift << kShift) | 1ULL << (kShift - 1);
  const LogarithmRow& row = rows[offset >> kShift & 127];
  return {k * kHigh + row.high, k * kLow + row.low,
          (from_bits(z) - from_bits(middle)) * row.inverse + row.offset};
}

// log(x·(1 + correction)) for the number x of these bits, the correction at most 2^-53. c is
// kLogarithm.
ARMATURE_HOST_AND_DEVICE double log_of(std::uint64_t bits, double correction,
                                       const LogarithmRow* rows, const double* c) {
  const Reduced x = reduce(bits, rows);
  const double r = x.r, square = r * r;
  const double tail = (c[0] + c[1] * r) + square * ((c[2] + c[3] * r) + square * (c[4] + c[5] * r));
  const Pair sum = ordered_sum(x.whole, r);
  return sum.high + ((sum.low + (x.remainder + correction)) + (r * square * tail - 0.5 * square));
}

}  // namespace armature::portable::logarithm
