// Thompson sampling on actions and on contexts, from full histories: posteriors are counted anew in
// every round, every draw is made by itself, every sum is summed.
#pragma once

#include <cmath>

#include "oracle/history.h"
#include "support/slow_beta_draws.h"

namespace armature::oracle {

/// Successes and failures, by arm or by context, on a stream of their own.
class ThompsonHistory {
 public:
  ThompsonHistory(std::uint32_t size, Stream stream) : size_(size), stream_(stream) {}

  void add(std::uint32_t place, double reward) {
    const bool fraction = reward != 0 && reward != 1;
    outcomes_.push_back({place, fraction ? bernoulli(stream_, reward) : reward == 1});
  }
  void add_many(std::uint32_t place, double successes, double failures) {
    known_.push_back({place, successes, failures});
  }
  std::vector<double> draw() {
    std::vector<test::Shapes> shapes(size_);
    for (const auto& [place, success] : outcomes_)
      ++(success ? shapes[place].alpha : shapes[place].beta);
    for (const auto& [place, successes, failures] : known_) {
      shapes[place].alpha += successes;
      shapes[place].beta += failures;
    }
    return test::slow_beta_draws(stream_, shapes);
  }

 private:
  struct One {
    std::uint32_t place;
    bool success;
  };
  struct Many {
    std::uint32_t place;
    double successes, failures;
  };
  std::uint32_t size_;
  Stream stream_;
  std::vector<One> outcomes_;
  std::vector<Many> known_;
};

inline std::uint32_t first_of_the_largest(const std::vector<double>& values) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < values.size(); ++i)
    if (values[i] > values[best]) best = i;
  return best;
}

class ThompsonOracle {
 public:
  ThompsonOracle(const Knowledge& know, Stream stream) : history_(know.actions, stream) {}

  std::uint32_t choose() { return first_of_the_largest(history_.draw()); }
  void observe(const Observation& one) { history_.add(one.arm, one.reward); }
  void witness(std::uint32_t arm, std::uint32_t, double successes, double failures) {
    history_.add_many(arm, successes, failures);
  }

 private:
  ThompsonHistory history_;
};

class CausalThompsonOracle {
 public:
  CausalThompsonOracle(const Knowledge& know, Stream stream)
      : know_(know), history_(know.contexts, stream) {}

  std::uint32_t choose() {
    const std::vector<double> theta = history_.draw();
    std::vector<double> sums(know_.actions);
    for (std::uint32_t a = 0; a < know_.actions; ++a)
      for (std::uint32_t z = 0; z < know_.contexts; ++z)
        sums[a] += know_.marginals[a][z] * theta[z];
    return first_of_the_largest(sums);
  }
  void observe(const Observation& one) { history_.add(one.context, one.reward); }
  void witness(std::uint32_t, std::uint32_t context, double successes, double failures) {
    history_.add_many(context, successes, failures);
  }

 private:
  Knowledge know_;
  ThompsonHistory history_;
};

}  // namespace armature::oracle
