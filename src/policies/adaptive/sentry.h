#pragma once

#include <limits>
#include <optional>

#include "armature/leap.h"
#include "policies/adaptive/causal_means.h"
#include "policies/linear/linear_bandit.h"
#include "policies/tools/argmax_tree.h"
#include "policies/tools/confidence.h"
#include "policies/tools/context_scores.h"
#include "policies/tools/flights.h"
#include "policies/tools/lock_step.h"

namespace armature {

/// Sentry (spec §6, docs/sentry.md): follows the contexts, but only among actions that their own
/// rewards do not rule out, and spends a budget of rounds on exploring actions, which keeps the bar
/// for that up to date. With lcb* the largest lower confidence bound an action ever had:
///   rejected:                              play argmax UCB(a)
///   explorations left, max UCB > lcb* + τ: explore, play argmax UCB(a)
///   otherwise:                             among {a : UCB(a) ≥ lcb*} play argmax min(UCB(a), C(a))
/// and benignness is rejected, for ever, when an action's own mean and its causal mean are too far
/// apart. Promises, with explicit constants, order sqrt(|Z|·T) + sqrt(|A|·E) in benign worlds and
/// sqrt(|A|·T) + T·sqrt(|A|/E) in any: the frontier, E being the dial. Caveat: with the default
/// budget E ~ T^{2/3} gaps below sqrt(|A|·log/E) stay unresolved at that T.
class Sentry : public leap::PeakKeeper, public lock_step::Follower {
 public:
  static PolicyFacts facts();
  Sentry(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&);
  void observe(Decision decision, Outcome outcome, Stream&);
  void forget(Decision decision);
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void witness(const Tally& tally, Stream&);
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

  std::string obstacle() const override;
  std::uint64_t plays_of(Arm arm) const override { return actions_.count(checked(arm)); }
  double rewards_of(Arm arm) const override { return actions_.sum(checked(arm)); }
  double statistic(std::uint64_t plays, double rewards) const override;
  double statistic_bound(std::uint64_t plays, double rewards,
                         const leap::SumPath& path) const override;
  double peak() const override { return bar_; }
  void raise_peak(double value) override { bar_ = std::max(bar_, value); }
  void bound_peak(double value) override { bar_bound_ = value; }
  bool peak_settled() const override;

  std::optional<lock_step::Rule> rule() const override;  // sentry_lock_step.cpp

  enum class Schedule { kFirst, kSpread, kFree };
  /// What it goes by, for who plays it elsewhere (src/cuda).
  struct Rules {
    Confidence actions, contexts;
    Schedule schedule;
    double budget, horizon, tolerance, epsilon;
    bool may_reject, by_regression;
  };
  Rules rules() const {
    return {action_confidence_,     context_confidence_, schedule_, budget_,
            horizon_.value_or(0.0), tolerance_,          epsilon_,  may_reject_,
            regression_.has_value()};
  }
  struct Course {
    double explorations, candidates;
    bool rejected;
    double rejection_round;
    std::uint64_t rejection_action;
  };
  static Diagnostics tell_course(const Course& course);

 private:
  static constexpr std::uint64_t kExploration = 1;  // ticket

  static Schedule schedule_of(const Problem& problem, const Arguments& arguments);
  double budget_of(const Problem& problem, const Arguments& arguments) const;
  void group_actions_by_row();
  void propose_by_regression(const Problem& problem, const Arguments& arguments);

  struct Choice {
    Arm arm;
    bool explores;
  };

  double allowance(std::uint64_t round) const;
  bool will_explore(std::uint64_t round, double bar, bool rejected) const;
  Choice choice(std::uint64_t round, double bar, bool rejected) const;
  Arm causal_choice(double bar) const;
  Arm best_of_contexts(double bar) const;
  Arm best_of_regression(double bar) const;
  void work_out_proposals() const;
  Arm arm_of_row(std::uint32_t row, double proposal, double bar) const;
  double row_upper(std::uint32_t row) const;
  void update_action(Arm a);
  void update_context(Context z);
  double context_upper(Context z) const { return causal_means_.values()[z] + ups_[z]; }
  void touch(Arm a);
  double bar_with_touched() const;
  std::optional<Arm> contradiction() const;
  void take_stock();
  bool contradicts(Arm a) const;

