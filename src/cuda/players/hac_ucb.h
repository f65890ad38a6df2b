// hac-ucb: sweeps, then c-ucb for as long as every action's own index agrees with its causal one,
// then ucb.
#pragma once

#include "cuda/argmax.h"
#include "cuda/contenders.h"
#include "cuda/machine.h"
#include "cuda/widths.h"

namespace armature::cuda {

struct HacUcbSetting {
  Widths widths;
  std::uint64_t sweep_plays = 0;
  double margin = 0;

  template <class Visit>
  void tables(const Visit& visit) {
    visit(widths);
  }
};

/// The test, for all a: u(a) − p(a) ≤ 2w(a) and p(a) − u(a) ≤ q(a), with p(a) = Σ_z ν̃_a(z)·U(z) and
/// q(a) = Σ_z ν̃_a(z)·2w(z). In other words u(a) − 2w(a) ≤ p(a), and p(a) − q(a), the same sum of
/// the contexts' lower ends, ≤ u(a). When it was last run in full there was some room in each;
/// since then no p can have fallen, and no sum of lower ends risen, by more than the columns of ν̃
/// allow. An action that has been played since had its room worked out again, with the sums of
/// then.
class Agreement {
 public:
  struct Registers {
    double room_below;  // the least p(a) − (u(a) − 2w(a))
    double room_above;  // the least u(a) − (p(a) − q(a))
    double fall;
    double rise;
    std::uint32_t steps;
  };

  /// The lower end of z now; both ends when the test was run.
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(std::uint32_t contexts) {
    return 3 * contexts;
  }

  ARMATURE_HOST_AND_DEVICE Agreement(Registers& registers, std::uint32_t first, double margin)
      : registers_(registers), first_(first), margin_(margin) {}

  template <class Machine>
  ARMATURE_HOST_AND_DEVICE void fill(Machine& machine, double lower) const {
    for (std::uint32_t z = 0; z < machine.world.contexts(); ++z)
      put_real(machine.memory, first_ + 3 * z, lower);
    registers_ = {0, 0, 0, 0, kUnknown};
  }
  /// New ends of z; the upper one was `upper_before`.
  template <class Machine>
  ARMATURE_HOST_AND_DEVICE void set(Machine& machine, std::uint32_t z, double upper_before,
                                    double upper, double lower) const {
    const std::uint32_t slot = first_ + 3 * z;
    const double lower_before = real_at(machine.memory, slot);
    put_real(machine.memory, slot, lower);
    if (registers_.steps == kUnknown) return;
    const double lower_then = real_at(machine.memory, slot + 1);
    const double upper_then = real_at(machine.memory, slot + 2);
    const double high = machine.world.column_high(z);
    const double low = machine.world.column_low(z);
    registers_.fall +=
        most(high, low, upper_then - upper) - most(high, low, upper_then - upper_before);
    registers_.rise +=
        most(high, low, lower - lower_then) - most(high, low, lower_before - lower_then);
    ++registers_.steps;
  }
  /// The action has another index and width.
  template <class Machine>
  ARMATURE_HOST_AND_DEVICE void set_action(Machine& machine, std::uint32_t arm, double index,
                                           double twice_width) const {
    if (registers_.steps == kUnknown) return;
    const std::uint32_t row = machine.world.row_of(arm);
    double upper = 0, lower = 0;
    for (std::uint32_t z = 0; z < machine.world.contexts(); ++z) {
      const double share = machine.world.marginal(row, z);
      lower += share * real_at(machine.memory, first_ + 3 * z + 1);
      upper += share * real_at(machine.memory, first_ + 3 * z + 2);
    }
    narrow(upper - (index - twice_width), index - lower);
  }
  /// Has nothing come that could turn it?
  ARMATURE_HOST_AND_DEVICE bool holds() const {
    return registers_.steps <= kMostSteps && registers_.room_below - registers_.fall > margin_ &&
           registers_.room_above - registers_.rise > margin_;
  }
  /// In full: `upper(z)`, `twice_width(z)`, and `judge(row, p, q)` of each row, which tells
  /// `narrow` what room its actions leave and is false if there is none.
  template <class Machine, class Uppers, class Widths, class Judge>
  ARMATURE_HOST_AND_DEVICE bool run(Machine& machine, const Uppers& upper,
                                    const Widths& twice_width, const Judge& judge) const {
    const std::uint32_t contexts = machine.world.contexts();
    registers_ = {1e300, 1e300, 0, 0, 0};
    for (std::uint32_t row = 0; row < machine.world.rows(); ++row) {
      double p = 0, q = 0;
      for (std::uint32_t z = 0; z < contexts; ++z) {
        const double share = machine.world.marginal(row, z);
        p += share * upper(z);
        q += share * twice_width(z);
      }
      if (!judge(row, p, q)) return false;
    }
    for (std::uint32_t z = 0; z < contexts; ++z) {
      const std::uint32_t slot = first_ + 3 * z;
      machine.memory[slot + 1] = machine.memory[slot];
      put_real(machine.memory, slot + 2, upper(z));
    }
    return true;
  }
  ARMATURE_HOST_AND_DEVICE void narrow(double below, double above) const {
    registers_.room_below = below < registers_.room_below ? below : registers_.room_below;
    registers_.room_above = above < registers_.room_above ? above : registers_.room_above;
  }

 private:
  // As in contenders.h.
  static constexpr std::uint32_t kMostSteps = 4096;
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  // The most that a change of a context is worth to any row.
  ARMATURE_HOST_AND_DEVICE static double most(double high, double low, double change) {
    return (change > 0 ? high : low) * change;
  }

