#include "base/instruction_sets.h"

namespace armature {

InstructionSet widest_instructions() {
#if defined(ARMATURE_HAS_LANES)
  static const InstructionSet widest =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0
          ? InstructionSet::kAvx512
      : __builtin_cpu_supports("avx2") != 0 ? InstructionSet::kAvx2
                                            : InstructionSet::kPlain;
  return widest;
#else
  return InstructionSet::kPlain;
#endif
}

}  // namespace armature

#if defined(ARMATURE_HAS_LANES)
namespace armature::lanes {
namespace {

constexpr std::size_t kTogether = 4;  // rounds at work at once: they hide each other's latency
static_assert(kAhead % kTogether == 0);

// Philox::block with one replication in each 64-bit lane. A word of the counter is the low half of
// its lane; the high half holds what the multiplication never sees.
template <class V>
ARMATURE_IN_LANES void draw_in_lanes(std::uint64_t seed, std::uint32_t replication, Round first,
                                     typename V::Words* context_draws,
                                     typename V::Words* reward_draws) {
  using Bits = typename V::Bits;
  Bits multiplier0, multiplier1, low;
  V::spread(std::uint64_t{0xD2511F53}, multiplier0);
  V::spread(std::uint64_t{0xCD9E8D57}, multiplier1);
  V::spread(std::uint64_t{0xFFFFFFFF}, low);
  const Philox::Block tail = philox_counter({seed, replication, Purpose::kOutcome}, 0, 0);
  Bits replications;
  V::spread(std::uint64_t{tail[2]}, replications);
  for (std::size_t lane = 0; lane < V::kLanes; ++lane) replications[lane] += lane;
  for (std::size_t ahead = 0; ahead < kAhead; ahead += kTogether) {
    Bits c0[kTogether], c1[kTogether], c2[kTogether], c3[kTogether];
    for (std::size_t i = 0; i < kTogether; ++i) {
      const Round round = first + ahead + i;
      V::spread(round, c0[i]);
      V::spread(round >> 32, c1[i]);
      c2[i] = replications;
      V::spread(std::uint64_t{tail[3]}, c3[i]);
    }
    Philox::Key key = philox_key(seed);
#pragma GCC unroll 10
    for (int step = 0; step < 10; ++step) {
      Bits key0, key1;
      V::spread(std::uint64_t{key[0]}, key0);
      V::spread(std::uint64_t{key[1]}, key1);
      for (std::size_t i = 0; i < kTogether; ++i) {
        Bits product0, product1;
        V::multiply(c0[i], multiplier0, product0);
        V::multiply(c2[i], multiplier1, product1);
        c0[i] = product1 >> 32 ^ c1[i] ^ key0;
        c1[i] = product1;
        c2[i] = product0 >> 32 ^ c3[i] ^ key1;
        c3[i] = product0;
      }
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    for (std::size_t i = 0; i < kTogether; ++i) {
      using Words = typename V::Words;
      context_draws[ahead + i] = reinterpret_cast<Words>(((c0[i] & low) | c1[i] << 32) >> 1);
      reward_draws[ahead + i] = reinterpret_cast<Words>(((c2[i] & low) | c3[i] << 32) >> 1);
    }
  }
}

}  // namespace

ARMATURE_AVX512 void Avx512::draw(std::uint64_t seed, std::uint32_t replication, Round first,
                                  Words* context_draws, Words* reward_draws) {
  draw_in_lanes<Avx512>(seed, replication, first, context_draws, reward_draws);
}

ARMATURE_AVX2 void Avx2::draw(std::uint64_t seed, std::uint32_t replication, Round first,
                              Words* context_draws, Words* reward_draws) {
  draw_in_lanes<Avx2>(seed, replication, first, context_draws, reward_draws);
}

}  // namespace armature::lanes
#endif
