// A policy from an index of an action's own outcomes alone.
#pragma once

#include "armature/policy.h"
#include "policies/tools/argmax_tree.h"
#include "policies/tools/confidence.h"

namespace armature {

/// What moss and kl-ucb share: an index that only the played action's outcome changes.
template <class Index>
class ActionIndexPolicy {
 public:
  static PolicyFacts facts() { return Index::facts(); }
  ActionIndexPolicy(const Problem& problem, const Arguments& arguments)
      : index_(problem, arguments), actions_(problem.actions()), indices_(problem.actions()) {
    rebuild();
  }

  Decision choose(Stream&) { return {indices_.best()}; }
  void observe(Decision decision, Outcome outcome, Stream&) {
    actions_.add(decision.arm, outcome.reward);
    update(decision.arm);
  }
  void forget(Decision) {}
  void visit_state(StateVisitor& visitor) {
    actions_.visit_state(visitor, "plays", "reward_sums");
    if (visitor.reading()) rebuild();
  }
  Diagnostics diagnostics() const { return {}; }

 private:
  void update(Arm a) {
    indices_.set(a, index_(actions_.mean(a), static_cast<double>(actions_.floored_count(a))));
  }
  void rebuild() {
    for (Arm a = 0; a < actions_.size(); ++a) update(a);
  }

  Index index_;
  Statistics actions_;
  ArgmaxTree indices_;
};

}  // namespace armature
