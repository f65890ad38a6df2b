// The questions of a study, before it is run.
#pragma once

#include "armature/study.h"

namespace armature {

/// Throws Error if a rule names a policy, instance, bound or x that the plan does not have, or if
/// its margin is empty: so that no study runs for hours towards a question it cannot answer.
void check_verdicts(const StudyPlan& plan);

}  // namespace armature
