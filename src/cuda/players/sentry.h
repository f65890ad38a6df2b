// sentry: follows the contexts among actions that reach the bar, explores, and may reject Z.
#pragma once

#include "cuda/argmax.h"
#include "cuda/capped_contenders.h"
#include "cuda/causal_test.h"
#include "cuda/machine.h"
#include "cuda/widths.h"

namespace armature::cuda {

struct SentrySetting {
  Widths actions, contexts;
  double budget = 0;
  double horizon = 0;
  bool spread = false;  // the budget over the horizon, not first
  double tolerance = 0;
  double epsilon = 0;
  bool may_reject = true;
  double margin = 0;

  template <class Visit>
  void tables(const Visit& visit) {
    visit(actions);
    visit(contexts);
  }
  ARMATURE_HOST_AND_DEVICE Way way(std::uint64_t last) const {
    return actions.way(last) == contexts.way(last) ? actions.way(last) : Way::kAsk;
  }
};

template <class Machine, class Argmax>
struct SentryRegisters {
  typename Argmax::Registers uppers;
  CappedContenders::Registers contenders;
  double bar;
  // The last outcome's action; what it means is settled before the next choice.
  double mean;
  double width;
  std::uint32_t arm;
  typename Machine::Count explorations;
  bool rejected;
};

template <class Machine, class Argmax, Way kWay = Way::kAsk>
class SentryPlayer {
 public:
  using ByTable = SentryPlayer<Machine, Argmax, Way::kTable>;
  using Setting = SentrySetting;
  using Numbers = typename Machine::Numbers;
  using OwnSamples = Samples<Numbers, typename Machine::Memory>;
  // Explorations, candidates, whether rejected, in which round and for which action.
  static constexpr std::uint32_t kFacts = 5;

  using Registers = SentryRegisters<Machine, Argmax>;

  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(const Sizes& sizes) {
    return OwnSamples::slots(sizes.actions + sizes.contexts) + Argmax::slots(sizes.actions) +
           CappedContenders::slots(sizes.contexts) + sizes.contexts;
  }

  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t far_slots(const Sizes&) {
    return kFarSlots;
  }

  ARMATURE_HOST_AND_DEVICE SentryPlayer(const Setting& setting, Registers& registers)
      : setting_(setting), registers_(registers) {}

  ARMATURE_HOST_AND_DEVICE void begin(Machine& machine) {
    const std::uint32_t actions = machine.world.actions();
    const std::uint32_t contexts = machine.world.contexts();
    for (std::uint32_t slot = 0; slot < kFarSlots; ++slot) machine.far[slot] = 0;
    for (std::uint32_t i = 0; i < actions + contexts; ++i) samples(machine).put(i, {});
    for (std::uint32_t z = 0; z < contexts; ++z) machine.memory[means(machine) + z] = 0;
    Argmax::fill(registers_.uppers, machine.memory, uppers(machine), actions,
                 setting_.actions.at(1));
    contenders(machine).fill(machine, setting_.contexts.at(1));
    registers_.bar = CappedContenders::kNone;
    registers_.explorations = 0;
    registers_.rejected = false;
  }

  ARMATURE_HOST_AND_DEVICE std::uint32_t choose(Machine& machine, std::uint64_t round) {
    if (round > 1) take_stock(machine, round - 1);
    if (registers_.rejected) return Argmax::best(registers_.uppers);
    if (static_cast<double>(registers_.explorations) < allowance(round) &&
        Argmax::best_value(registers_.uppers) > registers_.bar + setting_.tolerance) {
      ++registers_.explorations;
      return Argmax::best(registers_.uppers);
    }
    const std::uint32_t arm = contenders(machine).best(registers_.bar);
    return arm == CappedContenders::kDoubt ? doubtful(machine) : arm;
  }

  ARMATURE_HOST_AND_DEVICE void observe(Machine& machine, std::uint64_t, std::uint32_t arm,
                                        std::uint32_t context, typename Machine::Reward reward) {
    const std::uint32_t actions = machine.world.actions();
    const auto own = samples(machine).with(arm, reward);
    const auto sample = samples(machine).with(actions + context, reward);
    const double before = Argmax::value(machine.memory, uppers(machine), arm);
    const double width = setting_.actions.template at<kWay>(own.count);
    const double context_width =
        registers_.rejected ? 0 : setting_.contexts.template at<kWay>(sample.count);
    const double mean = mean_of(own);
    const double upper = mean + width;
    samples(machine).put(arm, own);
    Argmax::set(registers_.uppers, machine.memory, uppers(machine), actions, arm, upper);
    registers_.mean = mean;
    registers_.width = width;
    registers_.arm = arm;
    if (registers_.rejected) return;
    contenders(machine).set_upper(machine, arm, before, upper);
    const double context_mean = mean_of(sample);
    samples(machine).put(actions + context, sample);
    put_real(machine.memory, means(machine) + context, context_mean);
    contenders(machine).set(machine, context, context_mean + context_width);
  }

