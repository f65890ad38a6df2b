// Mean regret against time, one line per policy with the band of its confidence interval, one panel
// per instance; bounds as thin dashed lines.
#pragma once

#include "figures/curves.h"

namespace armature::figures {

struct RegretFigure {
  Heading heading;
  Scale across = Scale::kLinear;
  Scale up = Scale::kLinear;
  std::vector<CurvePanel> panels;  // x: the round
};

Figure regret_figure(const RegretFigure& input);

}  // namespace armature::figures
