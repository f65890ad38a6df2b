// How much of the effect of actions on rewards passes through the context.
#pragma once

#include "armature/audit.h"
#include "armature/random.h"
#include "audit/estimates.h"

namespace armature {

/// With μ(a) = c(a) + r(a): c(a) = Σ_z ν_a(z)·m(z) is what the contexts pay on average over
/// actions, r(a) the rest. The share through the context is Cov(c, μ)/Var(μ) over actions with
/// rows, all of them counted alike; it is 1 in benign worlds, 0 where no context tells an action
/// from another. Noise is taken out and intervals are made by drawing the counts anew (bootstrap).
AuditShare effect_share(const Estimates& estimates, double delta, Stream& stream);

}  // namespace armature
