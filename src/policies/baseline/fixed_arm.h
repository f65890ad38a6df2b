// One action for ever: learns nothing, for checks and comparisons (spec §5).
#pragma once

#include "armature/leap.h"
#include "policies/tools/certainty.h"

namespace armature {

/// One action for ever. The word `oracle` on the command line means this at the best action: the
/// engine fills it in, for no policy may know the truth.
class FixedArm : public leap::Planner {
 public:
  static PolicyFacts facts();
  FixedArm(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&) { return {arm_}; }
  void observe(Decision, Outcome, Stream&) {}
  void forget(Decision) {}
  void witness(const Tally&, Stream&) {}
  bool probabilities(std::span<double> out) const {
    put_all_on(out, arm_);
    return true;
  }
  void visit_state(StateVisitor&) {}
  Diagnostics diagnostics() const { return {}; }
  Arm arm() const { return arm_; }

 private:
  leap::Plan do_intend(Round rounds) override { return leap::Certain{{{arm_, rounds}}}; }
  void do_absorb(const leap::ShareOutcome&) override {}

  Arm arm_;
};

}  // namespace armature
