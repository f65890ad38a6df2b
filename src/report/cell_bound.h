// What theory promises for a cell of a study.
#pragma once

#include <optional>

#include "armature/study.h"

namespace armature {

/// An explicit bound on the regret of this cell's policy on its instance at round t, for t up to
/// its horizon. Nothing where no theorem covers the policy as it is configured, or this world;
/// where the bound exceeds t it says nothing, and is left out too.
std::optional<double> cell_bound(const PlannedCell& cell, double t);

}  // namespace armature
