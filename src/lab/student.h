// Student's t.
#pragma once

#include <cstdint>

namespace armature {

/// The same of the normal law, which t tends to.
inline constexpr double kNormal95 = 1.959963984540054;

/// The t with P(|X| ≤ t) = 0.95 for so many degrees of freedom (at least 1).
double student_t95(std::uint64_t degrees);

}  // namespace armature
