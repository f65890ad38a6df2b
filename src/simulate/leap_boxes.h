// The boxes of docs/leap.md: where the sums of a plan's arms and contexts can be on their way,
// except with a stated probability.
#pragma once

#include "armature/leap.h"
#include "simulate/leap_laws.h"

namespace armature::leap {

class Boxes {
 public:
  explicit Boxes(const Laws& laws) : laws_(laws) {}

  /// Where everything is while the plan is carried out, except with probability
  /// exp(−log_inverse). The box lives until the next one is asked for.
  Box around(const Plan& plan, double log_inverse);

 private:
  void bound_contexts(const Share& share, double log_inverse);
  void bound_contexts(const SideBySide& plan, double log_inverse);
  SumPath shared_path(const SideBySide& plan, Context z, double log_inverse) const;

  const Laws& laws_;
  std::size_t inequalities_ = 1;
  double log_inequalities_ = 0;
  std::vector<SumPath> arms_;
  std::vector<SumPath> contexts_;
};

}  // namespace armature::leap
