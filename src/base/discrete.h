// Integer samplers for counts up to 2^60: binomial, multinomial, hypergeometric.
//
// Two methods, chosen by the variance: inversion outwards from the mean below 16, transformed
// rejection (Hörmann 1993, BTRS) above. Probabilities are evaluated in saddle-point form (Loader
// 2000): Stirling errors and deviances, all of them small or free of cancellation, never as
// differences of lgamma, whose terms are near 10^20 where their sum should be good to 10^-12.
//
// What is promised: the chance of each result k is its probability f(k) up to 1e-12·f(k) + 2^-48.
// The first term is the evaluation of f, the second what uniforms of 53 bits resolve in inversion;
// rejection needs it only beyond six standard deviations, and far less of it.
//
// So a draw is off by at most 1e-12 in total variation, half the sum of these errors. Inversion,
// for variances below 16, has at most 111 results: from 54 beyond the mean all probabilities are
// below 2^-61, where it stops (Bernstein; a hypergeometric is a sum of independent indicators too).
// That is ½·(1e-12 + 111·2^-48) = 0.7e-12. In rejection a height of 63 bits moves the chance of
// accepting by at most 2^-63, over all results together, at a rate above ½: ½·(1e-12 + 2^-61).
#pragma once

#include <cstdint>
#include <span>

#include "armature/random.h"

namespace armature {

/// The largest number of trials, of marked and of unmarked items.
inline constexpr std::uint64_t kLargestCount = std::uint64_t{1} << 60;

/// What one draw of a binomial or hypergeometric may be off by, in total variation.
inline constexpr double kDrawVariation = 1e-12;

/// Successes among independent trials.
std::uint64_t binomial(Stream& stream, std::uint64_t trials, double probability);

/// Visits per cell, by conditional binomials in index order. The probabilities sum to 1 up to
/// rounding; a cell of probability 0 is never hit. A conditional probability is a rounded quotient:
/// the law is that of probabilities within a few ulps of the given ones.
void multinomial(Stream& stream, std::uint64_t trials, std::span<const double> probabilities,
                 std::span<std::uint64_t> counts);

/// Marked items among `draws` drawn without replacement from `marked` + `unmarked`.
std::uint64_t hypergeometric(Stream& stream, std::uint64_t marked, std::uint64_t unmarked,
                             std::uint64_t draws);

/// The logarithms of the probabilities that the samplers use: −∞ where a result is impossible, else
/// within 1e-12 of the truth wherever they are above −700.
double log_binomial_pmf(std::uint64_t trials, double probability, std::uint64_t successes);
double log_hypergeometric_pmf(std::uint64_t marked, std::uint64_t unmarked, std::uint64_t draws,
                              std::uint64_t marked_drawn);

/// How transformed rejection proposes. A uniform point of (−1/2, 1/2) at distance `edge` from its
/// nearer end is stretched to a place ±reach(edge) from the centre; places are cut into blocks of
/// 2^shift integers; the proposal is a uniform integer of the place's block. It is accepted with
/// probability f(k)·2^shift·stretch(edge) / peak, which makes the accepted k distributed as f
/// whatever the constants, provided that this ratio never exceeds 1. Where edge ≥ kInnerEdge it is
/// never below squeeze / peak. The tests certify both inequalities law by law.
struct RejectionHat {
  /// For a law of that standard deviation (at least 4) whose mean lies `fraction` above an integer.
  RejectionHat(double deviation, double fraction);

  static constexpr double kInnerEdge = 0.07;

  /// Where the point goes, in blocks from the centre, and the derivative of that.
  double reach(double edge) const { return (2 * tail / edge + slope) * (0.5 - edge); }
  double stretch(double edge) const { return tail / (edge * edge) + slope; }

  std::uint32_t shift = 0;
  double block = 1;  // 2^shift
  double centre;     // in blocks above the mean's integer part
  double slope;
  double tail;
  double peak;
  double squeeze;
};

}  // namespace armature
