// Student's t, for the 95% intervals of means and slopes.
#pragma once

#include <cstdint>

namespace armature {

/// What student_t95 falls to as its degrees grow: the same quantile of the normal law. For
/// intervals whose error is taken as known.
inline constexpr double kNormal95 = 1.959963984540054;

/// The t with P(|X| ≤ t) = 0.95 for a Student X of `degrees` ≥ 1 degrees of freedom. Computed, not
/// tabled, with the same bits on every machine: intervals are part of what is exported.
double student_t95(std::uint64_t degrees);

/// P(X ≥ t) for a Student X; of 0 degrees, for a normal one. Absolute error below 1e-13.
double student_tail(double t, std::uint64_t degrees);

}  // namespace armature
