// Warden's second test (policies' Strata, which says what k, o, D and Q are): is an action's reward
// in a context what the others' is there? Only the first action that a context saw has plays in it
// that are not included, those before any other came; so a cell's sample is all that is kept of
// what is included, but for rewards that must be added up one by one.
#pragma once

#include "cuda/machine.h"
#include "cuda/widths.h"

namespace armature::cuda {

struct StrataSetting {
  double split_log = 0;             // ½log(4|A|/δ)
  double joint_log = 0;             // ½log(2|A|/δ)
  std::uint64_t always_agrees = 0;  // with so few plays of an action even k is within its bound
  Logarithm log;
};

template <class Machine>
class Strata {
 public:
  using Numbers = typename Machine::Numbers;
  using Sample = typename Machine::Sample;
  using OwnSamples = Samples<Numbers, typename Machine::Far>;
  static constexpr bool kSumsApart = Numbers::kSlots > 1;

  /// A sample per context of what is not included, and whose it is; how long each action's last
  /// test holds; the cells, which rounds look at one at a time.
  ARMATURE_HOST_AND_DEVICE static constexpr std::uint32_t slots(const Sizes& sizes) {
    const std::uint32_t cells = sizes.actions * sizes.contexts;
    return sizes.contexts + OwnSamples::slots(sizes.contexts + sizes.actions + cells) +
           (kSumsApart ? cells : 0);
  }

  ARMATURE_HOST_AND_DEVICE Strata(const StrataSetting& setting, Machine& machine,
                                  std::uint32_t first)
      : setting_(setting),
        machine_(machine),
        first_(first),
        actions_(machine.world.actions()),
        contexts_(machine.world.contexts()) {}

  ARMATURE_HOST_AND_DEVICE void fill() const {
    const std::uint32_t size = slots({actions_, contexts_, 0});
    for (std::uint32_t slot = 0; slot < size; ++slot) machine_.far[first_ + slot] = 0;
  }
  ARMATURE_HOST_AND_DEVICE Sample at(std::uint32_t arm, std::uint32_t z) const {
    return samples().at(cells() + arm * contexts_ + z);
  }
  /// How long the action's last test holds.
  ARMATURE_HOST_AND_DEVICE Sample holds(std::uint32_t arm) const {
    return samples().at(contexts_ + arm);
  }
  /// One more outcome of the action in z beside this sample; all actions have seen z so often.
  ARMATURE_HOST_AND_DEVICE void add(std::uint32_t arm, std::uint32_t z, Sample sample,
                                    std::uint64_t visits, typename Machine::Reward reward) const {
    const std::uint32_t cell = arm * contexts_ + z;
    ++sample.count;
    sample.sum += reward;
    samples().put(cells() + cell, sample);
    if (sample.count == visits) {
      machine_.far[first_ + z] = arm;
      samples().put(z, sample);
    } else if constexpr (kSumsApart) {
      put_real(machine_.far, included_sum(cell),
               real_at(machine_.far, included_sum(cell)) + reward);
    }
  }
  /// After the action's `plays`-th outcome, with so many of others; `contexts(z)` is z's sample.
  template <class Contexts>
  ARMATURE_HOST_AND_DEVICE bool differs(std::uint32_t arm, Sample holds, std::uint64_t plays,
                                        std::uint64_t others, const Contexts& contexts) const {
    if (plays <= setting_.always_agrees) return false;
    // Neighbours are other replications in the same round: tests that are due soon are run
    // together, before they are due.
    constexpr std::uint64_t kTogether = 16;
    const bool together = (plays + others) % kTogether == 0;
    if (plays + (together ? kTogether : 0) <= holds.count &&
        others + (together ? 1 : 0) <= static_cast<std::uint64_t>(holds.sum))
      return false;
    return differs_in_full(arm, plays, others, contexts);
  }

 private:
  static constexpr double kPrior = 30;

  ARMATURE_HOST_AND_DEVICE OwnSamples samples() const { return {machine_.far, first_ + contexts_}; }
  ARMATURE_HOST_AND_DEVICE std::uint32_t cells() const { return contexts_ + actions_; }
  ARMATURE_HOST_AND_DEVICE std::uint32_t included_sum(std::uint32_t cell) const {
    return first_ + contexts_ + OwnSamples::slots(cells() + actions_ * contexts_) + cell;
  }

