// Uniform play: learns nothing, for checks and comparisons (spec §5).
#pragma once

#include <algorithm>

#include "armature/leap.h"

namespace armature {

/// Every action with the same probability, in every round.
class UniformPolicy : public leap::Planner {
 public:
  static PolicyFacts facts();
  UniformPolicy(const Problem& problem, const Arguments&) : actions_(problem.actions()) {}

  Decision choose(Stream& stream) { return {uniform_index(stream, actions_)}; }
  void observe(Decision, Outcome, Stream&) {}
  void forget(Decision) {}
  void witness(const Tally&, Stream&) {}
  bool probabilities(std::span<double> out) const {
    std::fill(out.begin(), out.end(), 1.0 / actions_);
    return true;
  }
  void visit_state(StateVisitor&) {}
  Diagnostics diagnostics() const { return {}; }

 private:
  leap::Plan do_intend(Round rounds) override { return leap::AtRandom{actions_, rounds}; }
  void do_absorb(const leap::ShareOutcome&) override {}

  std::uint32_t actions_;
};

}  // namespace armature
