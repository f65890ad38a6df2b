#include "policies/index/kl_ucb.h"

#include <algorithm>
#include <cmath>

#include "base/kl.h"
#include "base/mathematics.h"

namespace armature {

PolicyFacts KlUcbIndex::facts() {
  return {.name = "kl-ucb",
          .summary = "upper confidence bounds by Kullback-Leibler divergence on actions",
          .text =
              "Plays the action with the largest mean that its rewards do not rule out at level "
              "log T. For Bernoulli rewards its regret at fixed gaps is the least possible, "
              "asymptotically; near 0 and 1 its bounds are far tighter than ucb's. It ignores the "
              "contexts.",
          .section = "§5",
          .needs_horizon = true,
          .parameters = {inflight_parameter()}};
}

KlUcbIndex::KlUcbIndex(const Problem& problem, const Arguments&) {
  const auto horizon = static_cast<double>(problem.horizon.value());
  budget_ = portable::log(horizon) + 3 * portable::log(portable::log(std::max(horizon, 3.0)));
}

double KlUcbIndex::operator()(double mean, double n) const { return kl_upper(mean, budget_ / n); }

}  // namespace armature
