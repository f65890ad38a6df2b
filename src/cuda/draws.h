// The draws of armature/random.h, one counter at a time, on host and device.
#pragma once

#include <cstdint>

#include "base/host_and_device.h"

namespace armature::cuda {

struct Words {
  std::uint32_t w0, w1, w2, w3;
};

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kKeyStep0 = 0x9E3779B9;
constexpr std::uint32_t kKeyStep1 = 0xBB67AE85;

/// Philox4x32-10 (Philox::block).
ARMATURE_HOST_AND_DEVICE Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  ARMATURE_UNROLLED
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter.w0;
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter.w2;
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter.w1 ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter.w3 ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += kKeyStep0;
    key1 += kKeyStep1;
  }
  return counter;
}

/// Whose luck: seed, replication and purpose (StreamKey).
struct Luck {
  std::uint32_t key0, key1;  // the seed
  std::uint32_t replication;
  std::uint32_t purpose;  // shifted to its place

  ARMATURE_HOST_AND_DEVICE Words words(std::uint64_t round) const {
    return philox({static_cast<std::uint32_t>(round), static_cast<std::uint32_t>(round >> 32),
                   replication, purpose},
                  key0, key1);
  }
};

/// The two uniform 63-bit integers of a round (outcome_draws).
struct RoundDraws {
  std::uint64_t context;
  std::uint64_t reward;
};

ARMATURE_HOST_AND_DEVICE RoundDraws round_draws(const Luck& luck, std::uint64_t round) {
  const Words words = luck.words(round);
  return {(words.w0 | std::uint64_t{words.w1} << 32) >> 1,
          (words.w2 | std::uint64_t{words.w3} << 32) >> 1};
}

/// The keys of Philox's ten steps, worked out once for a seed.
struct KeySchedule {
  std::uint32_t key0[10];
  std::uint32_t key1[10];
};
inline KeySchedule key_schedule(std::uint64_t seed) {
  KeySchedule keys{};
  for (std::uint32_t i = 0; i < 10; ++i) {
    keys.key0[i] = static_cast<std::uint32_t>(seed) + i * kKeyStep0;
    keys.key1[i] = static_cast<std::uint32_t>(seed >> 32) + i * kKeyStep1;
  }
  return keys;
}

/// Both halves of a product.
struct Product {
  std::uint32_t low, high;
};
ARMATURE_HOST_AND_DEVICE Product whole_product(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  // Written out: the compiler would add a product of upper halves that are 0.
  Product product;
  asm("{ .reg .u64 p; mul.wide.u32 p, %2, %3; mov.b64 {%0, %1}, p; }"
      : "=r"(product.low), "=r"(product.high)
      : "r"(a), "r"(b));
  return product;
#else
  const std::uint64_t product = std::uint64_t{a} * b;
  return {static_cast<std::uint32_t>(product), static_cast<std::uint32_t>(product >> 32)};
#endif
}

/// The draws of one replication, round after round. Of a round only the upper halves are worked
/// out, which decide all but one comparison in 2^32; and what is the same in all rounds, or in all
/// replications, is worked out apart.
class RoundLuck {
 public:
  /// The upper halves of a round's two words of 64 bits; its integers are these words' halves, so
  /// that twice a threshold is what the words are compared with.
  struct Upper {
    std::uint32_t context;
    std::uint32_t reward;
  };

  /// Of rounds whose numbers have this upper half.
  ARMATURE_HOST_AND_DEVICE RoundLuck(const Luck& luck, const KeySchedule& keys,
                                     std::uint32_t upper_round)
      : luck_(luck), keys_(keys), upper_round_(upper_round) {
    const Product product1 = whole_product(kMultiplier1, luck.replication);
    first1_ = product1.low;
    const Product product0 =
        whole_product(kMultiplier0, product1.high ^ upper_round ^ keys.key0[0]);
    second2_ = product0.high;
    second3_ = product0.low;
  }
  ARMATURE_HOST_AND_DEVICE Upper upper(std::uint32_t lower_round) const {
    // Two steps whose products are the round's alone; the others are the replication's (above).
    const Product own0 = whole_product(kMultiplier0, lower_round);
    const Product own1 = whole_product(kMultiplier1, own0.high ^ luck_.purpose ^ keys_.key1[0]);
    Words words{own1.high ^ first1_ ^ keys_.key0[1], own1.low, second2_ ^ own0.low ^ keys_.key1[1],
                second3_};
    ARMATURE_UNROLLED
    for (int i = 2; i < 9; ++i) {
      const Product product0 = whole_product(kMultiplier0, words.w0);
      const Product product1 = whole_product(kMultiplier1, words.w2);
      words = {product1.high ^ words.w1 ^ keys_.key0[i], product1.low,
               product0.high ^ words.w3 ^ keys_.key1[i], product0.low};
    }
    return {kMultiplier1 * words.w2, kMultiplier0 * words.w0};
  }
  /// All of them.
  ARMATURE_HOST_AND_DEVICE RoundDraws whole(std::uint32_t lower_round) const {
    return round_draws(luck_, std::uint64_t{upper_round_} << 32 | lower_round);
  }

 private:
  Luck luck_;
  const KeySchedule& keys_;
  std::uint32_t upper_round_;
  std::uint32_t first1_, second2_, second3_;  // words after the first and second step
};

}  // namespace armature::cuda
