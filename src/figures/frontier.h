// The Pareto frontier as the paper's Figure 1 draws it: worst-case regret to the right, benign
// regret upwards, what nobody can have shaded.
#pragma once

#include "armature/theory.h"
#include "figures/looks.h"

namespace armature::figures {

enum class FrontierAxes {
  kNormalised,  // log R/log T; at T = 1, where that is none, absolute
  kAbsolute,    // regrets, on logarithmic scales
};

/// `looks`: of the policies that stand on it, by the names of their series.
Figure frontier_figure(const Frontier& frontier, FrontierAxes axes, const Looks& looks);

}  // namespace armature::figures
