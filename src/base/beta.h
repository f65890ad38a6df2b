// The upper tail of the Beta law, and its quantiles: the same bits everywhere (base/mathematics.h).
#pragma once

namespace armature {

/// P(X > x) for X ~ Beta(alpha, beta), alpha and beta ≥ 1, x in [0,1]. Right to about 1e-12 of its
/// value, however small that is (1e-10 where alpha + beta is near 10^12); but 1 − x is rounded, so
/// that of an x below 1e-4 only 2^-53/x of it is sure.
double beta_tail(double alpha, double beta, double x);

/// The x with P(X > x) = tail, tail in (0,1].
double beta_upper_quantile(double alpha, double beta, double tail);

}  // namespace armature
