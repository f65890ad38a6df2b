// Intervals for means of terms that come one after the other, each with a mean of its own given
// what came before: what a log of a learning policy is made of, or a policy that learns from it.
#pragma once

#include <cstdint>
#include <vector>

#include "armature/random.h"
#include "armature/replay.h"

namespace armature {

/// Empirical Bernstein for martingales. Terms lie in [low, high]; the interval covers the average
/// of their conditional means with at least its level, at every fixed number of terms.
///
/// Scaled to [0,1], with c_i any guess made before term i and ψ(λ) = −log(1−λ) − λ,
///   E[exp(λ(x_i − m_i) − ψ(λ)(x_i − c_i)²) | past] ≤ 1 for 0 ≤ λ < 1
/// (Fan, Grama and Liu 2015; Howard, Ramdas, McAuliffe and Sekhon 2021), so that by Markov
///   Σ(x_i − m_i) ≤ (log(1/δ) + ψ(λ)Σ(x_i − c_i)²)/λ with probability 1 − δ,
/// and the same from below. λ is the best of J = O(log n) fixed ones at level α/(2J) each: it may
/// then be picked after the data. Rows need not be independent, means need not be equal.
class MartingaleMean {
 public:
  MartingaleMean(double low, double high) : low_(low), width_(high - low) {}

  /// `count` equal terms at once.
  void add(double term, double count = 1);
  double mean() const { return count_ > 0 ? low_ + width_ * sum_ / count_ : 0; }
  double count() const { return count_; }
  /// Everything there is between the bounds where nothing was added.
  ReplayInterval interval(double level) const;

 private:
  double low_, width_;
  double count_ = 0, sum_ = 0;  // of scaled terms
  double squares_ = 0;          // Σ(x − c)², c the mean of the terms before, from a half on
};

/// The percentile bootstrap of a ratio of sums, in one pass: every row counts Poisson(1) times in
/// every resample. Beside it the mean of the log's rewards and the ratio's difference from it, with
/// the same luck. Takes rows for independent.
class PoissonBootstrap {
 public:
  PoissonBootstrap(std::uint32_t resamples, std::uint64_t seed);

  void add(double numerator, double denominator, double reward);
  ReplayInterval ratio(double level, double factor) const;
  ReplayInterval difference(double level, double factor) const;

 private:
  struct Sums {
    double numerator = 0, denominator = 0, rewards = 0, rows = 0;
  };
  Stream stream_;
  std::vector<Sums> sums_;
};

}  // namespace armature
