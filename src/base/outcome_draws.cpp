// The environment's draws, a group of rounds at a time. The vector code is the same integer
// arithmetic as Philox::block, lane by lane: the same bits on every machine, about four times as
// fast where AVX2 is.
#include "armature/error.h"
#include "armature/random.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace armature {
namespace {

using Draws = std::span<std::uint64_t>;

void scalar_draws(const StreamKey& key, Round first, Draws context_draws, Draws reward_draws) {
  for (std::size_t i = 0; i < context_draws.size(); ++i) {
    const Philox::Block block =
        Philox::block(philox_counter(key, first + i, 0), philox_key(key.seed));
    context_draws[i] = (block[0] | std::uint64_t{block[1]} << 32) >> 1;
    reward_draws[i] = (block[2] | std::uint64_t{block[3]} << 32) >> 1;
  }
}

#if defined(__x86_64__)

constexpr std::size_t kLanes = 8;  // two registers of four: one hides the other's latency

// Counter words are kept as 32 bits in 64-bit lanes, where one instruction multiplies them.
__attribute__((target("avx2"))) void avx2_draws(const StreamKey& key, Round first,
                                                Draws context_draws, Draws reward_draws) {
  const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF);
  const __m256i multiplier0 = _mm256_set1_epi64x(0xD2511F53);
  const __m256i multiplier1 = _mm256_set1_epi64x(0xCD9E8D57);
  const Philox::Block tail = philox_counter(key, 0, 0);
  for (std::size_t group = 0; group < context_draws.size(); group += kLanes) {
    __m256i c0[2], c1[2], c2[2], c3[2];
    for (int half = 0; half < 2; ++half) {
      const Round round = first + group + 4 * static_cast<std::size_t>(half);
      const __m256i rounds = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(round)),
                                              _mm256_set_epi64x(3, 2, 1, 0));
      c0[half] = _mm256_and_si256(rounds, low);
      c1[half] = _mm256_srli_epi64(rounds, 32);
      c2[half] = _mm256_set1_epi64x(tail[2]);
      c3[half] = _mm256_set1_epi64x(tail[3]);
    }
    Philox::Key step_key = philox_key(key.seed);
    for (int step = 0; step < 10; ++step) {
      const __m256i key0 = _mm256_set1_epi64x(step_key[0]);
      const __m256i key1 = _mm256_set1_epi64x(step_key[1]);
      for (int half = 0; half < 2; ++half) {
        const __m256i product0 = _mm256_mul_epu32(c0[half], multiplier0);
        const __m256i product1 = _mm256_mul_epu32(c2[half], multiplier1);
        c0[half] =
            _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product1, 32), c1[half]), key0);
        c1[half] = _mm256_and_si256(product1, low);
        c2[half] =
            _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product0, 32), c3[half]), key1);
        c3[half] = _mm256_and_si256(product0, low);
      }
      step_key[0] += 0x9E3779B9;
      step_key[1] += 0xBB67AE85;
    }
    for (std::size_t half = 0; half < 2; ++half) {
      const auto store = [&](Draws draws, __m256i low_word, __m256i high_word)
          __attribute__((target("avx2"))) {
        const __m256i joined = _mm256_or_si256(low_word, _mm256_slli_epi64(high_word, 32));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(draws.data() + group + 4 * half),
                            _mm256_srli_epi64(joined, 1));
      };
      store(context_draws, c0[half], c1[half]);
      store(reward_draws, c2[half], c3[half]);
    }
  }
}

#endif

}  // namespace

void outcome_draws(const StreamKey& key, Round first, Draws context_draws, Draws reward_draws) {
  ARMATURE_CHECK(context_draws.size() == reward_draws.size(), "two draws a round");
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2 && context_draws.size() % kLanes == 0)
    return avx2_draws(key, first, context_draws, reward_draws);
#endif
  scalar_draws(key, first, context_draws, reward_draws);
}

}  // namespace armature
