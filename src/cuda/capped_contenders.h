// The action with the largest min(U(a), Σ_z ν̃_a(z)·U(z)) among those with U(a) at or above a bar,
// when one U(z) and one U(a) change at a time: what sentry and warden follow. As in contenders.h
// two rows are followed, and the others stay below a bound; here a row also has a cap, the largest
// U(a) of its actions, and an action that it stands for. Where anything is in doubt all rows are
// looked at, each by its canonical sum.
#pragma once

#include <cstdint>

#include "cuda/contenders.h"
#include "cuda/machine.h"

namespace armature::cuda {

/// Canonical sums, each in the order of the contexts. Of few contexts U(z) is read once for all
/// rows.
template <class Machine>
class ContextSums {
 public:
  /// U(z) is in the slot first + 2z.
  ARMATURE_HOST_AND_DEVICE ContextSums(Machine& machine, std::uint32_t first)
      : machine_(machine), first_(first) {
    ARMATURE_UNROLLED
    for (std::uint32_t z = 0; z < kKept; ++z) kept_[z] = real_at(machine.memory, first + 2 * z);
  }
  ARMATURE_HOST_AND_DEVICE double of(std::uint32_t row) const {
    double sum = 0;
    if constexpr (kKept > 0) {
      ARMATURE_UNROLLED
      for (std::uint32_t z = 0; z < kKept; ++z) sum += machine_.world.marginal(row, z) * kept_[z];
    } else {
      for (std::uint32_t z = 0; z < machine_.world.contexts(); ++z)
        sum += machine_.world.marginal(row, z) * real_at(machine_.memory, first_ + 2 * z);
    }
    return sum;
  }

 private:
  static constexpr std::uint32_t kKept = Machine::World::kFixedContexts;
  Machine& machine_;
  std::uint32_t first_;
  double kept_[kKept > 0 ? kKept : 1];
};

/// A row, and what makes `arm` the action to play of it.
struct CappedRow {
  double sum;
  double cap;    // what no U(a) of its actions exceeds
  double upper;  // U(arm)
  double block;  // the largest U(a) of the actions that would come first if they were not below
  std::uint32_t row;
  std::uint32_t arm;
  bool alone;  // no other action has this row
};

class CappedContenders {
 public:
  static constexpr double kNone = -1e300;
  static constexpr std::uint32_t kDoubt = ~std::uint32_t{0};

  struct Registers {
    CappedRow leader, runner;
    double others;  // what no other row had; and how much a sum can have risen since
    double rise;
    std::uint32_t steps;
  };
  /// What a player finds at a row: its value, `kNone` if no action of it reaches the bar.
  struct Look {
    CappedRow row;
    double value;
  };

  /// U(z), and U(z) when all sums were worked out.
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(std::uint32_t contexts) {
    return 2 * contexts;
  }

  ARMATURE_HOST_AND_DEVICE CappedContenders(Registers& registers, std::uint32_t first,
                                            double margin)
      : registers_(registers), first_(first), margin_(margin) {}

