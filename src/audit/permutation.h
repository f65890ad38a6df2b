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

/// Rows drawn evenly from all that came by (Vitter's algorithm R), the same ones for the same seed.
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
  bool all() const { return seen_ == rows_.size(); }  // nothing was left out

 private:
  std::size_t capacity_;
  Stream stream_;
  std::uint64_t seen_ = 0;
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

}  // namespace armature
