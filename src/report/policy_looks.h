// Which policies figures draw, and each one's look, the same in all figures.
#pragma once

#include <string>
#include <vector>

#include "armature/study.h"
#include "figures/looks.h"

namespace armature {

/// A look for every policy, for every sweep as a whole, and for a sweep along each of its keys:
/// every name a figure may ask for, in the order of the file, the oracle last. Hue, dash and shape
/// are those of the policy's name in the registry; its variants in one study share the hue and
/// differ in shade, dash and shape. From the plan alone, so that a run at work keeps its looks when
/// more cells finish.
figures::Looks looks_of(const StudyPlan& plan);
/// The same for policies in text form, as balancers call their learners.
figures::Looks looks_of_policies(const std::vector<std::string>& policies);

/// The policies that lines and maps over time show: all of them, but of a long sweep only the
/// first, the middle and the last.
struct DrawnPolicies {
  std::vector<std::string> names;
  std::vector<std::string> thinned;  // sweeps of which some members are left out
};
DrawnPolicies policies_to_draw(const StudyPlan& plan);

}  // namespace armature
