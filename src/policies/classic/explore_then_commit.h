#pragma once

#include "armature/leap.h"
#include "policies/tools/ledger.h"

namespace armature {

/// Explore then commit (spec §5): every action m times in turn, then the one with the largest mean
/// for ever. Promises order (|A|·log T)^(1/3)·T^(2/3) with the default m. Caveat: it never looks
/// back, so a wrong commitment costs its gap in every round that is left.
class ExploreThenCommit : public leap::Planner {
 public:
  static PolicyFacts facts();
  ExploreThenCommit(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&) {
    const Arm next = next_to_explore();
    if (next == kNone) return {leader(), kCommitted};
    ledger_.send(next);
    return {next, kExploring};
  }
  // Committed plays teach nothing.
  void observe(Decision decision, Outcome outcome, Stream&) {
    if (decision.ticket == kExploring) ledger_.receive(decision.arm, outcome.reward);
  }
  // A lost exploration is played again.
  void forget(Decision decision) {
    if (decision.ticket == kExploring) ledger_.give_up(decision.arm);
  }
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

 private:
  enum Ticket : std::uint64_t { kCommitted = 0, kExploring = 1 };
  static constexpr Arm kNone = std::numeric_limits<Arm>::max();

  Arm next_to_explore() const;
  Arm leader() const;

  leap::Plan do_intend(Round rounds) override;
  void do_absorb(const leap::ShareOutcome& outcome) override;

  std::uint64_t plays_each_;  // m
  Ledger ledger_;             // of explorations alone
};

}  // namespace armature
