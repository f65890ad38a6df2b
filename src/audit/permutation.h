// Are the means of several actions equal, where rewards are more than 0 and 1? Rewards are dealt
// out anew among the rows of a context, and a studentised statistic says how far the means are
// apart.
#pragma once

#include <cstdint>
#include <vector>

#include "armature/log.h"
#include "armature/random.h"
#include "audit/exact.h"

namespace armature {

/// Rows drawn evenly from all that came by (a uniform sample of fixed size), the same ones for the
/// same seed.
class Reservoir {
 public:
  explicit Reservoir(std::size_t capacity, std::uint64_t seed);

  struct Kept {
    std::uint32_t action;
    std::uint32_t context;
    double reward;
  };
  void add(const LogRow& row);
  const std::vector<Kept>& rows() const { return rows_; }
  bool all() const { return seen_ <= static_cast<double>(rows_.size()); }  // nothing was left out

 private:
  void draw_next();

  std::size_t capacity_;
  Stream stream_;
  double seen_ = 0;         // rows, copies counted
  double next_ = 0;         // the number of the next one to be kept; 0: there is room still
  double log_largest_ = 0;  // of the largest key, were each row to draw one
  std::vector<Kept> rows_;
};

/// The rewards of one context with who played for them.
struct RewardSample {
  std::vector<std::uint32_t> actions;
  std::vector<double> rewards;
};
std::vector<RewardSample> by_context(const Reservoir& reservoir, std::size_t contexts);

/// Σ_a (n_a/s_a²)·(mean_a − m)², m the mean weighted alike: Welch's and James's. Each variance is
/// mixed with one row's worth of the context's, so that a single row has one too.
double studentised_spread(const RewardSample& sample, std::size_t actions);

/// Exact where the laws are equal; where only the means are, right as the rows grow (Chung and
/// Romano 2013).
TestResult permutation_test(RewardSample sample, std::size_t actions, Stream& stream,
                            const Trials& trials);

/// Each of these actions against all others of the context, by two groups' spread: one shuffle
/// serves them all. P-values in their order.
std::vector<double> permutation_of_each(RewardSample sample, std::size_t actions,
                                        const std::vector<std::size_t>& tested, Stream& stream,
                                        const Trials& trials);

/// So many of its rows, drawn evenly; all of them if it has no more.
RewardSample subsample(RewardSample sample, std::size_t rows, Stream& stream);

}  // namespace armature
