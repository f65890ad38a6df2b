#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "armature/leap.h"
#include "policies/adaptive/causal_means.h"
#include "policies/adaptive/warden_strata.h"
#include "policies/tools/argmax_tree.h"
#include "policies/tools/confidence.h"
#include "policies/tools/context_scores.h"
#include "policies/tools/flights.h"
#include "policies/tools/width_table.h"

namespace armature {

/// Warden (docs/warden.md): follows the contexts, and watches every action until it has lost r
/// against the leader, and no longer. With W(n; B) = sqrt(log⁺(B/n)/(2n)), w Sentry's anytime width
/// and lcb* the largest μ̂(a) − w(a) an action ever had:
///   U(z) = μ̂(z) + W(n(z); max(2, T/|Z|)), 1 if never seen;      C(a) = Σ_z ν̃_a(z)·U(z)
///   I(a) = μ̂(a) + min(W(n(a); T/|A|), r/n(a)), 1 if never played                  the watch
///   J(a) = μ̂(a) + W(n(a); T/|A|), max(1, W(1; T/|A|)) if never played     after a rejection
///   rejected: play argmax J
///   b = argmax min(μ̂ + w, C) among {a : μ̂(a) + w(a) ≥ lcb*}; ties: largest I, then lowest index
///       (no candidate: argmax J);  a = argmax I
///   I(a) > I(b), n(a) < n(b), e < E = κ|A|r²:  watch, play a, e += 1;  otherwise follow Z, play b
/// and Z is rejected, for ever, when Sentry's test of the played action fires (a wrong ν̃), or the
/// stratified one (a wrong Z; warden_strata.h). Promises in any world T/(8r) and order sqrt(|A|·T),
/// in benign ones |A|·r and order sqrt(|Z|·T). Caveat: what it misses is rare and dear.
///
/// Where outcomes come late, what chooses counts plays in flight and what tests does not: n of the
/// watch, of J and of the line "n(a) < n(b)" count them, U(z) as many as are expected of them; w,
/// lcb* and both tests go by what was observed, e by what was sent out less what is known to be
/// lost. An action with plays in flight and no outcome has I = min(1, W, r/n). What has come since
/// the last choice is judged together before the next. Without a horizon T is 2^⌈log2 t⌉.
class Warden : public leap::PeakKeeper {
 public:
  static PolicyFacts facts();
  Warden(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&) { return decide(); }
  void observe(Decision decision, Outcome outcome, Stream&);
  void forget(Decision decision);
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void witness(const Tally& tally, Stream&);
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

  std::uint64_t plays_of(Arm arm) const override { return actions_.count(checked(arm)); }
  double rewards_of(Arm arm) const override { return actions_.sum(checked(arm)); }
  double statistic(std::uint64_t plays, double rewards) const override;
  double statistic_bound(std::uint64_t plays, double rewards,
                         const leap::SumPath& path) const override;
  double peak() const override { return bar_; }
  void raise_peak(double value) override { bar_ = std::max(bar_, value); }
  void bound_peak(double value) override { bar_bound_ = value; }
  bool peak_settled() const override;

  /// What it goes by, for who plays it elsewhere (src/cuda); with a horizon, for good.
  struct Rules {
    bool free;  // no horizon
    double per_action, per_context, allowance, patience, epsilon;
    Confidence actions, contexts;
    bool causal_test, stratified_test;
    const Strata& strata;
  };
  Rules rules() const {
    return {!horizon_, dial_.per_action,   dial_.per_context,   dial_.allowance, dial_.patience,
            epsilon_,  action_confidence_, context_confidence_, causal_test_,    stratified_test_,
            strata_};
  }
  struct Course {
    double watches;
    bool rejected;
    double rejection_round;
    std::uint64_t rejection_action;
    double candidates;
  };
  static Diagnostics tell_course(const Course& course);

 private:
  static constexpr std::uint64_t kWatch = 1;  // ticket
  // In place of an action. An optional would be put together in memory and waited for, every round.
  static constexpr Arm kNobody = std::numeric_limits<Arm>::max();

  // All that depends on T.
  struct Dial {
    double horizon = 0;      // T
    double per_action = 0;   // T/|A|
    double per_context = 0;  // max(2, T/|Z|)
    double allowance = 0;    // r
    double patience = 0;     // E
    WidthTable direct;       // W(n; T/|A|)
    WidthTable watch;        // min(W(n; T/|A|), r/n)
    WidthTable context;      // W(n; max(2, T/|Z|))
  };
  struct Choice {
    Arm arm;
    bool watches;
  };

