// Linear bandits on the features ν̃_a (spec §5): ridge regression V = I + Σ ν̃_{A_s}ν̃_{A_s}ᵀ, θ̂ =
// V^{-1} Σ ν̃_{A_s}Y_s.
#pragma once

#include <Eigen/Cholesky>

#include "armature/policy.h"
#include "policies/tools/certainty.h"
#include "policies/tools/flights.h"
#include "policies/tools/marginal_rows.h"

namespace armature {

/// The regression, updated by rank one and started afresh from the counts every thousand outcomes,
/// so that rounding does not pile up: V is known exactly from how often each row was played.
/// Outcomes that arrive between two choices are worked in by row, so that their order leaves no
/// trace.
class RidgeRegression {
 public:
  explicit RidgeRegression(const Matrix& marginals);

  void add(Arm arm, double reward);
  /// Any number of outcomes, worked in at once.
  void work_in(Arm arm, std::uint64_t plays, double rewards);
  /// Works in what has arrived since the last call.
  void update();
  bool up_to_date() const { return pending_.empty(); }

  const MarginalRows& rows() const { return rows_; }
  /// ⟨θ̂, ν̃⟩ and ‖ν̃‖²_{V^{-1}} per row, as of the last update.
  std::span<const double> predictions() const { return predictions_; }
  std::span<const double> leverages() const { return leverages_; }
  /// Plays in flight count in V as if they had been played, though nothing is known of their
  /// rewards.
  void send(Arm arm) const { change_flights(arm, 1); }
  void land(Arm arm) const { change_flights(arm, ~std::uint64_t{0}); }
  void recount(const Flights& flights);
  /// ‖ν̃‖²_{V^{-1}} per row, with plays in flight in V. Worked out afresh whenever they have
  /// changed: O(|A||Z|²).
  std::span<const double> leverages_ahead() const;
  const Eigen::VectorXd& estimate() const { return estimate_; }  // θ̂
  /// noise ← L^{-T}·noise, V = LLᵀ: of covariance V^{-1} if it was standard normal.
  void correlate(Eigen::VectorXd& noise) const;

  void visit_state(StateVisitor& visitor);

 private:
  static constexpr std::uint64_t kFreshAfter = 1024;

  void factorize(std::span<const std::uint64_t> further, Eigen::Ref<Eigen::MatrixXd> factor,
                 std::span<double> leverages) const;
  void change_flights(Arm arm, std::uint64_t times) const {
    in_flight_[rows_.row(arm)] += times;  // modulo 2^64: −1 takes back
    ahead_.clear();
  }
  void fresh_factor();
  void rank_one(std::uint32_t row);
  void solve();
  bool factor_fits() const;

  Eigen::Map<Eigen::MatrixXd> factor() {
    return {factor_.data(), features_.rows(), features_.rows()};
  }
  Eigen::Map<const Eigen::MatrixXd> factor() const {
    return {factor_.data(), features_.rows(), features_.rows()};
  }

  MarginalRows rows_;
  Eigen::MatrixXd features_;            // |Z| × rows
  std::vector<std::uint64_t> plays_;    // per row, worked in
  std::vector<double> reward_sums_;     // per row
  std::vector<std::uint32_t> pending_;  // rows played since the last update, ascending
  std::uint64_t updates_ = 0;           // rank-one updates since the factor was fresh
  std::vector<double> factor_;  // L, column by column: saved, for its rounding depends on the path
  std::vector<double> leverages_;  // likewise

  // Derived, and scratch.
  Eigen::VectorXd estimate_;
  std::vector<double> predictions_;
  Eigen::VectorXd folded_, solved_, along_;
  mutable std::vector<std::uint64_t> in_flight_;  // per row
  mutable std::vector<double> ahead_;             // leverages_ahead, if it is up to date
};

/// CL-UCB: play argmax ⟨θ̂,ν̃_a⟩ + β·‖ν̃_a‖_{V^{-1}}, β = 1 + sqrt(2 log T + d·log(1+T/d)), d the rank
/// of ν̃. Promises order d·sqrt(T) in benign worlds with exact marginals. Caveat: it believes that
/// rewards are linear in the marginals, which is what benign means.
class CausalLinearUcb {
 public:
  static PolicyFacts facts();
  CausalLinearUcb(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&);
  void observe(Decision decision, Outcome outcome, Stream&) {
    regression_.add(decision.arm, outcome.reward);
    land(decision.arm);
  }
  void forget(Decision decision) { land(decision.arm); }
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void witness(const Tally& tally, Stream&) {
    regression_.work_in(tally.arm, tally.plays, tally.rewards);
  }
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }

 private:
  double index(const RidgeRegression& regression, std::uint32_t row) const;
  Arm best(const RidgeRegression& regression) const;
  void count_last_play() const;
  void land(Arm arm) {
    if (flights_.land(arm) && !flights_.ignored()) regression_.land(arm);
  }

  RidgeRegression regression_;
  double beta_;
  mutable Flights flights_;  // as the last play may be counted by a mere look at what comes next
};

/// CL-TS: θ̃ ~ N(θ̂, V^{-1}), play argmax ⟨θ̃,ν̃_a⟩.
class CausalLinearThompson {
 public:
  static PolicyFacts facts();
  CausalLinearThompson(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream&) {
    regression_.add(decision.arm, outcome.reward);
  }
  void forget(Decision) {}
  void witness(const Tally& tally, Stream&) {
    regression_.work_in(tally.arm, tally.plays, tally.rewards);
  }
  void visit_state(StateVisitor& visitor) { regression_.visit_state(visitor); }
  Diagnostics diagnostics() const { return {}; }
  Insights explain() const;

 private:
  RidgeRegression regression_;
  double scale_;
  Eigen::VectorXd drawn_;
  std::vector<double> sums_;
};

/// β of CL-UCB.
double linear_confidence(double dimension, double horizon);

}  // namespace armature
