// What both engines make of a finished replication.
#pragma once

#include "armature/simulate.h"

namespace armature {

/// Σ_a pulls(a)·Δ_a.
double regret_of(const Instance& instance, const std::vector<std::uint64_t>& pulls);
/// Simple regret and the policy's own numbers.
void finish_result(const Instance& instance, const AnyPolicy& policy, Replication& result);

}  // namespace armature