  ARMATURE_HOST_AND_DEVICE std::uint64_t plays(Machine& machine, std::uint32_t arm) const {
    return samples(machine).at(arm).count;
  }
  ARMATURE_HOST_AND_DEVICE double fact(Machine& machine, std::uint32_t i) const {
    if (i == 0) return static_cast<double>(registers_.explorations);
    if (i == 2) return registers_.rejected ? 1 : 0;
    if (i == 3) return static_cast<double>(machine.far[kRejectionRound]);
    if (i == 4) return static_cast<double>(machine.far[kRejectionAction]);
    double candidates = 0;
    for (std::uint32_t a = 0; a < machine.world.actions(); ++a)
      candidates += upper_of(machine, a) >= registers_.bar ? 1 : 0;
    return candidates;
  }

 private:
  static constexpr std::uint32_t kRejectionRound = 0, kRejectionAction = 1, kFarSlots = 2;

  // Samples of actions, then of contexts; U(a); means of contexts; U(z). Far is what a rejection
  // was.
  ARMATURE_HOST_AND_DEVICE static OwnSamples samples(Machine& machine) {
    return {machine.memory, 0};
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t uppers(Machine& machine) {
    return OwnSamples::slots(machine.world.actions() + machine.world.contexts());
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t means(Machine& machine) {
    return uppers(machine) + Argmax::slots(machine.world.actions());
  }
  ARMATURE_HOST_AND_DEVICE CappedContenders contenders(Machine& machine) const {
    return {registers_.contenders, means(machine) + machine.world.contexts(), setting_.margin};
  }
  ARMATURE_HOST_AND_DEVICE static double upper_of(Machine& machine, std::uint32_t arm) {
    return Argmax::value(machine.memory, uppers(machine), arm);
  }

  ARMATURE_HOST_AND_DEVICE double allowance(std::uint64_t round) const {
    return setting_.spread ? setting_.budget * static_cast<double>(round) / setting_.horizon
                           : setting_.budget;
  }

  ARMATURE_HOST_AND_DEVICE void take_stock(Machine& machine, std::uint64_t round) {
    const double lower = registers_.mean - registers_.width;
    registers_.bar = registers_.bar < lower ? lower : registers_.bar;
    if (registers_.rejected || !setting_.may_reject || !contradicts(machine)) return;
    registers_.rejected = true;
    machine.far[kRejectionRound] = round;
    machine.far[kRejectionAction] = registers_.arm;
  }
  ARMATURE_HOST_AND_DEVICE bool contradicts(Machine& machine) const {
    return means_disagree(machine, registers_.arm, registers_.mean, registers_.width,
                          samples(machine), machine.world.actions(), means(machine),
                          setting_.contexts, setting_.epsilon);
  }

  // All rows by their canonical sums; with no candidate an interval has failed.
  ARMATURE_HOST_AND_DEVICE std::uint32_t doubtful(Machine& machine) {
    const std::uint32_t arm = contenders(machine).work_out(
        machine, [&](std::uint32_t row, double sum) { return look(machine, row, sum); },
        [](std::uint32_t a, std::uint32_t b) { return a < b; });
    return arm == CappedContenders::kDoubt ? Argmax::best(registers_.uppers) : arm;
  }
  // With the sum above all U(a) the action with the largest, else the first that reaches both the
  // sum and the bar.
  ARMATURE_HOST_AND_DEVICE CappedContenders::Look look(Machine& machine, std::uint32_t row,
                                                       double sum) const {
    constexpr double kNone = CappedContenders::kNone;
    const std::uint32_t actions = machine.world.actions();
    const std::uint32_t first = machine.world.action_of(row);
    const double needed = sum > registers_.bar ? sum : registers_.bar;
    CappedRow found{sum, kNone, kNone, kNone, row, actions, false};
    std::uint32_t top = first;
    for (std::uint32_t a = first; a < actions; a = machine.world.next_of(a)) {
      const double upper = upper_of(machine, a);
      top = upper > found.cap ? a : top;
      found.cap = upper > found.cap ? upper : found.cap;
      if (found.arm < actions) continue;
      if (upper >= needed) {
        found.arm = a;
        found.upper = upper;
      } else {
        found.block = upper > found.block ? upper : found.block;
      }
    }
    found.alone = machine.world.next_of(first) >= actions;
    if (found.arm == actions) {
      found.arm = top;
      found.upper = found.cap;
    }
    const double value = sum < found.cap ? sum : found.cap;
    return {found, found.cap >= registers_.bar ? value : kNone};
  }

  const Setting& setting_;
  Registers& registers_;
};

template <class Machine>
using SentryPlayer20 = SentryPlayer<Machine, OpenArgmax<5>>;
template <class Machine>
using SentryPlayer1024 = SentryPlayer<Machine, GroupedArgmax>;

}  // namespace armature::cuda
