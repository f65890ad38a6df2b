// The tables and the argument reductions are explained in scripts/mathematics_tables.py.
#include "base/mathematics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/logarithm.h"
#include "base/mathematics_tables.h"

namespace armature::portable {
namespace {

using logarithm::bits_of;
using logarithm::from_bits;
using logarithm::kMantissaBits;
using logarithm::ordered_sum;
using logarithm::reduce;
using logarithm::Reduced;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// 2^exponent, where that is a normal number.
double power_of_two(std::int64_t exponent) {
  return from_bits(static_cast<std::uint64_t>(exponent + 1023) << kMantissaBits);
}

// a + b without error.
Pair sum_of(double a, double b) {
  const double sum = a + b, share = sum - a;
  return {sum, (a - (sum - share)) + (b - share)};
}

double upper_half(double x) { return from_bits(bits_of(x) & ~0x7ffffffULL); }

// a·b without error: halves of 26 and 27 bits have exact products.
Pair product(double a, double b) {
  const double a_high = upper_half(a), a_low = a - a_high;
  const double b_high = upper_half(b), b_low = b - b_high;
  const double rounded = a * b;
  const double low = (a_high * b_high - rounded) + a_high * b_low + a_low * b_high + a_low * b_low;
  return {rounded, low};
}

Pair product(Pair a, Pair b) {
  const Pair first = product(a.high, b.high);
  return {first.high, first.low + (a.high * b.low + a.low * b.high)};
}

double log_of(std::uint64_t bits, double correction) {
  return logarithm::log_of(bits, correction, kLogarithms, kLogarithm);
}

bool is_positive_normal(std::uint64_t bits) {
  constexpr std::uint64_t kLeast = 1ULL << kMantissaBits, kInfinite = 0x7ffULL << kMantissaBits;
  return bits - kLeast < kInfinite - kLeast;
}

// The bits of a positive number, a subnormal one's as if exponents went on below.
std::uint64_t extended_bits(double x) {
  const std::uint64_t bits = bits_of(x);
  if (is_positive_normal(bits)) return bits;
  return bits_of(x * 0x1p52) - (52ULL << kMantissaBits);
}

// log at what is no positive number, or infinite.
double log_of_outsider(double x) {
  if (x == 0) return -kInfinity;
  return x > 0 || std::isnan(x) ? x : kNan;
}

bool is_outsider(double x) { return !(x > 0 && x < kInfinity); }

// log x with an error of 2^-67 of it.
Pair log_pair(double x) {
  const Reduced reduced = reduce(extended_bits(x), kLogarithms);
  const double r = reduced.r;
  const Pair square = product(r, r);
  const double* c = kLongLogarithm;
  const double fourth = square.high * square.high;
  const double tail = ((c[0] + c[1] * r) + square.high * (c[2] + c[3] * r)) +
                      fourth * ((c[4] + c[5] * r) + square.high * (c[6] + c[7] * r));
  const Pair sum = ordered_sum(reduced.whole, r);
  const Pair with_square = ordered_sum(sum.high, -0.5 * square.high);
  return ordered_sum(with_square.high,
                     with_square.low + (r * square.high * tail +
                                        (reduced.remainder - 0.5 * square.low + sum.low)));
}

// power·(1 + relative)·2^exponent where that may be subnormal, rounded once: a number added to the
// smallest normal one is rounded to a multiple of the smallest subnormal.
double small_exponential(double power, double relative, std::int64_t exponent) {
  const Pair value = ordered_sum(power, power * relative);
  const double normal = power_of_two(-1022 - exponent);
  const Pair sum = ordered_sum(normal, value.high);
  const double rounded =
      value.high >= normal ? value.high : sum.high + (sum.low + value.low) - normal;
  return rounded * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2);
}

// exp(x.high + x.low), |x| < 747, x.low below half a unit of x.high. Far down the last product
// would already be subnormal.
double exp_of(Pair x) {
  constexpr double kRounder = 0x1.8p52;
  const double shifted = x.high * kSteps + kRounder;
  const auto steps = static_cast<std::int64_t>(bits_of(shifted) - bits_of(kRounder));
  const double count = shifted - kRounder;
  const double r = ((x.high - count * kStep.high) - count * kStep.low) + x.low;
  const double square = r * r;
  const double* c = kExponential;
  const ExponentialRow& row = kPowers[steps & 127];
  const double relative = row.low + r + square * ((c[0] + c[1] * r) + square * (c[2] + c[3] * r));
  const std::int64_t exponent = steps >> 7;
  if (exponent < -1000) return small_exponential(row.power, relative, exponent);
  if (exponent > 1023) {
    const double half = row.power * power_of_two(1023);
    return (half + half * relative) * power_of_two(exponent - 1023);
  }
  const double scaled =
      from_bits(bits_of(row.power) + (static_cast<std::uint64_t>(exponent) << kMantissaBits));
  return scaled + scaled * relative;
}

double bounded_exp(Pair x) {
  if (x.high > 710) return kInfinity;
  if (x.high < -746) return 0;
  return exp_of(x);
}

bool is_whole(double y) { return std::floor(y) == y; }
bool is_odd(double y) {
  return is_whole(y) && std::abs(y) < 0x1p53 && static_cast<std::int64_t>(y) % 2 != 0;
}

// x^y for x = 0, infinite, or y infinite; the sign apart.
double limit_of_power(double size, double y) {
  const bool grows = (size > 1) == (y > 0);
  return size == 1 ? 1 : grows ? kInfinity : 0;
}

// x^y for 0 < x < ∞ and finite y.
double positive_power(double x, double y) {
  const Pair logarithm = log_pair(x);
  const double rough = y * logarithm.high;
  if (std::abs(rough) > 750) return rough > 0 ? kInfinity : 0;
  if (std::abs(rough) < 0x1p-60) return 1 + rough;
  const Pair exponent = product(logarithm, Pair{y, 0});
  return bounded_exp(ordered_sum(exponent.high, exponent.low));
}

}  // namespace

