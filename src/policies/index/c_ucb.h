#pragma once

#include "armature/policy.h"
#include "policies/tools/confidence.h"
#include "policies/tools/context_scores.h"
#include "policies/tools/flights.h"
#include "policies/tools/lock_step.h"
#include "policies/tools/path_bounds.h"

namespace armature {

/// C-UCB(δ): U(z) = μ̂(z) + sqrt(L_Z/(2n(z))), play argmax_a Σ_z ν̃_a(z)·U(z) (spec §2, paper App. C,
/// Lu et al. 2020). Promises regret of order sqrt(|Z|·T) in benign worlds with exact marginals.
/// Caveat: where the contexts do not carry the whole effect of the action its regret can be linear.
class CausalUcb : public leap::Planner, public lock_step::Follower {
 public:
  static PolicyFacts facts();
  static std::optional<double> coefficient(const Problem& problem, const Arguments& arguments);
  CausalUcb(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream) {
    if (flights_.due()) [[unlikely]]
      count_last_play();
    const Arm arm = random_ties_ ? random_best(stream) : rows_->action(scores_.best_row());
    flights_.send(arm);
    return {arm};
  }
  void observe(Decision decision, Outcome outcome, Stream&) {
    contexts_.add(outcome.context, outcome.reward);
    if (flights_.land(decision.arm)) uncount_play(decision.arm);
    update(outcome.context);
  }
  void forget(Decision decision) {
    if (flights_.land(decision.arm)) uncount_play(decision.arm);
  }
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void witness(const Tally& tally, Stream&) {
    contexts_.add(tally.context, tally.plays, tally.rewards);
    update(tally.context);
  }
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }

  std::string obstacle() const override { return index_leap_obstacle(confidence_, random_ties_); }
  const Confidence& confidence() const { return confidence_; }
  bool random_ties() const { return random_ties_; }
  std::optional<lock_step::Rule> rule() const override;

 protected:
  leap::Plan do_intend(Round rounds) override {
    return leap::OneArm{{rows_->action(scores_.best_row()), rounds}, leap::Detail::kContexts};
  }
  bool do_holds(const leap::Plan& plan, const leap::Box& box) const override;
  void do_absorb(const leap::ShareOutcome& outcome) override;

 private:
  Arm random_best(Stream& stream);
  void update(Context z) const {
    scores_.set(z, flights_.any_counted() ? upper_ahead(z) : contexts_.upper(z, confidence_));
  }
  double upper_ahead(Context z) const {
    return contexts_.upper_ahead(z, visits_.of(z), confidence_);
  }
  void count_last_play() const;
  void uncount_play(Arm arm);
  void update_all() const;

  Confidence confidence_;
  bool random_ties_;
  Statistics contexts_;
  std::shared_ptr<const MarginalRows> rows_;  // shared with copies: scores_ points to it
  // Mutable, as the last play may be counted by a mere look at what comes next.
  mutable Flights flights_;
  mutable ExpectedVisits visits_;  // of the plays in flight
  mutable ContextScores scores_;
  mutable std::vector<double> sums_;  // scratch for random ties
};

}  // namespace armature
