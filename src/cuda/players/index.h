// ucb and moss: an index of an action's own outcomes, which only its own plays change.
#pragma once

#include "cuda/argmax.h"
#include "cuda/machine.h"
#include "cuda/widths.h"

namespace armature::cuda {

struct IndexSetting {
  Widths widths;

  template <class Visit>
  void tables(const Visit& visit) {
    visit(widths);
  }
  ARMATURE_HOST_AND_DEVICE Way way(std::uint64_t last) const { return widths.way(last); }
};

template <class Machine, class Argmax, Way kWay = Way::kAsk>
class IndexPlayer {
 public:
  using ByRoot = IndexPlayer<Machine, Argmax, Way::kRoot>;
  using ByTable = IndexPlayer<Machine, Argmax, Way::kTable>;
  using Setting = IndexSetting;
  static constexpr std::uint32_t kFacts = 0;
  using Registers = typename Argmax::Registers;
  using OwnSamples = Samples<typename Machine::Numbers, typename Machine::Memory>;
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(const Sizes& sizes) {
    return OwnSamples::slots(sizes.actions) + Argmax::slots(sizes.actions);
  }

  ARMATURE_HOST_AND_DEVICE IndexPlayer(const Setting& setting, Registers& registers)
      : setting_(setting), registers_(registers) {}

  ARMATURE_HOST_AND_DEVICE void begin(Machine& machine) {
    const std::uint32_t actions = machine.world.actions();
    for (std::uint32_t a = 0; a < actions; ++a) samples(machine).put(a, {});
    // What was never tried has the width of one sample, and the mean 0.
    Argmax::fill(registers_, machine.memory, kIndices, actions, setting_.widths.at(1));
  }
  ARMATURE_HOST_AND_DEVICE std::uint32_t choose(Machine&, std::uint64_t) {
    return Argmax::best(registers_);
  }
  ARMATURE_HOST_AND_DEVICE void observe(Machine& machine, std::uint64_t, std::uint32_t arm,
                                        std::uint32_t, typename Machine::Reward reward) {
    const auto sample = samples(machine).add(arm, reward);
    Argmax::replace_best(registers_, machine.memory, kIndices, machine.world.actions(), arm,
                         upper_of<kWay>(sample, setting_.widths));
  }
  ARMATURE_HOST_AND_DEVICE std::uint64_t plays(Machine& machine, std::uint32_t arm) const {
    return samples(machine).at(arm).count;
  }
  ARMATURE_HOST_AND_DEVICE double fact(Machine&, std::uint32_t) const { return 0; }

 private:
  // Indices come first: they are so many whatever the number of actions, where they are packed.
  static constexpr std::uint32_t kIndices = 0;
  ARMATURE_HOST_AND_DEVICE static OwnSamples samples(Machine& machine) {
    return {machine.memory, Argmax::slots(machine.world.actions())};
  }

  const Setting& setting_;
  Registers& registers_;
};

template <class Machine>
using IndexPlayer20 = IndexPlayer<Machine, PackedArgmax<5>>;
template <class Machine>
using IndexPlayer32 = IndexPlayer<Machine, PackedArgmax<8>>;
template <class Machine>
using IndexPlayer1024 = IndexPlayer<Machine, GroupedArgmax>;

}  // namespace armature::cuda
