// What a replication remembers from round to round: slots of 64 bits. On a device the same slot of
// neighbouring replications lies side by side ([slot][replication]), so that threads that look at
// different slots do not get into each other's way.
#pragma once

#include <cstdint>

#include "base/logarithm.h"
#include "cuda/quotients.h"

namespace armature::cuda {

using portable::logarithm::bits_of;
using portable::logarithm::from_bits;

/// Slots that are so many apart: a number known when compiling, where there is one.
template <std::uint32_t kApart>
class FixedMemory {
 public:
  ARMATURE_HOST_AND_DEVICE explicit FixedMemory(std::uint64_t* first) : first_(first) {}
  ARMATURE_HOST_AND_DEVICE std::uint64_t& operator[](std::uint32_t slot) const {
    return first_[slot * kApart];
  }

 private:
  std::uint64_t* first_;
};

class StridedMemory {
 public:
  ARMATURE_HOST_AND_DEVICE StridedMemory(std::uint64_t* first, std::size_t apart)
      : first_(first), apart_(apart) {}
  ARMATURE_HOST_AND_DEVICE std::uint64_t& operator[](std::uint32_t slot) const {
    return first_[slot * apart_];
  }

 private:
  std::uint64_t* first_;
  std::size_t apart_;
};

template <class Memory>
ARMATURE_HOST_AND_DEVICE double real_at(const Memory& memory, std::uint32_t slot) {
  return from_bits(memory[slot]);
}
template <class Memory>
ARMATURE_HOST_AND_DEVICE void put_real(const Memory& memory, std::uint32_t slot, double value) {
  memory[slot] = bits_of(value);
}

// --- How large the numbers can get

/// Horizons below 2^32 and rewards that are 0 or 1: count and sum share a slot.
struct SmallNumbers {
  using Count = std::uint32_t;
  using Reward = std::uint32_t;
  static constexpr std::uint32_t kSlots = 1;
  static constexpr bool kBernoulli = true;
  struct Sample {
    std::uint32_t count = 0;
    std::uint32_t sum = 0;
  };
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static Sample load(const Memory& memory, std::uint32_t slot) {
    const std::uint64_t both = memory[slot];
    return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32)};
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void store(const Memory& memory, std::uint32_t slot,
                                             Sample sample) {
    memory[slot] = sample.count | std::uint64_t{sample.sum} << 32;
  }
};

/// Any horizon, any rewards; sums are added up in the order of the rounds.
struct LargeNumbers {
  using Count = std::uint64_t;
  using Reward = double;
  static constexpr std::uint32_t kSlots = 2;
  static constexpr bool kBernoulli = false;
  struct Sample {
    std::uint64_t count = 0;
    double sum = 0;
  };
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static Sample load(const Memory& memory, std::uint32_t slot) {
    return {memory[slot], from_bits(memory[slot + 1])};
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void store(const Memory& memory, std::uint32_t slot,
                                             Sample sample) {
    memory[slot] = sample.count;
    memory[slot + 1] = bits_of(sample.sum);
  }
};

/// Counts and sums of several actions or contexts, from some slot on (policies' Statistics).
template <class Numbers, class Memory>
class Samples {
 public:
  using Sample = typename Numbers::Sample;
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(std::uint32_t size) {
    return size * Numbers::kSlots;
  }

  ARMATURE_HOST_AND_DEVICE Samples(const Memory& memory, std::uint32_t first)
      : memory_(memory), first_(first) {}
  ARMATURE_HOST_AND_DEVICE Sample at(std::uint32_t i) const {
    return Numbers::load(memory_, first_ + i * Numbers::kSlots);
  }
  ARMATURE_HOST_AND_DEVICE void put(std::uint32_t i, Sample sample) const {
    Numbers::store(memory_, first_ + i * Numbers::kSlots, sample);
  }
  /// What there is with one more outcome, not put there yet: a device waits less if all that is
  /// read of a round is read before anything is written.
  ARMATURE_HOST_AND_DEVICE Sample with(std::uint32_t i, typename Numbers::Reward reward) const {
    Sample sample = at(i);
    ++sample.count;
    sample.sum += reward;
    return sample;
  }
  /// One more outcome; what there is now.
  ARMATURE_HOST_AND_DEVICE Sample add(std::uint32_t i, typename Numbers::Reward reward) const {
    const Sample sample = with(i, reward);
    put(i, sample);
    return sample;
  }

 private:
  const Memory& memory_;
  std::uint32_t first_;
};

/// Counts alone; two share a slot where they are small.
template <class Numbers, class Memory>
class Counts {
 public:
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(std::uint32_t size) {
    return Numbers::kSlots == 1 ? (size + 1) / 2 : size;
  }

  ARMATURE_HOST_AND_DEVICE Counts(const Memory& memory, std::uint32_t first)
      : memory_(memory), first_(first) {}
  ARMATURE_HOST_AND_DEVICE void clear(std::uint32_t size) const {
    for (std::uint32_t slot = 0; slot < slots(size); ++slot) memory_[first_ + slot] = 0;
  }
  ARMATURE_HOST_AND_DEVICE std::uint64_t at(std::uint32_t i) const {
    if constexpr (Numbers::kSlots == 1)
      return static_cast<std::uint32_t>(memory_[first_ + (i >> 1)] >> 32 * (i & 1));
    else
      return memory_[first_ + i];
  }
  ARMATURE_HOST_AND_DEVICE void add(std::uint32_t i) const {
    if constexpr (Numbers::kSlots == 1)
      memory_[first_ + (i >> 1)] += std::uint64_t{1} << 32 * (i & 1);
    else
      ++memory_[first_ + i];
  }

 private:
  const Memory& memory_;
  std::uint32_t first_;
};

/// Of a sample with outcomes.
ARMATURE_HOST_AND_DEVICE double mean_of(SmallNumbers::Sample sample) {
  return WholeDenominator(sample.count).under(whole(sample.sum));
}
ARMATURE_HOST_AND_DEVICE double mean_of(LargeNumbers::Sample sample) {
  return sample.sum / static_cast<double>(sample.count);
}

}  // namespace armature::cuda
