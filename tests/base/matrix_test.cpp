#include "armature/matrix.h"

#include <gtest/gtest.h>

#include "base/refusal.h"

namespace armature {
namespace {

using test::refusal;

TEST(Matrix, FromRows) {
  const Matrix matrix = Matrix::from_rows({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(matrix.rows(), 2u);
  EXPECT_EQ(matrix.columns(), 3u);
  EXPECT_EQ(matrix(1, 0), 4);
  EXPECT_EQ(matrix.row(1)[2], 6);
  EXPECT_EQ(Matrix::from_rows({}), Matrix());
}

TEST(Matrix, RaggedRowsAreNamed) {
  EXPECT_EQ(refusal([] {
              Matrix::from_rows({{1, 2}, {3, 4}, {5}});
            }),
            "rows[2]: got 1 numbers, expected 2, as in the rows before");
  EXPECT_EQ(refusal([] {
              Matrix::from_rows({{}, {1}});
            }),
            "rows[1]: got 1 numbers, expected 0, as in the rows before");
}

TEST(Matrix, PlacesOutsideAbort) {
  Matrix matrix(2, 3);
  const Matrix& seen = matrix;
  EXPECT_DEATH(matrix(2, 0) = 1, "a row of the matrix");
  EXPECT_DEATH(matrix(0, 3) = 1, "a column of the matrix");
  EXPECT_DEATH(static_cast<void>(seen(2, 0)), "a row of the matrix");
  EXPECT_DEATH(static_cast<void>(seen(0, 3)), "a column of the matrix");
  EXPECT_DEATH(matrix.row(2), "a row of the matrix");
  EXPECT_DEATH(seen.row(2), "a row of the matrix");
  EXPECT_DEATH(Matrix().row(0), "a row of the matrix");
}

// 2^33 × 2^32 numbers are 2^65: a product that wraps.
TEST(Matrix, SizesThatWrapAbort) {
  EXPECT_DEATH(Matrix(std::size_t{1} << 33, std::size_t{1} << 32), "can be counted");
}

TEST(Matrix, WhatWasMovedFromHasNoRows) {
  Matrix matrix(2, 3);
  Matrix taken = std::move(matrix);
  EXPECT_EQ(taken.rows(), 2u);
  EXPECT_EQ(matrix, Matrix());
  EXPECT_DEATH(matrix(1, 1) = 1, "a column of the matrix");
  Matrix assigned;
  assigned = std::move(taken);
  EXPECT_EQ(assigned, Matrix(2, 3));
  EXPECT_EQ(taken, Matrix());
}

}  // namespace
}  // namespace armature
