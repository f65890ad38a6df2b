// Student's t.
#pragma once

#include <cstdint>

namespace armature {

/// The t with P(|X| ≤ t) = 0.95 for so many degrees of freedom (at least 1).
double student_t95(std::uint64_t degrees);

}  // namespace armature
