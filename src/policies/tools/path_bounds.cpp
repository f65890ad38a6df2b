#include "policies/tools/path_bounds.h"

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"

namespace armature {

using leap::Range;
using leap::SumPath;

namespace {

// constant + square·u² + linear·u
struct Parabola {
  double constant;
  double square;
  double linear;
  double operator()(double u) const { return constant + (square * u + linear) * u; }
};

double root_of_inverse(double count) { return 1 / std::sqrt(count); }

double least(const Parabola& f, double first, double last) {
  double value = std::min(f(first), f(last));
  if (f.square > 0) {
    const double vertex = -f.linear / (2 * f.square);
    if (vertex > std::min(first, last) && vertex < std::max(first, last))
      value = std::min(value, f(vertex));
  }
  return value;
}

double largest(const Parabola& f, double first, double last) {
  return -least({-f.constant, -f.square, -f.linear}, first, last);
}

// The rewards seen so far, the counts from and to which the path leads, and the widths' factors.
struct Walk {
  double count;  // n
  double sum;    // S
  double from;   // max(n, 1)
  double to;     // n + most
};

// S + max(0, k·p − down): first nothing is gained, then the drift less the slack.
double lowest(const Walk& walk, const SumPath& path, double factor) {
  const double idle = path.drift > 0 ? path.down / path.drift : path.most;
  const double turn = std::clamp(walk.count + idle, walk.from, walk.to);
  const double u_from = root_of_inverse(walk.from);
  const double u_turn = root_of_inverse(turn);
  const double u_to = root_of_inverse(walk.to);
  const double square = walk.sum - walk.count * path.drift - path.down;
  const double before = least({0, walk.sum, factor}, u_from, u_turn);
  return turn < walk.to ? std::min(before, least({path.drift, square, factor}, u_turn, u_to))
                        : before;
}

// S + min(k, k·p + up).
double highest(const Walk& walk, const SumPath& path, double factor) {
  const double full = path.drift < 1 ? path.up / (1 - path.drift) : path.most;
  const double turn = std::clamp(walk.count + full, walk.from, walk.to);
  const double u_from = root_of_inverse(walk.from);
  const double u_turn = root_of_inverse(turn);
  const double u_to = root_of_inverse(walk.to);
  const double square = walk.sum - walk.count * path.drift + path.up;
  const double before = largest({1, walk.sum - walk.count, factor}, u_from, u_turn);
  return turn < walk.to ? std::max(before, largest({path.drift, square, factor}, u_turn, u_to))
                        : before;
}

// w(n)·sqrt(n) never falls with n: constant for paper and bilodeau, slowly rising for anytime.
double factor_at(const Confidence& confidence, double count) {
  const double whole = std::min(std::floor(count), 0x1p63);  // no path is longer
  return confidence.hoeffding(static_cast<std::uint64_t>(whole)) * std::sqrt(whole);
}

}  // namespace

Range range_along(const Statistics& statistics, std::uint32_t i, const SumPath& path,
                  const Confidence& confidence, PathBound bound) {
  return range_along(statistics.count(i), statistics.sum(i), path, confidence, bound);
}

Range range_along(std::uint64_t count, double sum, const SumPath& path,
                  const Confidence& confidence, PathBound bound) {
  const std::uint64_t floored = std::max<std::uint64_t>(count, 1);
  const auto n = static_cast<double>(count);
  const double sign = bound == PathBound::kMean ? 0 : bound == PathBound::kUpper ? 1 : -1;
  if (!(path.most > 0)) {
    const double value = sum / static_cast<double>(floored) + sign * confidence.hoeffding(floored);
    return {value, value};
  }
  const Walk walk{n, sum, static_cast<double>(floored), std::max(n + std::ceil(path.most), 1.0)};
  if (bound == PathBound::kMean) return {lowest(walk, path, 0), highest(walk, path, 0)};
  const double small = factor_at(confidence, walk.from);
  const double large = factor_at(confidence, walk.to);
  return sign > 0 ? Range{lowest(walk, path, small), highest(walk, path, large)}
                  : Range{lowest(walk, path, -large), highest(walk, path, -small)};
}

Range upper_range_along(std::uint64_t count, double sum, const SumPath& path, const Range& factor) {
  const double n = static_cast<double>(count);
  const double from = std::max(n, 1.0);
  if (!(path.most > 0))
    return {sum / from + factor.low / std::sqrt(from), sum / from + factor.high / std::sqrt(from)};
  const Walk walk{n, sum, from, std::max(n + std::ceil(path.most), 1.0)};
  return {lowest(walk, path, factor.low), highest(walk, path, factor.high)};
}

namespace {

double moss_factor(double n, double share) {
  return std::sqrt(std::max(0.0, portable::log(share / n)) / 2);
}

}  // namespace

Range moss_factors(std::uint64_t count, const SumPath& path, double share) {
  const auto n = static_cast<double>(count);
  return {moss_factor(std::max(1.0, n + std::ceil(path.most)), share),
          moss_factor(std::max(1.0, n), share)};
}

RangeList ranges_along(const Statistics& statistics, std::span<const SumPath> paths,
                       const Confidence& confidence, PathBound bound) {
  RangeList ranges(paths.size());
  for (std::uint32_t i = 0; i < paths.size(); ++i)
    ranges[i] = range_along(statistics, i, paths[i], confidence, bound);
  return ranges;
}

double least_upper_along(const Statistics& statistics, std::uint32_t i, const SumPath& path,
                         const Confidence& confidence) {
  if (!(path.most > 0)) return statistics.upper(i, confidence);
  const auto n = static_cast<double>(statistics.count(i));
  const Walk walk{n, statistics.sum(i), std::max(n, 1.0), n + std::ceil(path.most)};
  return lowest(walk, path, factor_at(confidence, walk.from));
}

namespace {

// How far Σ_z ν̃(z)·U(z) of one row is above that of another, at least.
double least_lead(const MarginalRows& rows, std::uint32_t leader, std::uint32_t rival,
                  std::span<const Range> uppers) {
  double lead = 0;
  for (Context z = 0; z < rows.contexts(); ++z) {
    const double difference = rows.at(leader, z) - rows.at(rival, z);
    lead += difference * (difference > 0 ? uppers[z].low : uppers[z].high);
  }
  return lead;
}

// Where Σ_z ν̃(z)·U(z) of a row can be.
Range sum_range(const MarginalRows& rows, std::uint32_t row, std::span<const Range> uppers) {
  Range sum{0, 0};
  for (Context z = 0; z < rows.contexts(); ++z) {
    sum.low += rows.at(row, z) * uppers[z].low;
    sum.high += rows.at(row, z) * uppers[z].high;
  }
  return sum;
}

}  // namespace

bool leads_for_all(const MarginalRows& rows, std::uint32_t leader, std::span<const Range> uppers) {
  for (std::uint32_t rival = 0; rival < rows.rows(); ++rival)
    if (rival != leader && !(least_lead(rows, leader, rival, uppers) > kCertificateMargin))
      return false;
  return true;
}

bool exceeds_for_all(const MarginalRows& rows, const CappedValue& value, const CappedValue& other,
                     std::span<const Range> uppers) {
  const bool own_exceeds =
      value.own.low > other.own.high + kCertificateMargin ||
      value.own.low > sum_range(rows, other.row, uppers).high + kCertificateMargin;
  return own_exceeds &&
         (least_lead(rows, value.row, other.row, uppers) > kCertificateMargin ||
          sum_range(rows, value.row, uppers).low > other.own.high + kCertificateMargin);
}

bool is_sum_for_all(const MarginalRows& rows, const CappedValue& value,
                    std::span<const Range> uppers) {
  return sum_range(rows, value.row, uppers).high < value.own.low - kCertificateMargin;
}

std::string index_leap_obstacle(const Confidence& confidence, bool random_ties) {
  if (random_ties) return "ties=random draws in every round";
  if (confidence.depends_on_mean()) return "confidence=anytime-kl has no certificate";
  return {};
}

}  // namespace armature
