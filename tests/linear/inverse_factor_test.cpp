// V^{-1} = MᵀDM against V itself, in long double.
#include "linear/inverse_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "armature/random.h"

namespace armature {
namespace {

using Precise = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using PreciseVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

PreciseVector precise(const LaneVector& lanes, std::size_t size) {
  PreciseVector found(static_cast<Eigen::Index>(size));
  for (std::size_t i = 0; i < size; ++i) found[static_cast<Eigen::Index>(i)] = values_of(lanes)[i];
  return found;
}

class InverseFactors : public testing::TestWithParam<std::size_t> {
 protected:
  std::size_t size = GetParam();
  InverseFactor factor{size};
  Precise moments = Precise::Identity(Eigen::Index(size), Eigen::Index(size));
  Stream stream{{1, 0, Purpose::kTest}};

  LaneVector drawn() {
    LaneVector x(factor.blocks());
    const auto row = dirichlet(stream, static_cast<std::uint32_t>(size), 1);
    std::copy(row.begin(), row.end(), values_of(x));
    return x;
  }
  void fold(const LaneVector& x, double weight) {
    LaneVector p(factor.blocks()), w(factor.blocks());
    const double leverage = factor.project(values_of(x), values_of(p));
    const PreciseVector along = moments.llt().solve(precise(x, size));
    EXPECT_NEAR(factor.fold(values_of(p), weight, values_of(w)), 1 + weight * leverage,
                1e-13 * (1 + weight));
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_NEAR(values_of(w)[i], static_cast<double>(along[Eigen::Index(i)]), 1e-13);
    moments += static_cast<long double>(weight) * precise(x, size) * precise(x, size).transpose();
  }
  void expect_inverse() {
    const Eigen::LLT<Precise> solver(moments);
    for (int turn = 0; turn < 5; ++turn) {
      const LaneVector x = drawn();
      LaneVector p(factor.blocks()), out(factor.blocks());
      const PreciseVector solved = solver.solve(precise(x, size));
      const auto leverage = static_cast<double>(precise(x, size).dot(solved));
      EXPECT_NEAR(factor.project(values_of(x), values_of(p)), leverage, 1e-13 * leverage);
      factor.solve(values_of(x), values_of(out));
      for (std::size_t i = 0; i < size; ++i)
        EXPECT_NEAR(values_of(out)[i], static_cast<double>(solved[Eigen::Index(i)]), 1e-13);
      // ⟨Nz,x⟩ = ⟨z,Nᵀx⟩, and Nᵀx = sqrt(D)·Mx is as long as x.
      factor.correlate(values_of(x), values_of(out));
      double length = 0, one = 0, other = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const double scaled = std::sqrt(factor.diagonal()[i]) * values_of(p)[i];
        length += scaled * scaled;
        one += values_of(out)[i] * values_of(x)[i];
        other += values_of(x)[i] * scaled;
      }
      EXPECT_NEAR(length, leverage, 1e-13 * leverage);
      EXPECT_NEAR(one, other, 1e-13);
    }
    EXPECT_TRUE(factor.fits());
  }
};

TEST_P(InverseFactors, StartAsTheIdentity) {
  const LaneVector x = drawn();
  LaneVector p(factor.blocks());
  factor.project(values_of(x), values_of(p));
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(values_of(p)[i], values_of(x)[i]);
  expect_inverse();
}

TEST_P(InverseFactors, FollowWhatIsFolded) {
  for (int step = 0; step < 100; ++step) fold(drawn(), step % 10 == 0 ? 7 : 1);
  expect_inverse();
}

TEST_P(InverseFactors, StartFromCounts) {
  LaneVector rows;
  std::vector<std::uint64_t> weights;
  for (std::uint64_t r = 0; r < 20; ++r) {
    const LaneVector x = drawn();
    rows.insert(rows.end(), x.begin(), x.end());
    weights.push_back(r % 3);
  }
  fold(drawn(), 3);  // and leave nothing of what was
  moments.setIdentity();
  for (std::uint64_t r = 0; r < 20; ++r) {
    LaneVector x(rows.begin() + std::ptrdiff_t(r * factor.blocks()),
                 rows.begin() + std::ptrdiff_t((r + 1) * factor.blocks()));
    moments += static_cast<long double>(r % 3) * precise(x, size) * precise(x, size).transpose();
  }
  factor.start(values_of(rows), weights);
  expect_inverse();
}

TEST_P(InverseFactors, AreTheirNumbers) {
  for (int step = 0; step < 10; ++step) fold(drawn(), 1);
  InverseFactor other(size);
  other.set_entries(factor.entries());
  other.set_diagonal(factor.diagonal());
  const LaneVector x = drawn();
  LaneVector p(factor.blocks()), q(factor.blocks());
  EXPECT_EQ(other.project(values_of(x), values_of(q)), factor.project(values_of(x), values_of(p)));
  EXPECT_EQ(other.fold(values_of(q), 2, values_of(q)), factor.fold(values_of(p), 2, values_of(p)));
  EXPECT_EQ(other.entries(), factor.entries());
  EXPECT_EQ(other.diagonal(), factor.diagonal());
}

INSTANTIATE_TEST_SUITE_P(Sizes, InverseFactors, testing::Values(1, 2, 7, 8, 9, 16, 20, 50));

TEST(InverseFactor, RefusesWhatNoCountsLeave) {
  InverseFactor factor(3);
  EXPECT_TRUE(factor.fits());
  for (const double bad : {0.0, -1.0, 1.1, 1e-300, std::nan("")}) {
    factor.set_diagonal(std::vector<double>{1, bad, 1});
    EXPECT_FALSE(factor.fits()) << bad;
  }
  factor.set_diagonal(std::vector<double>{1, 0.25, 1});
  for (const double bad : {2.1, -2.1, 1e300, std::nan("")}) {
    factor.set_entries(std::vector<double>{bad, 0, 0});
    EXPECT_FALSE(factor.fits()) << bad;
  }
  factor.set_entries(std::vector<double>{-2, 0, 0});
  EXPECT_TRUE(factor.fits());
}

// Counts so large that V has no digit left for the identity: still no leverage below 0 or above 1.
TEST(InverseFactor, BearsCountsBeyondItsDigits) {
  InverseFactor factor(2);
  LaneVector rows(2);
  rows[0].at[0] = rows[0].at[1] = 0.5;
  rows[1].at[0] = 0.5 + 0x1p-30;
  rows[1].at[1] = 0.5 - 0x1p-30;
  factor.start(values_of(rows), std::vector<std::uint64_t>{1ULL << 62, 1ULL << 63});
  EXPECT_TRUE(factor.fits());
  LaneVector p(1);
  for (int r = 0; r < 2; ++r) {
    const double leverage = factor.project(rows[std::size_t(r)].at, values_of(p));
    EXPECT_GE(leverage, 0);
    EXPECT_LE(leverage, 1);
  }
}

}  // namespace
}  // namespace armature
