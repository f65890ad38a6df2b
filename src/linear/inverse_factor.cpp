#include "linear/inverse_factor.h"

#include <algorithm>
#include <cmath>

#include "base/vector_clones.h"

namespace armature {
namespace {

// Band q holds rows 8q to 8q+7, of q+1 blocks each.
constexpr std::size_t blocks_before_band(std::size_t q) { return kLanes * (q * (q + 1) / 2); }

std::size_t place(std::size_t row, std::size_t column) {
  const std::size_t q = row / kLanes;
  const std::size_t block = blocks_before_band(q) + row % kLanes * (q + 1) + column / kLanes;
  return block * kLanes + column % kLanes;
}

ARMATURE_VECTOR_CLONES double project_lanes(const double* lower, const double* diagonal,
                                            std::size_t blocks, const double* x, double* p) {
  const Lanes* band = lanes_at(lower);
  const Lanes* across = lanes_at(x);
  Lanes form = {};
  for (std::size_t q = 0; q < blocks; ++q) {
    Lanes parts[kLanes], sums;
    for (std::size_t i = 0; i < kLanes; ++i) parts[i] = band[i * (q + 1)] * across[0];
    for (std::size_t t = 1; t <= q; ++t)
      for (std::size_t i = 0; i < kLanes; ++i) parts[i] += band[i * (q + 1) + t] * across[t];
    sum_each(parts, sums);
    lanes_at(p)[q] = sums;
    form += sums * sums * lanes_at(diagonal)[q];
    band += kLanes * (q + 1);
  }
  return sum_of(form);
}

// out = Mᵀz.
ARMATURE_VECTOR_CLONES void spread_lanes(const double* lower, std::size_t blocks, const double* z,
                                         double* out) {
  for (std::size_t t = 0; t < blocks; ++t) lanes_at(out)[t] = Lanes{};
  const Lanes* band = lanes_at(lower);
  for (std::size_t q = 0; q < blocks; ++q) {
    for (std::size_t t = 0; t <= q; ++t) {
      Lanes sum = lanes_at(out)[t];
      for (std::size_t i = 0; i < kLanes; ++i) sum += band[i * (q + 1) + t] * z[q * kLanes + i];
      lanes_at(out)[t] = sum;
    }
    band += kLanes * (q + 1);
  }
}

// With ρ_k = 1 + weight·Σ_{j≤k} d_j·p_j² and S_k = Σ_{j≤k} d_j·p_j·M_j (rows), the factor of
// V + weight·xxᵀ is M_k − (weight·p_k/ρ_{k-1})·S_{k-1} and d_k·ρ_{k-1}/ρ_k; the last S is V^{-1}x.
ARMATURE_VECTOR_CLONES double fold_lanes(double* lower, double* diagonal, std::size_t blocks,
                                         const double* p, double weight, double* steps,
                                         double* shares, double* w) {
  const std::size_t size = blocks * kLanes;
  double total = 1;
  for (std::size_t k = 0; k < size; ++k) {
    shares[k] = diagonal[k] * p[k];
    steps[k] = total;
    total += weight * (shares[k] * p[k]);
  }
  for (std::size_t k = 0; k + 1 < size; ++k) diagonal[k] *= steps[k] / steps[k + 1];
  diagonal[size - 1] *= steps[size - 1] / total;
  for (std::size_t k = 0; k < size; ++k) steps[k] = weight * p[k] / steps[k];
  for (std::size_t t = 0; t < blocks; ++t) lanes_at(w)[t] = Lanes{};
  Lanes* band = lanes_at(lower);
  for (std::size_t q = 0; q < blocks; ++q) {
    const double* step = steps + q * kLanes;
    const double* share = shares + q * kLanes;
    for (std::size_t t = 0; t <= q; ++t) {
      Lanes sum = lanes_at(w)[t];
      for (std::size_t i = 0; i < kLanes; ++i) {
        Lanes& entry = band[i * (q + 1) + t];
        const Lanes old = entry;
        entry = old - sum * step[i];
        sum += old * share[i];
      }
      lanes_at(w)[t] = sum;
    }
    band += kLanes * (q + 1);
  }
  return total;
}

// row += x[k]·weight·x for the rows k of a matrix in bands.
ARMATURE_VECTOR_CLONES void add_square(double* moments, std::size_t blocks, const double* x,
                                       double weight) {
  Lanes* row = lanes_at(moments);
  for (std::size_t k = 0; k < blocks * kLanes; ++k) {
    const double factor = weight * x[k];
    for (std::size_t t = 0; t <= k / kLanes; ++t) row[t] += lanes_at(x)[t] * factor;
    row += k / kLanes + 1;
  }
}

// row[t] -= other[t]·factor.
ARMATURE_VECTOR_CLONES void subtract(double* row, const double* other, std::size_t first,
                                     std::size_t blocks, double factor) {
  for (std::size_t t = first; t < blocks; ++t) lanes_at(row)[t] -= lanes_at(other)[t] * factor;
}

}  // namespace

InverseFactor::InverseFactor(std::size_t size)
    : size_(size),
      lower_(blocks_before_band(lane_blocks(size))),
      diagonal_(lane_blocks(size)),
      moments_(lower_.size()),
      first_(lane_blocks(size)),
      second_(lane_blocks(size)) {
  start(nullptr, {});
}

void InverseFactor::start(const double* rows, std::span<const std::uint64_t> weights) {
  std::fill(moments_.begin(), moments_.end(), LaneBlock{});
  double* const moments = values_of(moments_);
  for (std::size_t k = 0; k < size_; ++k) moments[place(k, k)] = 1;
  for (std::size_t r = 0; r < weights.size(); ++r)
    if (weights[r] > 0)
      add_square(moments, blocks(), rows + r * blocks() * kLanes, static_cast<double>(weights[r]));
  // V = LΔLᵀ, L in the place of V. What is left of V is never below I, whatever the rounding.
  double* const column = values_of(first_);
  double* const diagonal = values_of(diagonal_);
  for (std::size_t j = 0; j < size_; ++j) {
    const double pivot = std::max(1.0, moments[place(j, j)]);
    diagonal[j] = 1 / pivot;
    std::fill(first_.begin(), first_.end(), LaneBlock{});
    for (std::size_t i = j + 1; i < size_; ++i) column[i] = moments[place(i, j)];
    for (std::size_t i = j + 1; i < size_; ++i) {
      const double entry = column[i] / pivot;
      subtract(moments + place(i, 0), column, j / kLanes, i / kLanes + 1, entry);
      moments[place(i, j)] = entry;
    }
  }
  // M = L^{-1}, row by row.
  std::fill(lower_.begin(), lower_.end(), LaneBlock{});
  double* const lower = values_of(lower_);
  for (std::size_t i = 0; i < size_; ++i) {
    lower[place(i, i)] = 1;
    for (std::size_t j = 0; j < i; ++j)
      subtract(lower + place(i, 0), lower + place(j, 0), 0, j / kLanes + 1, moments[place(i, j)]);
  }
}

double InverseFactor::project(const double* x, double* p) const {
  return project_lanes(values_of(lower_), values_of(diagonal_), blocks(), x, p);
}

double InverseFactor::fold(const double* p, double weight, double* w) {
  return fold_lanes(values_of(lower_), values_of(diagonal_), blocks(), p, weight, values_of(first_),
                    values_of(second_), w);
}

void InverseFactor::solve(const double* b, double* out) {
  double* const p = values_of(first_);
  project(b, p);
  for (std::size_t k = 0; k < size_; ++k) p[k] *= values_of(diagonal_)[k];
  spread_lanes(values_of(lower_), blocks(), p, out);
}

void InverseFactor::correlate(const double* z, double* out) {
  double* const scaled = values_of(first_);
  for (std::size_t k = 0; k < size_; ++k) scaled[k] = std::sqrt(values_of(diagonal_)[k]) * z[k];
  std::fill(scaled + size_, scaled + blocks() * kLanes, 0.0);
  spread_lanes(values_of(lower_), blocks(), scaled, out);
}

std::vector<double> InverseFactor::entries() const {
  std::vector<double> found;
  found.reserve(size_ * (size_ - 1) / 2);
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j < i; ++j) found.push_back(values_of(lower_)[place(i, j)]);
  return found;
}

void InverseFactor::set_entries(std::span<const double> entries) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j < i; ++j) values_of(lower_)[place(i, j)] = entries[next++];
}

std::vector<double> InverseFactor::diagonal() const {
  return {values_of(diagonal_), values_of(diagonal_) + size_};
}

void InverseFactor::set_diagonal(std::span<const double> diagonal) {
  std::copy(diagonal.begin(), diagonal.end(), values_of(diagonal_));
}

bool InverseFactor::fits() const {
  constexpr double kRounding = 1 + 1e-6;
  for (std::size_t i = 0; i < size_; ++i) {
    const double d = values_of(diagonal_)[i];
    if (!(d >= 0x1p-66 && d <= kRounding)) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const double entry = values_of(lower_)[place(i, j)];
      if (!(d * entry * entry <= kRounding)) return false;
    }
  }
  return true;
}

}  // namespace armature
