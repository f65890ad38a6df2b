// Figures with one row per policy: final regret as boxes, plays as a map, time as dots.
#pragma once

#include "figures/panels.h"

namespace armature::figures {

/// Order statistics of one policy's final regret.
struct Box {
  std::string policy;
  double q05 = 0, q25 = 0, median = 0, q75 = 0, q95 = 0;
  double mean = 0;
};
struct BoxPanel {
  std::string title;
  std::vector<Box> boxes;
};
struct BoxFigure {
  Heading heading;
  std::vector<BoxPanel> panels;
};
Figure box_figure(const BoxFigure& input);

/// Mean plays of each arm.
struct Pulls {
  std::string policy;
  std::vector<double> mean;
};
struct PullsPanel {
  std::string title;
  std::vector<Pulls> policies;
};
struct PullsFigure {
  Heading heading;
  std::vector<PullsPanel> panels;
};
/// Where there are many arms, neighbours share a cell and it shows their mean.
Figure pulls_figure(const PullsFigure& input);

/// Computing time of one policy on one instance.
struct Time {
  std::string policy;
  std::string instance;
  double nanoseconds = 0;  // per round
};
struct TimeFigure {
  Heading heading;
  std::vector<Time> times;
};
Figure time_figure(const TimeFigure& input);

}  // namespace armature::figures
