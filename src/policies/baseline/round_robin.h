// All actions in turn: learns nothing, for checks and comparisons (spec §5).
#pragma once

#include "armature/leap.h"
#include "policies/tools/certainty.h"

namespace armature {

/// Actions 0, 1, …, |A|-1, 0, 1, … in turn.
class RoundRobin : public leap::Planner {
 public:
  static PolicyFacts facts();
  RoundRobin(const Problem& problem, const Arguments&) : actions_(problem.actions()) {}

  Decision choose(Stream&) {
    const auto arm = static_cast<Arm>(next_);
    next_ = next_ + 1 == actions_ ? 0 : next_ + 1;
    return {arm};
  }
  void observe(Decision, Outcome, Stream&) {}
  void forget(Decision) {}
  void witness(const Tally&, Stream&) {}
  bool probabilities(std::span<double> out) const {
    put_all_on(out, static_cast<Arm>(next_));
    return true;
  }
  void visit_state(StateVisitor& visitor) {
    visitor.field("next", next_);
    visitor.require(next_ < actions_, "next");
  }
  Diagnostics diagnostics() const { return {}; }

 private:
  leap::Plan do_intend(Round rounds) override;
  void do_absorb(const leap::ShareOutcome& outcome) override {
    next_ = (next_ + outcome.share.plays) % actions_;
  }

  std::uint32_t actions_;
  std::uint64_t next_ = 0;
};

}  // namespace armature
