// MOSS on actions (spec §5), an honest rival of ucb.
#pragma once

#include "policies/tools/action_index.h"

namespace armature {

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

}  // namespace armature
