// Philox, a group of counters at a time: the environment's draws of many rounds, and the blocks of
// a stream. The vector code is the same integer arithmetic as Philox::block, lane by lane: the same
// bits on every machine, about four times as fast where AVX2 is and seven times where AVX-512 is.
// A browser's vectors have 128 bits.
#include "armature/error.h"
#include "armature/random.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace armature {
namespace {

using Draws = std::span<std::uint64_t>;

// Of a draw of 64 bits kDropped are not asked for: the lowest.
template <int kDropped>
void scalar_blocks(Philox::Block counter, const Philox::Key& key, std::uint64_t first, Draws front,
                   Draws back) {
  for (std::size_t i = 0; i < front.size(); ++i) {
    counter[0] = static_cast<std::uint32_t>(first + i);
    counter[1] = static_cast<std::uint32_t>((first + i) >> 32);
    const Philox::Block block = Philox::block(counter, key);
    front[i] = (block[0] | std::uint64_t{block[1]} << 32) >> kDropped;
    back[i] = (block[2] | std::uint64_t{block[3]} << 32) >> kDropped;
  }
}

#if defined(__x86_64__)

// Counter words are kept as 32 bits in 64-bit lanes, where one instruction multiplies them; what
// stands above the 32 bits is garbage that no multiplication sees. Several registers at a time: one
// hides the other's latency.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kWideLanes = 32;

template <int kDropped>
__attribute__((target("avx2"))) void avx2_blocks(const Philox::Block& counter,
                                                 const Philox::Key& key, std::uint64_t first,
                                                 Draws front, Draws back) {
  const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF);
  const __m256i multiplier0 = _mm256_set1_epi64x(0xD2511F53);
  const __m256i multiplier1 = _mm256_set1_epi64x(0xCD9E8D57);
  for (std::size_t group = 0; group < front.size(); group += kLanes) {
    __m256i c0[2], c1[2], c2[2], c3[2];
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t number = first + group + 4 * static_cast<std::size_t>(half);
      c0[half] = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(number)),
                                  _mm256_set_epi64x(3, 2, 1, 0));
      c1[half] = _mm256_srli_epi64(c0[half], 32);
      c2[half] = _mm256_set1_epi64x(counter[2]);
      c3[half] = _mm256_set1_epi64x(counter[3]);
    }
    Philox::Key step_key = key;
    for (int step = 0; step < 10; ++step) {
      const __m256i key0 = _mm256_set1_epi64x(step_key[0]);
      const __m256i key1 = _mm256_set1_epi64x(step_key[1]);
      for (int half = 0; half < 2; ++half) {
        const __m256i product0 = _mm256_mul_epu32(c0[half], multiplier0);
        const __m256i product1 = _mm256_mul_epu32(c2[half], multiplier1);
        c0[half] =
            _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product1, 32), c1[half]), key0);
        c1[half] = product1;
        c2[half] =
            _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product0, 32), c3[half]), key1);
        c3[half] = product0;
      }
      step_key[0] += 0x9E3779B9;
      step_key[1] += 0xBB67AE85;
    }
    for (std::size_t half = 0; half < 2; ++half) {
      const auto store = [&](Draws draws, __m256i low_word, __m256i high_word)
          __attribute__((target("avx2"))) {
        const __m256i joined =
            _mm256_or_si256(_mm256_and_si256(low_word, low), _mm256_slli_epi64(high_word, 32));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(draws.data() + group + 4 * half),
                            _mm256_srli_epi64(joined, kDropped));
      };
      store(front, c0[half], c1[half]);
      store(back, c2[half], c3[half]);
    }
  }
}

template <int kDropped>
__attribute__((target("avx512f"))) void avx512_blocks(const Philox::Block& counter,
                                                      const Philox::Key& key, std::uint64_t first,
                                                      Draws front, Draws back) {
  constexpr int kRegisters = kWideLanes / 8;
  constexpr int kXor = 0x96;  // of three operands
  const __m512i low = _mm512_set1_epi64(0xFFFFFFFF);
  const __m512i multiplier0 = _mm512_set1_epi64(0xD2511F53);
  const __m512i multiplier1 = _mm512_set1_epi64(0xCD9E8D57);
  for (std::size_t group = 0; group < front.size(); group += kWideLanes) {
    __m512i c0[kRegisters], c1[kRegisters], c2[kRegisters], c3[kRegisters];
    for (int part = 0; part < kRegisters; ++part) {
      const std::uint64_t number = first + group + 8 * static_cast<std::size_t>(part);
      c0[part] = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(number)),
                                  _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
      c1[part] = _mm512_maskz_srli_epi64(0xFF, c0[part], 32);
      c2[part] = _mm512_set1_epi64(counter[2]);
      c3[part] = _mm512_set1_epi64(counter[3]);
    }
    Philox::Key step_key = key;
    for (int step = 0; step < 10; ++step) {
      const __m512i key0 = _mm512_set1_epi64(step_key[0]);
      const __m512i key1 = _mm512_set1_epi64(step_key[1]);
      for (int part = 0; part < kRegisters; ++part) {
        const __m512i product0 = _mm512_maskz_mul_epu32(0xFF, c0[part], multiplier0);
        const __m512i product1 = _mm512_maskz_mul_epu32(0xFF, c2[part], multiplier1);
        c0[part] = _mm512_ternarylogic_epi64(_mm512_maskz_srli_epi64(0xFF, product1, 32), c1[part],
                                             key0, kXor);
        c1[part] = product1;
        c2[part] = _mm512_ternarylogic_epi64(_mm512_maskz_srli_epi64(0xFF, product0, 32), c3[part],
                                             key1, kXor);
        c3[part] = product0;
      }
      step_key[0] += 0x9E3779B9;
      step_key[1] += 0xBB67AE85;
    }
    for (std::size_t part = 0; part < kRegisters; ++part) {
      const auto store = [&](Draws draws, __m512i low_word, __m512i high_word)
          __attribute__((target("avx512f"))) {
        const __m512i joined = _mm512_or_si512(_mm512_and_si512(low_word, low),
                                               _mm512_maskz_slli_epi64(0xFF, high_word, 32));
        _mm512_storeu_si512(draws.data() + group + 8 * part,
                            _mm512_maskz_srli_epi64(0xFF, joined, kDropped));
      };
      store(front, c0[part], c1[part]);
      store(back, c2[part], c3[part]);
    }
  }
}

