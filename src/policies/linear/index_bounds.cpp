#include "policies/linear/index_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/vector_clones.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace armature {
namespace {

constexpr std::size_t kFew = 2048;  // entries that are soonest summed as they should

std::size_t scalar_reaching(const double* predictions, const double* norms, std::size_t size,
                            double beta, double least, std::uint32_t* out) {
  std::size_t found = 0;
  for (std::size_t r = 0; r < size; ++r)
    if (predictions[r] + norms[r] * beta >= least) out[found++] = static_cast<std::uint32_t>(r);
  return found;
}

#if defined(__x86_64__)

// Lane by lane the same comparison.
__attribute__((target("avx2"))) std::size_t avx2_reaching(const double* predictions,
                                                          const double* norms, std::size_t size,
                                                          double beta, double least,
                                                          std::uint32_t* out) {
  const __m256d betas = _mm256_set1_pd(beta), leasts = _mm256_set1_pd(least);
  std::size_t found = 0;
  for (std::size_t r = 0; r < size; r += kLanes) {
    const auto reached = [&](std::size_t first) __attribute__((target("avx2"))) {
      const __m256d bounds = _mm256_add_pd(_mm256_load_pd(predictions + first),
                                           _mm256_mul_pd(_mm256_load_pd(norms + first), betas));
      return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(bounds, leasts, _CMP_GE_OQ)));
    };
    unsigned rows = reached(r) | reached(r + 4) << 4;
    for (; rows != 0; rows &= rows - 1)
      out[found++] = static_cast<std::uint32_t>(r) + static_cast<unsigned>(std::countr_zero(rows));
  }
  return found;
}

#endif

// out = sums·unit.
ARMATURE_VECTOR_CLONES void scale(const std::int32_t* sums, std::size_t size, double unit,
                                  double* out) {
  for (std::size_t r = 0; r < size; ++r) out[r] = static_cast<double>(sums[r]) * unit;
}

}  // namespace

IndexBounds::IndexBounds(const MarginalRows& rows, double norm_error)
    : rough_(rows),
      many_(std::size_t{rows.rows()} * rows.contexts() > kFew),
      predictions_(lane_blocks(rows.rows())),
      norms_(lane_blocks(rows.rows())),
      norm_error_(norm_error) {
  for (std::size_t r = rows.rows(); r < norms_.size() * kLanes; ++r)
    values_of(norms_)[r] = values_of(predictions_)[r] = -std::numeric_limits<double>::infinity();
}

void IndexBounds::predict(const MarginalRows& rows, std::span<const double> estimate) {
  double largest = 0;
  for (const double value : estimate) largest = std::max(largest, std::abs(value));
  // Rows sum to 1: of a prediction's sum, in whatever order, and of the bound's own. The error of
  // norms is far more than the rounding of β·‖x‖.
  rounding_ = static_cast<double>(estimate.size() + 8) * 0x1p-48 * (1 + largest);
  double* const predictions = values_of(predictions_);
  if (many_ && rough_.take(estimate)) {
    scale(rough_.sums().data(), rows.rows(), rough_.unit(), predictions);
    error_ = rough_.unit() * rough_.error();
  } else {
    rows.sums(estimate, {predictions, rows.rows()});
    error_ = 0;
  }
}

std::size_t IndexBounds::reaching(double beta, double least, std::uint32_t* out) const {
  const double bar = least - error_ - rounding_;
  const std::size_t size = norms_.size() * kLanes;
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2)
    return avx2_reaching(values_of(predictions_), values_of(norms_), size, beta, bar, out);
#endif
  return scalar_reaching(values_of(predictions_), values_of(norms_), size, beta, bar, out);
}

}  // namespace armature
