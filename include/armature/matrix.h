#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace armature {

/// A dense matrix of doubles, rows contiguous.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : columns_(columns), values_(rows * columns) {}

  std::size_t rows() const { return columns_ == 0 ? 0 : values_.size() / columns_; }
  std::size_t columns() const { return columns_; }
  double& operator()(std::size_t row, std::size_t column) {
    return values_[row * columns_ + column];
  }
  double operator()(std::size_t row, std::size_t column) const {
    return values_[row * columns_ + column];
  }
  std::span<double> row(std::size_t r) { return {values_.data() + r * columns_, columns_}; }
  std::span<const double> row(std::size_t r) const {
    return {values_.data() + r * columns_, columns_};
  }
  bool operator==(const Matrix&) const = default;

 private:
  std::size_t columns_ = 0;
  std::vector<double> values_;
};

}  // namespace armature
