// The plane of benign and worst-case regret, with the frontier R_1·R_2 = |A|T and the region that
// the lower bound excludes (spec §7). Axes as in the paper's Figure 1: worst case along the bottom,
// benign up the side.
#pragma once

#include "figures/panels.h"

namespace armature::figures {

struct PlanePoint {
  std::string policy;   // whose look it has; members of a sweep share it and are joined
  std::string member;   // its own name
  std::string dial;     // what is varied along the sweep, and its setting here; empty: no sweep, or
  std::string setting;  // several things at once
  double benign = 0;    // R_1
  double benign_low = 0, benign_high = 0;
  double worst = 0;  // R_2
  double worst_low = 0, worst_high = 0;
};
struct PlanePanel {
  std::string title;
  double actions = 0;
  double contexts = 0;
  double horizon = 0;
  std::vector<std::string> notes;  // under the title, a line each: what the points rest on
  std::vector<PlanePoint> points;  // those of a sweep beside each other, in its order
};
struct PlaneFigure {
  Heading heading;
  std::vector<PlanePanel> panels;
};
Figure plane_figure(const PlaneFigure& input);

}  // namespace armature::figures
