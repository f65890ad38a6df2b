// Statistical tests play millions of rounds: only with optimisation, not under sanitizers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

namespace armature::test {

class ReleaseOnly : public testing::Test {
 protected:
  void SetUp() override {
#ifndef NDEBUG
    GTEST_SKIP() << "statistical tests run in Release builds";
#endif
  }
};

/// The smallest k with P(Binomial(trials, probability) > k) ≤ rate: more failures than k are not
/// luck.
inline int most_failures_by_luck(int trials, double probability, double rate) {
  double term = std::pow(1 - probability, trials);  // P(exactly k)
  double below = term;
  int k = 0;
  for (; k < trials && 1 - below > rate; ++k) {
    term *= (trials - k) * probability / ((k + 1) * (1 - probability));
    below += term;
  }
  return k;
}

}  // namespace armature::test
