#pragma once

#include "policies/tools/argmax_tree.h"
#include "policies/tools/ledger.h"

namespace armature {

/// ε-greedy (spec §5; Auer, Cesa-Bianchi and Fischer 2002): with probability ε an action drawn
/// uniformly, else the one with the largest mean so far; what was never tried comes first. ε is
/// fixed, or min(1, c·|A|/t). Caveat: a fixed ε pays ε times the mean gap in every round for ever,
/// and which c is right depends on the gaps, which nobody knows.
class EpsilonGreedy {
 public:
  static PolicyFacts facts();
  EpsilonGreedy(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream) {
    const bool explore = bernoulli(stream, epsilon());
    const Arm arm = explore ? uniform_index(stream, ledger_.size()) : values_.best();
    ledger_.send(arm);
    update(arm);
    return {arm};
  }
  void observe(Decision decision, Outcome outcome, Stream&) {
    ledger_.receive(decision.arm, outcome.reward);
    update(decision.arm);
  }
  void forget(Decision decision) {
    ledger_.give_up(decision.arm);
    update(decision.arm);
  }
  void witness(const Tally& tally, Stream&) {
    ledger_.add(tally.arm, tally.plays, tally.rewards);
    update(tally.arm);
  }
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }

 private:
  double epsilon() const;
  void update(Arm arm);

  std::optional<double> fixed_;
  double decay_;  // c·|A|
  Ledger ledger_;
  ArgmaxTree values_;  // means, and infinity for what was never tried
};

}  // namespace armature
