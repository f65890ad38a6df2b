#include "lab/student.h"

// The quantile of Student's t by bisection on exact sums, and by an expansion where those sums grow
// long. Only roots are taken from the standard library: they are correctly rounded everywhere.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/mathematics.h"

namespace armature {
namespace {

// P(|X| ≤ t), the finite sums for whole degrees of freedom (Abramowitz & Stegun 26.7.3, 26.7.4).
double central_mass(double t, std::uint64_t degrees) {
  const double tangent = t / std::sqrt(static_cast<double>(degrees));
  const double angle = portable::atan(tangent);
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
  const bool odd = degrees % 2 == 1;
  // Even degrees sum over even powers of the cosine, odd ones over odd powers; one degree has no
  // sum at all, only the angle.
  double term = odd ? cosine : 1;
  double sum = degrees == 1 ? 0 : term;
  for (std::uint64_t k = odd ? 3 : 2; k + 2 <= degrees; k += 2) {
    term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

// P(X ≥ x) of the normal law, for x ≥ 0.
double normal_tail(double x) {
  const double density = portable::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  if (x < 3) {  // ½ − density·(x + x³/3 + x⁵/(3·5) + …)
    double term = x;
    double sum = x;
    for (int k = 3; k < 120; k += 2) {
      term *= x * x / k;
      sum += term;
    }
    return 0.5 - density * sum;
  }
  // Laplace's continued fraction, density/(x + 1/(x + 2/(x + …))), from its far end.
  double below = x;
  for (int k = 100; k > 0; --k) below = x + k / below;
  return density / below;
}

}  // namespace

double student_tail(double t, std::uint64_t degrees) {
  if (t < 0) return 1 - student_tail(-t, degrees);
  if (degrees == 0 || std::isinf(t)) return std::isinf(t) ? 0 : normal_tail(t);
  return std::max(0.0, (1 - central_mass(t, degrees)) / 2);
}

double student_t95(std::uint64_t degrees) {
  if (degrees > 200) {  // the expansion in 1/degrees: error below 1e-8 from here on
    const double n = static_cast<double>(degrees);
    const double z2 = kNormal95 * kNormal95;
    return kNormal95 * (1 + (z2 + 1) / (4 * n) + ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
                        (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n));
  }
  // t95 falls with the degrees towards the normal quantile, so it lies in this bracket for all of
  // them. Sixty halvings leave less than the spacing of doubles.
  double low = kNormal95;
  double high = 13;  // t95 of one degree is 12.7
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (central_mass(middle, degrees) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace armature
