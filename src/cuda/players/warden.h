// warden: follows the contexts among actions that reach the bar, watches every action until it has
// lost enough, and may reject Z.
#pragma once

#include "cuda/argmax.h"
#include "cuda/capped_contenders.h"
#include "cuda/causal_test.h"
#include "cuda/machine.h"
#include "cuda/strata.h"
#include "cuda/widths.h"

namespace armature::cuda {

struct WardenSetting {
  Widths watch;            // min(W(n; T/|A|), r/n), of I
  Widths direct;           // W(n; T/|A|), of J
  Widths contexts;         // W(n; T/|Z|), of U(z)
  Widths actions;          // w, of the bar and the causal test
  Widths tested_contexts;  // w of contexts
  double patience = 0;
  double epsilon = 0;
  bool causal_test = true;
  bool stratified_test = true;
  StrataSetting strata;
  double margin = 0;

  template <class Visit>
  void tables(const Visit& visit) {
    visit(watch);
    visit(direct);
    visit(contexts);
    visit(actions);
    visit(tested_contexts);
    strata.log = watch.log;
  }
  ARMATURE_HOST_AND_DEVICE Way way(std::uint64_t last) const {
    const bool tables = watch.way(last) == Way::kTable && direct.way(last) == Way::kTable &&
                        contexts.way(last) == Way::kTable && actions.way(last) == Way::kTable;
    return tables ? Way::kTable : Way::kAsk;
  }
};

template <class Machine, class Argmax>
struct WardenRegisters {
  typename Argmax::Registers indices;  // I, after a rejection J
  CappedContenders::Registers contenders;
  double bar;
  // The last outcome's action; what it means is settled before the next choice.
  double mean;
  double width;
  std::uint32_t arm;
  typename Machine::Count plays;
  typename Machine::Sample holds;  // how long its last stratified test holds
  typename Machine::Count watches;
  bool rejected;
};

template <class Machine, class Argmax, Way kWay = Way::kAsk>
class WardenPlayer {
 public:
  using ByTable = WardenPlayer<Machine, Argmax, Way::kTable>;
  using Setting = WardenSetting;
  using Numbers = typename Machine::Numbers;
  using OwnSamples = Samples<Numbers, typename Machine::Memory>;
  using OwnStrata = Strata<Machine>;
  // Watches, whether rejected, in which round and for which action, candidates.
  static constexpr std::uint32_t kFacts = 5;

  using Registers = WardenRegisters<Machine, Argmax>;

  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(const Sizes& sizes) {
    return OwnSamples::slots(sizes.actions + sizes.contexts) + Argmax::slots(sizes.actions) +
           sizes.contexts + CappedContenders::slots(sizes.contexts);
  }
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t far_slots(const Sizes& sizes) {
    return kFarUppers + sizes.actions + OwnStrata::slots(sizes);
  }

  ARMATURE_HOST_AND_DEVICE WardenPlayer(const Setting& setting, Registers& registers)
      : setting_(setting), registers_(registers) {}

  ARMATURE_HOST_AND_DEVICE void begin(Machine& machine) {
    const std::uint32_t actions = machine.world.actions();
    const std::uint32_t contexts = machine.world.contexts();
    for (std::uint32_t slot = 0; slot < kFarUppers; ++slot) machine.far[slot] = 0;
    for (std::uint32_t i = 0; i < actions + contexts; ++i) samples(machine).put(i, {});
    for (std::uint32_t a = 0; a < actions; ++a)
      put_real(machine.far, kFarUppers + a, setting_.actions.at(1));
    for (std::uint32_t z = 0; z < contexts; ++z) machine.memory[means(machine) + z] = 0;
    Argmax::fill(registers_.indices, machine.memory, indices(machine), actions, 1);
    contenders(machine).fill(machine, 1);
    strata(machine).fill();
    registers_.bar = CappedContenders::kNone;
    registers_.watches = 0;
    registers_.rejected = false;
  }

