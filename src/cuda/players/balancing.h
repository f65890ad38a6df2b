// db with c-ucb and ucb as its learners: each with statistics of its own, and the test between
// them.
#pragma once

#include "cuda/argmax.h"
#include "cuda/contenders.h"
#include "cuda/machine.h"
#include "cuda/widths.h"

namespace armature::cuda {

struct BalancingSetting {
  /// Of one learner (DynamicBalancing::Terms).
  struct Learner {
    double log_term = 0;  // of its widths, which are fixed
    double scale = 1;
    Widths bias;  // by the round: η = mean − bias
    double coefficient = 0;
    double pull = 0;
    bool quick_roots = false;  // of its widths (Widths)
  };
  Learner causal, direct;
  Widths spread;  // γ, of either
  double sign = -1;
  double margin = 0;

  template <class Visit>
  void tables(const Visit& visit) {
    visit(causal.log_term, causal.quick_roots);
    visit(direct.log_term, direct.quick_roots);
    visit(causal.bias);
    visit(direct.bias);
    visit(spread);
  }
};

template <class Machine, class Argmax>
class BalancingPlayer {
 public:
  using Setting = BalancingSetting;
  using Numbers = typename Machine::Numbers;
  using Count = typename Machine::Count;
  using OwnSamples = Samples<Numbers, typename Machine::Memory>;
  using OwnCounts = Counts<Numbers, typename Machine::Memory>;
  // Of c-ucb, then of ucb: rounds played, rounds inactive, deactivations, the round before the
  // first.
  static constexpr std::uint32_t kFacts = 8;

  struct Learner {
    Count played;
    Count inactive;
    typename Machine::Reward sum;
    double mean;
    double spread;
    double allowance;
    double level;
    bool active;
  };
  struct Registers {
    Contenders::Registers contenders;
    typename Argmax::Registers indices;
    Learner causal, direct;
    bool causal_plays;
  };

  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(const Sizes& sizes) {
    return kSlots + OwnSamples::slots(sizes.actions + sizes.contexts) +
           Argmax::slots(sizes.actions) + OwnCounts::slots(sizes.actions) +
           Contenders::slots(sizes.contexts);
  }

  ARMATURE_HOST_AND_DEVICE BalancingPlayer(const Setting& setting, Registers& registers)
      : setting_(setting), registers_(registers) {}

  ARMATURE_HOST_AND_DEVICE void begin(Machine& machine) {
    const std::uint32_t actions = machine.world.actions();
    const std::uint32_t contexts = machine.world.contexts();
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) machine.memory[slot] = 0;
    for (std::uint32_t i = 0; i < actions + contexts; ++i) samples(machine).put(i, {});
    causal_plays(machine).clear(actions);
    Argmax::fill(registers_.indices, machine.memory, indices(machine), actions,
                 width(setting_.direct, 1));
    contenders(machine).fill(machine, width(setting_.causal, 1));
    registers_.causal = {0, 0, 0, 0, 0, 0, 0, true};
    registers_.direct = registers_.causal;
  }

  ARMATURE_HOST_AND_DEVICE std::uint32_t choose(Machine& machine, std::uint64_t round) {
    Learner& causal = registers_.causal;
    Learner& direct = registers_.direct;
    if (round > 1) test(machine, round - 1);
    causal.inactive += causal.active ? 0 : 1;
    direct.inactive += direct.active ? 0 : 1;
    registers_.causal_plays = causal.active && !(direct.active && direct.level < causal.level);
    return registers_.causal_plays ? machine.world.action_of(contenders(machine).best(machine))
                                   : Argmax::best(registers_.indices);
  }

  ARMATURE_HOST_AND_DEVICE void observe(Machine& machine, std::uint64_t, std::uint32_t arm,
                                        std::uint32_t context, typename Machine::Reward reward) {
    const bool causal = registers_.causal_plays;
    const std::uint32_t actions = machine.world.actions();
    // What both learners do is done in one place, by values: lanes are with either of them.
    const std::uint32_t place = causal ? actions + context : arm;
    const auto sample = samples(machine).with(place, reward);
    const double log_term = causal ? setting_.causal.log_term : setting_.direct.log_term;
    const double scale = causal ? setting_.causal.scale : setting_.direct.scale;
    const double index = fixed_upper_of(sample, scale, log_term,
                                        setting_.causal.quick_roots && setting_.direct.quick_roots);
    Learner learner = causal ? registers_.causal : registers_.direct;
    learn(learner, causal ? setting_.causal.coefficient : setting_.direct.coefficient,
          causal ? setting_.causal.pull : setting_.direct.pull, reward);
    samples(machine).put(place, sample);
    if (causal) {
      registers_.causal = learner;
      causal_plays(machine).add(arm);
      contenders(machine).set(machine, context, index);
    } else {
      registers_.direct = learner;
      Argmax::replace_best(registers_.indices, machine.memory, indices(machine), actions, arm,
                           index);
    }
  }

