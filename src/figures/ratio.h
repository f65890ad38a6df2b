// How many times the best each policy is, world by world: one row per world, one mark per policy,
// one panel per horizon.
#pragma once

#include "figures/panels.h"

namespace armature::figures {

struct RatioMark {
  std::string policy;
  std::string world;
  double value = 0;   // of the policy there…
  double ratio = 1;   // …divided by the least of the row; infinite above a least of 0
  bool best = false;  // the least, or not to be told from it
};
struct RatioPanel {
  std::string title;
  std::vector<RatioMark> marks;
};
struct RatioFigure {
  Heading heading;
  std::string quantity;             // what is divided, in words
  std::vector<std::string> worlds;  // rows of every panel, from the top
  std::vector<RatioPanel> panels;
};
/// Ratios from 100 on stand beside each other in a strip at the right edge, in their order and with
/// their values: how hopeless a policy is matters less there than the differences that need the
/// room. Marks that would cover each other are moved apart within their row.
Figure ratio_figure(const RatioFigure& input);

}  // namespace armature::figures
