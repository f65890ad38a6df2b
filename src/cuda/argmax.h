// The largest index of many when one changes at a time, ties to the lower action: what policies'
// ArgmaxTree is, in forms that suit a device.
#pragma once

#include <cstdint>

#include "cuda/memory.h"

namespace armature::cuda {

/// An index and its action, one of 32, make one positive double, ordered by index first and lowest
/// action then: the exponent is moved down so that five bits are free at the top, the bits are
/// shifted there and the action takes their place. So indices must be 0 or lie in [2^-58, 2^4);
/// whoever uses it sees to that.
struct Packed {
  static constexpr double kLeast = 0x1p-58;
  static constexpr double kBeyond = 0x1p4;

  ARMATURE_HOST_AND_DEVICE static double key(double value, std::uint32_t arm) {
    // 0 stays 0, all others remain above it: it is enough to look at the upper half.
    const std::uint64_t bits = bits_of(value);
    const std::int32_t upper = static_cast<std::int32_t>(bits >> 32) - kUpperBase;
    const std::uint64_t moved = std::uint64_t{static_cast<std::uint32_t>(upper > 0 ? upper : 0)}
                                    << 32 |
                                static_cast<std::uint32_t>(bits);
    return from_bits(moved << 5 | (31 - arm));
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t arm(double key) {
    return 31 - (static_cast<std::uint32_t>(bits_of(key)) & 31);
  }
  ARMATURE_HOST_AND_DEVICE static double value(double key) {
    const std::uint64_t moved = bits_of(key) >> 5;
    return from_bits(moved > 0 ? moved + kBase : 0);
  }

 private:
  static constexpr std::uint64_t kBase = std::uint64_t{964} << 52;  // 2^-58 has the exponent 965
  static constexpr std::int32_t kUpperBase = 964 << 20;
};

/// Up to 4·kGroups actions, 32 at most, in groups of four. A group's three losers are in memory,
/// the groups' winners in order in registers: the action played is always the first of them.
template <std::uint32_t kGroups>
class PackedArgmax {
 public:
  static constexpr std::uint32_t kActions = 4 * kGroups;
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(std::uint32_t) {
    return 3 * kGroups;
  }

  struct Registers {
    double winners[kGroups];  // descending
  };

  ARMATURE_HOST_AND_DEVICE static std::uint32_t best(const Registers& registers) {
    return Packed::arm(registers.winners[0]);
  }
  /// All of them, as in the beginning.
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void fill(Registers& registers, const Memory& memory,
                                            std::uint32_t first, std::uint32_t actions,
                                            double value) {
    for (std::uint32_t slot = 0; slot < 3 * kGroups; ++slot) memory[first + slot] = 0;
    ARMATURE_UNROLLED
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      registers.winners[group] = 4 * group < actions ? Packed::key(value, 4 * group) : 0.0;
      for (std::uint32_t i = 1; i < 4; ++i)
        if (4 * group + i < actions)
          put_real(memory, first + 3 * group + i - 1, Packed::key(value, 4 * group + i));
    }
  }
  /// A new value of the best action.
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void replace_best(Registers& registers, const Memory& memory,
                                                    std::uint32_t first, std::uint32_t,
                                                    std::uint32_t arm, double value) {
    double challenger = Packed::key(value, arm);
    const std::uint32_t slot = first + 3 * (arm >> 2);
    const double loser0 = real_at(memory, slot);
    const double loser1 = real_at(memory, slot + 1);
    const double loser2 = real_at(memory, slot + 2);
    const bool second = loser1 > loser0;
    double strongest = second ? loser1 : loser0;
    std::uint32_t place = second ? slot + 1 : slot;
    const bool third = loser2 > strongest;
    strongest = third ? loser2 : strongest;
    place = third ? slot + 2 : place;
    if (strongest > challenger) {
      put_real(memory, place, challenger);
      challenger = strongest;
    }
    bool ahead[kGroups];
    ahead[0] = false;
    ARMATURE_UNROLLED
    for (std::uint32_t i = 1; i < kGroups; ++i) ahead[i] = challenger > registers.winners[i];
    ARMATURE_UNROLLED
    for (std::uint32_t i = 0; i < kGroups; ++i) {
      const double next = i + 1 < kGroups ? registers.winners[i + 1 < kGroups ? i + 1 : i] : 0.0;
      const bool before_next = i + 1 < kGroups ? ahead[i + 1 < kGroups ? i + 1 : i] : true;
      if (!ahead[i]) registers.winners[i] = before_next ? challenger : next;
      // Once the challenger has its place, those behind it stay where they are.
    }
  }
};

/// The same where any action's index may change: all of them are in memory, the groups' winners in
/// registers.
template <std::uint32_t kGroups>
class OpenArgmax {
 public:
  static constexpr std::uint32_t kActions = 4 * kGroups;
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(std::uint32_t) { return kActions; }

