// Ridge regression on the features ν̃_a (spec §5): V = I + Σ ν̃_{A_s}ν̃_{A_s}ᵀ, θ̂ = V^{-1} Σ
// ν̃_{A_s}Y_s.
#pragma once

#include <array>
#include <limits>

#include "armature/policy.h"
#include "linear/inverse_factor.h"
#include "policies/linear/index_bounds.h"
#include "policies/tools/flights.h"
#include "policies/tools/marginal_rows.h"

namespace armature {

/// The regression, updated by rank one and started afresh from the counts every so many updates, so
/// that rounding does not pile up: V is known exactly from how often each row was played. Outcomes
/// that arrive between two choices are worked in together, row by row, so that their order leaves
/// no trace.
class RidgeRegression {
 public:
  explicit RidgeRegression(const Matrix& marginals);

  void add(Arm arm, double reward) { work_in(arm, 1, reward); }
  /// Any number of outcomes at once.
  void work_in(Arm arm, std::uint64_t plays, double rewards);
  /// Works in what has arrived since the last call.
  void update();
  bool up_to_date() const { return pending_.empty(); }

  // As of the last update.
  const MarginalRows& rows() const { return rows_; }
  std::span<const double> estimate() const {  // θ̂
    return {values_of(estimate_), rows_.contexts()};
  }
  double prediction(std::uint32_t row) const { return rows_.sum(row, estimate()); }  // ⟨θ̂,ν̃⟩
  /// ‖ν̃‖²_{V^{-1}}, with plays in flight in V.
  double leverage(std::uint32_t row) const;
  /// ⟨θ̂,ν̃⟩ + β·‖ν̃‖, if that is at least `least`; else something below `least`, soon.
  double index(std::uint32_t row, double beta,
               double least = -std::numeric_limits<double>::infinity()) const;
  /// The lowest row with the largest index.
  std::uint32_t leader(double beta) const;
  /// N(0, V^{-1}) of a standard normal vector. Both are whole lanes.
  void correlate(const LaneVector& normals, LaneVector& noise) {
    factor_.correlate(values_of(normals), values_of(noise));
  }

  /// Plays in flight count in V as if they had been played, though nothing is known of their
  /// rewards.
  void send(Arm arm) const { change_flights(arm, 1); }
  void land(Arm arm) const { change_flights(arm, ~std::uint64_t{0}); }
  void recount(const Flights& flights);

  void visit_state(StateVisitor& visitor);

 private:
  static constexpr std::uint64_t kFreshAfter = 1024;

  struct Pending {
    std::uint32_t row;
    std::uint64_t plays;
    double rewards;
  };

  const double* feature(std::uint32_t row) const {
    return values_of(features_) + std::size_t{row} * factor_.blocks() * kLanes;
  }
  const InverseFactor& factor_ahead() const;
  void change_flights(Arm arm, std::uint64_t times) const;
  void fold(const Pending& outcomes);
  void start_afresh();
  double exact_index(std::uint32_t row, double beta) const;
  std::uint32_t likely_leader(double beta) const;
  double* bound_closely(std::span<const std::uint32_t> rows, double beta) const;
  void bring_bounds_up_to_date() const;

  MarginalRows rows_;
  LaneVector features_;               // row by row
  std::vector<std::uint64_t> plays_;  // per row, worked in
  std::vector<double> reward_sums_;   // likewise
  std::vector<Pending> pending_;      // since the last update, rows ascending
  std::uint64_t updates_ = 0;         // since the factor was fresh
  InverseFactor factor_;              // saved, as is θ̂, for its rounding depends on the path
  LaneVector estimate_;

  // Derived, and scratch.
  LaneVector moments_;  // Σ ν̃·Y
  mutable LaneVector projected_, along_;
  mutable std::vector<std::uint64_t> in_flight_;  // per row
  mutable std::uint64_t flights_ = 0;
  mutable InverseFactor ahead_;  // of V with what is in flight, if that is current
  mutable bool ahead_is_current_ = false;
  mutable IndexBounds bounds_;
  mutable bool bounded_ = false;                    // the norms, since the last fresh start
  mutable bool predicted_ = false;                  // since the last update
  mutable std::array<std::uint32_t, 16> recent_{};  // rows that were looked at
  mutable std::size_t looks_ = 0;
  mutable std::vector<std::uint32_t> contenders_;
  mutable LaneVector close_bounds_;
};

}  // namespace armature
