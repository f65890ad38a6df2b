#include "policies/tools/rough_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "armature/random.h"

namespace armature {
namespace {

// Dirichlet rows: spread out, or nearly all in one place.
MarginalRows rows_of(std::uint32_t rows, std::uint32_t contexts, double concentration) {
  Stream stream({rows + 7, contexts, Purpose::kTest});
  Matrix marginals(rows, contexts);
  for (std::uint32_t r = 0; r < rows; ++r) {
    const auto row = dirichlet(stream, contexts, concentration);
    std::copy(row.begin(), row.end(), marginals.row(r).begin());
  }
  return MarginalRows(marginals);
}

struct Size {
  std::uint32_t rows, contexts;
};
constexpr Size kSizes[] = {{1, 1}, {2, 1}, {31, 3}, {32, 4}, {33, 5}, {100, 10}, {700, 51}};

TEST(RoughSums, AreOffByNoMoreThanTheySay) {
  Stream stream({1, 0, Purpose::kTest});
  for (const auto& [count, contexts] : kSizes)
    for (const double concentration : {1.0, 0.01}) {
      const MarginalRows rows = rows_of(count, contexts, concentration);
      RoughSums rough(rows);
      std::vector<double> u(contexts);
      for (int turn = 0; turn < 50; ++turn) {
        const double size = std::ldexp(1.0, turn * 4 - 100);
        for (double& value : u) value = size * (turn % 3 == 0 ? stream.uniform() : normal(stream));
        ASSERT_TRUE(rough.take(u));
        double widest = 0;
        for (std::uint32_t r = 0; r < rows.rows(); ++r) {
          const double off = std::abs(rough.sums()[r] * rough.unit() - rows.sum(r, u));
          ASSERT_LE(off, rough.error() * rough.unit());
          widest = std::max(widest, off);
        }
        // A few of 2^15 steps: good for something.
        ASSERT_LE(rough.error() * rough.unit(), size * 1e-3 * std::max(1u, contexts / 5));
      }
    }
}

TEST(RoughSums, TakeNothingThatIsNoNumber) {
  RoughSums rough(rows_of(40, 3, 1));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(rough.take(std::vector<double>{1, kInfinity, 0}));
  EXPECT_FALSE(rough.take(std::vector<double>{1, std::nan(""), 0}));
  EXPECT_FALSE(rough.take(std::vector<double>{1e308, 1e308, 1e308}));
  EXPECT_FALSE(rough.take(std::vector<double>{0, 0, 0}));
  EXPECT_FALSE(rough.take(std::vector<double>{5e-324, 0, 0}));
}

void expect_the_largest(const MarginalRows& rows, LargestSum& largest, std::span<const double> u) {
  std::vector<double> sums(rows.rows());
  rows.sums(u, sums);
  ASSERT_EQ(largest.row(rows, u), first_largest(sums));
}

TEST(LargestSum, IsTheLowestOfTheLargest) {
  Stream stream({2, 0, Purpose::kTest});
  for (const auto& [count, contexts] : kSizes) {
    const MarginalRows rows = rows_of(count, contexts, 1);
    LargestSum largest(rows);
    std::vector<double> u(contexts);
    for (int turn = 0; turn < 400; ++turn) {
      for (double& value : u) value = normal(stream) - 0.5 * (turn % 4);
      expect_the_largest(rows, largest, u);
    }
    expect_the_largest(rows, largest, std::vector<double>(contexts, 0.0));
    expect_the_largest(rows, largest, std::vector<double>(contexts, 1.0));  // 1, but for rounding
    expect_the_largest(rows, largest, std::vector<double>(contexts, -1.0));
  }
}

// Rows that no 16 bits tell apart, few of them and many.
TEST(LargestSum, SeesTheLastBit) {
  Stream stream({3, 0, Purpose::kTest});
  for (const std::uint32_t near : {3u, 20u, 200u}) {
    Matrix marginals(400, 10);
    for (std::uint32_t r = 0; r < 400; ++r) {
      const auto row = dirichlet(stream, 10, 1);
      auto out = marginals.row(r);
      for (std::size_t z = 0; z < 10; ++z) out[z] = r < near ? 0.1 : row[z];
      if (r >= near) continue;
      const double moved = 1e-16 * uniform_index(stream, 50);
      out[r % 9] += moved;
      out[9] -= moved;
    }
    const MarginalRows rows(marginals);
    LargestSum largest(rows);
    std::vector<double> u(10);
    for (int turn = 0; turn < 200; ++turn) {
      for (double& value : u) value = 1 + 1e-3 * normal(stream);
      expect_the_largest(rows, largest, u);
    }
  }
}

}  // namespace
}  // namespace armature
