// Two further index policies on actions (spec §5), honest rivals of ucb.
#pragma once

#include "armature/policy.h"
#include "policies/index/argmax_tree.h"
#include "policies/index/confidence.h"

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

/// MOSS (Audibert and Bubeck 2009): μ̂(a) + sqrt(max(0, log(T/(|A|·n(a))))/(2n(a))).
/// Promises order sqrt(|A|·T) without the logarithm of ucb. Caveat: like ucb, it never looks at the
/// contexts.
class MossIndex {
 public:
  static PolicyFacts facts();
  MossIndex(const Problem& problem, const Arguments& arguments);
  double operator()(double mean, double n) const;

 private:
  double horizon_per_action_;
  double scale_;
};
using Moss = ActionIndexPolicy<MossIndex>;

/// KL-UCB (Garivier and Cappé 2011): the largest u with n(a)·kl(μ̂(a),u) ≤ log T + 3·log log
/// max(T,3). Optimal by gap for Bernoulli rewards, valid for all rewards in [0,1].
class KlUcbIndex {
 public:
  static PolicyFacts facts();
  KlUcbIndex(const Problem& problem, const Arguments& arguments);
  double operator()(double mean, double n) const;

 private:
  double budget_;
};
using KlUcb = ActionIndexPolicy<KlUcbIndex>;

}  // namespace armature
