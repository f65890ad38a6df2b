// Intervals for means of terms that come one after the other, each with a mean of its own given
// what came before: what a log of a learning policy is made of, or a policy that learns from it.
#pragma once

#include <cstdint>
#include <vector>

#include "armature/random.h"
#include "armature/replay.h"

namespace armature {

/// What lies outside is the estimate's noise: no mean reward does.
Interval within(Interval interval, double low, double high);

/// Empirical Bernstein for martingales: covers the average of the terms' conditional means with at
/// least its level, at every fixed number of terms. Rows need not be independent, means need not be
/// equal.
///
/// Each term x_i comes with a centre c_i, any guess made before it, from which it lies at most
/// `below` down and `above` up. With ψ(λ) = −log(1−λ) − λ and m_i the term's conditional mean,
///   E[exp(λ(x_i − m_i)/B − ψ(λ)(x_i − c_i)²/B²) | past] ≤ 1 for 0 ≤ λ < 1 and x_i − c_i ≥ −B
/// (Fan, Grama and Liu 2015; Howard, Ramdas, McAuliffe and Sekhon 2021), so that by Markov
///   Σ(x_i − m_i) ≤ B(log(1/δ) + ψ(λ)Σ(x_i − c_i)²/B²)/λ with probability 1 − δ:
/// a lower limit with B = below, and by the mirror an upper one with B = above. λ is the best of
/// J = O(log n) fixed ones at level α/(2J) each: it may then be picked after the data. Which ones
/// are worth trying follows from `variance`, about the most that terms can have; nothing rests on
/// it.
class MartingaleMean {
 public:
  MartingaleMean(double below, double above, double variance)
      : below_(below), above_(above), variance_(variance) {}
  /// Of rewards in [0,1].
  static MartingaleMean of_rewards() { return {1, 1, 0.25}; }

  /// `count` equal terms at once.
  void add(double term, double centre, double count = 1);
  /// Centred at guess().
  void add(double term) { add(term, guess()); }
  double mean() const { return count_ > 0 ? sum_ / count_ : 0; }
  /// The mean so far, from a half on and within [0,1]: a centre for what means a mean reward.
  double guess() const;
  /// Limits may lie outside of what the terms can be: the caller knows.
  Interval interval(double level) const;

 private:
  double reach(double slack, double alpha) const;

  double below_, above_, variance_;
  double count_ = 0, sum_ = 0, squares_ = 0;  // Σ(x − c)²
};

/// The percentile bootstrap of a ratio of sums, in one pass: every row counts Poisson(1) times in
/// every resample. Beside it the mean of the log's rewards and the ratio's difference from it, with
/// the same luck. Takes rows for independent.
class PoissonBootstrap {
 public:
  PoissonBootstrap(std::uint32_t resamples, std::uint64_t seed);

  void add(double numerator, double denominator, double reward);
  Interval ratio(double level, double factor) const;
  Interval difference(double level, double factor) const;

 private:
  struct Sums {
    double numerator = 0, denominator = 0, rewards = 0, rows = 0;
  };
  Stream stream_;
  std::vector<Sums> sums_;
};

}  // namespace armature