  Registers& registers_;
  std::uint32_t first_;
  double margin_;
};

template <class Machine, class Argmax>
class HacUcbPlayer {
 public:
  using Setting = HacUcbSetting;
  using Numbers = typename Machine::Numbers;
  using OwnSamples = Samples<Numbers, typename Machine::Memory>;
  static constexpr std::uint32_t kFacts = 2;  // whether it has switched, and in which round

  struct Registers {
    typename Argmax::Registers indices;
    Contenders::Registers contenders;
    Agreement::Registers agreement;
    std::uint64_t switch_round;  // 0: not yet
    std::uint32_t next;          // of the sweeps
  };

  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(const Sizes& sizes) {
    return OwnSamples::slots(sizes.actions + sizes.contexts) + Argmax::slots(sizes.actions) +
           Contenders::slots(sizes.contexts) + Agreement::slots(sizes.contexts);
  }

  ARMATURE_HOST_AND_DEVICE HacUcbPlayer(const Setting& setting, Registers& registers)
      : setting_(setting), registers_(registers) {}

  ARMATURE_HOST_AND_DEVICE void begin(Machine& machine) {
    const std::uint32_t actions = machine.world.actions();
    const double width = setting_.widths.at(1);
    for (std::uint32_t i = 0; i < actions + machine.world.contexts(); ++i)
      samples(machine).put(i, {});
    Argmax::fill(registers_.indices, machine.memory, indices(machine), actions, width);
    contenders(machine).fill(machine, width);
    agreement(machine).fill(machine, width - 2 * width);
    registers_.switch_round = 0;
    registers_.next = 0;
  }

  ARMATURE_HOST_AND_DEVICE std::uint32_t choose(Machine& machine, std::uint64_t round) {
    if (round <= setting_.sweep_plays) {
      const std::uint32_t arm = registers_.next;
      registers_.next = arm + 1 == machine.world.actions() ? 0 : arm + 1;
      return arm;
    }
    if (registers_.switch_round == 0 && !agreement(machine).holds() && !agrees(machine))
      registers_.switch_round = round;
    if (registers_.switch_round > 0) return Argmax::best(registers_.indices);
    return machine.world.action_of(contenders(machine).best(machine));
  }

  ARMATURE_HOST_AND_DEVICE void observe(Machine& machine, std::uint64_t, std::uint32_t arm,
                                        std::uint32_t context, typename Machine::Reward reward) {
    const std::uint32_t actions = machine.world.actions();
    const auto own = samples(machine).add(arm, reward);
    const double own_width = setting_.widths.at(own.count);
    const double index = mean_of(own) + own_width;
    Argmax::set(registers_.indices, machine.memory, indices(machine), actions, arm, index);
    if (registers_.switch_round > 0) return;
    const auto sample = samples(machine).add(actions + context, reward);
    const double width = setting_.widths.at(sample.count);
    const double upper = mean_of(sample) + width;
    const double before = contenders(machine).value(machine, context);
    contenders(machine).set(machine, context, upper);
    agreement(machine).set(machine, context, before, upper, upper - 2 * width);
    agreement(machine).set_action(machine, arm, index, 2 * own_width);
  }

  ARMATURE_HOST_AND_DEVICE std::uint64_t plays(Machine& machine, std::uint32_t arm) const {
    return samples(machine).at(arm).count;
  }
  ARMATURE_HOST_AND_DEVICE double fact(Machine&, std::uint32_t i) const {
    if (i == 0) return registers_.switch_round > 0 ? 1 : 0;
    return static_cast<double>(registers_.switch_round);
  }

 private:
  // Samples of actions, then of contexts; u(a); U(z); lower ends.
  ARMATURE_HOST_AND_DEVICE static OwnSamples samples(Machine& machine) {
    return {machine.memory, 0};
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t indices(Machine& machine) {
    return OwnSamples::slots(machine.world.actions() + machine.world.contexts());
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t after_indices(Machine& machine) {
    return indices(machine) + Argmax::slots(machine.world.actions());
  }
  ARMATURE_HOST_AND_DEVICE Contenders contenders(Machine& machine) const {
    return {registers_.contenders, after_indices(machine), setting_.margin};
  }
  ARMATURE_HOST_AND_DEVICE Agreement agreement(Machine& machine) const {
    return {registers_.agreement,
            after_indices(machine) + Contenders::slots(machine.world.contexts()), setting_.margin};
  }
  ARMATURE_HOST_AND_DEVICE double twice_width(Machine& machine, std::uint32_t sample) const {
    const auto count = samples(machine).at(sample).count;
    return 2 * setting_.widths.at(count > 0 ? count : 1);
  }

  // HacUcb::benign_so_far
  ARMATURE_HOST_AND_DEVICE bool agrees(Machine& machine) const {
    const std::uint32_t actions = machine.world.actions();
    const Agreement all = agreement(machine);
    return all.run(
        machine, [&](std::uint32_t z) { return contenders(machine).value(machine, z); },
        [&](std::uint32_t z) { return twice_width(machine, actions + z); },
        [&](std::uint32_t row, double p, double q) {
          for (std::uint32_t a = machine.world.action_of(row); a < actions;
               a = machine.world.next_of(a)) {
            const double index = Argmax::value(machine.memory, indices(machine), a);
            const double own = twice_width(machine, a);
            if (index - p > own || p - index > q) return false;
            all.narrow(p - (index - own), index - (p - q));
          }
          return true;
        });
  }

  const Setting& setting_;
  Registers& registers_;
};

template <class Machine>
using HacUcbPlayer20 = HacUcbPlayer<Machine, OpenArgmax<5>>;
template <class Machine>
using HacUcbPlayer1024 = HacUcbPlayer<Machine, GroupedArgmax>;

}  // namespace armature::cuda
