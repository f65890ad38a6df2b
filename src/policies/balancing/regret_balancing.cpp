#include "policies/balancing/regret_balancing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"
#include "policies/tools/confidence.h"
#include "policies/tools/insights.h"

namespace armature {

template <bool kEstimating>
PolicyFacts RegretBalancing<kEstimating>::facts() {
  return {.name = kEstimating ? "ed2rb" : "d3rb",
          .summary = kEstimating ? "regret balancing with estimated coefficients"
                                 : "regret balancing with doubling coefficients",
          .text = kEstimating ? "Balances base learners by how much regret each seems to have "
                                "made, estimated from their rewards in every round. Any base "
                                "learners will do: no coefficient is needed and there is no dial."
                              : "Balances base learners by coefficients that start at dmin and "
                                "double when a learner's rewards fall short of what its "
                                "coefficient promises. Any base learners will do: none is needed "
                                "beforehand and there is no dial.",
          .section = "§5",
          .needs_horizon = true,
          .parameters = {
              BaseLearners::base_parameter(),
              Parameter::real("dmin").defaults_to("1").above(0).help(
                  "least coefficient of a learner", "§5"),
              Parameter::real("c").defaults_to("1").above(0).help("factor of the confidence widths",
                                                                  "§5"),
              Parameter::real("delta")
                  .automatic("1/max(T,2)")
                  .open(0, 1)
                  .help("δ of the widths and of the learners", "§5"),
              scale_parameter("handed down to the learners; below 1 there is no guarantee")}};
}

template <bool kEstimating>
RegretBalancing<kEstimating>::RegretBalancing(const Problem& problem, const Arguments& arguments)
    : delta_(paper_delta(problem, arguments)),
      least_(arguments.real("dmin")),
      width_(arguments.real("c")),
      crew_(problem, arguments, delta_),
      played_(crew_.size()),
      dispatched_(crew_.size()),
      observed_(crew_.size()),
      reward_sums_(crew_.size()),
      coefficients_(crew_.size(), least_),
      potentials_(crew_.size(), least_),
      unjudged_(crew_.size()),
      spreads_(crew_.size()) {}

// c·sqrt(log(M·log(max(n_i,2))/δ)/n_i)
template <bool kEstimating>
void RegretBalancing<kEstimating>::update_spread(std::size_t i) {
  const auto n = static_cast<double>(observed_[i]);
  const auto count = static_cast<double>(crew_.size());
  spreads_[i] =
      width_ * std::sqrt(portable::log(count * portable::log(std::max(n, 2.0)) / delta_) / n);
}

// What learner i's outcomes say about its coefficient, against max_j (U_j/n_j − spread_j). As it
// was, if there are none since the last judgement.
template <bool kEstimating>
typename RegretBalancing<kEstimating>::Judgement RegretBalancing<kEstimating>::judgement(
    std::size_t i) const {
  Judgement judged{coefficients_[i], potentials_[i]};
  if (unjudged_[i] == 0) return judged;
  double bar = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < crew_.size(); ++j)
    if (observed_[j] > 0)
      bar = std::max(bar, reward_sums_[j] / static_cast<double>(observed_[j]) - spreads_[j]);
  const auto n = static_cast<double>(observed_[i]);
  const double mean = reward_sums_[i] / n;
  if constexpr (kEstimating) {
    judged.coefficient = std::max(least_, std::sqrt(n) * (bar - mean - spreads_[i]));
    judged.potential =
        std::clamp(judged.coefficient * std::sqrt(n), judged.potential, 2 * judged.potential);
  } else if (mean + judged.coefficient / std::sqrt(n) + spreads_[i] < bar) {
    judged.coefficient *= 2;
  }
  return judged;
}

// φ_i, after the judgement that is due.
template <bool kEstimating>
double RegretBalancing<kEstimating>::potential(std::size_t i) const {
  const Judgement judged = judgement(i);
  return kEstimating ? judged.potential
                     : judged.coefficient * std::sqrt(static_cast<double>(dispatched_[i]));
}

