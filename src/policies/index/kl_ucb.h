// KL-UCB on actions (spec §5), an honest rival of ucb.
#pragma once

#include "policies/tools/action_index.h"

namespace armature {

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
