// epsilon-greedy, exp3, bayes-ucb and etc, straight from spec §5: each works its statistics out of
// the whole history in every round. Those that gamble throw the policy's own coins: their stream
// has the same key.
#pragma once

#include <deque>
#include <limits>

#include "armature/random.h"
#include "oracle/history.h"

namespace armature::oracle {

inline double mean_of(const History& history, std::uint32_t arm) {
  double sum = 0, count = 0;
  for (const Observation& seen : history)
    if (seen.arm == arm) {
      sum += seen.reward;
      count += 1;
    }
  return count == 0 ? 0 : sum / count;
}

inline std::uint64_t count_of(const History& history, std::uint32_t arm) {
  return static_cast<std::uint64_t>(std::count_if(
      history.begin(), history.end(), [arm](const Observation& seen) { return seen.arm == arm; }));
}

/// The lowest index of the largest value.
template <class Value>
std::uint32_t best_of(std::uint32_t actions, const Value& value_of) {
  std::uint32_t best = 0;
  for (std::uint32_t a = 1; a < actions; ++a)
    if (value_of(a) > value_of(best)) best = a;
  return best;
}

class EpsilonGreedyOracle {
 public:
  /// A negative ε: it decays.
  EpsilonGreedyOracle(Knowledge knowledge, double epsilon, double c, Stream stream)
      : know_(std::move(knowledge)), epsilon_(epsilon), c_(c), stream_(stream), out_(know_) {}

  std::uint32_t choose() {
    double in_flight = 0;
    for (const double plays : out_.plays) in_flight += plays;
    const double t = static_cast<double>(history_.size()) + in_flight + 1;
    const double epsilon = epsilon_ >= 0 ? epsilon_ : std::min(1.0, c_ * know_.actions / t);
    if (bernoulli(stream_, epsilon)) return uniform_index(stream_, know_.actions);
    return best_of(know_.actions, [this](std::uint32_t a) {
      const bool untried = out_.plays[a] == 0 && count_of(history_, a) == 0;
      return untried ? std::numeric_limits<double>::infinity() : mean_of(history_, a);
    });
  }
  void observe(const Observation& seen) { history_.push_back(seen); }
  void send(std::uint32_t arm) { out_.plays[arm] += 1; }
  void land(std::uint32_t arm) { out_.plays[arm] -= 1; }

 private:
  Knowledge know_;
  double epsilon_;
  double c_;
  Stream stream_;
  InFlight out_;
  History history_;
};

/// With prompt feedback, by the multiplicative weights of the papers in long double.
class Exp3Oracle {
 public:
  Exp3Oracle(Knowledge knowledge, bool implicit, Stream stream)
      : know_(std::move(knowledge)),
        implicit_(implicit),
        stream_(stream),
        weights_(know_.actions, 1),
        probabilities_(know_.actions) {
    const long double K = know_.actions, T = know_.horizon;
    gamma_ = implicit_ ? std::sqrt(std::log(K) / (2 * K * T))
                       : std::min(1.0L, std::sqrt(K * std::log(K) / ((std::exp(1.0L) - 1) * T)));
  }

  std::uint32_t choose() {
    const long double K = know_.actions;
    long double sum = 0;
    for (const long double weight : weights_) sum += weight;
    for (std::uint32_t a = 0; a < know_.actions; ++a)
      probabilities_[a] =
          implicit_ ? weights_[a] / sum : (1 - gamma_) * weights_[a] / sum + gamma_ / K;
    const long double u = stream_.uniform();
    long double reached = 0;
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      reached += probabilities_[a];
      if (u < reached) return a;
    }
    return know_.actions - 1;
  }
  void observe(const Observation& seen) {
    const long double p = probabilities_[seen.arm];
    weights_[seen.arm] *= implicit_ ? std::exp(-2 * gamma_ * (1 - seen.reward) / (p + gamma_))
                                    : std::exp(gamma_ * (seen.reward / p) / know_.actions);
  }

 private:
  Knowledge know_;
  bool implicit_;
  Stream stream_;
  long double gamma_;
  std::vector<long double> weights_;
  std::vector<long double> probabilities_;
};

/// For rewards of 0 and 1: P(Beta(s+1, f+1) > x) = P(Binomial(s+f+1, x) ≤ s), a finite sum, and
/// quantiles by halving.
class BayesUcbOracle {
 public:
  BayesUcbOracle(Knowledge knowledge, double c) : know_(std::move(knowledge)), c_(c) {}

  std::uint32_t choose() const {
    const long double t = static_cast<long double>(history_.size()) + 1;
    const long double tail = 1 / (t * std::pow(std::log(std::max(know_.horizon, 3.0)), c_));
    std::vector<long double> quantiles;
    for (std::uint32_t a = 0; a < know_.actions; ++a) quantiles.push_back(quantile(a, tail));
    return best_of(know_.actions, [&](std::uint32_t a) { return quantiles[a]; });
  }
  void observe(const Observation& seen) { history_.push_back(seen); }

 private:
  long double quantile(std::uint32_t arm, long double tail) const {
    const std::uint64_t n = count_of(history_, arm);
    const auto successes =
        static_cast<std::uint64_t>(std::lround(mean_of(history_, arm) * static_cast<double>(n)));
    long double low = 0, high = 1;
    for (int step = 0; step < 70; ++step) {
      const long double x = (low + high) / 2;
      long double term = std::pow(1 - x, static_cast<long double>(n + 1)), sum = term;
      for (std::uint64_t k = 1; k <= successes; ++k) {
        term *= static_cast<long double>(n + 2 - k) / static_cast<long double>(k) * x / (1 - x);
        sum += term;
      }
      (sum >= tail ? low : high) = x;
    }
    return low;
  }

  Knowledge know_;
  double c_;
  History history_;
};

/// Nothing is lost.
class ExploreThenCommitOracle {
 public:
  ExploreThenCommitOracle(Knowledge knowledge, std::uint64_t m)
      : know_(std::move(knowledge)), m_(m) {}

  std::uint32_t choose() {
    const std::uint64_t t = round_++;
    if (t < m_ * know_.actions) return static_cast<std::uint32_t>(t % know_.actions);
    return best_of(know_.actions, [this](std::uint32_t a) { return mean_of(history_, a); });
  }
  /// In the order of rounds: those of the exploration come first.
  void observe(const Observation& seen) {
    if (history_.size() < m_ * know_.actions) history_.push_back(seen);
  }

 private:
  Knowledge know_;
  std::uint64_t m_;
  std::uint64_t round_ = 0;
  History history_;
};

}  // namespace armature::oracle
