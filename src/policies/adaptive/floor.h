#pragma once

#include "policies/balancing/inner_policy.h"

namespace armature {

/// A floor under every action's probability (spec §5): with `probability` ε a round is played
/// uniformly, else as the base policy decides, so that P(a) = (1−ε)·P_base(a) + ε/|A| ≥ ε/|A| for
/// every action in every round: what evaluating other policies on the log needs. The base decides
/// in every round; a decision the floor overrules is forgotten at once, and what came of the
/// floor's play is witnessed by a base that can, before the next choice and in the order of rounds,
/// so that the order of arrival leaves no trace. Costs, beside what the base regrets in its own
/// rounds, ε·T·(mean gap). Caveat: that is linear in T; a base that cannot witness learns nothing
/// from it.
class Floor {
 public:
  static PolicyFacts facts();
  Floor(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream& stream);
  void forget(Decision decision);
  bool probabilities(std::span<double> out) const;
  std::optional<double> last_probability() const { return last_probability_; }
  Insights explain() const;
  void witness(const Tally& tally, Stream& stream) { base_->witness(tally, stream); }
  std::string witness_obstacle() const { return base_->witness_obstacle(); }
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

 private:
  // Tickets: the lowest bit says whose play it is; the rest is the floor's round, or the base's own
  // ticket.
  static constexpr int kFlagBits = 1;
  static constexpr std::uint64_t kOwnPlay = 1;

  static bool is_own(Decision decision) { return (decision.ticket & kOwnPlay) != 0; }
  static Decision base_decision(Decision decision) {
    return {decision.arm, decision.ticket >> kFlagBits};
  }
  static std::uint64_t round_of(Decision own) { return own.ticket >> kFlagBits; }
  void close_own(Decision decision);
  void tell(AnyPolicy& base, Stream& stream) const;
  InnerPolicy told_base() const;

  /// An outcome of the floor's own play that the base has yet to witness.
  struct Due {
    std::uint64_t round;
    Arm arm;
    Context context;
    double reward;
  };

  double probability_;  // ε
  std::uint32_t actions_;
  std::uint32_t contexts_;
  InnerPolicy base_;
  bool base_witnesses_;

  std::uint64_t rounds_ = 0;
  std::uint64_t own_rounds_ = 0;            // played by the floor
  std::uint64_t outstanding_ = 0;           // of the floor's plays
  std::vector<Due> due_;                    // by round
  std::optional<double> last_probability_;  // of the arm just chosen: a remark, no state
};

}  // namespace armature