  // With plays in flight: the same choice, by indices that count them.
  double upper_ahead(Arm a) const {
    return flights_.counted(a) > 0 ? uppers_ahead_[a] : uppers_.value(a);
  }
  Arm best_ahead() const;
  double causal_index(Arm a, double bar) const;
  Arm best_of_proposals_ahead(double bar) const;
  void count_last_play() const;
  void uncount_play(Arm arm);
  void look_ahead(Arm arm) const;

  // Leaping (sentry_leap.cpp).
  leap::Plan do_intend(Round rounds) override;
  bool do_holds(const leap::Plan& plan, const leap::Box& box) const override;
  void do_absorb(const leap::ShareOutcome& outcome) override;
  Arm checked(Arm arm) const {
    ARMATURE_CHECK(arm < actions_count_, "an arm of the problem");
    return arm;
  }
  struct Outlook;
  struct Ranges;
  Outlook outlook(Round rounds) const;
  double unevenness(Round rounds) const;
  Ranges ranges_in(std::span<const leap::Share> shares, const leap::Box& box) const;
  bool exploration_holds(Arm explored, const Ranges& ranges) const;
  bool exploration_stays_off(const Ranges& ranges) const;
  bool causal_choice_holds(Arm chosen, const Ranges& ranges) const;
  bool beats(Arm chosen, Arm rival, const Ranges& ranges) const;
  bool test_passes(Arm a, const Ranges& ranges) const;
  void rebuild();
  void resume(const lock_step::SentryState& state);

  std::uint32_t actions_count_;
  std::optional<double> horizon_;
  Confidence action_confidence_;
  Confidence context_confidence_;
  Schedule schedule_;
  double budget_ = 0;  // E
  double tolerance_;   // τ
  double epsilon_;
  bool may_reject_;

  Statistics actions_;
  Statistics contexts_;
  double bar_;                      // lcb*
  std::uint64_t rounds_ = 0;        // t
  std::uint64_t explorations_ = 0;  // e, as sent out
  bool rejected_ = false;
  std::uint64_t rejection_round_ = 0;
  std::uint64_t rejection_action_ = 0;
  std::vector<std::uint32_t> touched_;  // actions with outcomes since the last choice, ascending
  std::optional<RidgeRegression> regression_;  // proposal = cl-ucb
  double beta_ = 0;
  // Mutable, here and below, as a mere look at what comes next may bring it up to date.
  mutable Flights flights_;

  // Derived.
  std::shared_ptr<const MarginalRows> rows_;  // shared with copies: scores_ points to it
  struct Own {
    double mean;
    Confidence::Widths widths;
  };
  std::vector<Own> own_;                     // of each action, by its own outcomes
  ArgmaxInHand uppers_;                      // UCB(a)
  std::vector<std::vector<Arm>> row_arms_;   // the actions of each row, ascending
  std::vector<char> is_shared_;              // has the row several actions?
  std::vector<std::uint32_t> place_in_row_;  // of each action
  std::vector<ArgmaxTree> row_uppers_;       // UCB(a) row by row, where it is shared
  mutable ContextScores scores_;             // C(a), capped by the row's largest UCB
  CausalMeans causal_means_;                 // for the test, and the widths of contexts
  std::vector<double> ups_, downs_;

  // Derived, with plays in flight only.
  mutable ExpectedVisits visits_;
  mutable std::vector<double> uppers_ahead_;          // UCB(a) of actions with plays in flight
  mutable std::vector<double> context_uppers_ahead_;  // U(z)
  mutable std::vector<double> sums_;                  // scratch: C of each row

  // Leaping: lcb* is at most this or bar_.
  double bar_bound_ = -std::numeric_limits<double>::infinity();
};

}  // namespace armature
