// Are the success rates of several actions equal? Freeman and Halton's exact test (Fisher's for
// more than two rows), given all totals: the probability, were the successes dealt out at random,
// of a table that is at most as likely as the one seen.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "armature/random.h"

namespace armature {

/// Rows and successes of each action in one context.
struct SuccessTable {
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> successes;
};

/// A p-value and how it was come by.
struct TestResult {
  double p_value = 1;
  std::string method = "none";  // exact, Monte Carlo, permutation, weighted, none: nothing to test
  std::uint64_t draws = 0;      // by trying
  double standard_error = 0;    // of the p-value, by trying
};

/// A test by trying draws at random until `enough` were at least as extreme as what was seen, or
/// there are `draws` of them: a valid p-value either way (Besag and Clifford 1991).
struct Trials {
  std::uint64_t draws = 19'999;
  std::uint64_t enough = 200;
  std::function<void(std::uint64_t)> progress = nullptr;  // called after so many draws
};
/// `extreme` draws once and tells.
template <class Extreme>
TestResult tried(const Trials& trials, const char* method, const Extreme& extreme) {
  std::uint64_t exceeded = 0;
  std::uint64_t done = 0;
  while (done < trials.draws && exceeded < trials.enough) {
    ++done;
    exceeded += extreme() ? 1 : 0;
    if (trials.progress) trials.progress(done);
  }
  const auto g = static_cast<double>(exceeded), n = static_cast<double>(done);
  const double p = exceeded == trials.enough ? g / n : (g + 1) / (n + 1);
  return {p, method, done, std::sqrt(p * (1 - p) / n)};
}

struct ExactWork {
  std::uint64_t steps = 200'000;  // of the network; beyond them: Monte Carlo
  Trials trials;
};
/// By the network algorithm of Mehta and Patel (1983) where the table is small enough, else by
/// tables drawn at random.
TestResult freeman_halton(const SuccessTable& table, Stream& stream, const ExactWork& work = {});
/// Two actions, to the end, whatever the sizes.
double fisher_exact(const SuccessTable& table);

}  // namespace armature
