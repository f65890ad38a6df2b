// The policies as anyone would first write them: every index of every arm, recomputed in every
// round. The references of the ladder; tests/oracle shows that armature's policies decide the same.
#pragma once

#include <cmath>
#include <vector>

#include "armature/policy.h"

namespace armature::bench {

class NaiveUcb {
 public:
  explicit NaiveUcb(const Problem& problem)
      : log_term_(std::log(2.0 * problem.actions() * static_cast<double>(*problem.horizon) *
                           static_cast<double>(*problem.horizon))),
        plays_(problem.actions()),
        sums_(problem.actions()) {}

  Arm choose() const {
    Arm best = 0;
    double highest = -1;
    for (Arm a = 0; a < plays_.size(); ++a) {
      const double n = plays_[a] > 0 ? static_cast<double>(plays_[a]) : 1.0;
      const double index = sums_[a] / n + std::sqrt(log_term_ / (2 * n));
      if (index > highest) {
        highest = index;
        best = a;
      }
    }
    return best;
  }
  void observe(Arm arm, Outcome outcome) {
    ++plays_[arm];
    sums_[arm] += outcome.reward;
  }

 private:
  double log_term_;
  std::vector<std::uint64_t> plays_;
  std::vector<double> sums_;
};

class NaiveCausalUcb {
 public:
  explicit NaiveCausalUcb(const Problem& problem)
      : marginals_(*problem.marginals),
        log_term_(std::log(2.0 * problem.contexts() * static_cast<double>(*problem.horizon) *
                           static_cast<double>(*problem.horizon))),
        visits_(problem.contexts()),
        sums_(problem.contexts()),
        uppers_(problem.contexts()) {}

  Arm choose() {
    for (Context z = 0; z < visits_.size(); ++z) {
      const double n = visits_[z] > 0 ? static_cast<double>(visits_[z]) : 1.0;
      uppers_[z] = sums_[z] / n + std::sqrt(log_term_ / (2 * n));
    }
    Arm best = 0;
    double highest = -1;
    for (Arm a = 0; a < marginals_.rows(); ++a) {
      double index = 0;
      for (Context z = 0; z < visits_.size(); ++z) index += marginals_(a, z) * uppers_[z];
      if (index > highest) {
        highest = index;
        best = a;
      }
    }
    return best;
  }
  void observe(Arm, Outcome outcome) {
    ++visits_[outcome.context];
    sums_[outcome.context] += outcome.reward;
  }

 private:
  const Matrix& marginals_;
  double log_term_;
  std::vector<std::uint64_t> visits_;
  std::vector<double> sums_;
  std::vector<double> uppers_;
};

}  // namespace armature::bench
