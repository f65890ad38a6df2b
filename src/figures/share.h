// Whom a balancing policy listens to: the share of plays it has given to each base learner, over
// time; one panel per policy and instance.
#pragma once

#include "figures/panels.h"

namespace armature::figures {

struct LearnerShare {
  std::string learner;
  std::vector<double> share;  // one per round of the panel
};
struct SharePanel {
  std::string title;
  std::vector<double> rounds;
  std::vector<LearnerShare> learners;
};
struct ShareFigure {
  Heading heading;
  Looks learners;           // of every learner: a policy has its colour here too
  std::size_t per_row = 0;  // panels that belong beside each other; 0: no such thing
  std::vector<SharePanel> panels;
};
Figure share_figure(const ShareFigure& input);

}  // namespace armature::figures