  struct Evidence {
    double plays = 0;   // k
    double excess = 0;  // D
    double spread = 0;  // Q
    double ratio = 0;   // the largest k(z)/o(z)
    double fewest = 1e300;
  };
  struct Cell {
    Sample own;
    Sample excluded;
    std::uint64_t excluded_of;
  };
  ARMATURE_HOST_AND_DEVICE Cell cell_at(std::uint32_t arm, std::uint32_t z) const {
    return {at(arm, z), samples().at(z), machine_.far[first_ + z]};
  }
  /// `visit(z, cell)`; few contexts' cells are all asked for before the first is looked at.
  template <class Visit>
  ARMATURE_HOST_AND_DEVICE void each_cell(std::uint32_t arm, const Visit& visit) const {
    constexpr std::uint32_t kFew = Machine::World::kFixedContexts;
    if constexpr (kFew > 0) {
      Cell cells[kFew];
      ARMATURE_UNROLLED
      for (std::uint32_t z = 0; z < kFew; ++z) cells[z] = cell_at(arm, z);
      ARMATURE_UNROLLED
      for (std::uint32_t z = 0; z < kFew; ++z) visit(z, cells[z]);
    } else {
      for (std::uint32_t z = 0; z < contexts_; ++z) visit(z, cell_at(arm, z));
    }
  }
  ARMATURE_HOST_AND_DEVICE static auto denominator(typename Machine::Count n) {
    if constexpr (kSumsApart)
      return AnyDenominator(static_cast<double>(n));
    else
      return WholeDenominator(n);
  }
  template <class Contexts>
  ARMATURE_HOST_AND_DEVICE Evidence evidence(std::uint32_t arm, const Contexts& contexts) const {
    const std::uint32_t row = machine_.world.row_of(arm);
    Evidence found;
    each_cell(arm, [&](std::uint32_t z, const Cell& cell) {
      if (!(machine_.world.marginal(row, z) > 0)) return;
      const Sample own = cell.own;
      const Sample all = contexts(z);
      const auto others = static_cast<double>(all.count - own.count);
      found.fewest = others < found.fewest ? others : found.fewest;
      Sample included = own;
      if (cell.excluded_of == arm) {
        included.count -= cell.excluded.count;
        included.sum -= cell.excluded.sum;
      }
      if constexpr (kSumsApart)
        included.sum = real_at(machine_.far, included_sum(arm * contexts_ + z));
      if (included.count == 0) return;
      const auto under_others = denominator(all.count - own.count);
      const auto count = static_cast<double>(included.count);
      const double ratio = under_others.under(count);
      found.plays += count;
      found.excess += static_cast<double>(included.sum) -
                      count * under_others.under(static_cast<double>(all.sum - own.sum));
      found.spread += ratio * ratio * (kPrior + others);
      found.ratio = found.ratio < ratio ? ratio : found.ratio;
    });
    return found;
  }

  // Strata::differs, with the slack as numbers of plays: with j more of the action and i of others
  // it holds while j + i·(ratio + j/fewest) is below the room there is. Q may shrink as others
  // play; it counts where it is large, and then only for i ≤ fewest/8.
  template <class Contexts>
  ARMATURE_HOST_AND_DEVICE bool differs_in_full(std::uint32_t arm, std::uint64_t plays,
                                                std::uint64_t others,
                                                const Contexts& contexts) const {
    const Evidence found = evidence(arm, contexts);
    const bool spread_counts = found.spread > 0.25 * found.plays;
    const double spread = spread_counts ? found.spread * (8.0 / 9) * (8.0 / 9) : 0.0;
    const double least = 0.99 * (kPrior + found.plays + spread) * setting_.joint_log;
    const double excess = found.excess < 0 ? -found.excess : found.excess;
    if (!(excess * excess < least)) return excess > bound(arm, found, contexts);
    // Here nothing hangs on the last bits: roots and quotients are short ones.
    const double room = 0.98 * (root(least, true) - excess);
    const double fewest = found.fewest < 1 ? 1.0 : found.fewest;
    // As much of it for either as they have taken so far, about.
    const double worth = static_cast<double>(plays) + static_cast<double>(others) * found.ratio;
    const double part = about_quotient(static_cast<double>(plays), worth);
    const double own = room * (part < 0.1 ? 0.1 : part > 0.9 ? 0.9 : part);
    const double most = about_quotient(room - own, found.ratio + about_quotient(own, fewest));
    samples().put(contexts_ + arm,
                  {static_cast<typename Machine::Count>(later(plays, own)),
                   static_cast<typename Machine::Reward>(
                       later(others, spread_counts && most > fewest / 8 ? fewest / 8 : most))});
    return false;
  }
  // So much more, and no more than the smallest numbers hold.
  ARMATURE_HOST_AND_DEVICE static std::uint64_t later(std::uint64_t now, double more) {
    constexpr std::uint64_t kMost = 0xffffffff;
    const std::uint64_t then = now + static_cast<std::uint64_t>(more < 0x1p60 ? more : 0x1p60);
    return kSumsApart || then < kMost ? then : kMost;
  }
  template <class Contexts>
  ARMATURE_HOST_AND_DEVICE double bound(std::uint32_t arm, const Evidence& found,
                                        const Contexts& contexts) const {
    const std::uint32_t row = machine_.world.row_of(arm);
    double other_log = 0;
    for (std::uint32_t z = 0; z < contexts_; ++z) {
      if (!(machine_.world.marginal(row, z) > 0)) continue;
      const auto others = static_cast<double>(contexts(z).count -
                                              samples().at(cells() + arm * contexts_ + z).count);
      other_log += 0.25 * setting_.log(1 + others / kPrior);
    }
    const double own_log = 0.25 * setting_.log(1 + found.plays / kPrior);
    const double split = std::sqrt((kPrior + found.plays) * (setting_.split_log + own_log)) +
                         std::sqrt(found.spread * (setting_.split_log + other_log));
    const double joint = std::sqrt((kPrior + found.plays + found.spread) *
                                   (setting_.joint_log + own_log + other_log));
    return joint < split ? joint : split;
  }

  const StrataSetting& setting_;
  Machine& machine_;
  std::uint32_t first_;
  std::uint32_t actions_;
  std::uint32_t contexts_;
};

}  // namespace armature::cuda
