// The one block runner: cells × replication blocks over the cores of the machine.
#pragma once

#include "armature/lab.h"

namespace armature {

/// One summary per cell, in order. How the replications are cut into blocks depends on their number
/// alone, so results are the same bytes for any number of threads.
std::vector<PolicySummary> run_cells(const std::vector<Cell>& cells, std::uint32_t replications,
                                     const RunHooks& hooks);

}  // namespace armature
