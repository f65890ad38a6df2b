#pragma once

#include "armature/policy.h"
#include "policies/tools/confidence.h"
#include "policies/tools/context_scores.h"
#include "policies/tools/path_bounds.h"

namespace armature {

/// C-UCB(δ): U(z) = μ̂(z) + sqrt(L_Z/(2n(z))), play argmax_a Σ_z ν̃_a(z)·U(z) (spec §2, paper App. C,
/// Lu et al. 2020). Promises regret of order sqrt(|Z|·T) in benign worlds with exact marginals.
/// Caveat: where the contexts do not carry the whole effect of the action its regret can be linear.
class CausalUcb : public leap::Planner {
 public:
  static PolicyFacts facts();
  static std::optional<double> coefficient(const Problem& problem, const Arguments& arguments);
  CausalUcb(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream) {
    return {random_ties_ ? random_best(stream) : rows_->action(scores_.best_row())};
  }
  void observe(Decision, Outcome outcome, Stream&) {
    contexts_.add(outcome.context, outcome.reward);
    scores_.set(outcome.context, contexts_.upper(outcome.context, confidence_));
  }
  void forget(Decision) {}
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }

  std::string obstacle() const override { return index_leap_obstacle(confidence_, random_ties_); }

 protected:
  leap::Plan do_intend(Round rounds) override {
    return leap::OneArm{{rows_->action(scores_.best_row()), rounds}, leap::Detail::kContexts};
  }
  bool do_holds(const leap::Plan& plan, const leap::Box& box) const override;
  void do_absorb(const leap::ShareOutcome& outcome) override;

 private:
  Arm random_best(Stream& stream);

  Confidence confidence_;
  bool random_ties_;
  Statistics contexts_;
  std::shared_ptr<const MarginalRows> rows_;  // shared with copies: scores_ points to it
  ContextScores scores_;
  std::vector<double> sums_;  // scratch for random ties
};

}  // namespace armature
