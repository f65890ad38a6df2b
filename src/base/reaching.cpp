#include "base/reaching.h"

#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace armature {
namespace {

std::size_t scalar_lines(const double* starts, const double* slopes, std::size_t size, double at,
                         double least, std::uint32_t* out) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < size; ++i)
    if (starts[i] + slopes[i] * at >= least) out[found++] = static_cast<std::uint32_t>(i);
  return found;
}

std::size_t scalar_values(std::span<const std::int32_t> values, std::int32_t least,
                          std::span<std::uint32_t> out) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < values.size() && found < out.size(); ++i)
    if (values[i] >= least) out[found++] = static_cast<std::uint32_t>(i);
  return found;
}

#if defined(__x86_64__)

std::uint32_t first_of(std::size_t group, unsigned bits) {
  return static_cast<std::uint32_t>(group) + static_cast<std::uint32_t>(std::countr_zero(bits));
}

// Lane by lane the same comparisons.
__attribute__((target("avx2"))) std::size_t avx2_lines(const double* starts, const double* slopes,
                                                       std::size_t size, double at, double least,
                                                       std::uint32_t* out) {
  const __m256d factor = _mm256_set1_pd(at), bound = _mm256_set1_pd(least);
  std::size_t found = 0;
  for (std::size_t i = 0; i < size; i += 8) {
    const auto reached = [&](std::size_t first) __attribute__((target("avx2"))) {
      const __m256d values = _mm256_add_pd(_mm256_load_pd(starts + first),
                                           _mm256_mul_pd(_mm256_load_pd(slopes + first), factor));
      return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(values, bound, _CMP_GE_OQ)));
    };
    for (unsigned bits = reached(i) | reached(i + 4) << 4; bits != 0; bits &= bits - 1)
      out[found++] = first_of(i, bits);
  }
  return found;
}

__attribute__((target("avx2"))) std::size_t avx2_values(std::span<const std::int32_t> values,
                                                        std::int32_t least,
                                                        std::span<std::uint32_t> out) {
  const __m256i bound = _mm256_set1_epi32(least);
  std::size_t found = 0;
  for (std::size_t i = 0; i < values.size(); i += 8) {
    const __m256i below = _mm256_cmpgt_epi32(
        bound, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values.data() + i)));
    unsigned bits = ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(below))) & 0xFF;
    for (; bits != 0 && found < out.size(); bits &= bits - 1) out[found++] = first_of(i, bits);
  }
  return found;
}

bool has_avx2() {
  static const bool found = __builtin_cpu_supports("avx2") != 0;
  return found;
}

#endif

}  // namespace

std::size_t lines_reaching(const double* starts, const double* slopes, std::size_t size, double at,
                           double least, std::uint32_t* out) {
#if defined(__x86_64__)
  if (has_avx2()) return avx2_lines(starts, slopes, size, at, least, out);
#endif
  return scalar_lines(starts, slopes, size, at, least, out);
}

std::size_t values_reaching(std::span<const std::int32_t> values, std::int32_t least,
                            std::span<std::uint32_t> out) {
#if defined(__x86_64__)
  if (has_avx2()) return avx2_values(values, least, out);
#endif
  return scalar_values(values, least, out);
}

}  // namespace armature
