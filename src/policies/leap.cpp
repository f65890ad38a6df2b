#include "armature/leap.h"

namespace armature::leap {

bool Planner::holds(const Plan&, const Box&) const {
  ARMATURE_CHECK(false, "a policy whose plans are not certain says when they hold");
}

std::string obstacle(AnyPolicy& policy) {
  const Leaper* const leaper = policy.leaper();
  return leaper ? leaper->obstacle() : "no certificate is known for its choices";
}

}  // namespace armature::leap
