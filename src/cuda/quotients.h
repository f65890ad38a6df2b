// Quotients and roots of IEEE 754 by shorter ways than the device's own, the same to the bit. On
// the host they are the plain operations.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/host_and_device.h"

namespace armature::cuda {

#if defined(__CUDA_ARCH__)
/// About 1/n, to 2^-50 of it: the hardware's first guess, good to 2^-18 or better, and one cubic
/// step.
__device__ __forceinline__ double about_inverse(double n) {
  double guess;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(n));
  const double error = __fma_rn(-n, guess, 1.0);
  return __fma_rn(guess, __fma_rn(error, error, error), guess);
}
#endif

/// A whole number as a double: exact, and quicker than the device's own conversion.
ARMATURE_HOST_AND_DEVICE double whole(std::uint32_t n) {
#if defined(__CUDA_ARCH__)
  return __hiloint2double(0x43300000, static_cast<int>(n)) - 0x1p52;
#else
  return n;
#endif
}

/// Quotients with one whole denominator n, 1 ≤ n < 2^32.
///
/// Why the short way is right: let y be within 2^-50 of 1/n, q = RN(a·y) for a positive double a
/// (neither a nor a/n near the ends of the range). a − n·q is a multiple of q's last place, for n
/// is whole, and less than 2^35 of them: r = a − n·q is exact. q + r·y differs from a/n by 2^-50 of
/// r/n, or 2^-99 of a/n. But a/n is at least 2^-87 of itself away from any middle between two
/// doubles: scaled to whole numbers, |M·2^k/n − m| ≥ 1/n for the 54-bit middle m of size 2^54, and
/// they are not equal, since then n·m would have more factors 2 than M·2^k allows … unless a/n is
/// itself a double, where r·y rounds q to it. So rounding q + r·y once gives what IEEE gives.
class WholeDenominator {
 public:
  ARMATURE_HOST_AND_DEVICE explicit WholeDenominator(std::uint32_t n)
      : n_(whole(n))
#if defined(__CUDA_ARCH__)
        ,
        inverse_(about_inverse(n_))
#endif
  {
  }
  /// a/n
  ARMATURE_HOST_AND_DEVICE double under(double a) const {
#if defined(__CUDA_ARCH__)
    const double quotient = a * inverse_;
    return __fma_rn(__fma_rn(-n_, quotient, a), inverse_, quotient);
#else
    return a / n_;
#endif
  }

 private:
  double n_;
#if defined(__CUDA_ARCH__)
  double inverse_;
#endif
};

/// The same of any denominator, by IEEE's own way.
class AnyDenominator {
 public:
  ARMATURE_HOST_AND_DEVICE explicit AnyDenominator(double n) : n_(n) {}
  ARMATURE_HOST_AND_DEVICE double under(double a) const { return a / n_; }

 private:
  double n_;
};

/// a/b to 2^-49 of it, for what no decision hangs on; b is positive.
ARMATURE_HOST_AND_DEVICE double about_quotient(double a, double b) {
#if defined(__CUDA_ARCH__)
  return a * about_inverse(b);
#else
  return a / b;
#endif
}

/// sqrt(x), if `quick` as a short sequence that somebody has compared with IEEE's for every x that
/// will be asked for.
ARMATURE_HOST_AND_DEVICE double root(double x, [[maybe_unused]] bool quick) {
#if defined(__CUDA_ARCH__)
  if (quick) {
    double guess;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
    // One step for the guess, one for the root.
    const double error = __fma_rn(-x * guess, guess, 1.0);
    const double inverse = __fma_rn(__fma_rn(error, 0.375, 0.5) * error, guess, guess);
    const double first = x * inverse;
    return __fma_rn(__fma_rn(-first, first, x), 0.5 * inverse, first);
  }
#endif
  return std::sqrt(x);
}

}  // namespace armature::cuda
