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
    const std::uint64_t bits = bits_of(value);
    const std::uint64_t moved = value > 0 ? bits - kBase : 0;
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
/// of every sixty-four.
class GroupedArgmax {
 public:
  static constexpr std::uint32_t kActions = 1024;
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(std::uint32_t actions) {
    return actions + 2 * groups(actions) + 2 * groups(groups(actions));
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
    for (std::uint32_t a = 0; a < actions; ++a) put_real(memory, first + a, value);
    const std::uint32_t eights = groups(actions);
    for (std::uint32_t g = 0; g < eights; ++g)
      put_winner(memory, first + actions, g, {value, 8 * g});
    const std::uint32_t large = groups(eights);
    for (std::uint32_t g = 0; g < large; ++g)
      put_winner(memory, first + actions + 2 * eights, g, {value, 64 * g});
    registers = {0, value};
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void set(Registers& registers, const Memory& memory,
                                           std::uint32_t first, std::uint32_t actions,
                                           std::uint32_t arm, double value) {
    put_real(memory, first + arm, value);
    const std::uint32_t eights = groups(actions);
    const std::uint32_t large = groups(eights);
    const std::uint32_t eight = arm / 8;
    const std::uint32_t sixty_four = arm / 64;
    Winner winner{real_at(memory, first + 8 * eight), 8 * eight};
    for (std::uint32_t a = 8 * eight + 1; a < lesser(8 * eight + 8, actions); ++a) {
      const double other = real_at(memory, first + a);
      if (other > winner.value) winner = {other, a};
    }
    const std::uint32_t of_eights = first + actions;
    put_winner(memory, of_eights, eight, winner);
    winner = best_of(memory, of_eights, 8 * sixty_four, lesser(8 * sixty_four + 8, eights));
    const std::uint32_t of_large = of_eights + 2 * eights;
    put_winner(memory, of_large, sixty_four, winner);
    winner = best_of(memory, of_large, 0, large);
    registers = {winner.arm, winner.value};
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
    std::uint32_t arm;
  };
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t groups(std::uint32_t size) {
    return (size + 7) / 8;
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t lesser(std::uint32_t a, std::uint32_t b) {
    return a < b ? a : b;
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static void put_winner(const Memory& memory, std::uint32_t first,
                                                  std::uint32_t group, Winner winner) {
    put_real(memory, first + 2 * group, winner.value);
    memory[first + 2 * group + 1] = winner.arm;
  }
  template <class Memory>
  ARMATURE_HOST_AND_DEVICE static Winner best_of(const Memory& memory, std::uint32_t first,
                                                 std::uint32_t from, std::uint32_t to) {
    double highest = real_at(memory, first + 2 * from);
    std::uint32_t place = from;
    for (std::uint32_t g = from + 1; g < to; ++g) {
      const double other = real_at(memory, first + 2 * g);
      place = other > highest ? g : place;
      highest = other > highest ? other : highest;
    }
    return {highest, static_cast<std::uint32_t>(memory[first + 2 * place + 1])};
  }
};

}  // namespace armature::cuda
