#pragma once

#include "policies/tools/ledger.h"

namespace armature {

/// Bayes-UCB (spec §5; Kaufmann, Cappé and Garivier 2012): play the action whose Beta posterior has
/// the largest quantile at 1 − 1/(t·(log T)^c). Asymptotically as good as kl-ucb for Bernoulli
/// rewards. A fractional reward y counts as y of a success and 1 − y of a failure: no coin is
/// tossed. Caveat: it ignores the contexts, and looks at every action in every round.
class BayesUcb {
 public:
  static PolicyFacts facts();
  BayesUcb(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&) {
    const Arm arm = best();
    ledger_.send(arm);
    return {arm};
  }
  void observe(Decision decision, Outcome outcome, Stream&) {
    ledger_.receive(decision.arm, outcome.reward);
  }
  void forget(Decision decision) { ledger_.give_up(decision.arm); }
  void witness(const Tally& tally, Stream&) { ledger_.add(tally.arm, tally.plays, tally.rewards); }
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void visit_state(StateVisitor& visitor) { ledger_.visit_state(visitor); }
  Diagnostics diagnostics() const { return {}; }

 private:
  struct Posterior {
    double alpha;
    double beta;
  };
  Posterior posterior(Arm arm) const;
  double tail() const;
  Arm best() const;

  double log_factor_;  // (log T)^c
  Ledger ledger_;
};

}  // namespace armature
