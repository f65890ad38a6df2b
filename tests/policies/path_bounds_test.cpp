#include "policies/tools/path_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/random.h"

namespace armature {
namespace {

using leap::Range;
using leap::SumPath;

// Every value on both edges of the path, one count after the other.
Range by_brute_force(std::uint64_t count, double sum, const SumPath& path,
                     const Confidence& confidence, double sign) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::uint64_t k = 0; static_cast<double>(k) <= path.most; ++k) {
    const auto step = static_cast<double>(k);
    const std::uint64_t n = std::max<std::uint64_t>(count + k, 1);
    const double width = sign * confidence.hoeffding(n);
    const double low = sum + std::max(0.0, step * path.drift - path.down);
    const double high = sum + std::min(step, step * path.drift + path.up);
    range.low = std::min(range.low, low / static_cast<double>(n) + width);
    range.high = std::max(range.high, high / static_cast<double>(n) + width);
  }
  return range;
}

TEST(PathBounds, HoldAndAreTight) {
  Stream stream({1, 0, Purpose::kTest});
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t count = i % 7 == 0 ? 0 : uniform_index(stream, 300);
    const double sum = std::floor(stream.uniform() * static_cast<double>(count + 1));
    const double most = 1 + uniform_index(stream, 400);
    const double drift = i % 5 == 0 ? (i % 2 == 0 ? 0.0 : 1.0) : stream.uniform();
    const SumPath path{most, drift, stream.uniform() * 20, stream.uniform() * 20};
    const Confidence fixed = Confidence::fixed(1 + 20 * stream.uniform(), 1);
    const Confidence anytime = Confidence::anytime(20, 0.05, 1);
    for (const PathBound bound : {PathBound::kMean, PathBound::kUpper, PathBound::kLower}) {
      const double sign = bound == PathBound::kMean ? 0 : bound == PathBound::kUpper ? 1 : -1;
      const Range exact = by_brute_force(count, sum, path, fixed, sign);
      const Range found = range_along(count, sum, path, fixed, bound);
      EXPECT_LE(found.low, exact.low + 1e-12);
      EXPECT_GE(found.high, exact.high - 1e-12);
      // Between counts the parabola may dip below its values at them, by less than a step changes.
      if (count > 20) {
        EXPECT_GT(found.low, exact.low - 0.03);
        EXPECT_LT(found.high, exact.high + 0.03);
      }
      const Range rising = by_brute_force(count, sum, path, anytime, sign);
      const Range covered = range_along(count, sum, path, anytime, bound);
      EXPECT_LE(covered.low, rising.low + 1e-12);
      EXPECT_GE(covered.high, rising.high - 1e-12);
    }
  }
}

// Widths of another kind, here MOSS's, whose factor falls.
TEST(PathBounds, HoldForOtherWidths) {
  Stream stream({2, 0, Purpose::kTest});
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t count = uniform_index(stream, 300);
    const double sum = std::floor(stream.uniform() * static_cast<double>(count + 1));
    const SumPath path{static_cast<double>(uniform_index(stream, 400)), stream.uniform(),
                       stream.uniform() * 20, stream.uniform() * 20};
    const double share = 1 + 1000 * stream.uniform();
    const auto factor = [&](double n) { return std::sqrt(std::max(0.0, std::log(share / n)) / 2); };
    const double from = std::max(1.0, static_cast<double>(count));
    const double to = std::max(1.0, static_cast<double>(count) + path.most);
    const Range found = upper_range_along(count, sum, path, {factor(to), factor(from)});
    for (double k = 0; k <= path.most; ++k) {
      const double n = std::max(1.0, static_cast<double>(count) + k);
      const double low = sum + std::max(0.0, k * path.drift - path.down);
      const double high = sum + std::min(k, k * path.drift + path.up);
      EXPECT_LE(found.low, low / n + factor(n) / std::sqrt(n) + 1e-12);
      EXPECT_GE(found.high, high / n + factor(n) / std::sqrt(n) - 1e-12);
    }
  }
}

TEST(PathBounds, APathOfNoLengthIsThePoint) {
  const Confidence confidence = Confidence::fixed(8, 1);
  const Range range = range_along(16, 4, {}, confidence, PathBound::kUpper);
  EXPECT_EQ(range.low, 0.25 + 0.5);  // sqrt(8/32)
  EXPECT_EQ(range.high, range.low);
}

TEST(PathBounds, TheLeastAloneIsTheSame) {
  const Confidence confidence = Confidence::anytime(20, 0.05, 1);
  Statistics statistics(2);
  statistics.add(1, 50, 20);
  for (const SumPath& path : {SumPath{}, SumPath{30, 0.4, 5, 5}, SumPath{1000, 0.1, 40, 3}})
    for (const std::uint32_t i : {0u, 1u})
      EXPECT_EQ(least_upper_along(statistics, i, path, confidence),
                range_along(statistics, i, path, confidence, PathBound::kUpper).low);
}

TEST(PathBounds, OneRowLeadsForAllValuesOrDoesNot) {
  Matrix marginals(2, 2);
  marginals(0, 0) = 0.75;
  marginals(0, 1) = 0.25;
  marginals(1, 0) = 0.25;
  marginals(1, 1) = 0.75;
  const MarginalRows rows(marginals);
  const Range apart[] = {{0.6, 0.9}, {0.2, 0.5}};
  const Range touching[] = {{0.6, 0.9}, {0.2, 0.6}};
  EXPECT_TRUE(leads_for_all(rows, 0, apart));
  EXPECT_FALSE(leads_for_all(rows, 1, apart));
  EXPECT_FALSE(leads_for_all(rows, 0, touching));
}

}  // namespace
}  // namespace armature
