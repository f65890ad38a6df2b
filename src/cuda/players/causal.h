// c-ucb: what contexts are worth, weighted by the given marginals.
#pragma once

#include "cuda/contenders.h"
#include "cuda/machine.h"
#include "cuda/widths.h"

namespace armature::cuda {

struct CausalSetting {
  Widths widths;
  double margin = 0;

  template <class Visit>
  void tables(const Visit& visit) {
    visit(widths);
  }
  ARMATURE_HOST_AND_DEVICE Way way(std::uint64_t last) const { return widths.way(last); }
};

template <class Machine, Way kWay>
class CausalPlayerBy {
 public:
  using ByRoot = CausalPlayerBy<Machine, Way::kRoot>;
  using ByTable = CausalPlayerBy<Machine, Way::kTable>;
  using Setting = CausalSetting;
  static constexpr std::uint32_t kFacts = 0;
  using Registers = Contenders::Registers;
  using OwnSamples = Samples<typename Machine::Numbers, typename Machine::Memory>;
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(const Sizes& sizes) {
    return sizes.actions + OwnSamples::slots(sizes.contexts) + Contenders::slots(sizes.contexts);
  }

  ARMATURE_HOST_AND_DEVICE CausalPlayerBy(const Setting& setting, Registers& registers)
      : setting_(setting), registers_(registers) {}

  ARMATURE_HOST_AND_DEVICE void begin(Machine& machine) {
    for (std::uint32_t a = 0; a < machine.world.actions(); ++a) machine.memory[a] = 0;
    for (std::uint32_t z = 0; z < machine.world.contexts(); ++z) samples(machine).put(z, {});
    contenders(machine).fill(machine, setting_.widths.at(1));
  }
  ARMATURE_HOST_AND_DEVICE std::uint32_t choose(Machine& machine, std::uint64_t) {
    return machine.world.action_of(contenders(machine).best(machine));
  }
  ARMATURE_HOST_AND_DEVICE void observe(Machine& machine, std::uint64_t, std::uint32_t arm,
                                        std::uint32_t context, typename Machine::Reward reward) {
    ++machine.memory[arm];
    const auto sample = samples(machine).add(context, reward);
    contenders(machine).set(machine, context, upper_of<kWay>(sample, setting_.widths));
  }
  ARMATURE_HOST_AND_DEVICE std::uint64_t plays(Machine& machine, std::uint32_t arm) const {
    return machine.memory[arm];
  }
  ARMATURE_HOST_AND_DEVICE double fact(Machine&, std::uint32_t) const { return 0; }

 private:
  ARMATURE_HOST_AND_DEVICE static OwnSamples samples(Machine& machine) {
    return {machine.memory, machine.world.actions()};
  }
  ARMATURE_HOST_AND_DEVICE Contenders contenders(Machine& machine) {
    return {registers_, machine.world.actions() + OwnSamples::slots(machine.world.contexts()),
            setting_.margin};
  }

  const Setting& setting_;
  Registers& registers_;
};

template <class Machine>
using CausalPlayer = CausalPlayerBy<Machine, Way::kAsk>;

}  // namespace armature::cuda
