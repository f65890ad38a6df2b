// Two independent standard normals from one Philox block (Box and Muller 1958), in operations that
// vector units have: no table, no branch, no call. The same bits alone and in any lane.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace armature {

struct NormalPair {
  double first;
  double second;
};

/// How many of the lowest bits of a block's second half tell the octant of the angle: the pair uses
/// these and the highest 52 of both halves, all others are the caller's.
inline constexpr int kOctantBits = 3;

/// Uniform on (0,1): the middles of 2^52 cells, by the highest 52 bits.
inline double middle_of_cell(std::uint64_t bits) {
  return std::bit_cast<double>(bits >> 12 | 0x3FF0000000000000) - (1 - 0x1p-53);
}

/// log x for a normal x > 0, to 1 ulp: x = 2^k·(1+f) with √½ < 1+f < √2, and with s = f/(2+f)
/// log(1+f) = 2·artanh(s), whose polynomial is fdlibm's (Ng, Sun Microsystems 1993).
inline double log_of_positive(double x) {
  constexpr std::uint64_t kExponent = 0xFFF0000000000000;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t above = bits - 0x3FE6A09E00000000;  // the exponent counts from √½
  const double f = std::bit_cast<double>(bits - (above & kExponent)) - 1;
  // k as a double: its 12 bits, shifted to be positive, become the last ones of 2^52 + k + 2^11.
  const double k =
      std::bit_cast<double>((above >> 52 ^ 0x800) | 0x4330000000000000) - (0x1p52 + 0x1p11);
  const double s = f / (2 + f);
  const double z = s * s;
  const double rest =
      z * (6.666666666666735130e-01 +
           z * (3.999999999940941908e-01 +
                z * (2.857142874366239149e-01 +
                     z * (2.222219843214978396e-01 +
                          z * (1.818357216161805012e-01 +
                               z * (1.531383769920937332e-01 + z * 1.479819860511658591e-01))))));
  const double half_square = 0.5 * f * f;
  constexpr double kLog2High = 6.93147180369123816490e-01;
  constexpr double kLog2Low = 1.90821492927058770002e-10;
  return k * kLog2High - ((half_square - (s * (half_square + rest) + k * kLog2Low)) - f);
}

/// Radius √(−2·log U) and an angle within its octant, by fdlibm's polynomials for sine and cosine
/// below π/4; octants by swapping the two and by their signs.
inline NormalPair normal_pair(std::uint64_t front, std::uint64_t back) {
  constexpr double kQuarterPi = 7.85398163397448278999e-01;
  const double radius = std::sqrt(-2 * log_of_positive(middle_of_cell(front)));
  const double x = kQuarterPi * middle_of_cell(back);
  const double z = x * x;
  const double sine =
      x + x * z *
              (-1.66666666666666324348e-01 +
               z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 +
                         z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 +
                                                                z * 1.58969099521155010221e-10)))));
  const double cosine =
      (1 - 0.5 * z) +
      z * z *
          (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  constexpr std::uint64_t kSign = 0x8000000000000000;
  const auto sine_bits = std::bit_cast<std::uint64_t>(sine);
  const auto cosine_bits = std::bit_cast<std::uint64_t>(cosine);
  const std::uint64_t swapped = (sine_bits ^ cosine_bits) & (0 - (back & 1));
  return {radius * std::bit_cast<double>(cosine_bits ^ swapped ^ (back << 62 & kSign)),
          radius * std::bit_cast<double>(sine_bits ^ swapped ^ (back << 61 & kSign))};
}

}  // namespace armature
