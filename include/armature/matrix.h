#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "armature/error.h"

namespace armature {

/// A dense matrix of doubles, rows contiguous.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns);
  Matrix(const Matrix&) = default;
  Matrix& operator=(const Matrix&) = default;
  /// What was moved from has no rows: its sizes are those of its values.
  Matrix(Matrix&& other) noexcept
      : rows_(std::exchange(other.rows_, 0)),
        columns_(std::exchange(other.columns_, 0)),
        values_(std::exchange(other.values_, {})) {}
  Matrix& operator=(Matrix&& other) noexcept {
    rows_ = std::exchange(other.rows_, 0);
    columns_ = std::exchange(other.columns_, 0);
    values_ = std::exchange(other.values_, {});
    return *this;
  }
  ~Matrix() = default;
  /// Throws Error naming the first row that is not as long as the one before it.
  static Matrix from_rows(const std::vector<std::vector<double>>& rows);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double& operator()(std::size_t row, std::size_t column) { return values_[place(row, column)]; }
  double operator()(std::size_t row, std::size_t column) const {
    return values_[place(row, column)];
  }
  std::span<double> row(std::size_t r) { return {values_.data() + start_of(r), columns_}; }
  std::span<const double> row(std::size_t r) const {
    return {values_.data() + start_of(r), columns_};
  }
  bool operator==(const Matrix&) const = default;

 private:
  std::size_t start_of(std::size_t row) const {
    ARMATURE_CHECK(row < rows_, "a row of the matrix");
    return row * columns_;
  }
  std::size_t place(std::size_t row, std::size_t column) const {
    ARMATURE_CHECK(column < columns_, "a column of the matrix");
    return start_of(row) + column;
  }

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<double> values_;
};

}  // namespace armature
