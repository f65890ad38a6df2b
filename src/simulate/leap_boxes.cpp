#include "simulate/leap_boxes.h"

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"

namespace armature::leap {

Box Boxes::around(const Plan& plan, double log_inverse) {
  const std::span<const Share> shares = shares_of(plan);
  const bool contexts = detail_of(plan) == Detail::kContexts;
  // All inequalities of a box share its probability: two sides per arm; per context and share two
  // of visits and two of sums. The logarithm is kept, as plans seldom change their shape.
  const std::size_t inequalities = shares.size() * (2 + (contexts ? 4 * laws_.contexts() : 0));
  if (inequalities != inequalities_) {
    inequalities_ = inequalities;
    log_inequalities_ = portable::log(static_cast<double>(inequalities));
  }
  log_inverse += log_inequalities_;
  // An arm's rewards with the contexts summed over: its own index sees no more of them.
  arms_.clear();
  for (const Share& share : shares) {
    const auto plays = static_cast<double>(share.plays);
    const ValueLaw& law = laws_.arm(share.arm);
    const double slack = path_slack(plays, law.variance, log_inverse);
    arms_.push_back({plays, law.mean, slack, slack});
  }
  contexts_.clear();
  if (const auto* several = std::get_if<SideBySide>(&plan))
    bound_contexts(*several, log_inverse);
  else if (contexts)
    bound_contexts(shares.front(), log_inverse);
  return {arms_, contexts_};
}

// Rewards of a context on its own clock: a number of visits, each with the cell's law, whichever
// rounds they come in. On the clock of rounds the path would be wider by the randomness of the
// visits, which the index, knowing their number, does not feel.
void Boxes::bound_contexts(const Share& share, double log_inverse) {
  const auto plays = static_cast<double>(share.plays);
  for (Context z = 0; z < laws_.contexts(); ++z) {
    const double nu = laws_.visit_probability(share.arm, z);
    const ValueLaw& law = laws_.cell(share.arm, z);
    const double visits =
        nu > 0
            ? std::min(plays, std::ceil(plays * nu + path_slack(plays, nu * (1 - nu), log_inverse)))
            : 0;
    const double slack = path_slack(visits, law.variance, log_inverse);
    contexts_.push_back({visits, law.mean, slack, slack});
  }
}

void Boxes::bound_contexts(const SideBySide& plan, double log_inverse) {
  for (Context z = 0; z < laws_.contexts(); ++z)
    contexts_.push_back(shared_path(plan, z, log_inverse));
}

// Several arms visit the context side by side, each with a reward law of its own: which of them a
// visit came from is not known, so that the clock of visits alone says too little. On the window's
// clock visits are t·ρ ± X and rewards t·σ ± Y, so on the clock of visits rewards drift at σ/ρ,
// within Y + X·σ/ρ.
SumPath Boxes::shared_path(const SideBySide& plan, Context z, double log_inverse) const {
  const auto rounds = static_cast<double>(total_plays(plan.shares));
  double visit_rate = 0, visit_slack = 0, reward_rate = 0, reward_slack = 0;
  for (const Share& share : plan.shares) {
    const auto plays = static_cast<double>(share.plays);
    const double nu = laws_.visit_probability(share.arm, z);
    const ValueLaw& law = laws_.cell(share.arm, z);
    const double mean = nu * law.mean;  // of the reward if it comes with z, else 0
    const double variance = nu * (law.variance + law.mean * law.mean) - mean * mean;
    visit_rate += plays / rounds * nu;
    reward_rate += plays / rounds * mean;
    visit_slack += path_slack(plays, nu * (1 - nu), log_inverse) + plan.unevenness * nu;
    reward_slack +=
        path_slack(plays, std::max(0.0, variance), log_inverse) + plan.unevenness * mean;
  }
  if (visit_rate <= 0) return {};  // a context that no arm of the plan leads to stays as it is
  const double drift = reward_rate / visit_rate;
  const double slack = reward_slack + drift * visit_slack;
  return {std::min(rounds, std::ceil(rounds * visit_rate + visit_slack)), drift, slack, slack};
}

}  // namespace armature::leap
