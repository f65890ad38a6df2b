#pragma once

#include <optional>

#include "armature/policy.h"
#include "policies/tools/agreement.h"
#include "policies/tools/argmax_tree.h"
#include "policies/tools/confidence.h"
#include "policies/tools/context_scores.h"
#include "policies/tools/flights.h"
#include "policies/tools/marginal_rows.h"
#include "policies/tools/path_bounds.h"

namespace armature {

/// HAC-UCB (Bilodeau et al. 2022; spec §5): sweeps over all actions, then c-ucb's choice for as
/// long as no action's own index contradicts its causal one; at the first contradiction ucb, for
/// ever. Promises order sqrt(|Z|·T) in benign worlds and T^{3/4}·sqrt(|A| log T) in any, for
/// T ≥ 25|A|². Caveat: an action the contexts undervalue is known by its sweeps alone; on
/// hidden-arm regret is linear until T is about (|A| log T/Δ²)².
class HacUcb : public leap::Planner {
 public:
  static PolicyFacts facts();
  HacUcb(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream&);
  void forget(Decision decision);
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void witness(const Tally& tally, Stream&);
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

  std::string obstacle() const override { return index_leap_obstacle(confidence_, random_ties_); }

  /// What it goes by, for who plays it elsewhere (src/cuda).
  const Confidence& confidence() const { return confidence_; }
  bool random_ties() const { return random_ties_; }
  bool checks_marginals() const { return checks_marginals_; }
  std::uint64_t sweep_plays() const { return all_sweep_plays_; }
  static Diagnostics tell_switch(bool switched, double round);

 private:
  // What a play was for; the ticket of its decision.
  enum Ticket : std::uint64_t {
    kCausal = 0,
    kFirstSweeps = 1,
    kSecondSweeps = 2,
    kAfterSwitch = 3
  };
  static bool is_sweep(std::uint64_t ticket) {
    return ticket == kFirstSweeps || ticket == kSecondSweeps;
  }

  leap::Plan do_intend(Round rounds) override;
  bool do_holds(const leap::Plan& plan, const leap::Box& box) const override;
  void do_absorb(const leap::ShareOutcome& outcome) override;

  std::uint64_t first_sweeps() const { return first_sweep_plays_ / actions_count_; }
  Decision next_play(Stream& stream);
  void turn_into_ucb();
  leap::Certain sweeps(Round rounds) const;
  struct ContextRanges;
  bool test_passes(Arm played, const leap::SumPath& path, const ContextRanges& ranges) const;
  Arm causal_choice(Stream& stream) const;
  void work_out_pseudo() const;
  double causal_index(Arm a) const { return pseudo_[rows_->row(a)]; }
  double action_index(Arm a) const;
  template <class Values>
  Arm best_by(const Values& value_of, Stream& stream) const;
  void count_last_play() const;
  void update_action(Arm a);
  void update_context(Context z);
  void check_marginals();
  Matrix empirical_marginals() const;
  void rebuild();

  std::uint32_t actions_count_;
  std::uint32_t contexts_count_;
  double horizon_;
  Confidence confidence_;
  bool random_ties_;
  bool checks_marginals_;            // variant = paper
  std::uint64_t first_sweep_plays_;  // plays of the first sweeps, and of all sweeps
  std::uint64_t all_sweep_plays_;

  Statistics actions_;
  Statistics contexts_;
  std::uint64_t rounds_ = 0;         // decisions made
  std::uint64_t dispatched_ = 0;     // sweep plays handed out
  std::vector<std::uint64_t> lost_;  // forgotten sweep plays to hand out again: arm·4 + ticket
  bool switched_ = false;
  std::uint64_t switch_round_ = 0;
  std::uint64_t first_observed_ = 0;         // outcomes of the first sweeps that have come
  std::vector<std::uint64_t> first_visits_;  // their contexts per action (variant = paper)
  bool marginals_replaced_ = false;

  // Derived from the above.
  std::shared_ptr<const Matrix> given_;
  std::shared_ptr<const MarginalRows> rows_;  // shared with copies: what follows points to it
  ArgmaxTree indices_;                        // u(a), once switched
  // Mutable: scratch, and what a mere look at what comes next may bring up to date.
  mutable std::optional<Agreement> agreement_;   // the test, until the switch
  mutable std::optional<ContextScores> scores_;  // of U(z) = μ̂(z) + w(n(z)), until the switch
  mutable Flights flights_;
  mutable ExpectedVisits visits_;             // of the plays in flight
  mutable std::vector<double> uppers_ahead_;  // U(z) with plays in flight
  mutable std::vector<double> pseudo_;        // p, per row, with plays in flight
};

}  // namespace armature
