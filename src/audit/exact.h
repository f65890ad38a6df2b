// Are the success rates of several actions equal? Freeman and Halton's exact test (Fisher's for
// more than two rows), given all totals: the probability, were the successes dealt out at random,
// of a table that is at most as likely as the one seen.
#pragma once

#include <cstdint>
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

/// The p-value of a test by trying, of which `exceeded` of `draws` random tables were at least as
/// extreme: valid (Besag and Clifford 1991) also if it was stopped at kEnoughExceeded of them.
inline constexpr std::uint64_t kEnoughExceeded = 200;
TestResult tried(std::uint64_t exceeded, std::uint64_t draws, const char* method);

struct ExactWork {
  std::uint64_t steps = 200'000;  // of the network; beyond them: Monte Carlo
  std::uint64_t draws = 19'999;     // at most
};
/// By the network algorithm of Mehta and Patel (1983) where the table is small enough, else by
/// tables drawn at random.
TestResult freeman_halton(const SuccessTable& table, Stream& stream, const ExactWork& work = {});
/// Two actions, to the end, whatever the sizes.
double fisher_exact(const SuccessTable& table);

}  // namespace armature
