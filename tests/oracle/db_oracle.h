// DB, straight from spec §4: everything of the test is computed anew after every round.
#pragma once

#include <cmath>
#include <functional>
#include <limits>

#include "base/mathematics.h"
#include "oracle/history.h"

namespace armature::oracle {

/// A base learner as two functions.
struct Learner {
  std::function<std::uint32_t()> choose;
  std::function<void(const Observation&)> observe;
  double d;  // its coefficient
  double Z;  // its dial
};

template <class Oracle>
Learner learner(std::shared_ptr<Oracle> oracle, double d, double Z) {
  return {[oracle] { return oracle->choose(); },
          [oracle](const Observation& seen) { oracle->observe(seen); }, d, Z};
}

// d_UCB and d_CUCB of spec §2.
inline double d_ucb(const Knowledge& know, double delta) {
  return std::sqrt(8 * know.actions * portable::log(2 * know.actions * know.horizon / delta));
}
inline double d_cucb(const Knowledge& know, double delta) {
  return std::sqrt(portable::log(2 * know.contexts * know.horizon / delta)) *
         (std::sqrt(8.0 * know.contexts) + std::sqrt(4 * portable::log(know.horizon / delta)));
}
// d_PE of spec §3: the curve B(t), phase by phase.
inline double d_pe(const Knowledge& know, double d, double delta) {
  const double s = 4 * d * std::max(0.0, d > 2 ? portable::log(portable::log(d)) : 0.0) + 16;
  const double log_term =
      portable::log(2 * know.actions * std::max(1.0, portable::log2(know.horizon)) / delta);
  double t = 0, B = 0, worst = 0, m_before = 0;
  for (double m = s; t < know.horizon; m *= 2) {
    const double rate = m_before == 0 ? 1 : std::min(1.0, 8 * std::sqrt(d * log_term / m_before));
    const double rounds = std::min(m + s, know.horizon - t);
    t += rounds;
    B += rounds * rate;
    worst = std::max(worst, B / std::sqrt(t));
    m_before = m;
  }
  return worst;
}

class BalancingOracle {
 public:
  struct Options {
    bool plus = false;
    bool printed = false;
    double scale = 1;
  };

  BalancingOracle(Knowledge knowledge, std::vector<Learner> learners, Options options)
      : know_(std::move(knowledge)),
        learners_(std::move(learners)),
        options_(options),
        n_(learners_.size()),
        U_(learners_.size()),
        active_(learners_.size(), true) {}

  std::uint32_t choose() {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < learners_.size(); ++i) {
      const double d = options_.scale * learners_[i].d;
      const double v = std::sqrt(learners_[i].Z / (d * d * d));
      if (active_[i] && v * d * std::sqrt(n_[i]) < least) {
        least = v * d * std::sqrt(n_[i]);
        chosen_ = i;
      }
    }
    return learners_[chosen_].choose();
  }

  void observe(const Observation& seen) {
    learners_[chosen_].observe(seen);
    n_[chosen_] += 1;
    U_[chosen_] += seen.reward;
    t_ += 1;
    const auto count = learners_.size();
    const auto M = static_cast<double>(count);
    const double delta = 1 / std::max(know_.horizon, 2.0);
    std::vector<double> eta(count), gamma(count);
    double bar = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count; ++i) {
      if (n_[i] == 0) continue;
      const double D = options_.printed ? 1 : learners_[i].d;
      const double b =
          options_.scale *
          std::max(2 * learners_[i].Z * D,
                   3 * std::sqrt(M * portable::log(M * portable::log(std::max(t_, 2.0)) / delta))) /
          std::sqrt(t_);
      eta[i] = U_[i] / n_[i] - b;
      gamma[i] = options_.scale * 3 *
                 std::sqrt(portable::log(M * portable::log(std::max(n_[i], 2.0)) / delta) / n_[i]);
      bar = std::max(bar, eta[i] + (options_.plus ? 1 : -1) * gamma[i]);
    }
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
      active_[i] = n_[i] == 0 ||
                   eta[i] + gamma[i] + options_.scale * learners_[i].d / std::sqrt(n_[i]) >= bar;
      any = any || active_[i];
    }
    if (!any) active_.assign(count, true);
  }

 private:
  Knowledge know_;
  std::vector<Learner> learners_;
  Options options_;
  std::vector<double> n_;  // plays
  std::vector<double> U_;  // rewards
  std::vector<bool> active_;
  double t_ = 0;
  std::size_t chosen_ = 0;
};

}  // namespace armature::oracle