  ARMATURE_HOST_AND_DEVICE std::uint32_t choose(Machine& machine, std::uint64_t round) {
    if (round > 1 && !registers_.rejected) take_stock(machine, round - 1);
    const std::uint32_t watched = Argmax::best(registers_.indices);
    if (registers_.rejected) return watched;
    // Of a row's actions the one with the largest I is preferred; of all, it is surely so.
    if (contenders(machine).asks())
      contenders(machine).offer(watched, machine.world.row_of(watched), upper_of(machine, watched));
    std::uint32_t followed = contenders(machine).best(registers_.bar);
    if (followed == CappedContenders::kDoubt) followed = doubtful(machine);
    if (Argmax::best_value(registers_.indices) > index_of(machine, followed) &&
        samples(machine).at(watched).count < samples(machine).at(followed).count &&
        static_cast<double>(registers_.watches) < setting_.patience) {
      ++registers_.watches;
      return watched;
    }
    return followed;
  }

  ARMATURE_HOST_AND_DEVICE void observe(Machine& machine, std::uint64_t, std::uint32_t arm,
                                        std::uint32_t context, typename Machine::Reward reward) {
    const std::uint32_t actions = machine.world.actions();
    const auto own = samples(machine).with(arm, reward);
    if (registers_.rejected) {
      samples(machine).put(arm, own);
      Argmax::set(registers_.indices, machine.memory, indices(machine), actions, arm,
                  mean_of(own) + setting_.direct.template at<kWay>(own.count));
      return;
    }
    // All that is far is asked for before anything waits for it.
    const double before = upper_of(machine, arm);
    typename Machine::Sample cell{};
    if (setting_.stratified_test) {
      cell = strata(machine).at(arm, context);
      registers_.holds = strata(machine).holds(arm);
    }
    const auto sample = samples(machine).with(actions + context, reward);
    const double index_width = setting_.watch.template at<kWay>(own.count);
    const double width = setting_.actions.template at<kWay>(own.count);
    const double context_width = setting_.contexts.template at<kWay>(sample.count);
    const double mean = mean_of(own);
    samples(machine).put(arm, own);
    Argmax::set(registers_.indices, machine.memory, indices(machine), actions, arm,
                mean + index_width);
    put_real(machine.far, kFarUppers + arm, mean + width);
    contenders(machine).set_upper(machine, arm, before, mean + width);
    registers_.mean = mean;
    registers_.width = width;
    registers_.arm = arm;
    registers_.plays = own.count;
    const double context_mean = mean_of(sample);
    samples(machine).put(actions + context, sample);
    put_real(machine.memory, means(machine) + context, context_mean);
    contenders(machine).set(machine, context, context_mean + context_width);
    if (setting_.stratified_test) strata(machine).add(arm, context, cell, sample.count, reward);
  }

  ARMATURE_HOST_AND_DEVICE std::uint64_t plays(Machine& machine, std::uint32_t arm) const {
    return samples(machine).at(arm).count;
  }
  ARMATURE_HOST_AND_DEVICE double fact(Machine& machine, std::uint32_t i) const {
    if (i == 0) return static_cast<double>(registers_.watches);
    if (i == 1) return registers_.rejected ? 1 : 0;
    if (i == 2) return static_cast<double>(machine.far[kRejectionRound]);
    if (i == 3) return static_cast<double>(machine.far[kRejectionAction]);
    double candidates = 0;
    for (std::uint32_t a = 0; a < machine.world.actions(); ++a)
      candidates += upper_of(machine, a) >= registers_.bar ? 1 : 0;
    return candidates;
  }

 private:
  static constexpr std::uint32_t kRejectionRound = 0, kRejectionAction = 1, kFarUppers = 2;

