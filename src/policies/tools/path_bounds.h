// Where an index can be while its statistic walks along a path (docs/leap.md, "An index along a
// path"). With N = n + k and u = 1/sqrt(N) the path's lower edge S + k·p − down, divided by N, plus
// a width c·u, is the parabola p + (S − n·p − down)·u² + c·u: its extremes over a window are at the
// window's ends or at its vertex, so the bounds are exact and cost no search.
#pragma once

#include "armature/leap.h"
#include "policies/tools/confidence.h"
#include "policies/tools/marginal_rows.h"

namespace armature {

/// Certificates leave this much room for the rounding of indices, which is below 1e-14.
inline constexpr double kCertificateMargin = 1e-12;

/// Which index of a statistic: its mean, or its mean with the width added or taken away.
enum class Bound { kMean, kUpper, kLower };

/// All values the index of quantity i takes along the path. Not for widths that depend on the mean.
leap::Range range_along(const Statistics& statistics, std::uint32_t i, const leap::SumPath& path,
                        const Confidence& confidence, Bound bound);

/// The same for so many outcomes with that sum.
leap::Range range_along(std::uint64_t count, double sum, const leap::SumPath& path,
                        const Confidence& confidence, Bound bound);

/// The same for all quantities, each along its own path.
std::vector<leap::Range> ranges_along(const Statistics& statistics,
                                      std::span<const leap::SumPath> paths,
                                      const Confidence& confidence, Bound bound);

/// The least value of the mean with the width added, alone.
double least_upper_along(const Statistics& statistics, std::uint32_t i, const leap::SumPath& path,
                         const Confidence& confidence);

/// Is Σ_z ν̃(z)·U(z) of this row the largest of all rows, with room to spare, for every U in the
/// box?
bool leads_for_all(const MarginalRows& rows, std::uint32_t leader,
                   std::span<const leap::Range> uppers);

/// What keeps an index policy with these intervals and this rule for ties from leaping.
std::string index_leap_obstacle(const Confidence& confidence, bool random_ties);

}  // namespace armature