  struct Registers {
    double winners[kGroups];  // of each group
  };

  ARMATURE_HOST_AND_DEVICE static std::uint32_t best(const Registers& registers) {
    return Packed::arm(top(registers));
  }
  ARMATURE_HOST_AND_DEVICE static double best_value(const Registers& registers) {
    return Packed::value(top(registers));
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static double value(const Memory& memory, std::uint32_t first,
                                               std::uint32_t arm) {
    return Packed::value(real_at(memory, first + arm));
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void fill(Registers& registers, const Memory& memory,
                                            std::uint32_t first, std::uint32_t actions,
                                            double value) {
    for (std::uint32_t a = 0; a < kActions; ++a)
      put_real(memory, first + a, a < actions ? Packed::key(value, a) : 0.0);
    ARMATURE_UNROLLED
    for (std::uint32_t group = 0; group < kGroups; ++group)
      registers.winners[group] = 4 * group < actions ? Packed::key(value, 4 * group) : 0.0;
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void set(Registers& registers, const Memory& memory,
                                           std::uint32_t first, std::uint32_t, std::uint32_t arm,
                                           double value) {
    put_real(memory, first + arm, Packed::key(value, arm));
    const std::uint32_t group = arm >> 2;
    const std::uint32_t slot = first + 4 * group;
    const double winner = greater(greater(real_at(memory, slot), real_at(memory, slot + 1)),
                                  greater(real_at(memory, slot + 2), real_at(memory, slot + 3)));
    ARMATURE_UNROLLED
    for (std::uint32_t i = 0; i < kGroups; ++i)
      registers.winners[i] = i == group ? winner : registers.winners[i];
  }

 private:
  ARMATURE_HOST_AND_DEVICE static double greater(double x, double y) { return x > y ? x : y; }
  ARMATURE_HOST_AND_DEVICE static double top(const Registers& registers) {
    double best = registers.winners[0];
    ARMATURE_UNROLLED
    for (std::uint32_t i = 1; i < kGroups; ++i) best = greater(best, registers.winners[i]);
    return best;
  }
};

/// Any number of actions up to 1024: values in memory, the winners of every eight beside them, and
/// of every sixty-four. A group's eight values are looked at together, not one after the other.
class GroupedArgmax {
 public:
  static constexpr std::uint32_t kActions = 1024;
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(std::uint32_t actions) {
    const std::uint32_t eights = groups(actions);
    return actions + eights + words(eights) + groups(eights) + words(groups(eights));
  }

  struct Registers {
    std::uint32_t best;
    double value;
  };

  ARMATURE_HOST_AND_DEVICE static std::uint32_t best(const Registers& registers) {
    return registers.best;
  }
  ARMATURE_HOST_AND_DEVICE static double best_value(const Registers& registers) {
    return registers.value;
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static double value(const Memory& memory, std::uint32_t first,
                                               std::uint32_t arm) {
    return real_at(memory, first + arm);
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void fill(Registers& registers, const Memory& memory,
                                            std::uint32_t first, std::uint32_t actions,
                                            double value) {
    const Places places(first, actions);
    for (std::uint32_t a = 0; a < actions; ++a) put_real(memory, first + a, value);
    for (std::uint32_t slot = 0; slot < words(places.eights); ++slot)
      memory[places.arms_of_eights + slot] = 0;
    for (std::uint32_t slot = 0; slot < words(places.large); ++slot)
      memory[places.arms_of_large + slot] = 0;
    for (std::uint32_t g = 0; g < places.eights; ++g)
      put(memory, places.of_eights, places.arms_of_eights, g, {value, 8 * g});
    for (std::uint32_t g = 0; g < places.large; ++g)
      put(memory, places.of_large, places.arms_of_large, g, {value, 64 * g});
    registers = {0, value};
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void set(Registers& registers, const Memory& memory,
                                           std::uint32_t first, std::uint32_t actions,
                                           std::uint32_t arm, double value) {
    const Places places(first, actions);
    put_real(memory, first + arm, value);
    const std::uint32_t eight = arm / 8;
    const Winner own = of_eight(memory, first, eight, actions);
    put(memory, places.of_eights, places.arms_of_eights, eight, own);
    Winner winner = of_eight(memory, places.of_eights, arm / 64, places.eights);
    winner.arm = arm_at(memory, places.arms_of_eights, winner.arm);
    put(memory, places.of_large, places.arms_of_large, arm / 64, winner);
    winner = of_eight(memory, places.of_large, 0, places.large);
    if (places.large > 8) {
      const Winner other = of_eight(memory, places.of_large, 1, places.large);
      winner = other.value > winner.value ? other : winner;
    }
    registers = {arm_at(memory, places.arms_of_large, winner.arm), winner.value};
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void replace_best(Registers& registers, const Memory& memory,
                                                    std::uint32_t first, std::uint32_t actions,
                                                    std::uint32_t arm, double value) {
    set(registers, memory, first, actions, arm, value);
  }

 private:
  struct Winner {
    double value;
    std::uint32_t arm;  // or its place among those it was found in
  };
  struct Places {
    ARMATURE_HOST_AND_DEVICE Places(std::uint32_t first, std::uint32_t actions)
        : eights(groups(actions)),
          large(groups(eights)),
          of_eights(first + actions),
          arms_of_eights(of_eights + eights),
          of_large(arms_of_eights + words(eights)),
          arms_of_large(of_large + large) {}
    std::uint32_t eights, large;
    std::uint32_t of_eights, arms_of_eights, of_large, arms_of_large;
  };
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t groups(std::uint32_t size) {
    return (size + 7) / 8;
  }
  // Actions of winners take 16 bits each.
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t words(std::uint32_t size) {
    return (size + 3) / 4;
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static std::uint32_t arm_at(const Memory& memory, std::uint32_t first,
                                                       std::uint32_t i) {
    return static_cast<std::uint32_t>(memory[first + i / 4] >> (16 * (i % 4))) & 0xFFFF;
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void put(const Memory& memory, std::uint32_t values,
                                           std::uint32_t arms, std::uint32_t i, Winner winner) {
    put_real(memory, values + i, winner.value);
    const std::uint32_t shift = 16 * (i % 4);
    const std::uint64_t others = memory[arms + i / 4] & ~(std::uint64_t{0xFFFF} << shift);
    memory[arms + i / 4] = others | std::uint64_t{winner.arm} << shift;
  }
  // Of the eight values from 8·group on, the first of the largest.
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static Winner of_eight(const Memory& memory, std::uint32_t first,
                                                  std::uint32_t group, std::uint32_t size) {
    constexpr double kNone = -1e300;
    double values[8];
    ARMATURE_UNROLLED
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t place = 8 * group + i;
      values[i] = place < size ? real_at(memory, first + place) : kNone;
    }
    Winner pairs[4];
    ARMATURE_UNROLLED
    for (std::uint32_t i = 0; i < 4; ++i) {
      const bool second = values[2 * i + 1] > values[2 * i];
      pairs[i] = {second ? values[2 * i + 1] : values[2 * i], 8 * group + 2 * i + (second ? 1 : 0)};
    }
    const Winner low = pairs[1].value > pairs[0].value ? pairs[1] : pairs[0];
    const Winner high = pairs[3].value > pairs[2].value ? pairs[3] : pairs[2];
    return high.value > low.value ? high : low;
  }
};

}  // namespace armature::cuda
