// The step engine: one replication, round by round.
#pragma once

#include <atomic>
#include <optional>

#include "armature/simulate.h"

namespace armature {

/// `policy` is a text form without `oracle`. Nothing if it was stopped before the horizon.
std::optional<Replication> step_replication(const Cell& cell, const World& world,
                                            const std::string& policy, std::uint32_t replication,
                                            const std::atomic<bool>& stop);

}  // namespace armature
