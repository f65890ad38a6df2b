// Final regret against what varies in a study.
#pragma once

#include <vector>

#include "figures/style.h"
#include "report/figure_cells.h"

namespace armature {

/// One figure for the x asked for, or one for each thing that varies.
std::vector<figures::Figure> final_figures(const FigureCells& cells, const FigureRequest& request);

}  // namespace armature
