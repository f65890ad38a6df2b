// The row of ν̃ with the largest sum Σ_z ν̃(z)·U(z) when one U(z) changes at a time. Two rows are
// followed by adding ν̃(z)·step; the others stay below a bound on what the largest of them can have
// become. Only where these leave a doubt, all canonical sums are worked out (policies'
// ContextScores does the same with eight rows).
#pragma once

#include <cstdint>

#include "cuda/machine.h"

namespace armature::cuda {

class Contenders {
 public:
  struct Registers {
    double leader_sum;
    double runner_sum;
    double others;  // what no other row's sum exceeds
    std::uint32_t leader;
    std::uint32_t runner;
    std::uint32_t steps;  // since all sums were worked out
  };

  /// U(z), and U(z) when all sums were worked out.
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(std::uint32_t contexts) {
    return 2 * contexts;
  }
  /// As many roundings are far below the margin (the margin is 2^-31 of the largest U there can be;
  /// a step costs at most 8 roundings of 2^-53 of it).
  static constexpr std::uint32_t kMostSteps = 1 << 15;

  ARMATURE_HOST_AND_DEVICE Contenders(Registers& registers, std::uint32_t first, double margin)
      : registers_(registers), first_(first), margin_(margin) {}

  template <class Machine>
  ARMATURE_HOST_AND_DEVICE void fill(Machine& machine, double value) {
    for (std::uint32_t z = 0; z < machine.world.contexts(); ++z)
      put_real(machine.memory, first_ + 2 * z, value);
    work_out(machine);
  }
  template <class Machine>
  ARMATURE_HOST_AND_DEVICE double value(Machine& machine, std::uint32_t z) const {
    return real_at(machine.memory, first_ + 2 * z);
  }
  template <class Machine>
  ARMATURE_HOST_AND_DEVICE void set(Machine& machine, std::uint32_t z, double value) {
    const auto& world = machine.world;
    const double before = real_at(machine.memory, first_ + 2 * z);
    const double then = real_at(machine.memory, first_ + 2 * z + 1);
    put_real(machine.memory, first_ + 2 * z, value);
    const double step = value - before;
    registers_.leader_sum += world.marginal(registers_.leader, z) * step;
    registers_.runner_sum += world.marginal(registers_.runner, z) * step;
    registers_.others += rise(world, z, value - then) - rise(world, z, before - then);
    ++registers_.steps;
  }
  /// The lowest row with the largest canonical sum.
  template <class Machine>
  ARMATURE_HOST_AND_DEVICE std::uint32_t best(Machine& machine) {
    const bool leads = registers_.leader_sum >= registers_.runner_sum;
    const double ahead = leads ? registers_.leader_sum : registers_.runner_sum;
    const double behind = leads ? registers_.runner_sum : registers_.leader_sum;
    const double rival = behind > registers_.others ? behind : registers_.others;
    if (!(ahead > rival + margin_) || registers_.steps > kMostSteps) {
      work_out(machine);
      return registers_.leader;
    }
    return leads ? registers_.leader : registers_.runner;
  }

 private:
  template <class World>
  ARMATURE_HOST_AND_DEVICE static double rise(const World& world, std::uint32_t z, double change) {
    return (change > 0 ? world.column_high(z) : world.column_low(z)) * change;
  }
  /// All sums in the order of the rows, each in the order of the contexts.
  template <class Machine>
  ARMATURE_HOST_AND_DEVICE void work_out(Machine& machine) {
    constexpr double kNone = -1e300;
    const auto& world = machine.world;
    const std::uint32_t rows = world.rows();
    const std::uint32_t contexts = world.contexts();
    double first = kNone, second = kNone, third = kNone;
    std::uint32_t leader = 0, runner = 0;
    for (std::uint32_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (std::uint32_t z = 0; z < contexts; ++z)
        sum += world.marginal(row, z) * real_at(machine.memory, first_ + 2 * z);
      if (sum > first) {
        third = second;
        second = first;
        runner = leader;
        first = sum;
        leader = row;
      } else if (sum > second) {
        third = second;
        second = sum;
        runner = row;
      } else if (sum > third) {
        third = sum;
      }
    }
    for (std::uint32_t z = 0; z < contexts; ++z)
      machine.memory[first_ + 2 * z + 1] = machine.memory[first_ + 2 * z];
    registers_ = {first, second, third, leader, runner, 0};
  }

  Registers& registers_;
  std::uint32_t first_;
  double margin_;
};

}  // namespace armature::cuda