  double horizon_at(std::uint64_t round) const;
  Dial dial_for(double horizon) const;
  void group_actions_by_row();
  void rebuild();

  void start_round();
  Insights insights() const;
  Decision decide();
  Choice choice(double bar, bool rejected) const;
  Arm best_direct() const;
  Arm causal_leader(double bar) const;  // or kNobody
  Arm causal_leader_ahead(double bar) const;
  Arm leader_of_row(std::uint32_t row, double bar) const;
  bool leads(Arm a, Arm b) const;
  void work_out_proposals() const;
  double causal_index(Arm a, double bar) const;

  std::uint64_t plays(Arm a) const { return actions_.count(a) + flights_.counted(a); }
  double watch_index(Arm a) const;
  double direct_index(Arm a) const;
  double context_upper(Context z) const;
  double context_upper_ahead(Context z) const;
  double row_upper(std::uint32_t row) const;

  void learn(const Tally& tally);
  void update_action(Arm a);
  void update_index(Arm a) const;
  double direct_width(std::uint64_t n) const;
  double watch_width(std::uint64_t n) const;
  void update_context(Context z);
  double bar_with_fresh() const;
  Arm contradiction() const;  // or kNobody
  void take_stock();
  bool means_disagree(Arm a) const;
  void count_last_play() const;
  void land(Arm arm);
  void look_ahead() const;

  // Leaping (warden_leap.cpp).
  leap::Plan do_intend(Round rounds) override;
  bool do_holds(const leap::Plan& plan, const leap::Box& box) const override;
  void do_absorb(const leap::ShareOutcome& outcome) override;
  Arm checked(Arm arm) const {
    ARMATURE_CHECK(arm < actions_count_, "an arm of the problem");
    return arm;
  }
  struct Ranges;
  Ranges ranges_in(const leap::Share& share, const leap::Box& box) const;
  leap::Range direct_range(Arm arm, const leap::SumPath& path) const;
  leap::Range watch_range(Arm arm, const leap::SumPath& path) const;
  leap::Range context_range(Context z, const leap::SumPath& path) const;
  bool watch_stays_off(const leap::Share& share, const Ranges& ranges) const;
  bool causal_leader_holds(Arm leader, const Ranges& ranges) const;
  bool beats(Arm leader, Arm rival, const Ranges& ranges) const;
  bool means_agree(const Ranges& ranges) const;

  std::uint32_t actions_count_;
  std::optional<double> horizon_;  // none: the schedule is free
  std::optional<double> given_allowance_, given_r1_, given_r2_;
  double kappa_;
  Confidence action_confidence_;
  Confidence context_confidence_;
  double epsilon_;
  bool causal_test_;
  bool stratified_test_;

  Statistics actions_;
  Statistics contexts_;
  double bar_ = -std::numeric_limits<double>::infinity();  // lcb*
  std::uint64_t rounds_ = 0;                               // t
  std::uint64_t watches_ = 0;                              // e
  bool rejected_ = false;
  std::uint64_t rejection_round_ = 0;
  std::uint64_t rejection_action_ = 0;
  // Mutable, here and below, as a mere look at what comes next may bring it up to date.
  mutable Flights flights_;
  std::shared_ptr<const MarginalRows> rows_;  // shared with copies: scores_ points to it
  Strata strata_;

  // Derived.
  Dial dial_;
  std::vector<double> means_;                // μ̂(a)
  std::vector<double> widths_;               // w(a)
  std::vector<double> uppers_;               // μ̂(a) + w(a)
  mutable ArgmaxInHand indices_;             // I(a), after a rejection J(a)
  std::vector<std::vector<Arm>> row_arms_;   // the actions of each row, ascending
  std::vector<char> is_shared_;              // has the row several actions?
  std::vector<std::uint32_t> place_in_row_;  // of each action
  std::vector<ArgmaxTree> row_uppers_;       // row by row, where a row has several actions
  mutable std::vector<ArgmaxTree> row_indices_;
  mutable ContextScores scores_;  // C(a), capped by the row's largest μ̂ + w
  CausalMeans causal_means_;      // μ̂(z)

  // Derived, with plays in flight only.
  mutable ExpectedVisits visits_;
  mutable std::vector<double> context_uppers_ahead_;  // U(z)
  mutable std::vector<double> sums_;                  // scratch: C of each row

  // Leaping: lcb* is at most this or bar_.
  double bar_bound_ = -std::numeric_limits<double>::infinity();
};

}  // namespace armature
