#include "base/beta.h"

#include <cmath>
#include <numbers>

#include "base/kl.h"
#include "base/mathematics.h"
#include "base/saddle_point.h"

namespace armature {
namespace {

// With I the regularised incomplete beta function, I_y(b, a) = y^b·(1−y)^a/(b·B(a,b))·K: the
// continued fraction K by Lentz's method. Of use where y is not above the mean b/(a+b), and there
// it takes fewer than a hundred steps from two standard deviations on, whatever a and b.
double continued_fraction(double b, double a, double y) {
  constexpr int kMostSteps = 100'000;
  double denominator = 1 / (1 - (a + b) * y / (b + 1));
  double numerator = 1;
  double value = denominator;
  const auto step = [&](double term) {
    denominator = 1 / (1 + term * denominator);
    numerator = 1 + term / numerator;
    value *= denominator * numerator;
    return std::abs(denominator * numerator - 1);
  };
  for (int i = 1; i < kMostSteps; ++i) {
    const double m = i;
    step(m * (a - m) * y / ((b + 2 * m - 1) * (b + 2 * m)));
    if (step(-(b + m) * (a + b + m) * y / ((b + 2 * m) * (b + 2 * m + 1))) < 0x1p-52) break;
  }
  return value;
}

// log[x^a·(1−x)^b·Γ(a+b+1)/(Γ(a+1)Γ(b+1))]: the probability of a successes in a+b trials, for a
// and b that need not be whole.
double log_mass(double a, double b, double x) {
  const double n = a + b;
  const double difference = a * (1 - x) - b * x;
  const double deviances = deviance(a, n * x, difference) + deviance(b, n * (1 - x), -difference);
  return stirling_error(n) - stirling_error(a) - stirling_error(b) - deviances +
         0.5 * portable::log(n / (2 * std::numbers::pi * a * b));
}

// To the right of the mean: the logarithm of the tail, and how fast it falls there.
struct LogTail {
  double value;
  double hazard;  // density/tail
};
LogTail log_tail(double alpha, double beta, double x) {
  const double fraction = continued_fraction(beta, alpha, 1 - x);
  return {log_mass(alpha, beta, x) + portable::log(alpha / (alpha + beta) * fraction),
          beta / (x * (1 - x) * fraction)};
}

// The quantile of a tail that lies to the right of the mean. Chernoff's bound lies farther out:
// P(X > x) ≤ exp(−(α+β)·kl(mean, x)). Log-tails are concave, so Newton's steps from there go
// downhill all the way, then there is rounding.
double quantile_beyond_mean(double alpha, double beta, double tail) {
  const double mean = alpha / (alpha + beta);
  const double log_target = portable::log(tail);
  double x = kl_upper(mean, -log_target / (alpha + beta));
  if (x >= 1) return 1;  // closer to 1 than doubles can tell
  for (int step = 0; step < 64; ++step) {
    const LogTail at = log_tail(alpha, beta, x);
    const double next = x + (at.value - log_target) / at.hazard;
    if (!(next < x)) break;
    if (next <= mean) return mean;
    x = next;
  }
  return x;
}

}  // namespace

double beta_tail(double alpha, double beta, double x) {
  if (x <= 0) return 1;
  if (x >= 1) return 0;
  if (x >= alpha / (alpha + beta)) return portable::exp(log_tail(alpha, beta, x).value);
  return 1 - portable::exp(log_tail(beta, alpha, 1 - x).value);
}

double beta_upper_quantile(double alpha, double beta, double tail) {
  if (tail >= 1) return 0;
  // Log-concave laws have at least 1/e of their mass on each side of the mean.
  constexpr double kAlwaysBeyond = 0.36;
  if (tail <= kAlwaysBeyond || tail <= beta_tail(alpha, beta, alpha / (alpha + beta)))
    return quantile_beyond_mean(alpha, beta, tail);
  return 1 - quantile_beyond_mean(beta, alpha, 1 - tail);
}

}  // namespace armature
