// Upper bounds on linear indices ⟨θ̂,x⟩ + β·‖x‖, ‖x‖ in the metric V^{-1}, that cost little: ⟨θ̂,x⟩
// roughly, for all rows at once, and as ‖x‖ only falls while V grows, what it was when it was last
// looked at.
#pragma once

#include "base/lanes.h"
#include "policies/tools/rough_sums.h"

namespace armature {

class IndexBounds {
 public:
  /// `norm_error`: what rounding may add to a norm while these bounds last.
  IndexBounds(const MarginalRows& rows, double norm_error);

  void set_norm(std::uint32_t row, double norm) { values_of(norms_)[row] = norm + norm_error_; }
  /// θ̂ is another one.
  void predict(const MarginalRows& rows, std::span<const double> estimate);

  double of(std::uint32_t row, double beta) const {
    return with_prediction(row, values_of(predictions_)[row], beta) + error_;
  }
  /// The same with a prediction that is right but for rounding.
  double with_prediction(std::uint32_t row, double prediction, double beta) const {
    return prediction + beta * values_of(norms_)[row] + rounding_;
  }
  /// The rows whose bounds reach `least`, ascending, into `out`; returns how many.
  std::size_t reaching(double beta, double least, std::uint32_t* out) const;

 private:
  RoughSums rough_;
  bool many_;                       // entries, so that predictions are rough
  LaneVector predictions_, norms_;  // of rows beyond the last: never reaching
  double norm_error_;
  double error_ = 0, rounding_ = 0;
};

}  // namespace armature
