// One action for ever: learns nothing, for checks and comparisons (spec §5).
#pragma once

#include "armature/policy.h"

namespace armature {

/// One action for ever. The word `oracle` on the command line means this at the best action: the
/// engine fills it in, for no policy may know the truth.
class FixedArm {
 public:
  static PolicyFacts facts();
  FixedArm(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&) { return {arm_}; }
  void observe(Decision, Outcome, Stream&) {}
  void forget(Decision) {}
  void visit_state(StateVisitor&) {}
  Diagnostics diagnostics() const { return {}; }

  std::string leap_obstacle() const { return {}; }
  void intend(Round rounds, Plan& plan) const {
    plan.shares = {{arm_, rounds}};
    plan.certain = true;
  }
  bool holds(const Plan&, const Box&) const { return true; }
  void absorb(const Block&) {}

 private:
  Arm arm_;
};

}  // namespace armature
