// Mean regret against time, one line per policy with the band of its confidence interval, one panel
// per instance; bounds as thin dashed lines.
#pragma once

#include "figures/panels.h"

namespace armature::figures {

struct RegretPoint {
  double round = 0;
  double mean = 0;
  double low = 0, high = 0;  // interval of the mean
};

struct RegretCurve {
  std::string policy;
  std::vector<RegretPoint> points;
};

struct BoundPoint {
  double x = 0;
  double value = 0;
};

/// What theory promises for a policy.
struct BoundCurve {
  std::string policy;
  std::vector<BoundPoint> points;  // only where it holds and says something
};

struct RegretPanel {
  std::string title;
  std::vector<RegretCurve> curves;
  std::vector<BoundCurve> bounds;
};

struct RegretFigure {
  Heading heading;
  Scale across = Scale::kLinear;
  Scale up = Scale::kLinear;
  std::vector<RegretPanel> panels;
};

Figure regret_figure(const RegretFigure& input);

/// An axis for these values and for the bounds that end near them, as far as bounds go.
Axis with_room_for(const std::vector<BoundCurve>& bounds, const std::string& title, Scale scale,
                   std::vector<double> values);

/// The layers of bounds and their labels, shared with final regret. A bound that ends above the
/// axis is left out.
struct BoundLayers {
  std::vector<Json> layers;
  std::vector<EndLabel> labels;
};
BoundLayers bound_layers(const Looks& looks, const std::vector<BoundCurve>& bounds,
                         const Axis& across, const Axis& up);

}  // namespace armature::figures
