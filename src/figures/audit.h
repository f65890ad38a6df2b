// Figures of a log's audit: what each action pays in each context, where actions lead, and what
// would have shown.
#pragma once

#include <string>
#include <vector>

#include "figures/style.h"

namespace armature::figures {

struct ActionMean {
  std::string action;
  double mean = 0;
  double low = 0, high = 0;
  double rows = 0;
  bool odd = false;  // differs from the others for sure
};
struct ContextPanel {
  std::string title;
  double mean = 0;  // whatever the action
  std::vector<ActionMean> actions;
};
/// One panel per context, one row per action, an axis for all.
Figure audit_means_figure(const std::vector<ContextPanel>& panels, const std::string& caption);

struct MarginalCell {
  std::string action;
  std::string context;
  double marginal = 0;
  double rows = 0;
};
Figure audit_marginals_figure(const std::vector<MarginalCell>& cells, const std::string& caption);

struct PowerCurvePoint {
  double violation = 0;
  double power = 0;
};
/// The least violation of power 0.8 is marked, if there is one.
Figure audit_power_figure(const std::vector<PowerCurvePoint>& points, double smallest,
                          const std::string& caption);

}  // namespace armature::figures
