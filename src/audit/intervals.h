// What a log's averages leave open. `fixed`: for logs whose decisions did not depend on earlier
// outcomes. `anytime`: for all numbers of rows together, whoever decided how many there are.
#pragma once

#include <cstdint>

#include "armature/audit.h"
#include "audit/table.h"

namespace armature {

/// Clopper and Pearson's interval of a probability: covers with at least 1 − delta.
Interval binomial_interval(std::uint64_t successes, std::uint64_t trials, double delta);
/// Of the mean of rewards in [0,1]: Chernoff's bound and Maurer and Pontil's empirical Bernstein
/// bound, each at half the level.
Interval bounded_mean_interval(const AuditCell& cell, double delta);
/// Either of them, as the rewards are.
Interval mean_interval(const AuditCell& cell, bool binary, double delta);
struct Proportion {
  double successes = 0;
  double trials = 0;
};
/// Wilson's, of a mean; `trials` may be effective ones.
Interval score_interval(const Proportion& proportion, double delta);
/// Of a difference of two probabilities, by Wilson's score intervals (Newcombe 1998, method 10):
/// near its level from a few rows on, also where one of them is 0 or 1.
Interval difference_interval(const Proportion& one, const Proportion& other, double delta);
/// Of a mean, for all n together (`anytime-kl`, docs/policies.md).
Interval anytime_interval(double sum, std::uint64_t count, double delta);

/// What an action's empirical marginals over k contexts may be off by in L1: Weissman and others
/// (2003), sqrt(2·log((2^k − 2)/δ)/n); never above 2.
double marginal_radius(double rows, double contexts, double delta);
/// The same for all n together: δ is shared out as δ/(n(n+1)).
double anytime_marginal_radius(double rows, double contexts, double delta);
/// The least n at which such a radius is at most `radius`.
enum class Validity { kFixed, kAnytime };
double rows_for_radius(double radius, double contexts, double delta, Validity validity);

}  // namespace armature
