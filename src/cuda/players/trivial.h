// Policies that learn nothing: all they leave is how often each action was played.
#pragma once

#include "cuda/draws.h"
#include "cuda/machine.h"

namespace armature::cuda {

/// What they share: plays counted in memory.
template <class Machine>
class CountingPlayer {
 public:
  static constexpr std::uint32_t kFacts = 0;
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(const Sizes& sizes) {
    return sizes.actions;
  }
  ARMATURE_HOST_AND_DEVICE double fact(Machine&, std::uint32_t) const { return 0; }

  ARMATURE_HOST_AND_DEVICE void observe(Machine& machine, std::uint64_t, std::uint32_t arm,
                                        std::uint32_t, typename Machine::Reward) {
    ++machine.memory[arm];
  }
  ARMATURE_HOST_AND_DEVICE std::uint64_t plays(Machine& machine, std::uint32_t arm) const {
    return machine.memory[arm];
  }

 protected:
  ARMATURE_HOST_AND_DEVICE static void clear(Machine& machine) {
    for (std::uint32_t a = 0; a < machine.world.actions(); ++a) machine.memory[a] = 0;
  }
};

struct FixedSetting {
  std::uint32_t arm = 0;
  bool best = false;

  template <class Visit>
  void tables(const Visit&) {}
};

/// fixed, and oracle: the best action of the world.
template <class Machine>
class FixedPlayer : public CountingPlayer<Machine> {
 public:
  using Setting = FixedSetting;
  struct Registers {
    std::uint32_t arm;
  };

  ARMATURE_HOST_AND_DEVICE FixedPlayer(const Setting& setting, Registers& registers)
      : setting_(setting), registers_(registers) {}
  ARMATURE_HOST_AND_DEVICE void begin(Machine& machine) {
    this->clear(machine);
    registers_.arm = setting_.best ? machine.world.best_action() : setting_.arm;
  }
  ARMATURE_HOST_AND_DEVICE std::uint32_t choose(Machine&, std::uint64_t) { return registers_.arm; }

 private:
  const Setting& setting_;
  Registers& registers_;
};

struct RoundRobinSetting {
  template <class Visit>
  void tables(const Visit&) {}
};

template <class Machine>
class RoundRobinPlayer : public CountingPlayer<Machine> {
 public:
  using Setting = RoundRobinSetting;
  struct Registers {
    std::uint32_t next;
  };

  ARMATURE_HOST_AND_DEVICE RoundRobinPlayer(const Setting&, Registers& registers)
      : registers_(registers) {}
  ARMATURE_HOST_AND_DEVICE void begin(Machine& machine) {
    this->clear(machine);
    registers_.next = 0;
  }
  ARMATURE_HOST_AND_DEVICE std::uint32_t choose(Machine& machine, std::uint64_t) {
    const std::uint32_t arm = registers_.next;
    registers_.next = arm + 1 == machine.world.actions() ? 0 : arm + 1;
    return arm;
  }

 private:
  Registers& registers_;
};

struct UniformSetting {
  template <class Visit>
  void tables(const Visit&) {}
};

/// Draws from the policy's own stream, word by word (uniform_index).
template <class Machine>
class UniformPlayer : public CountingPlayer<Machine> {
 public:
  using Setting = UniformSetting;
  struct Registers {
    std::uint64_t blocks;  // taken so far
    Words block;
    std::uint32_t used;
  };

  ARMATURE_HOST_AND_DEVICE UniformPlayer(const Setting&, Registers& registers)
      : registers_(registers) {}
  ARMATURE_HOST_AND_DEVICE void begin(Machine& machine) {
    this->clear(machine);
    registers_.blocks = 0;
    registers_.used = 4;
  }
  ARMATURE_HOST_AND_DEVICE std::uint32_t choose(Machine& machine, std::uint64_t) {
    const std::uint32_t count = machine.world.actions();
    const std::uint32_t unfair = (0u - count) % count;
    for (;;) {
      const std::uint64_t product = std::uint64_t{next_word(machine)} * count;
      if (static_cast<std::uint32_t>(product) >= unfair)
        return static_cast<std::uint32_t>(product >> 32);
    }
  }

 private:
  ARMATURE_HOST_AND_DEVICE std::uint32_t next_word(Machine& machine) {
    if (registers_.used == 4) {
      registers_.block = machine.policy_luck.words(registers_.blocks++);
      registers_.used = 0;
    }
    const std::uint32_t used = registers_.used++;
    const Words& block = registers_.block;
    return used == 0 ? block.w0 : used == 1 ? block.w1 : used == 2 ? block.w2 : block.w3;
  }

  Registers& registers_;
};

}  // namespace armature::cuda
