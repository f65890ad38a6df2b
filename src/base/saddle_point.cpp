#include "base/saddle_point.h"

#include <cmath>
#include <numbers>

#include "base/mathematics.h"

namespace armature {
namespace {

constexpr double kSeriesFrom = 16;

// The first term left out is 1/(156·x^13), below 2e-18 from 16 on.
double stirling_series(double x) {
  const double y = 1 / (x * x);
  const double series =
      1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 -
                                       y * (1.0 / 1680 - y * (1.0 / 1188 - y * (691.0 / 360360)))));
  return series / x;
}

}  // namespace

double stirling_error(double x) {
  if (x >= kSeriesFrom) return stirling_series(x);
  // Γ(x+1) = Γ(far+1)/((x+1)(x+2)…far), with far where the series holds.
  double far = x;
  double product = 1;
  while (far < kSeriesFrom) product *= ++far;
  const double log_gamma = stirling_series(far) + far * portable::log(far) - far +
                           0.5 * portable::log(2 * std::numbers::pi * far) - portable::log(product);
  return log_gamma - (x * portable::log(x) - x + 0.5 * portable::log(2 * std::numbers::pi * x));
}

double deviance(double count, double mean, double difference) {
  const double v = difference / (count + mean);
  if (std::abs(v) >= 0.1) return (count > 0 ? count * portable::log(count / mean) : 0) - difference;
  // With count = mean·(1+v)/(1−v): difference·v + 2·count·(v³/3 + v⁵/5 + …).
  double sum = difference * v;
  double power = 2 * count * v;
  for (int odd = 3;; odd += 2) {
    power *= v * v;
    const double longer = sum + power / odd;
    if (longer == sum) return sum;
    sum = longer;
  }
}

}  // namespace armature
