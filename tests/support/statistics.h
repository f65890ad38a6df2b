// Statistical tests with a stated false-alarm rate: fixed seeds, tolerances computed from the rate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace armature::test {

/// The rate at which one statistical assertion may fail though the code is right. With fixed seeds
/// an assertion fails always or never; the rate says how surprised one should be by a failure.
inline constexpr double kFalseAlarmRate = 1e-6;

/// |z| beyond this has probability kFalseAlarmRate under a standard normal: P(|Z| > 4.8916) = 1e-6.
inline constexpr double kNormalBound = 4.8916;

/// The upper kFalseAlarmRate quantile of a chi-square with k degrees of freedom (Wilson-Hilferty;
/// 4.7534 is the one-sided normal quantile).
inline double chi_square_bound(double degrees) {
  const double c = 2 / (9 * degrees);
  const double root = 1 - c + 4.7534 * std::sqrt(c);
  return degrees * root * root * root;
}

/// Pearson's statistic of counts against probabilities; cells of probability 0 must be empty.
inline double chi_square(const std::vector<std::uint64_t>& counts,
                         const std::vector<double>& probabilities) {
  double total = 0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count);
  double statistic = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    const double difference = static_cast<double>(counts[i]) - expected;
    if (expected > 0)
      statistic += difference * difference / expected;
    else if (counts[i] > 0)
      return std::numeric_limits<double>::infinity();
  }
  return statistic;
}

/// The Kolmogorov–Smirnov distance of a sample from a continuous distribution function.
template <class Cdf>
double ks_distance(std::vector<double> sample, const Cdf& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double at = cdf(sample[i]);
    distance =
        std::max({distance, at - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - at});
  }
  return distance;
}

/// P(distance > bound) ≤ kFalseAlarmRate, by Massart's inequality 2exp(−2n·bound²).
inline double ks_bound(std::size_t n) {
  return std::sqrt(std::log(2 / kFalseAlarmRate) / (2 * static_cast<double>(n)));
}

}  // namespace armature::test
