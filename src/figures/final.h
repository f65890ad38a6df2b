// Final regret against what varies: the horizon, the number of actions or contexts, the gap, ε, a
// policy's dial, any parameter. One line per policy with the interval of each mean, one panel per
// combination of everything else.
#pragma once

#include "figures/regret.h"

namespace armature::figures {

struct FinalPoint {
  double x = 0;
  double mean = 0;
  double low = 0, high = 0;  // interval of the mean
};

struct FinalCurve {
  std::string policy;
  std::vector<FinalPoint> points;  // in the order of x
  /// The policy does not have the parameter: the same regret at every x.
  bool level = false;
};

struct FinalPanel {
  std::string title;
  std::vector<FinalCurve> curves;
  std::vector<BoundCurve> bounds;
};

struct FinalFigure {
  Heading heading;
  std::string x_title;
  Scale across = Scale::kLinear;
  Scale up = Scale::kLinear;
  std::vector<FinalPanel> panels;
};

Figure final_figure(const FinalFigure& input);

}  // namespace armature::figures