  ARMATURE_HOST_AND_DEVICE std::uint64_t plays(Machine& machine, std::uint32_t arm) const {
    return samples(machine).at(arm).count + causal_plays(machine).at(arm);
  }
  ARMATURE_HOST_AND_DEVICE double fact(Machine& machine, std::uint32_t i) const {
    const bool causal = i < 4;
    const Learner learner = causal ? registers_.causal : registers_.direct;
    const std::uint32_t what = i & 3;
    if (what == 0) return static_cast<double>(learner.played);
    if (what == 1) return static_cast<double>(learner.inactive);
    return static_cast<double>(machine.memory[(causal ? kCausal : kDirect) + what - 2]);
  }

 private:
  // Slots of what is rare: deactivations, and the round before the first.
  static constexpr std::uint32_t kCausal = 0, kDirect = 2, kSlots = 4;

  ARMATURE_HOST_AND_DEVICE static OwnSamples samples(Machine& machine) {
    return {machine.memory, kSlots};
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t indices(Machine& machine) {
    return kSlots + OwnSamples::slots(machine.world.actions() + machine.world.contexts());
  }
  ARMATURE_HOST_AND_DEVICE static std::uint32_t after_indices(Machine& machine) {
    return indices(machine) + Argmax::slots(machine.world.actions());
  }
  ARMATURE_HOST_AND_DEVICE static OwnCounts causal_plays(Machine& machine) {
    return {machine.memory, after_indices(machine)};
  }
  ARMATURE_HOST_AND_DEVICE Contenders contenders(Machine& machine) {
    return {registers_.contenders,
            after_indices(machine) + OwnCounts::slots(machine.world.actions()), setting_.margin};
  }

  ARMATURE_HOST_AND_DEVICE static double width(const Setting::Learner& learner, double n) {
    return Widths::fixed(learner.scale, learner.log_term, n);
  }

  // DynamicBalancing::update_terms, and its level.
  ARMATURE_HOST_AND_DEVICE void learn(Learner& learner, double coefficient, double pull,
                                      typename Machine::Reward reward) {
    ++learner.played;
    learner.sum += reward;
    const auto n = static_cast<double>(learner.played);
    const double root = std::sqrt(n);
    learner.mean = mean_of(typename Machine::Sample{learner.played, learner.sum});
    learner.spread = setting_.spread.at(learner.played);
    learner.allowance = coefficient / root;
    learner.level = pull * root;
  }

  // DynamicBalancing::judge, after `outcomes`; a learner always reaches its own claim.
  ARMATURE_HOST_AND_DEVICE void test(Machine& machine, std::uint64_t outcomes) {
    Learner& causal = registers_.causal;
    Learner& direct = registers_.direct;
    const double of_causal = causal.mean - setting_.causal.bias.at(outcomes);
    const double of_direct = direct.mean - setting_.direct.bias.at(outcomes);
    bool causal_stays = true, direct_stays = true;
    if (causal.played > 0 && direct.played > 0) {
      causal_stays =
          of_causal + causal.spread + causal.allowance >= of_direct + setting_.sign * direct.spread;
      direct_stays =
          of_direct + direct.spread + direct.allowance >= of_causal + setting_.sign * causal.spread;
    }
    if (causal.active && !causal_stays) note(machine, kCausal, outcomes);
    if (direct.active && !direct_stays) note(machine, kDirect, outcomes);
    const bool none = !causal_stays && !direct_stays;
    causal.active = causal_stays || none;
    direct.active = direct_stays || none;
  }
  ARMATURE_HOST_AND_DEVICE static void note(Machine& machine, std::uint32_t slot,
                                            std::uint64_t round) {
    if (machine.memory[slot]++ == 0) machine.memory[slot + 1] = round;
  }

  const Setting& setting_;
  Registers& registers_;
};

template <class Machine>
using BalancingPlayer20 = BalancingPlayer<Machine, PackedArgmax<5>>;
template <class Machine>
using BalancingPlayer1024 = BalancingPlayer<Machine, GroupedArgmax>;

}  // namespace armature::cuda
