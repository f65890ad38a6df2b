// Where an index can be while its statistic walks along a path (docs/leap.md, "An index along a
// path"). With N = n + k and u = 1/sqrt(N) the path's lower edge S + k·p − down, divided by N, plus
// a width c·u, is the parabola p + (S − n·p − down)·u² + c·u: its extremes over a window are at the
// window's ends or at its vertex, so the bounds are exact and cost no search.
#pragma once

#include <array>
#include <vector>

#include "armature/leap.h"
#include "policies/tools/confidence.h"
#include "policies/tools/marginal_rows.h"

namespace armature {

/// Certificates leave this much room for the rounding of indices, which is below 1e-14.
inline constexpr double kCertificateMargin = 1e-12;

/// Which index of a statistic: its mean, or its mean with the width added or taken away.
enum class PathBound { kMean, kUpper, kLower };

/// All values the index of quantity i takes along the path. Not for widths that depend on the mean.
leap::Range range_along(const Statistics& statistics, std::uint32_t i, const leap::SumPath& path,
                        const Confidence& confidence, PathBound bound);

/// The same for `count` outcomes with that sum.
leap::Range range_along(std::uint64_t count, double sum, const leap::SumPath& path,
                        const Confidence& confidence, PathBound bound);

/// The same for the mean of `count` outcomes with that sum and a width of another kind added, whose
/// w(n)·sqrt(n) stays within `factor` all along the path.
leap::Range upper_range_along(std::uint64_t count, double sum, const leap::SumPath& path,
                              const leap::Range& factor);

/// w(n)·sqrt(n) of moss's width w(n) = sqrt(log⁺(share/n)/(2n)) along the path: it falls with n.
leap::Range moss_factors(std::uint64_t count, const leap::SumPath& path, double share);

/// Ranges for the time of one certificate. A few of them stand on the stack: certificates are asked
/// for many thousand times a run, and must leave nothing behind in the policy.
class RangeList {
 public:
  explicit RangeList(std::size_t size) : size_(size), many_(size > kFew ? size : 0) {}

  std::size_t size() const { return size_; }
  leap::Range* data() { return size_ > kFew ? many_.data() : few_.data(); }
  const leap::Range* data() const { return size_ > kFew ? many_.data() : few_.data(); }
  leap::Range& operator[](std::size_t i) { return data()[i]; }
  const leap::Range& operator[](std::size_t i) const { return data()[i]; }
  operator std::span<const leap::Range>() const { return {data(), size_}; }

 private:
  static constexpr std::size_t kFew = 16;

  std::size_t size_;
  std::array<leap::Range, kFew> few_;
  std::vector<leap::Range> many_;
};

/// The same for all quantities, each along its own path.
RangeList ranges_along(const Statistics& statistics, std::span<const leap::SumPath> paths,
                       const Confidence& confidence, PathBound bound);

/// The least value of the mean with the width added, alone.
double least_upper_along(const Statistics& statistics, std::uint32_t i, const leap::SumPath& path,
                         const Confidence& confidence);

/// Is Σ_z ν̃(z)·U(z) of this row the largest of all rows, with room to spare, for every U in the
/// box?
bool leads_for_all(const MarginalRows& rows, std::uint32_t leader,
                   std::span<const leap::Range> uppers);

/// The value of an action that its own bound caps: min(own, Σ_z ν̃(z)·U(z)) of its row.
struct CappedValue {
  leap::Range own;
  std::uint32_t row;
};
/// Is the value larger than the other, with room to spare, for everything in the box: each of its
/// two parts above one of the other's?
bool exceeds_for_all(const MarginalRows& rows, const CappedValue& value, const CappedValue& other,
                     std::span<const leap::Range> uppers);
/// Is it the sum, and not the action's own bound, for everything in the box?
bool is_sum_for_all(const MarginalRows& rows, const CappedValue& value,
                    std::span<const leap::Range> uppers);

/// What keeps an index policy with these intervals and this rule for ties from leaping.
std::string index_leap_obstacle(const Confidence& confidence, bool random_ties);

}  // namespace armature
