#include "policies/linear/index_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/reaching.h"
#include "base/vector_clones.h"

namespace armature {
namespace {

constexpr std::size_t kFew = 2048;  // entries that are soonest summed as they should

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
  return lines_reaching(values_of(predictions_), values_of(norms_), norms_.size() * kLanes, beta,
                        least - error_ - rounding_, out);
}

}  // namespace armature
