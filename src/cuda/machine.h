// What a player is handed: the memory of its replication, its world, and luck. A player is one
// policy as a device runs it:
//
//   struct Setting     what all replications of a cell have in common: plain data, made on the host
//                      from the policy itself (cell_plan.cpp)
//   struct Registers   what a replication keeps beside its memory: plain data
//   slots(sizes)       how much memory it needs
//   far_slots(sizes)   and of that which may be far; none if it does not say
//   begin(machine)     before the first round
//   choose(machine, round), observe(machine, round, arm, context, reward)
//   ByRoot, ByTable    the same player with widths that are all got in one way (widths.h), where
//                      its setting's way(last) says so of the rounds up to the last; none if it
//                      has none
//   plays(machine, arm)  how often it was played
//   kFacts, fact(machine, i)  numbers that its diagnostics are made of (cell_plan.cpp)
//
// The same text runs on the host (host_backend.cpp) and on a device (device_play.h).
#pragma once

#include <algorithm>

#include "cuda/draws.h"
#include "cuda/memory.h"
#include "cuda/widths.h"
#include "cuda/world.h"

namespace armature::cuda {

struct Sizes {
  std::uint32_t actions;
  std::uint32_t contexts;
  std::uint32_t rows;  // distinct rows of ν̃, at most
};

template <class Numbers_, class Memory_, class World_, class Far_ = Memory_>
struct Machine {
  using Numbers = Numbers_;
  using Memory = Memory_;
  using World = World_;
  using Far = Far_;
  using Count = typename Numbers::Count;
  using Reward = typename Numbers::Reward;
  using Sample = typename Numbers::Sample;

  Memory memory;
  Far far;  // what a round looks at little of
  World world;
  Luck policy_luck;
};

template <class Player>
constexpr std::uint32_t far_slots_of(const Sizes& sizes) {
  if constexpr (requires { Player::far_slots(sizes); })
    return Player::far_slots(sizes);
  else
    return 0;
}

/// Where rounds that begin with `first` and are to go on to `last` must be cut: play_rounds stays
/// within the same upper 32 bits.
inline std::uint64_t last_of_slice(std::uint64_t first, std::uint64_t last) {
  return std::min(last, first | 0xFFFFFFFF);
}

/// The rounds from `first` to `last`, with prompt feedback; numbers with the same upper 32 bits.
template <class Player, class AnyMachine>
ARMATURE_HOST_AND_DEVICE void play_rounds(Player& player, AnyMachine& machine,
                                          const Luck& outcome_luck, const KeySchedule& keys,
                                          std::uint64_t first, std::uint64_t last) {
  using Numbers = typename AnyMachine::Numbers;
  const std::uint64_t upper = first >> 32;
  const RoundLuck luck(outcome_luck, keys, static_cast<std::uint32_t>(upper));
  const auto end = static_cast<std::uint32_t>(last) + 1;
  auto lower = static_cast<std::uint32_t>(first);
  RoundLuck::Upper draw = luck.upper(lower);
  do {
    const std::uint64_t round = upper << 32 | lower;
    const std::uint32_t arm = player.choose(machine, round);
    const auto outcome = machine.world.template play<Numbers>(arm, draw, luck, lower);
    // The next round's draws wait for nothing: they are worked out while this one's outcome is.
    draw = luck.upper(++lower);
    player.observe(machine, round, arm, outcome.context, outcome.reward);
  } while (lower != end);
}

/// The same with the widths got in the way that all of these rounds allow.
template <class Player, class Setting, class AnyMachine>
ARMATURE_HOST_AND_DEVICE void play_rounds_one_way(const Setting& setting,
                                                  typename Player::Registers& registers,
                                                  AnyMachine& machine, const Luck& outcome_luck,
                                                  const KeySchedule& keys, std::uint64_t first,
                                                  std::uint64_t last) {
  if constexpr (requires { typename Player::ByRoot; }) {
    if (setting.way(last) == Way::kRoot) {
      typename Player::ByRoot player(setting, registers);
      return play_rounds(player, machine, outcome_luck, keys, first, last);
    }
  }
  if constexpr (requires { typename Player::ByTable; }) {
    if (setting.way(last) == Way::kTable) {
      typename Player::ByTable player(setting, registers);
      return play_rounds(player, machine, outcome_luck, keys, first, last);
    }
  }
  Player player(setting, registers);
  play_rounds(player, machine, outcome_luck, keys, first, last);
}

/// Σ_a plays(a)·Δ_a, in the order of the actions (simulate/replication.cpp).
template <class Player, class AnyMachine>
ARMATURE_HOST_AND_DEVICE double regret_of(Player& player, AnyMachine& machine) {
  double regret = 0;
  for (std::uint32_t a = 0; a < machine.world.actions(); ++a)
    regret += static_cast<double>(player.plays(machine, a)) * machine.world.gap(a);
  return regret;
}

}  // namespace armature::cuda
