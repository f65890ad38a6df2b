#include "base/gamma.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/mathematics.h"
#include "base/saddle_point.h"

namespace armature {

double log_gamma(double x) {
  // log Γ(x+1) = x·log x − x + ½·log(2πx) + error, and Γ(x) = Γ(x+1)/x.
  return (x - 0.5) * portable::log(x) - x + 0.5 * portable::log(2 * std::numbers::pi) +
         stirling_error(x);
}

namespace {

constexpr int kMostTerms = 100000;  // far more than shapes of 10^4 take

// The density times x: what both expansions share, in logarithms as it may be tiny.
double log_front(double shape, double x) { return shape * portable::log(x) - x - log_gamma(shape); }

// P(X ≤ x) as a power series, good for x < shape + 1.
double lower_series(double shape, double x) {
  double term = 1 / shape;
  double sum = term;
  for (int k = 1; k < kMostTerms && term > sum * 1e-17; ++k) {
    term *= x / (shape + k);
    sum += term;
  }
  return portable::exp(log_front(shape, x)) * sum;
}

// P(X > x) as Legendre's continued fraction by Lentz's method, good for x ≥ shape + 1.
double upper_fraction(double shape, double x) {
  double b = x + 1 - shape;
  double c = 1e300;
  double d = 1 / b;
  double value = d;
  for (int k = 1; k < kMostTerms; ++k) {
    const double a = -k * (k - shape);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    value *= c * d;
    if (std::abs(c * d - 1) < 1e-16) break;
  }
  return portable::exp(log_front(shape, x)) * value;
}

}  // namespace

double gamma_tail(double shape, double x) {
  if (!(x > 0)) return 1;
  if (std::isinf(x)) return 0;
  const double tail = x < shape + 1 ? 1 - lower_series(shape, x) : upper_fraction(shape, x);
  return std::clamp(tail, 0.0, 1.0);
}

double chi_square_tail(double x, double degrees) { return gamma_tail(degrees / 2, x / 2); }

double chi_square_upper_quantile(double tail, double degrees) {
  double low = 0;
  double high = degrees + 1;
  while (chi_square_tail(high, degrees) > tail) high *= 2;
  for (int step = 0; step < 200 && high - low > 1e-13 * high; ++step) {
    const double middle = low + (high - low) / 2;
    (chi_square_tail(middle, degrees) > tail ? low : high) = middle;
  }
  return high;
}

double normal_upper_tail(double x) {
  const double half = chi_square_tail(x * x, 1) / 2;
  return x < 0 ? 1 - half : half;
}

}  // namespace armature
