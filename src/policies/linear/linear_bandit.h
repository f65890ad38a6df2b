// Linear bandits on the features ν̃_a (spec §5).
#pragma once

#include "policies/linear/ridge_regression.h"
#include "policies/tools/certainty.h"
#include "policies/tools/rough_sums.h"

namespace armature {

/// CL-UCB: play argmax ⟨θ̂,ν̃_a⟩ + β·‖ν̃_a‖_{V^{-1}}, β = 1 + sqrt(2 log T + d·log(1+T/d)), d the rank
/// of ν̃. Promises order d·sqrt(T) in benign worlds with exact marginals. Caveat: it believes that
/// rewards are linear in the marginals, which is what benign means.
class CausalLinearUcb {
 public:
  static PolicyFacts facts();
  CausalLinearUcb(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&);
  void observe(Decision decision, Outcome outcome, Stream&) {
    regression_.add(decision.arm, outcome.reward);
    land(decision.arm);
  }
  void forget(Decision decision) { land(decision.arm); }
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void witness(const Tally& tally, Stream&) {
    regression_.work_in(tally.arm, tally.plays, tally.rewards);
  }
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }

 private:
  Arm best(const RidgeRegression& regression) const {
    return regression.rows().action(regression.leader(beta_));
  }
  void count_last_play() const;
  void land(Arm arm) {
    if (flights_.land(arm) && !flights_.ignored()) regression_.land(arm);
  }

  RidgeRegression regression_;
  double beta_;
  mutable Flights flights_;  // as the last play may be counted by a mere look at what comes next
};

/// CL-TS: θ̃ ~ N(θ̂, V^{-1}), play argmax ⟨θ̃,ν̃_a⟩.
class CausalLinearThompson {
 public:
  static PolicyFacts facts();
  CausalLinearThompson(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream&) {
    regression_.add(decision.arm, outcome.reward);
  }
  void forget(Decision) {}
  void witness(const Tally& tally, Stream&) {
    regression_.work_in(tally.arm, tally.plays, tally.rewards);
  }
  void visit_state(StateVisitor& visitor) { regression_.visit_state(visitor); }
  Diagnostics diagnostics() const { return {}; }
  Insights explain() const;

 private:
  RidgeRegression regression_;
  double scale_;
  LargestSum largest_;
  LaneVector normals_, noise_;
  std::vector<double> drawn_;  // θ̃
};

/// β of CL-UCB.
double linear_confidence(double dimension, double horizon);

}  // namespace armature
