// Which policies figures draw, and each one's look, the same in all figures.
#pragma once

#include <string>
#include <vector>

#include "armature/study.h"
#include "figures/looks.h"

namespace armature {

/// A look for every policy, for every sweep as a whole, and for a sweep along each of its keys:
/// every name a figure may ask for. From the plan alone, so that a run at work keeps its colours
/// when more cells finish. The oracle comes last: it is often not drawn, and would waste a colour.
figures::Looks looks_of(const StudyPlan& plan);

/// The policies that lines and maps over time show: all of them, but of a long sweep only the
/// first, the middle and the last.
struct DrawnPolicies {
  std::vector<std::string> names;
  std::vector<std::string> thinned;  // sweeps of which some members are left out
};
DrawnPolicies policies_to_draw(const StudyPlan& plan);

}  // namespace armature
