#include "audit/intervals.h"

#include <algorithm>
#include <cmath>

#include "base/beta.h"
#include "base/gamma.h"
#include "base/kl.h"
#include "base/mathematics.h"
#include "policies/tools/confidence.h"

namespace armature {

Interval binomial_interval(std::uint64_t successes, std::uint64_t trials, double delta) {
  const auto x = static_cast<double>(successes), n = static_cast<double>(trials);
  Interval interval;
  if (successes > 0) interval.low = beta_upper_quantile(x, n - x + 1, 1 - delta / 2);
  if (successes < trials) interval.high = beta_upper_quantile(x + 1, n - x, delta / 2);
  return interval;
}

Interval bounded_mean_interval(const AuditCell& cell, double delta) {
  if (cell.rows == 0) return {};
  const auto n = static_cast<double>(cell.rows);
  const double mean = std::clamp(cell.mean(), 0.0, 1.0);
  // Two bounds, each two-sided: a quarter of the level for each of the four ends.
  const double log_term = portable::log(4 / delta);
  Interval interval{kl_lower(mean, log_term / n), kl_upper(mean, log_term / n)};
  if (cell.rows < 2) return interval;
  // Maurer and Pontil 2009, Theorem 4: sqrt(2V·log(2/δ')/n) + 7·log(2/δ')/(3(n−1)) at δ' = δ/4.
  const double bernstein_log = portable::log(8 / delta);
  const double width =
      std::sqrt(2 * cell.variance() * bernstein_log / n) + 7 * bernstein_log / (3 * (n - 1));
  interval.low = std::max(interval.low, mean - width);
  interval.high = std::min(interval.high, mean + width);
  return interval;
}

Interval mean_interval(const AuditCell& cell, bool binary, double delta) {
  if (cell.rows == 0) return {};
  if (binary) return binomial_interval(static_cast<std::uint64_t>(cell.sum), cell.rows, delta);
  return bounded_mean_interval(cell, delta);
}

namespace {

// The probabilities at most `width` of their own standard errors from the estimate.
Interval wilson_interval(const Proportion& proportion, double width) {
  const double n = proportion.trials, p = proportion.successes / n, square = width * width;
  const double centre = (p + square / (2 * n)) / (1 + square / n);
  const double half = width * std::sqrt(p * (1 - p) / n + square / (4 * n * n)) / (1 + square / n);
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace

Interval score_interval(const Proportion& proportion, double delta) {
  if (!(proportion.trials > 0)) return {};
  return wilson_interval(proportion, std::sqrt(chi_square_upper_quantile(delta, 1)));
}

Interval difference_interval(const Proportion& one, const Proportion& other, double delta) {
  const double width = std::sqrt(chi_square_upper_quantile(delta, 1));
  const Interval mine = wilson_interval(one, width), theirs = wilson_interval(other, width);
  const double p = one.successes / one.trials, q = other.successes / other.trials;
  const auto distance = [](double x, double y) { return std::sqrt(x * x + y * y); };
  return {p - q - distance(p - mine.low, theirs.high - q),
          p - q + distance(mine.high - p, q - theirs.low)};
}

Interval anytime_interval(double sum, std::uint64_t count, double delta) {
  if (count == 0) return {};
  const double mean = std::clamp(sum / static_cast<double>(count), 0.0, 1.0);
  const Confidence::Widths widths = Confidence::anytime_kl(1, delta, 1).widths(mean, count);
  return {std::max(0.0, mean - widths.down), std::min(1.0, mean + widths.up)};
}

namespace {

// log(2^k − 2), where 2^k may be beyond all doubles.
double log_subsets(double contexts) {
  return contexts < 50 ? portable::log(portable::exp(contexts * portable::log(2)) - 2)
                       : contexts * portable::log(2);
}

double radius(double rows, double log_term) {
  return rows < 1 ? 2 : std::min(2.0, std::sqrt(std::max(0.0, 2 * log_term / rows)));
}

}  // namespace

double marginal_radius(double rows, double contexts, double delta) {
  if (contexts < 2) return 0;
  return radius(rows, log_subsets(contexts) - portable::log(delta));
}

double anytime_marginal_radius(double rows, double contexts, double delta) {
  if (contexts < 2) return 0;
  if (rows < 1) return 2;
  return radius(rows, log_subsets(contexts) + portable::log(rows * (rows + 1) / delta));
}

double rows_for_radius(double radius, double contexts, double delta, Validity validity) {
  const auto at = [&](double rows) {
    return validity == Validity::kFixed ? marginal_radius(rows, contexts, delta)
                                        : anytime_marginal_radius(rows, contexts, delta);
  };
  double low = 0;
  double high = 1;
  while (at(high) > radius && high < 1e18) high *= 2;
  while (high - low > 1) {
    const double middle = std::floor(low + (high - low) / 2);
    if (middle <= low || middle >= high) break;  // neighbours among doubles this large
    (at(middle) > radius ? low : high) = middle;
  }
  return high;
}

}  // namespace armature
