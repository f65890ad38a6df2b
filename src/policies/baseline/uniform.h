// Uniform play: learns nothing, for checks and comparisons (spec §5).
#pragma once

#include "armature/policy.h"

namespace armature {

/// Every action with the same probability, in every round.
class UniformPolicy {
 public:
  static PolicyFacts facts();
  UniformPolicy(const Problem& problem, const Arguments&) : actions_(problem.actions()) {}

  Decision choose(Stream& stream) { return {uniform_index(stream, actions_)}; }
  void observe(Decision, Outcome, Stream&) {}
  void forget(Decision) {}
  void visit_state(StateVisitor&) {}
  Diagnostics diagnostics() const { return {}; }

  std::string leap_obstacle() const { return {}; }
  void intend(Round rounds, Plan& plan) const;
  bool holds(const Plan&, const Box&) const { return true; }
  void absorb(const Block&) {}

 private:
  std::uint32_t actions_;
};

}  // namespace armature
