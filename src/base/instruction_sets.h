// Vectors with one number per lane, for code that does the same to several replications at once
// (simulate/lanes.h). All of it is IEEE's or integer arithmetic lane by lane: the same bits as one
// at a time.
//
// Code in lanes is written once, as templates over an instruction set, out of the compilers' own
// vectors. Functions marked ARMATURE_IN_LANES have no instructions of their own: they melt into
// `V::run`, which is compiled for the set. What has no operator is a static function of the set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "armature/random.h"

namespace armature {

/// What this machine may be asked for, ascending. Plain: there are no lanes.
enum class InstructionSet { kPlain, kAvx2, kAvx512 };
InstructionSet widest_instructions();

}  // namespace armature

#if defined(__x86_64__)
#define ARMATURE_HAS_LANES 1
#define ARMATURE_IN_LANES __attribute__((always_inline)) inline
#define ARMATURE_AVX2 __attribute__((target("avx2")))
#define ARMATURE_AVX512 __attribute__((target("avx512f,avx512dq")))

#include <immintrin.h>

namespace armature::lanes {

/// How many rounds are drawn at a time.
inline constexpr std::size_t kAhead = 32;

/// Each lane of a `gather` reads base[place].
struct Avx512 {
  static constexpr std::size_t kLanes = 8;
  using Reals = double __attribute__((vector_size(64), aligned(64)));
  using Words = std::int64_t __attribute__((vector_size(64), aligned(64)));
  using Bits = std::uint64_t __attribute__((vector_size(64), aligned(64)));

  template <class Walk>
  ARMATURE_AVX512 static void run(Walk& walk, Round rounds) {
    walk.play(rounds);
  }

  // By reference: who calls them is compiled for every machine until it has melted into `run`. For
  // the same reason a number is spread over the lanes here: g++ would fill them one by one.
  ARMATURE_AVX512 static inline void spread(double value, Reals& out) {
    out = _mm512_set1_pd(value);
  }
  ARMATURE_AVX512 static inline void spread(std::int64_t value, Words& out) {
    reinterpret_cast<__m512i&>(out) = _mm512_set1_epi64(value);
  }
  ARMATURE_AVX512 static inline void spread(std::uint64_t value, Bits& out) {
    reinterpret_cast<__m512i&>(out) = _mm512_set1_epi64(static_cast<long long>(value));
  }
  ARMATURE_AVX512 static inline void gather(const double* base, const Words& places, Reals& out) {
    out = _mm512_mask_i64gather_pd(_mm512_setzero_pd(), 0xFF,
                                   reinterpret_cast<const __m512i&>(places), base, 8);
  }
  ARMATURE_AVX512 static inline void gather(const std::int64_t* base, const Words& places,
                                            Words& out) {
    reinterpret_cast<__m512i&>(out) = _mm512_mask_i64gather_epi64(
        _mm512_setzero_si512(), 0xFF, reinterpret_cast<const __m512i&>(places), base, 8);
  }
  ARMATURE_AVX512 static inline bool any(const Words& mask) {
    const auto& bits = reinterpret_cast<const __m512i&>(mask);
    return _mm512_test_epi64_mask(bits, bits) != 0;
  }
  /// Of the low halves, in one instruction, which the compilers do not find by themselves.
  ARMATURE_AVX512 static inline void multiply(const Bits& x, const Bits& y, Bits& product) {
    reinterpret_cast<__m512i&>(product) = _mm512_maskz_mul_epu32(
        0xFF, reinterpret_cast<const __m512i&>(x), reinterpret_cast<const __m512i&>(y));
  }

  /// The environment's two 63-bit integers (armature/random.h) of kAhead rounds, of the
  /// replications `replication`, `replication` + 1, …
  static void draw(std::uint64_t seed, std::uint32_t replication, Round first, Words* context_draws,
                   Words* reward_draws);
};

struct Avx2 {
  static constexpr std::size_t kLanes = 4;
  using Reals = double __attribute__((vector_size(32), aligned(32)));
  using Words = std::int64_t __attribute__((vector_size(32), aligned(32)));
  using Bits = std::uint64_t __attribute__((vector_size(32), aligned(32)));

  template <class Walk>
  ARMATURE_AVX2 static void run(Walk& walk, Round rounds) {
    walk.play(rounds);
  }

  ARMATURE_AVX2 static inline void spread(double value, Reals& out) { out = _mm256_set1_pd(value); }
  ARMATURE_AVX2 static inline void spread(std::int64_t value, Words& out) {
    reinterpret_cast<__m256i&>(out) = _mm256_set1_epi64x(value);
  }
  ARMATURE_AVX2 static inline void spread(std::uint64_t value, Bits& out) {
    reinterpret_cast<__m256i&>(out) = _mm256_set1_epi64x(static_cast<long long>(value));
  }
  ARMATURE_AVX2 static inline void gather(const double* base, const Words& places, Reals& out) {
    out = _mm256_i64gather_pd(base, reinterpret_cast<const __m256i&>(places), 8);
  }
  ARMATURE_AVX2 static inline void gather(const std::int64_t* base, const Words& places,
                                          Words& out) {
    reinterpret_cast<__m256i&>(out) = _mm256_i64gather_epi64(
        reinterpret_cast<const long long*>(base), reinterpret_cast<const __m256i&>(places), 8);
  }
  ARMATURE_AVX2 static inline bool any(const Words& mask) {
    const auto& bits = reinterpret_cast<const __m256i&>(mask);
    return _mm256_testz_si256(bits, bits) == 0;
  }
  ARMATURE_AVX2 static inline void multiply(const Bits& x, const Bits& y, Bits& product) {
    reinterpret_cast<__m256i&>(product) =
        _mm256_mul_epu32(reinterpret_cast<const __m256i&>(x), reinterpret_cast<const __m256i&>(y));
  }

  static void draw(std::uint64_t seed, std::uint32_t replication, Round first, Words* context_draws,
                   Words* reward_draws);
};

}  // namespace armature::lanes
#endif
