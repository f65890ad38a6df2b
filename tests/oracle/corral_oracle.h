// Corral over (C-UCB, UCB), straight from spec §5, with prompt feedback. The mirror-descent step is
// found by bisection in long double, not by a formula. It throws the policy's own coins: its stream
// has the same key.
#pragma once

#include <algorithm>
#include <cmath>

#include "armature/random.h"
#include "base/mathematics.h"
#include "oracle/history.h"

namespace armature::oracle {

/// The log-barrier step: 1/p'_i = 1/p_i + η(ℓ_i − λ), where λ makes the p'_i sum to 1. Between the
/// smallest and the largest loss that sum grows from at most 1 to at least 1. Returns p'_0.
inline long double log_barrier_step(long double p, long double rate, long double loss_0,
                                    long double loss_1) {
  long double low = std::min(loss_0, loss_1);
  long double high = std::max(loss_0, loss_1);
  const auto first = [&](long double lambda) { return 1 / (1 / p + rate * (loss_0 - lambda)); };
  const auto second = [&](long double lambda) {
    return 1 / (1 / (1 - p) + rate * (loss_1 - lambda));
  };
  for (int step = 0; step < 200; ++step) {
    const long double middle = (low + high) / 2;
    // Beyond a pole probabilities turn negative: too far.
    const bool too_small =
        first(middle) > 0 && second(middle) > 0 && first(middle) + second(middle) < 1;
    (too_small ? low : high) = middle;
  }
  return first(low);
}

class CorralOracle {
 public:
  CorralOracle(Knowledge knowledge, bool published, Stream stream)
      : know_(std::move(knowledge)),
        published_(published),
        stream_(stream),
        n_a_(know_.actions),
        sum_a_(know_.actions),
        n_z_(know_.contexts),
        sum_z_(know_.contexts) {
    const double log_T = portable::log(know_.horizon);
    rate_ = 1 / (240 * std::sqrt(2 * know_.horizon) * portable::pow(log_T, 1.5));
  }

  std::uint32_t choose() {
    t_ += 1;
    causal_ = bernoulli(stream_, static_cast<double>(smoothed_));
    std::uint32_t best = 0;
    double highest = 0;
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      double index = 0;
      if (causal_)
        for (std::uint32_t z = 0; z < know_.contexts; ++z)
          index += know_.marginals[a][z] * upper(sum_z_[z], n_z_[z], rho_[0]);
      else
        index = upper(sum_a_[a], n_a_[a], rho_[1]);
      if (a == 0 || index > highest) {
        highest = index;
        best = a;
      }
    }
    return best;
  }

  void observe(const Observation& seen) {
    // The script divides by the probability before smoothing.
    const long double of_causal = published_ ? p_ : smoothed_;
    const auto drawn = static_cast<double>(causal_ ? of_causal : 1 - of_causal);
    const double loss = (1 - seen.reward) / drawn;
    if (causal_) {
      n_z_[seen.context] += 1;
      sum_z_[seen.context] += seen.reward / drawn;
    } else {
      n_a_[seen.arm] += 1;
      sum_a_[seen.arm] += seen.reward / drawn;
    }
    if (loss > 0) p_ = log_barrier_step(p_, rate_, causal_ ? loss : 0, causal_ ? 0 : loss);
    const long double gamma = 1.0L / know_.horizon;
    smoothed_ = published_ ? (1 - gamma) * p_ * gamma / 2 : (1 - gamma) * p_ + gamma / 2;
    const double beta = portable::exp(1 / portable::log(know_.horizon));
    for (const int i : {0, 1}) {
      const double inverse = static_cast<double>(1 / (i == 0 ? smoothed_ : 1 - smoothed_));
      if (inverse > rho_[i]) {
        rho_[i] = 2 * inverse;
        rate_ *= beta;
      }
    }
  }

  long double probability() const { return p_; }

 private:
  // Importance-weighted mean + sqrt(4ρ log t/n) + (4/3)ρ log t/n
  double upper(double sum, double count, double rho) const {
    const double n = std::max(count, 1.0);
    return sum / n +
           (std::sqrt(4 * rho * portable::log(t_) / n) + 4.0 / 3 * rho * portable::log(t_) / n);
  }

  Knowledge know_;
  bool published_;
  Stream stream_;
  std::vector<double> n_a_, sum_a_, n_z_, sum_z_;
  long double p_ = 0.5L;  // of C-UCB
  // p̄ = (1−γ)p + γ/2, γ = 1/T; as published (1−γ)p·γ/2, from the first outcome on.
  long double smoothed_ = 0.5L;
  double rho_[2] = {4, 4};
  double rate_;
  double t_ = 0;
  bool causal_ = false;
};

}  // namespace armature::oracle