// The next round is the learner's with the smallest potential.
template <bool kEstimating>
Insights RegretBalancing<kEstimating>::explain() const {
  constexpr auto kLearners = Insight::Of::kLearners;
  Insights told;
  tell(told, "learner_plays", kLearners, crew_.size(),
       [this](std::size_t i) { return observed_[i]; });
  told.push_back({"learner_rewards", kLearners, reward_sums_});
  told.push_back({"learner_spread", kLearners, spreads_});
  tell(told, "learner_coefficient", kLearners, crew_.size(),
       [this](std::size_t i) { return judgement(i).coefficient; });
  tell(told, "learner_potential", kLearners, crew_.size(),
       [this](std::size_t i) { return potential(i); });
  return told;
}

// Whose turn it is, after all judgements that are due.
template <bool kEstimating>
std::size_t RegretBalancing<kEstimating>::least_potential() const {
  std::size_t chosen = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < crew_.size(); ++i) {
    if (const double own = potential(i); own < least) {
      least = own;
      chosen = i;
    }
  }
  return chosen;
}

template <bool kEstimating>
Decision RegretBalancing<kEstimating>::choose(Stream& stream) {
  ++rounds_;
  // With prompt feedback this judges the learner of the last round; late outcomes are judged
  // together, so that their order leaves no trace.
  for (std::size_t i = 0; i < crew_.size(); ++i) {
    const Judgement judged = judgement(i);
    coefficients_[i] = judged.coefficient;
    potentials_[i] = judged.potential;
    unjudged_[i] = 0;
  }
  const std::size_t chosen = least_potential();
  ++played_[chosen];
  ++dispatched_[chosen];
  return crew_.choose(chosen, stream);
}

template <bool kEstimating>
void RegretBalancing<kEstimating>::observe(Decision decision, Outcome outcome, Stream& stream) {
  const std::size_t i = crew_.learner_of(decision);
  ARMATURE_CHECK(observed_[i] < dispatched_[i], "a decision has one outcome");
  crew_.observe(decision, outcome, stream);
  ++observed_[i];
  reward_sums_[i] += outcome.reward;
  update_spread(i);
  unjudged_[i] = 1;
}

template <bool kEstimating>
void RegretBalancing<kEstimating>::forget(Decision decision) {
  const std::size_t i = crew_.learner_of(decision);
  ARMATURE_CHECK(observed_[i] < dispatched_[i], "a decision is forgotten once");
  crew_.forget(decision);
  --dispatched_[i];
}

template <bool kEstimating>
void RegretBalancing<kEstimating>::visit_state(StateVisitor& visitor) {
  visitor.field("played", played_);
  visitor.field("dispatched", dispatched_);
  visitor.field("observed", observed_);
  visitor.field("reward_sums", reward_sums_);
  visitor.field("coefficients", coefficients_);
  visitor.field("potentials", potentials_);
  visitor.field("unjudged", unjudged_);
  visitor.field("rounds", rounds_);
  crew_.visit_state(visitor);
  visitor.require_counts_within(dispatched_, "observed", observed_);
  visitor.require_finite("reward_sums", reward_sums_);
  constexpr double kMost = std::numeric_limits<double>::max();
  visitor.require_within(least_, kMost, "coefficients", coefficients_);
  visitor.require_within(least_, kMost, "potentials", potentials_);
  for (std::size_t i = 0; i < unjudged_.size(); ++i)  // a judgement divides by its outcomes
    visitor.require(unjudged_[i] == 0 || observed_[i] > 0, "unjudged");
  if (!visitor.reading()) return;
  for (std::size_t i = 0; i < crew_.size(); ++i)
    if (observed_[i] > 0) update_spread(i);
}

template <bool kEstimating>
Diagnostics RegretBalancing<kEstimating>::diagnostics() const {
  Diagnostics diagnostics;
  const auto rounds = static_cast<double>(std::max<std::uint64_t>(rounds_, 1));
  for (std::size_t i = 0; i < crew_.size(); ++i) {
    diagnostics.push_back(
        {"share(" + crew_.name(i) + ")", static_cast<double>(played_[i]) / rounds});
    diagnostics.push_back({"coefficient(" + crew_.name(i) + ")", coefficients_[i]});
  }
  return diagnostics;
}

template class RegretBalancing<false>;
template class RegretBalancing<true>;

}  // namespace armature
