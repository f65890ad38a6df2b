// What a player is handed: the memory of its replication, its world, and luck. A player is one
// policy as a device runs it:
//
//   struct Setting     what all replications of a cell have in common: plain data, made on the host
//                      from the policy itself (players.cpp)
//   struct Registers   what a replication keeps beside its memory: plain data
//   slots(sizes)       how much memory it needs
//   begin(machine)     before the first round
//   choose(machine, round), observe(machine, round, arm, context, reward)
//   plays(machine, arm)  how often it was played
//   kFacts, fact(machine, i)  numbers that its diagnostics are made of (cell_plan.cpp)
//
// The same text runs on the host (host_backend.cpp) and on a device (module.cu).
#pragma once

#include "cuda/draws.h"
#include "cuda/memory.h"
#include "cuda/world.h"

namespace armature::cuda {

struct Sizes {
  std::uint32_t actions;
  std::uint32_t contexts;
  std::uint32_t rows;  // distinct rows of ν̃, at most
};

template <class Numbers_, class Memory_, class World_>
struct Machine {
  using Numbers = Numbers_;
  using Memory = Memory_;
  using World = World_;
  using Count = typename Numbers::Count;
  using Reward = typename Numbers::Reward;
  using Sample = typename Numbers::Sample;

  Memory memory;
  World world;
  Luck policy_luck;
};

/// The rounds from `first` to `last`, with prompt feedback.
template <class Player, class AnyMachine>
ARMATURE_HOST_AND_DEVICE void play_rounds(Player& player, AnyMachine& machine,
                                          const Luck& outcome_luck, std::uint64_t first,
                                          std::uint64_t last) {
  using Numbers = typename AnyMachine::Numbers;
  for (std::uint64_t round = first; round <= last; ++round) {
    const RoundDraws draws = round_draws(outcome_luck, round);
    const std::uint32_t arm = player.choose(machine, round);
    const std::uint32_t context = machine.world.context(arm, draws.context);
    player.observe(machine, round, arm, context,
                   machine.world.template reward<Numbers>(arm, context, draws.reward));
  }
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
