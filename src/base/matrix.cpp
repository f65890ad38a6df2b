#include "armature/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace armature {
namespace {

std::size_t number_of_values(std::size_t rows, std::size_t columns) {
  ARMATURE_CHECK(columns == 0 || rows <= std::numeric_limits<std::size_t>::max() / columns,
                 "a matrix that can be counted");
  return rows * columns;
}

}  // namespace

Matrix::Matrix(std::size_t rows, std::size_t columns)
    : rows_(columns == 0 ? 0 : rows), columns_(columns), values_(number_of_values(rows, columns)) {}

Matrix Matrix::from_rows(const std::vector<std::vector<double>>& rows) {
  Matrix matrix(rows.size(), rows.empty() ? 0 : rows.front().size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].size() != matrix.columns())
      throw Error({"", fmt::format("rows[{}]", r), fmt::format("{} numbers", rows[r].size()),
                   fmt::format("{}, as in the rows before", matrix.columns())});
    if (matrix.columns() > 0) std::copy(rows[r].begin(), rows[r].end(), matrix.row(r).begin());
  }
  return matrix;
}

}  // namespace armature
