#include "linear/rank.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "armature/random.h"

namespace armature {
namespace {

TEST(NumericalRank, SingularValuesByHand) {
  // [[3,0],[4,5]]: MᵀM = [[25,20],[20,25]] has eigenvalues 45 and 5.
  const RankVerdict verdict = numerical_rank(Matrix::from_rows({{3, 0}, {4, 5}}));
  EXPECT_EQ(verdict.rank, 2u);
  ASSERT_EQ(verdict.singular_values.size(), 2u);
  EXPECT_NEAR(verdict.singular_values[0], std::sqrt(45.0), 1e-12);
  EXPECT_NEAR(verdict.singular_values[1], std::sqrt(5.0), 1e-12);
  // The default cut is max(2,2)·2^-52·σ_max.
  EXPECT_DOUBLE_EQ(verdict.cut, 2 * 0x1p-52 * verdict.singular_values[0]);
}

TEST(NumericalRank, TheLargerSideSetsTheCut) {
  const RankVerdict verdict = numerical_rank(Matrix::from_rows({{1, 0, 0, 0, 0}}));
  EXPECT_DOUBLE_EQ(verdict.cut, 5 * 0x1p-52);
  EXPECT_EQ(verdict.rank, 1u);
}

TEST(NumericalRank, EqualRowsCountOnce) {
  EXPECT_EQ(numerical_rank(Matrix::from_rows({{0.1, 0.9}, {0.1, 0.9}, {0.1, 0.9}})).rank, 1u);
}

TEST(NumericalRank, MixturesAddNothing) {
  // Row 2 is the mean of rows 0 and 1.
  EXPECT_EQ(
      numerical_rank(Matrix::from_rows({{0.2, 0.3, 0.5}, {0.6, 0.1, 0.3}, {0.4, 0.2, 0.4}})).rank,
      2u);
}

TEST(NumericalRank, WideAndTall) {
  EXPECT_EQ(numerical_rank(Matrix::from_rows({{1, 0, 0}, {0, 1, 0}})).rank, 2u);
  EXPECT_EQ(numerical_rank(Matrix::from_rows({{1, 0}, {0, 1}, {0.5, 0.5}})).rank, 2u);
}

// A file with four digits: the third row misses the span of the others by 1e-4.
TEST(NumericalRank, AToleranceForgivesFewDigits) {
  const Matrix rounded =
      Matrix::from_rows({{0.2, 0.3, 0.5}, {0.6, 0.1, 0.3}, {0.4001, 0.2, 0.3999}});
  EXPECT_EQ(numerical_rank(rounded).rank, 3u);
  EXPECT_EQ(numerical_rank(rounded, 1e-3).rank, 2u);
}

TEST(NumericalRank, ZeroAndEmptyMatrices) {
  EXPECT_EQ(numerical_rank(Matrix(3, 2)).rank, 0u);
  EXPECT_EQ(numerical_rank(Matrix()).rank, 0u);
  EXPECT_TRUE(numerical_rank(Matrix()).singular_values.empty());
}

// BDCSVD switches algorithm at 16 columns: sizes on both sides.
TEST(NumericalRank, ProductsOfRandomFactors) {
  EXPECT_TRUE(rc::check("rank of an (n×r)(r×m) product", [] {
    const auto rank = *rc::gen::inRange<std::size_t>(1, 6);
    const auto rows = *rc::gen::inRange<std::size_t>(rank, 40);
    const auto columns = *rc::gen::inRange<std::size_t>(rank, 40);
    Stream stream({*rc::gen::arbitrary<std::uint64_t>(), 0, Purpose::kTest});
    Matrix left(rows, rank);
    Matrix right(rank, columns);
    Matrix product(rows, columns);
    for (std::size_t k = 0; k < rank; ++k) {
      for (std::size_t r = 0; r < rows; ++r) left(r, k) = stream.uniform() + (r == k ? 3 : 0);
      for (std::size_t c = 0; c < columns; ++c) right(k, c) = stream.uniform() + (c == k ? 3 : 0);
    }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t k = 0; k < rank; ++k) product(r, c) += left(r, k) * right(k, c);
    const RankVerdict verdict = numerical_rank(product);
    RC_ASSERT(verdict.rank == rank);
    RC_ASSERT(verdict.singular_values.size() == std::min(rows, columns));
    RC_ASSERT(std::is_sorted(verdict.singular_values.rbegin(), verdict.singular_values.rend()));
    // Σσ² = ‖M‖²_F: a certificate that these are the singular values.
    double squares = 0;
    double frobenius = 0;
    for (const double value : verdict.singular_values) squares += value * value;
    for (std::size_t r = 0; r < rows; ++r)
      for (const double entry : product.row(r)) frobenius += entry * entry;
    RC_ASSERT(std::abs(squares - frobenius) <= 1e-10 * frobenius);
  }));
}

}  // namespace
}  // namespace armature
