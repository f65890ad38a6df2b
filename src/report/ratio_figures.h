// How far each policy is from the best of its world.
#pragma once

#include <vector>

#include "figures/style.h"
#include "report/figure_cells.h"

namespace armature {

/// Mean regrets divided by the least of their world and horizon, and, where there are replications
/// enough, the same of their 95% quantiles. Empty if no two policies met.
std::vector<figures::Figure> ratio_figures(const FigureCells& cells, const FigureRequest& request);

}  // namespace armature
