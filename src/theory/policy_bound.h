// What theory promises for a policy as it is configured.
#pragma once

#include <optional>
#include <string>

#include "armature/theory.h"

namespace armature {

/// An explicit bound on the regret of this policy (text form) at round t, for t up to the horizon,
/// where every outcome is known before the next decision. In any world; where the setting says that
/// it is benign with exact marginals (ε = 0), in such ones. Nothing where no theorem covers the
/// policy; where the bound is not below t it says nothing, and is left out too.
std::optional<double> policy_bound(const Setting& setting, const std::string& policy, double t);
/// The probability with which that bound holds in any world; none: it is one of the mean.
std::optional<double> policy_bound_probability(Setting setting, const std::string& policy);

}  // namespace armature