  /// Nothing is followed before somebody asks.
  template <class Machine>
  ARMATURE_HOST_AND_DEVICE void fill(Machine& machine, double value) {
    for (std::uint32_t z = 0; z < machine.world.contexts(); ++z)
      put_real(machine.memory, first_ + 2 * z, value);
    const CappedRow none{kNone, kNone, kNone, kNone, 0, 0, false};
    registers_ = {none, none, kNone, 0, kUnknown};
  }
  template <class Machine>
  ARMATURE_HOST_AND_DEVICE void set(Machine& machine, std::uint32_t z, double value) {
    const auto& world = machine.world;
    const double before = real_at(machine.memory, first_ + 2 * z);
    put_real(machine.memory, first_ + 2 * z, value);
    if (registers_.steps == kUnknown) return;
    const double then = real_at(machine.memory, first_ + 2 * z + 1);
    const double step = value - before;
    registers_.leader.sum += world.marginal(registers_.leader.row, z) * step;
    registers_.runner.sum += world.marginal(registers_.runner.row, z) * step;
    registers_.rise += rise(world, z, value - then) - rise(world, z, before - then);
    ++registers_.steps;
  }
  /// U(arm) was `before`, and is `upper`.
  template <class Machine>
  ARMATURE_HOST_AND_DEVICE void set_upper(Machine& machine, std::uint32_t arm, double before,
                                          double upper) {
    if (registers_.steps == kUnknown) return;
    const std::uint32_t row = machine.world.row_of(arm);
    if (row == registers_.leader.row)
      touch(registers_.leader, arm, upper);
    else if (row == registers_.runner.row)
      touch(registers_.runner, arm, upper);
    else if (upper > before)
      // By the sums of then, as all that `rise` is added to.
      registers_.others =
          greater(registers_.others, lesser(ContextSums(machine, first_ + 1).of(row), upper));
  }
  /// Does some row followed have several actions? Then its own is the one offered, if any.
  ARMATURE_HOST_AND_DEVICE bool asks() const {
    return registers_.steps != kUnknown && !(registers_.leader.alone && registers_.runner.alone);
  }
  ARMATURE_HOST_AND_DEVICE void offer(std::uint32_t arm, std::uint32_t row, double upper) const {
    offer_to(registers_.leader, arm, row, upper);
    offer_to(registers_.runner, arm, row, upper);
  }
  /// The action to play, or `kDoubt`.
  ARMATURE_HOST_AND_DEVICE std::uint32_t best(double bar) const {
    if (registers_.steps > kMostSteps) return kDoubt;
    const double of_leader = value(registers_.leader, bar);
    const double of_runner = value(registers_.runner, bar);
    const bool leads = of_leader >= of_runner;
    const double ahead = leads ? of_leader : of_runner;
    // What is held down by its cap does not fall with the sums.
    const double others = registers_.others + (registers_.rise > 0 ? registers_.rise : 0.0);
    const bool clear = ahead > greater(leads ? of_runner : of_leader, others) + margin_;
    const bool sure =
        leads ? arm_is_sure(registers_.leader, bar) : arm_is_sure(registers_.runner, bar);
    if (!clear || !sure) return kDoubt;
    return leads ? registers_.leader.arm : registers_.runner.arm;
  }
  /// Whatever is in doubt: `look(row, sum)` at all of them, `precedes(a, b)` among equals. `kDoubt`
  /// if no action reaches the bar.
  template <class Machine, class LookAt, class Precedes>
  ARMATURE_HOST_AND_DEVICE std::uint32_t work_out(Machine& machine, const LookAt& look,
                                                  const Precedes& precedes) {
    const std::uint32_t rows = machine.world.rows();
    const ContextSums sums(machine, first_);
    const CappedRow none{kNone, kNone, kNone, kNone, 0, 0, false};
    Look first{none, kNone}, second{none, kNone};
    double third = kNone;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const Look found = look(row, sums.of(row));
      // Rows that are followed are rows that there are, also where few reach the bar.
      if (row == 0 || found.value > first.value ||
          (found.value == first.value && found.value > kNone &&
           precedes(found.row.arm, first.row.arm))) {
        third = second.value;
        second = first;
        first = found;
      } else if (found.value > second.value || row == 1) {
        third = second.value;
        second = found;
      } else if (found.value > third) {
        third = found.value;
      }
    }
    for (std::uint32_t z = 0; z < machine.world.contexts(); ++z)
      machine.memory[first_ + 2 * z + 1] = machine.memory[first_ + 2 * z];
    const bool any = first.value > kNone;
    registers_ = {first.row, second.row, third, 0, any ? 0 : kUnknown};
    return any ? first.row.arm : kDoubt;
  }

 private:
  // As in contenders.h.
  static constexpr std::uint32_t kMostSteps = Contenders::kMostSteps;
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  ARMATURE_HOST_AND_DEVICE static double greater(double x, double y) { return x > y ? x : y; }
  ARMATURE_HOST_AND_DEVICE static double lesser(double x, double y) { return x < y ? x : y; }
  template <class World>
  ARMATURE_HOST_AND_DEVICE static double rise(const World& world, std::uint32_t z, double change) {
    return (change > 0 ? world.column_high(z) : world.column_low(z)) * change;
  }
  ARMATURE_HOST_AND_DEVICE static void touch(CappedRow& row, std::uint32_t arm, double upper) {
    row.cap = row.alone ? upper : greater(row.cap, upper);
    if (arm == row.arm)
      row.upper = upper;
    else if (arm < row.arm)
      row.block = greater(row.block, upper);
  }
  ARMATURE_HOST_AND_DEVICE static void offer_to(CappedRow& follows, std::uint32_t arm,
                                                std::uint32_t row, double upper) {
    if (follows.alone) return;
    follows.arm = arm;
    follows.upper = row == follows.row ? upper : kNone;
    follows.block = kNone;
  }
  /// Its value, but for rounding; where its action is not sure, no less.
  ARMATURE_HOST_AND_DEVICE static double value(const CappedRow& row, double bar) {
    return row.cap < bar ? kNone : lesser(row.sum, row.cap);
  }
  ARMATURE_HOST_AND_DEVICE bool arm_is_sure(const CappedRow& row, double bar) const {
    if (row.alone) return row.upper >= bar;
    return row.upper >= bar && row.upper > row.sum + margin_ &&
           (row.block < bar || row.block < row.sum - margin_);
  }

  Registers& registers_;
  std::uint32_t first_;
  double margin_;
};

}  // namespace armature::cuda
