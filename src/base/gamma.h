// The gamma function and the tails that are made of it: the same bits everywhere
// (base/mathematics.h).
#pragma once

namespace armature {

/// log Γ(x) for x > 0; absolute error about 5e-15·(1 + x·log x).
double log_gamma(double x);

/// P(X > x) for X ~ Gamma(shape, 1), shape > 0; right to about 1e-12 of its value up to shapes of
/// 10^4.
double gamma_tail(double shape, double x);

/// P(X > x) for a chi-square of `degrees` > 0 degrees of freedom, and the x with P(X > x) = tail.
double chi_square_tail(double x, double degrees);
double chi_square_upper_quantile(double tail, double degrees);

/// P(X > x) of the standard normal law.
double normal_upper_tail(double x);

}  // namespace armature
