// Policies that learn nothing, for checks and comparisons (spec §5).
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

/// Actions 0, 1, …, |A|-1, 0, 1, … in turn.
class RoundRobin {
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
  void visit_state(StateVisitor& visitor) { visitor.field("next", next_); }
  Diagnostics diagnostics() const { return {}; }

  std::string leap_obstacle() const { return {}; }
  void intend(Round rounds, Plan& plan) const;
  bool holds(const Plan&, const Box&) const { return true; }
  void absorb(const Block& block) { next_ = (next_ + block.plays) % actions_; }

 private:
  std::uint32_t actions_;
  std::uint64_t next_ = 0;
};

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