double log(double x) {
  const std::uint64_t bits = bits_of(x);
  if (is_positive_normal(bits)) [[likely]]
    return log_of(bits, 0);
  return is_outsider(x) ? log_of_outsider(x) : log_of(extended_bits(x), 0);
}

double log1p(double x) {
  const Pair sum = sum_of(1, x);
  if (is_outsider(sum.high)) return log_of_outsider(sum.high);
  if (std::abs(x) < 0x1p-40) return x - 0.5 * x * x;
  return log_of(bits_of(sum.high), sum.low / sum.high);
}

double exp(double x) {
  if (std::isnan(x)) return x;
  return bounded_exp({x, 0});
}

double log2(double x) {
  if (is_outsider(x)) return log_of_outsider(x);
  const Pair result = product(log_pair(x), kPerLog2);
  return result.high + result.low;
}

double log10(double x) {
  if (is_outsider(x)) return log_of_outsider(x);
  const Pair result = product(log_pair(x), kPerLog10);
  return result.high + result.low;
}

double cbrt(double x) {
  const double size = std::abs(x);
  if (x == 0 || !(size < kInfinity)) return x;
  const Pair third = product(log_pair(size), kThird);
  return std::copysign(exp_of(ordered_sum(third.high, third.low)), x);
}

double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x) || std::isnan(y)) return x + y;
  const double size = std::abs(x);
  const bool limit = x == 0 || size == kInfinity || std::abs(y) == kInfinity;
  if (x < 0 && !limit && !is_whole(y)) return kNan;
  const double power = limit ? limit_of_power(size, y) : positive_power(size, y);
  return std::signbit(x) && is_odd(y) ? -power : power;
}

double hypot(double x, double y) {
  const double larger = std::max(std::abs(x), std::abs(y));
  if (larger > 0x1p-500 && larger < 0x1p500) return std::sqrt(x * x + y * y);
  if (std::isinf(x) || std::isinf(y)) return kInfinity;
  const double scale = larger < 1 ? 0x1p600 : 0x1p-600;
  return std::sqrt(x * scale * (x * scale) + y * scale * (y * scale)) / scale;
}

// Half the angle, atan x = 2·atan(x/(1 + sqrt(1 + x²))), and the series; beyond 1 the angle to the
// other axis.
double atan(double x) {
  constexpr double kQuarterTurn = 0x1.921fb54442d18p+0;
  const double size = std::abs(x);
  if (size > 1) return std::copysign(kQuarterTurn - atan(1 / size), x);
  if (!(size > 0)) return x;
  const double half = size / (1 + std::sqrt(1 + size * size)), square = half * half;  // ≤ 0.172
  double series = 0;
  for (int k = 41; k >= 1; k -= 2) series = 1.0 / k - square * series;
  return std::copysign(2 * half * series, x);
}

}  // namespace armature::portable
