// Do two samples have the same law? Distances and bounds with a stated false-alarm rate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace armature::test {

/// The Kolmogorov–Smirnov distance of two samples.
inline double ks_distance(std::vector<double> x, std::vector<double> y) {
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  double distance = 0;
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    const double at = std::min(x[i], y[j]);
    while (i < x.size() && x[i] <= at) ++i;
    while (j < y.size() && y[j] <= at) ++j;
    distance = std::max(distance, std::abs(static_cast<double>(i) / static_cast<double>(x.size()) -
                                           static_cast<double>(j) / static_cast<double>(y.size())));
  }
  return distance;
}

/// P(distance > bound) ≤ rate for two samples of n each from one law, continuous or not: Wei and
/// Dudley (2012), e·exp(−n·bound²).
inline double ks_bound(std::size_t n, double rate) {
  return std::sqrt((1 - std::log(rate)) / static_cast<double>(n));
}

/// Pearson's statistic of homogeneity over at most `cells` cells with about equally many of both
/// samples, and its degrees of freedom. Values that are equal share a cell.
struct Homogeneity {
  double statistic = 0;
  double degrees = 0;
};
inline Homogeneity homogeneity(const std::vector<double>& x, const std::vector<double>& y,
                               std::size_t cells) {
  std::vector<double> all(x);
  all.insert(all.end(), y.begin(), y.end());
  std::sort(all.begin(), all.end());
  std::vector<double> ends;  // the last value of each cell
  for (std::size_t c = 1; c <= cells; ++c) {
    const double end = all[all.size() * c / cells - 1];
    if (ends.empty() || end > ends.back()) ends.push_back(end);
  }
  std::vector<double> in_x(ends.size()), in_y(ends.size());
  const auto cell_of = [&](double value) {
    return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), value) -
                                    ends.begin());
  };
  for (const double value : x) ++in_x[cell_of(value)];
  for (const double value : y) ++in_y[cell_of(value)];
  Homogeneity result;
  for (std::size_t c = 0; c < ends.size(); ++c) {
    const double expected = (in_x[c] + in_y[c]) / 2;  // samples of the same size
    if (expected > 0)
      result.statistic += 2 * (in_x[c] - expected) * (in_x[c] - expected) / expected;
  }
  result.degrees = static_cast<double>(ends.size()) - 1;
  return result;
}

}  // namespace armature::test