#elif defined(__wasm_simd128__)

constexpr std::size_t kLanes = 8;

// Of four products of 64 bits their lower and their higher words.
v128_t lower_words(v128_t front, v128_t back) {
  return wasm_i32x4_shuffle(front, back, 0, 2, 4, 6);
}
v128_t higher_words(v128_t front, v128_t back) {
  return wasm_i32x4_shuffle(front, back, 1, 3, 5, 7);
}

// Here a product takes its factors from neighbouring 32-bit lanes: four counters a register.
template <int kDropped>
void simd128_blocks(const Philox::Block& counter, const Philox::Key& key, std::uint64_t first,
                    Draws front, Draws back) {
  const v128_t multiplier0 = wasm_u32x4_splat(0xD2511F53);
  const v128_t multiplier1 = wasm_u32x4_splat(0xCD9E8D57);
  for (std::size_t group = 0; group < front.size(); group += kLanes) {
    v128_t c0[2], c1[2], c2[2], c3[2];
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t number = first + group + 4 * static_cast<std::size_t>(half);
      const v128_t low = wasm_u64x2_make(number, number + 1);
      const v128_t high = wasm_u64x2_make(number + 2, number + 3);
      c0[half] = lower_words(low, high);
      c1[half] = higher_words(low, high);
      c2[half] = wasm_u32x4_splat(counter[2]);
      c3[half] = wasm_u32x4_splat(counter[3]);
    }
    Philox::Key step_key = key;
    for (int step = 0; step < 10; ++step) {
      const v128_t key0 = wasm_u32x4_splat(step_key[0]);
      const v128_t key1 = wasm_u32x4_splat(step_key[1]);
      for (int half = 0; half < 2; ++half) {
        const v128_t low0 = wasm_u64x2_extmul_low_u32x4(c0[half], multiplier0);
        const v128_t high0 = wasm_u64x2_extmul_high_u32x4(c0[half], multiplier0);
        const v128_t low1 = wasm_u64x2_extmul_low_u32x4(c2[half], multiplier1);
        const v128_t high1 = wasm_u64x2_extmul_high_u32x4(c2[half], multiplier1);
        c0[half] = wasm_v128_xor(wasm_v128_xor(higher_words(low1, high1), c1[half]), key0);
        c1[half] = lower_words(low1, high1);
        c2[half] = wasm_v128_xor(wasm_v128_xor(higher_words(low0, high0), c3[half]), key1);
        c3[half] = lower_words(low0, high0);
      }
      step_key[0] += 0x9E3779B9;
      step_key[1] += 0xBB67AE85;
    }
    for (std::size_t half = 0; half < 2; ++half) {
      const auto store = [&](Draws draws, v128_t low_word, v128_t high_word) {
        std::uint64_t* place = draws.data() + group + 4 * half;
        const v128_t low = wasm_i32x4_shuffle(low_word, high_word, 0, 4, 1, 5);
        const v128_t high = wasm_i32x4_shuffle(low_word, high_word, 2, 6, 3, 7);
        wasm_v128_store(place, wasm_u64x2_shr(low, kDropped));
        wasm_v128_store(place + 2, wasm_u64x2_shr(high, kDropped));
      };
      store(front, c0[half], c1[half]);
      store(back, c2[half], c3[half]);
    }
  }
}

#endif

// The widest groups first, then what is left over.
template <int kDropped>
void many_blocks(const Philox::Block& counter, const Philox::Key& key, std::uint64_t first,
                 Draws front, Draws back) {
  std::size_t done = 0;
  [[maybe_unused]] const auto in_groups = [&](std::size_t lanes, const auto& blocks) {
    const std::size_t count = (front.size() - done) / lanes * lanes;
    if (count == 0) return;
    blocks(counter, key, first + done, front.subspan(done, count), back.subspan(done, count));
    done += count;
  };
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  static const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0;
  if (has_avx512) in_groups(kWideLanes, avx512_blocks<kDropped>);
  if (has_avx2) in_groups(kLanes, avx2_blocks<kDropped>);
#elif defined(__wasm_simd128__)
  in_groups(kLanes, simd128_blocks<kDropped>);
#endif
  scalar_blocks<kDropped>(counter, key, first + done, front.subspan(done), back.subspan(done));
}

}  // namespace

void outcome_draws(const StreamKey& key, Round first, Draws context_draws, Draws reward_draws) {
  ARMATURE_CHECK(context_draws.size() == reward_draws.size(), "two draws a round");
  many_blocks<1>(philox_counter(key, 0, 0), philox_key(key.seed), first, context_draws,
                 reward_draws);
}

void philox_blocks(const Philox::Block& counter, const Philox::Key& key, std::uint64_t first,
                   Draws front, Draws back) {
  ARMATURE_CHECK(front.size() == back.size(), "two halves a block");
  many_blocks<0>(counter, key, first, front, back);
}

}  // namespace armature
