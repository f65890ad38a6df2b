#include "policies/tools/marginal_rows.h"

#include <algorithm>

#include "base/vector_clones.h"

namespace armature {
namespace {

// out[r] += column[r]·u[z] for one block of rows after another, so that `out` stays in the cache.
// Each row's sum still runs over z in index order: the same bits as the scalar loop.
ARMATURE_VECTOR_CLONES void blocked_sums(const double* columns, std::size_t rows, const double* u,
                                         std::size_t contexts, double* out) {
  constexpr std::size_t kBlock = 512;
  for (std::size_t first = 0; first < rows; first += kBlock) {
    const std::size_t size = std::min(kBlock, rows - first);
    double* block = out + first;
    for (std::size_t i = 0; i < size; ++i) block[i] = 0;
    for (std::size_t z = 0; z < contexts; ++z) {
      const double* column = columns + z * rows + first;
      const double value = u[z];
      for (std::size_t i = 0; i < size; ++i) block[i] += column[i] * value;
    }
  }
}

ARMATURE_VECTOR_CLONES void add_scaled(const double* column, std::size_t rows, double step,
                                       double* out) {
  for (std::size_t i = 0; i < rows; ++i) out[i] += column[i] * step;
}

// Several running maxima, one per lane: a single one would wait for each comparison.
ARMATURE_VECTOR_CLONES double largest_of(const double* values, std::size_t count) {
  constexpr std::size_t kLanes = 32;
  double lanes[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = values[0];
  std::size_t first = 0;
  for (; first + kLanes <= count; first += kLanes)
    for (std::size_t i = 0; i < kLanes; ++i)
      lanes[i] = values[first + i] > lanes[i] ? values[first + i] : lanes[i];
  double largest = values[0];
  for (const double lane : lanes) largest = lane > largest ? lane : largest;
  for (; first < count; ++first) largest = values[first] > largest ? values[first] : largest;
  return largest;
}

}  // namespace

MarginalRows::MarginalRows(const Matrix& marginals)
    : contexts_(static_cast<std::uint32_t>(marginals.columns())),
      distinct_(distinct_rows(marginals)) {
  by_row_.reserve(std::size_t{rows()} * contexts_);
  for (const Arm a : distinct_.first) {
    const auto row = marginals.row(a);
    by_row_.insert(by_row_.end(), row.begin(), row.end());
  }
  by_column_.resize(by_row_.size());
  column_high_.resize(contexts_);
  column_low_.resize(contexts_);
  for (Context z = 0; z < contexts_; ++z) {
    double* column = by_column_.data() + std::size_t{z} * rows();
    for (std::uint32_t r = 0; r < rows(); ++r) column[r] = at(r, z);
    const auto [low, high] = std::minmax_element(column, column + rows());
    column_low_[z] = *low;
    column_high_[z] = *high;
  }
}

double MarginalRows::sum(std::uint32_t row, std::span<const double> u) const {
  const double* entry = by_row_.data() + std::size_t{row} * contexts_;
  double sum = 0;
  for (Context z = 0; z < contexts_; ++z) sum += entry[z] * u[z];
  return sum;
}

void MarginalRows::sums(std::span<const double> u, std::span<double> out) const {
  blocked_sums(by_column_.data(), rows(), u.data(), contexts_, out.data());
}

void MarginalRows::add_column(Context z, double step, std::span<double> out) const {
  add_scaled(by_column_.data() + std::size_t{z} * rows(), rows(), step, out.data());
}

std::uint32_t first_largest(std::span<const double> values) {
  if (values.empty()) return 0;
  const auto found =
      std::find(values.begin(), values.end(), largest_of(values.data(), values.size()));
  // None if there is no number among them; somebody must be played all the same.
  return found == values.end() ? 0 : static_cast<std::uint32_t>(found - values.begin());
}

}  // namespace armature