  // Samples of actions, then of contexts; I(a); means of contexts; U(z). Far are what a rejection
  // was, μ̂(a) + w(a), and strata: the less is near, the more replications are played at a time.
  ARMATURE_HOST_AND_DEVICE static OwnSamples samples(Machine& machine) {
    return {machine.memory, 0};
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t indices(Machine& machine) {
    return OwnSamples::slots(machine.world.actions() + machine.world.contexts());
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t means(Machine& machine) {
    return indices(machine) + Argmax::slots(machine.world.actions());
  }
  ARMATURE_HOST_AND_DEVICE CappedContenders contenders(Machine& machine) const {
    return {registers_.contenders, means(machine) + machine.world.contexts(), setting_.margin};
  }
  ARMATURE_HOST_AND_DEVICE OwnStrata strata(Machine& machine) const {
    return {setting_.strata, machine, kFarUppers + machine.world.actions()};
  }
  ARMATURE_HOST_AND_DEVICE static double upper_of(Machine& machine, std::uint32_t arm) {
    return real_at(machine.far, kFarUppers + arm);
  }
  ARMATURE_HOST_AND_DEVICE static double index_of(Machine& machine, std::uint32_t arm) {
    return Argmax::value(machine.memory, indices(machine), arm);
  }
  // J
  ARMATURE_HOST_AND_DEVICE double direct_index(Machine& machine, std::uint32_t arm) const {
    const auto own = samples(machine).at(arm);
    const double width = setting_.direct.at(own.count > 0 ? own.count : 1);
    if (own.count == 0) return width < 1 ? 1 : width;
    return mean_of(own) + width;
  }

  ARMATURE_HOST_AND_DEVICE void take_stock(Machine& machine, std::uint64_t round) {
    const double lower = registers_.mean - registers_.width;
    registers_.bar = registers_.bar < lower ? lower : registers_.bar;
    if (!contradicts(machine, round)) return;
    registers_.rejected = true;
    machine.far[kRejectionRound] = round;
    machine.far[kRejectionAction] = registers_.arm;
    for (std::uint32_t a = 0; a < machine.world.actions(); ++a)
      Argmax::set(registers_.indices, machine.memory, indices(machine), machine.world.actions(), a,
                  direct_index(machine, a));
  }
  ARMATURE_HOST_AND_DEVICE bool contradicts(Machine& machine, std::uint64_t round) const {
    const std::uint32_t actions = machine.world.actions();
    if (setting_.causal_test &&
        means_disagree(machine, registers_.arm, registers_.mean, registers_.width, samples(machine),
                       actions, means(machine), setting_.tested_contexts, setting_.epsilon))
      return true;
    return setting_.stratified_test &&
           strata(machine).differs(
               registers_.arm, registers_.holds, registers_.plays, round - registers_.plays,
               [&](std::uint32_t z) { return samples(machine).at(actions + z); });
  }

  // All rows by their canonical sums; with no candidate an interval has failed.
  ARMATURE_HOST_AND_DEVICE std::uint32_t doubtful(Machine& machine) {
    const std::uint32_t arm = contenders(machine).work_out(
        machine, [&](std::uint32_t row, double sum) { return look(machine, row, sum); },
        [&](std::uint32_t a, std::uint32_t b) {
          const double of_a = index_of(machine, a), of_b = index_of(machine, b);
          return of_a > of_b || (of_a == of_b && a < b);
        });
    if (arm != CappedContenders::kDoubt) return arm;
    std::uint32_t best = 0;
    double highest = direct_index(machine, 0);
    for (std::uint32_t a = 1; a < machine.world.actions(); ++a) {
      const double index = direct_index(machine, a);
      best = index > highest ? a : best;
      highest = index > highest ? index : highest;
    }
    return best;
  }
  // Of the actions that attain the row's value and reach the bar the one with the largest I.
  ARMATURE_HOST_AND_DEVICE CappedContenders::Look look(Machine& machine, std::uint32_t row,
                                                       double sum) const {
    constexpr double kNone = CappedContenders::kNone;
    const std::uint32_t actions = machine.world.actions();
    const std::uint32_t first = machine.world.action_of(row);
    const bool alone = machine.world.next_of(first) >= actions;
    CappedRow found{sum, upper_of(machine, first), kNone, kNone, row, first, alone};
    if (!alone)
      for (std::uint32_t a = first; a < actions; a = machine.world.next_of(a)) {
        const double upper = upper_of(machine, a);
        found.cap = upper > found.cap ? upper : found.cap;
      }
    const double value = sum < found.cap ? sum : found.cap;
    if (!(found.cap >= registers_.bar)) return {found, kNone};
    const double needed = value < registers_.bar ? registers_.bar : value;
    double highest = -1;
    if (!alone)
      for (std::uint32_t a = first; a < actions; a = machine.world.next_of(a)) {
        const double index = index_of(machine, a);
        if (!(upper_of(machine, a) >= needed) || !(index > highest)) continue;
        found.arm = a;
        highest = index;
      }
    found.upper = upper_of(machine, found.arm);
    return {found, value};
  }

  const Setting& setting_;
  Registers& registers_;
};

template <class Machine>
using WardenPlayer20 = WardenPlayer<Machine, OpenArgmax<5>>;
template <class Machine>
using WardenPlayer1024 = WardenPlayer<Machine, GroupedArgmax>;

}  // namespace armature::cuda
