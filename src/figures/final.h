// Final regret against what varies: the horizon, the number of actions or contexts, the gap, ε, a
// policy's dial, any parameter. One line per policy with the interval of each mean, one panel per
// combination of everything else. A policy without the parameter runs level.
#pragma once

#include "figures/curves.h"

namespace armature::figures {

struct FinalFigure {
  Heading heading;
  std::string x_title;
  Scale across = Scale::kLinear;
  Scale up = Scale::kLinear;
  std::vector<CurvePanel> panels;
};

Figure final_figure(const FinalFigure& input);

}  // namespace armature::figures
