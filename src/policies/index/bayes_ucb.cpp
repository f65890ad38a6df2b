#include "policies/index/bayes_ucb.h"

#include <algorithm>

#include "base/beta.h"
#include "base/mathematics.h"
#include "policies/tools/certainty.h"
#include "policies/tools/insights.h"

namespace armature {
namespace {

double log_factor(const Problem& problem, const Arguments& arguments) {
  const double c = arguments.real("c");
  if (c == 0) return 1;
  if (!problem.horizon)
    throw Error({"", arguments.owner() + ": c", "a c above 0 without a horizon",
                 "a horizon, or c = 0, which needs none"});
  const auto horizon = static_cast<double>(problem.horizon.value());
  return portable::pow(portable::log(std::max(horizon, 3.0)), c);
}

}  // namespace

PolicyFacts BayesUcb::facts() {
  return {.name = "bayes-ucb",
          .summary = "upper quantiles of Beta posteriors on actions; ignores the contexts",
          .text =
              "Plays the action whose Beta posterior has the largest quantile at 1 - 1/(t·(log "
              "T)^c): what ts draws, without the luck. Asymptotically as good as kl-ucb for "
              "Bernoulli rewards (proved for c ≥ 5; c = 0 is what its authors run, and the default "
              "here). The prior is uniform; a fractional reward y counts as y of a success and 1 - "
              "y of a failure. Plays in flight count as if they had come at the action's mean. "
              "Every action's quantile moves in every round, so a round costs time in proportion "
              "to |A|. It ignores the contexts.",
          .section = "§5",
          .parameters = {Parameter::real("c").defaults_to("0").closed(0, 10).help(
              "the power of log T in the level; above 0 it needs the horizon", "§5")}};
}

BayesUcb::BayesUcb(const Problem& problem, const Arguments& arguments)
    : log_factor_(log_factor(problem, arguments)), ledger_(problem.actions()) {}

bool BayesUcb::probabilities(std::span<double> out) const {
  put_all_on(out, best());
  return true;
}

Insights BayesUcb::explain() const {
  Insights told;
  const auto quantile = [this](Arm a) {
    const Posterior law = posterior(a);
    return beta_upper_quantile(law.alpha, law.beta, tail());
  };
  tell_indices(told, Insight::Of::kActions, ledger_.size(), quantile, [this](Arm a) {
    const Posterior law = posterior(a);
    return law.alpha / (law.alpha + law.beta);
  });
  return told;
}

// What is out counts at the action's mean, which of an action nobody has tried is the prior's.
BayesUcb::Posterior BayesUcb::posterior(Arm arm) const {
  const std::uint64_t known = ledger_.known(arm);
  const auto to_come = static_cast<double>(ledger_.sent(arm) - known);
  const double mean = known == 0 ? 0.5 : ledger_.mean(arm);
  const double successes = ledger_.rewards(arm);
  const double failures = std::max(0.0, static_cast<double>(known) - successes);
  return {1 + successes + to_come * mean, 1 + failures + to_come * (1 - mean)};
}

double BayesUcb::tail() const {
  return 1 / (static_cast<double>(ledger_.total_sent() + 1) * log_factor_);
}

// A quantile costs five tails. One tail at the best quantile so far tells most actions to be below
// it: by far more than what tails are wrong by, so that the choice is that of comparing quantiles.
Arm BayesUcb::best() const {
  constexpr double kClearlyBelow = 1 - 1e-6;
  const double tail = this->tail();
  Arm best = 0;
  Posterior law = posterior(0);
  double highest = beta_upper_quantile(law.alpha, law.beta, tail);
  for (Arm a = 1; a < ledger_.size(); ++a) {
    law = posterior(a);
    if (beta_tail(law.alpha, law.beta, highest) < tail * kClearlyBelow) continue;
    const double quantile = beta_upper_quantile(law.alpha, law.beta, tail);
    if (quantile > highest) {
      highest = quantile;
      best = a;
    }
  }
  return best;
}

}  // namespace armature
