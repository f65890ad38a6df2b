// Final regret against what varies in a study.
#pragma once

#include <vector>

#include "figures/style.h"
#include "report/figure_cells.h"

namespace armature {

/// One figure for the x asked for, or one for each thing that varies. Empty if nothing takes two
/// values: a figure of one point per policy would show what the tables say.
std::vector<figures::Figure> final_figures(const FigureCells& cells, const FigureRequest& request);

}  // namespace armature
