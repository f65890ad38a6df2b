// The draws of armature/random.h, one counter at a time, on host and device.
#pragma once

#include <cstdint>

#include "base/host_and_device.h"

namespace armature::cuda {

struct Words {
  std::uint32_t w0, w1, w2, w3;
};

/// Philox4x32-10 (Philox::block).
ARMATURE_HOST_AND_DEVICE Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  ARMATURE_UNROLLED
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter.w0;
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter.w2;
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter.w1 ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter.w3 ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
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

}  // namespace armature::cuda
