#include "linear/design.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "armature/random.h"
#include "linear/rank.h"

namespace armature {
namespace {

Matrix random_rows(std::size_t rows, std::uint32_t columns, double concentration,
                   std::uint32_t which) {
  Stream stream({99, which, Purpose::kTest});
  Matrix matrix(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = dirichlet(stream, columns, concentration);
    std::copy(row.begin(), row.end(), matrix.row(i).begin());
  }
  return matrix;
}

DesignOptions exact() {
  DesignOptions options;
  options.kind = DesignKind::kExact;
  return options;
}

// The certificate, computed again from nothing but rows and weights: the pseudo-inverse of V does
// not care about bases.
double recomputed_leverage(const Matrix& rows, const Design& design) {
  const auto columns = static_cast<Eigen::Index>(rows.columns());
  const auto vector = [&](std::size_t i) {
    return Eigen::Map<const Eigen::VectorXd>(rows.row(i).data(), columns);
  };
  Eigen::MatrixXd v = Eigen::MatrixXd::Zero(columns, columns);
  for (std::size_t k = 0; k < design.support.size(); ++k)
    v += design.weights[k] * vector(design.support[k]) * vector(design.support[k]).transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(v);
  double largest = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double leverage = 0;
    for (Eigen::Index k = columns - static_cast<Eigen::Index>(design.rank); k < columns; ++k) {
      const double along = eigen.eigenvectors().col(k).dot(vector(i));
      leverage += along * along / eigen.eigenvalues()[k];
    }
    largest = std::max(largest, leverage);
  }
  return largest;
}

void expect_distribution(const Design& design) {
  double sum = 0;
  for (std::size_t k = 0; k < design.weights.size(); ++k) {
    EXPECT_GT(design.weights[k], 0);
    if (k > 0) {
      EXPECT_LT(design.support[k - 1], design.support[k]);
    }
    sum += design.weights[k];
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Design, CertificatesHoldWhenComputedAgain) {
  std::uint32_t which = 0;
  for (const std::size_t rows : {3u, 10u, 60u, 400u})
    for (const std::uint32_t columns : {1u, 2u, 5u, 12u})
      for (const double concentration : {0.1, 1.0, 20.0}) {
        const Matrix matrix = random_rows(rows, columns, concentration, which++);
        const Design near = optimal_design(matrix);
        EXPECT_EQ(near.rank, std::min<std::size_t>(rows, columns));
        EXPECT_LE(near.largest_leverage, 2.0 * static_cast<double>(near.rank) * (1 + 1e-11));
        EXPECT_NEAR(near.largest_leverage, recomputed_leverage(matrix, near),
                    1e-6 * near.largest_leverage);
        expect_distribution(near);
        const Design best = optimal_design(matrix, exact());
        EXPECT_TRUE(best.converged);
        EXPECT_LE(best.largest_leverage, static_cast<double>(best.rank) * (1 + 1.001e-9));
        EXPECT_GE(best.largest_leverage,
                  static_cast<double>(best.rank) * (1 - 1e-9));  // no design can do better
        EXPECT_NEAR(best.largest_leverage, recomputed_leverage(matrix, best),
                    1e-6 * best.largest_leverage);
        expect_distribution(best);
      }
}

// The vertices of a simplex: one each, whatever lies inside.
TEST(Design, SimplexVerticesShareTheWeight) {
  const Matrix rows =
      Matrix::from_rows({{0.5, 0.5, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.3, 0.5}, {0, 0, 1}});
  const Design design = optimal_design(rows, exact());
  EXPECT_EQ(design.support, (std::vector<std::uint32_t>{1, 2, 4}));
  for (const double weight : design.weights) EXPECT_NEAR(weight, 1.0 / 3, 1e-9);
  EXPECT_NEAR(design.largest_leverage, 3, 1e-8);
}

// The corners of a regular polygon around the origin: V = I/2 for the uniform design, leverage 2
// everywhere.
TEST(Design, RegularPolygonsAreOptimalAsTheyAre) {
  for (const int corners : {3, 5, 6, 8}) {
    Matrix rows(static_cast<std::size_t>(corners), 2);
    for (int i = 0; i < corners; ++i) {
      rows(static_cast<std::size_t>(i), 0) = std::cos(2 * std::numbers::pi * i / corners);
      rows(static_cast<std::size_t>(i), 1) = std::sin(2 * std::numbers::pi * i / corners);
    }
    EXPECT_NEAR(optimal_design(rows, exact()).largest_leverage, 2, 1e-8);
  }
}

TEST(Design, RepeatedRowsCountOnceUnderTheirFirstIndex) {
  const Matrix rows = Matrix::from_rows({{0, 1}, {1, 0}, {0, 1}, {1, 0}, {1, 0}});
  for (const DesignOptions& options : {DesignOptions{}, exact()}) {
    const Design design = optimal_design(rows, options);
    EXPECT_EQ(design.support, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_NEAR(design.weights[0], 0.5, 1e-9);
  }
}

TEST(Design, OneRowOneContextAndEqualRows) {
  EXPECT_EQ(optimal_design(Matrix::from_rows({{0.2, 0.8}}), exact()).support,
            std::vector<std::uint32_t>{0});
  EXPECT_EQ(optimal_design(Matrix::from_rows({{1}, {1}, {1}})).rank, 1u);
  const Design equal = optimal_design(Matrix::from_rows({{0.5, 0.5}, {0.5, 0.5}}), exact());
  EXPECT_EQ(equal.rank, 1u);
  EXPECT_EQ(equal.weights, std::vector<double>{1});
  EXPECT_NEAR(equal.largest_leverage, 1, 1e-12);
}

TEST(Design, FewerActionsThanContexts) {
  const Design design =
      optimal_design(Matrix::from_rows({{0.7, 0.1, 0.1, 0.1}, {0.1, 0.2, 0.3, 0.4}}), exact());
  EXPECT_EQ(design.rank, 2u);
  EXPECT_NEAR(design.largest_leverage, 2, 1e-8);
  EXPECT_NEAR(design.weights[0], 0.5, 1e-9);  // two independent rows: half each
}

// Rows that differ by 1e-7 span two dimensions all the same, and by 1e-300 they do not.
TEST(Design, NearlyRepeatedRowsAndTinyProbabilities) {
  const Design near = optimal_design(
      Matrix::from_rows({{0.5, 0.5}, {0.5 + 1e-7, 0.5 - 1e-7}, {0.5, 0.5}}), exact());
  EXPECT_EQ(near.rank, 2u);
  EXPECT_NEAR(near.largest_leverage, 2, 1e-6);
  EXPECT_EQ(near.support, (std::vector<std::uint32_t>{0, 1}));
  const Design tiny = optimal_design(Matrix::from_rows({{1e-300, 1}, {0, 1}}), exact());
  EXPECT_EQ(tiny.rank, 1u);
  EXPECT_NEAR(tiny.largest_leverage, 1, 1e-9);
}

// Inner products live on in the coordinates: x_a = Σ_k y_ak·x_pivot(k), so a linear reward is
// linear in y.
TEST(Design, CoordinatesCarryLinearRewards) {
  const Matrix rows = random_rows(30, 6, 1, 1234);
  const Design design = optimal_design(rows);
  Eigen::MatrixXd y(30, 6);
  Eigen::VectorXd value(30);
  for (Eigen::Index i = 0; i < 30; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      y(i, static_cast<Eigen::Index>(k)) =
          design.coordinates(design.rows.number[static_cast<std::size_t>(i)], k);
      sum += rows(static_cast<std::size_t>(i), k) * static_cast<double>(k + 1);
    }
    value[i] = sum;
  }
  const Eigen::VectorXd theta = y.colPivHouseholderQr().solve(value);
  EXPECT_LT((y * theta - value).norm(), 1e-10);
}

// Every row with a twin that differs by 1e-5: weight must move between twins, which towards and
// away steps alone do in millions of iterations.
TEST(Design, TwinsConvergeAsQuicklyAsOthers) {
  for (std::uint32_t which = 0; which < 20; ++which) {
    Stream stream({123, which, Purpose::kTest});
    const Matrix half = random_rows(60, 8, 1, 500 + which);
    Matrix rows(120, 8);
    for (std::size_t i = 0; i < 60; ++i)
      for (std::size_t k = 0; k < 8; ++k) {
        rows(2 * i, k) = half(i, k);
        rows(2 * i + 1, k) = half(i, k) * (1 + 1e-5 * (stream.uniform() - 0.5));
      }
    const Design design = optimal_design(rows, exact());
    EXPECT_TRUE(design.converged);
    EXPECT_LT(design.iterations, 100'000u);
    EXPECT_LE(design.largest_leverage, 8 * (1 + 1.001e-9));
  }
}

TEST(Design, TheUnitOfLengthDoesNotMatter) {
  const Design design = optimal_design(Matrix::from_rows({{1e-200, 0}, {0, 1e-200}}), exact());
  EXPECT_EQ(design.rank, 2u);
  EXPECT_NEAR(design.largest_leverage, 2, 1e-12);
}

TEST(Design, NumbersAtTheEndsOfTheRange) {
  // Squares and singular values of these overflow, or are nothing.
  for (const double size : {1e308, std::numeric_limits<double>::max(), 1e-308, 5e-324}) {
    const Design same = optimal_design(Matrix::from_rows({{size, size}, {size, size}}), exact());
    EXPECT_EQ(same.rank, 1u) << size;
    EXPECT_NEAR(same.largest_leverage, 1, 1e-9) << size;
    const Design apart =
        optimal_design(Matrix::from_rows({{size, 0}, {0, size}, {size, size}}), exact());
    EXPECT_EQ(apart.rank, 2u) << size;
    EXPECT_NEAR(apart.largest_leverage, 2, 1e-6) << size;
  }
  const Matrix far_apart = Matrix::from_rows({{1e308, 0}, {0, 1e-308}});
  EXPECT_EQ(optimal_design(far_apart, exact()).rank, 1u);
}

// Sums in one order on every machine (docs/exactness.md): with packets, or blocks cut by the size
// of a cache, they would end in other bits. More than 48 columns, where Eigen begins to cut.
TEST(Design, HasTheSameBitsEverywhere) {
  const Matrix rows = random_rows(400, 60, 1, 5);
  std::uint64_t digest = 0;
  const auto mix = [&](double value) {
    digest = (digest ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 29;
  };
  for (const DesignKind kind : {DesignKind::kNear, DesignKind::kExact}) {
    DesignOptions options;
    options.kind = kind;
    const Design design = optimal_design(rows, options);
    for (const double weight : design.weights) mix(weight);
    mix(design.largest_leverage);
  }
  for (const double value : numerical_rank(rows).singular_values) mix(value);
  EXPECT_EQ(digest, 0xf45cc5ca527ad39bu);
}

TEST(Design, AnIterationLimitIsANamedOutcome) {
  DesignOptions options = exact();
  options.most_iterations = 3;
  const Matrix rows = random_rows(200, 8, 1, 77);
  const Design design = optimal_design(rows, options);
  EXPECT_FALSE(design.converged);
  EXPECT_LE(design.largest_leverage, 16 * (1 + 1e-9));  // still the near design's promise
  EXPECT_NEAR(design.largest_leverage, recomputed_leverage(rows, design),
              1e-6 * design.largest_leverage);
}

}  // namespace
}  // namespace armature
