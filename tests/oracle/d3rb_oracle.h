// D3RB and ED2RB, straight from spec §5, with prompt feedback: the bar and the widths of all
// learners are computed anew after every round.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"
#include "oracle/db_oracle.h"

namespace armature::oracle {

class RegretBalancingOracle {
 public:
  struct Options {
    bool estimating = false;  // ED2RB
    double d_min = 1;
    double c = 1;
  };

  RegretBalancingOracle(Knowledge knowledge, std::vector<Learner> learners, Options options)
      : know_(std::move(knowledge)),
        learners_(std::move(learners)),
        options_(options),
        n_(learners_.size()),
        U_(learners_.size()),
        d_(learners_.size(), options.d_min),
        // D3RB: φ_i = d̂_i·sqrt(n_i), so 0 at first. ED2RB clips φ_i to [φ_i, 2φ_i], which needs a
        // start above 0: the least coefficient.
        phi_(learners_.size(), options.estimating ? options.d_min : 0) {}

  std::uint32_t choose() {
    chosen_ = static_cast<std::size_t>(std::min_element(phi_.begin(), phi_.end()) - phi_.begin());
    return learners_[chosen_].choose();
  }

  void observe(const Observation& seen) {
    const std::size_t i = chosen_;
    learners_[i].observe(seen);
    n_[i] += 1;
    U_[i] += seen.reward;
    double bar = -std::numeric_limits<double>::infinity();  // max_j (U_j/n_j − spread_j)
    for (std::size_t j = 0; j < n_.size(); ++j)
      if (n_[j] > 0) bar = std::max(bar, U_[j] / n_[j] - spread(j));
    const double root = std::sqrt(n_[i]);
    if (options_.estimating) {
      d_[i] = std::max(options_.d_min, root * (bar - U_[i] / n_[i] - spread(i)));
      phi_[i] = std::min(std::max(d_[i] * root, phi_[i]), 2 * phi_[i]);
    } else {
      if (U_[i] / n_[i] + d_[i] / root + spread(i) < bar) d_[i] *= 2;
      phi_[i] = d_[i] * root;
    }
  }

 private:
  // c·sqrt(log(M·log(max(n_i,2))/δ)/n_i)
  double spread(std::size_t i) const {
    const double delta = 1 / std::max(know_.horizon, 2.0);
    const auto M = static_cast<double>(learners_.size());
    return options_.c *
           std::sqrt(portable::log(M * portable::log(std::max(n_[i], 2.0)) / delta) / n_[i]);
  }

  Knowledge know_;
  std::vector<Learner> learners_;
  Options options_;
  std::vector<double> n_;  // plays
  std::vector<double> U_;  // rewards
  std::vector<double> d_;  // d̂
  std::vector<double> phi_;
  std::size_t chosen_ = 0;
};

}  // namespace armature::oracle
