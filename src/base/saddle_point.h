// Stirling errors and deviances (Loader 2000): what probabilities of counts are made of, without
// the cancellation of log-gammas, whose terms are near 10^20 where their sum should be good to
// 10^-12.
#pragma once

namespace armature {

/// log Γ(x+1) − [x·log x − x + ½·log(2πx)], for x > 0.
double stirling_error(double x);

/// count·log(count/mean) − (count − mean) ≥ 0, from the difference, which the caller knows better:
/// at counts near 2^60 the difference of two doubles would have lost all its digits.
double deviance(double count, double mean, double difference);

}  // namespace armature
