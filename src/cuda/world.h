// A world as a device sees it: plain tables, one for all replications or one for each.
#pragma once

#include <cstdint>

#include "base/host_and_device.h"
#include "cuda/draws.h"
#include "cuda/memory.h"

namespace armature::cuda {

/// The law of a reward that need not be 0 or 1 (RewardLaw).
struct Law {
  enum Kind : std::uint32_t { kBernoulli, kPoint, kTable };
  Kind kind;
  std::uint32_t first;  // of its outcomes among the laws' tables
  std::uint32_t outcomes;
  std::uint64_t threshold;  // Bernoulli
  double value;             // point
};

/// Where the tables are. Those of one world: `apart` is 1. Of many: entry i of replication r is
/// at i·apart + r.
struct WorldTables {
  std::uint32_t actions = 0;
  std::uint32_t contexts = 0;
  std::uint32_t most_rows = 0;  // distinct rows of ν̃, at most
  std::size_t apart = 1;
  const std::uint64_t* cumulative = nullptr;  // per action and context (OutcomeTables)
  const std::uint64_t* success = nullptr;     // per action and context; null: not all Bernoulli
  const std::uint32_t* cumulative_upper = nullptr;  // the upper halves of twice these
  const std::uint32_t* success_upper = nullptr;
  const double* gaps = nullptr;         // per action
  const double* marginals = nullptr;    // ν̃, per distinct row and context
  const double* column_high = nullptr;  // per context: the largest and smallest entry of ν̃
  const double* column_low = nullptr;
  const std::uint32_t* row_of = nullptr;     // per action
  const std::uint32_t* action_of = nullptr;  // per row: its lowest action
  const std::uint32_t* next_of =
      nullptr;  // per action: the next of its row; none: how many there are
  const std::uint32_t* numbers = nullptr;  // how many rows there are; the best action
  // One world only: laws that are not all Bernoulli.
  const std::uint32_t* law_of = nullptr;  // per action and context
  const Law* laws = nullptr;
  const std::uint64_t* law_cumulative = nullptr;
  const double* law_values = nullptr;
};

/// One replication's world. kApart: 1 where all replications share it, 0 where it is known only at
/// run time; so is the number of contexts, unless kContexts says it.
template <std::uint32_t kApart, std::uint32_t kContexts = 0>
class WorldView {
 public:
  static constexpr std::uint32_t kFixedContexts = kContexts;

  ARMATURE_HOST_AND_DEVICE WorldView(const WorldTables& tables, std::uint32_t replication)
      : tables_(tables), offset_(kApart == 1 ? 0 : replication) {}

  ARMATURE_HOST_AND_DEVICE std::uint32_t actions() const { return tables_.actions; }
  ARMATURE_HOST_AND_DEVICE std::uint32_t contexts() const {
    return kContexts > 0 ? kContexts : tables_.contexts;
  }
  ARMATURE_HOST_AND_DEVICE std::uint32_t rows() const { return at(tables_.numbers, 0); }
  ARMATURE_HOST_AND_DEVICE std::uint32_t best_action() const { return at(tables_.numbers, 1); }
  ARMATURE_HOST_AND_DEVICE double gap(std::uint32_t arm) const { return at(tables_.gaps, arm); }
  ARMATURE_HOST_AND_DEVICE std::uint32_t row_of(std::uint32_t arm) const {
    return at(tables_.row_of, arm);
  }
  ARMATURE_HOST_AND_DEVICE std::uint32_t action_of(std::uint32_t row) const {
    return at(tables_.action_of, row);
  }
  /// The next action of the same row; actions() if there is none.
  ARMATURE_HOST_AND_DEVICE std::uint32_t next_of(std::uint32_t arm) const {
    return at(tables_.next_of, arm);
  }
  /// ν̃ of a distinct row.
  ARMATURE_HOST_AND_DEVICE double marginal(std::uint32_t row, std::uint32_t z) const {
    return at(tables_.marginals, row * contexts() + z);
  }
  ARMATURE_HOST_AND_DEVICE double column_high(std::uint32_t z) const {
    return at(tables_.column_high, z);
  }
  ARMATURE_HOST_AND_DEVICE double column_low(std::uint32_t z) const {
    return at(tables_.column_low, z);
  }

  template <class Reward>
  struct Outcome {
    std::uint32_t context;
    Reward reward;
  };
  /// Environment::play with the draws of this round, of which the upper halves are at hand.
  template <class Numbers>
  ARMATURE_HOST_AND_DEVICE Outcome<typename Numbers::Reward> play(std::uint32_t arm,
                                                                  RoundLuck::Upper draw,
                                                                  const RoundLuck& luck,
                                                                  std::uint32_t round) const {
    using Reward = typename Numbers::Reward;
    // Small numbers are for Bernoulli rewards alone.
    if (Numbers::kBernoulli || tables_.success != nullptr) {
      const Found found = context_by_upper(arm, draw.context);
      const std::uint32_t bar = at(tables_.success_upper, arm * contexts() + found.context);
      if (found.decided && draw.reward != bar)
        return {found.context, Reward(draw.reward < bar ? 1 : 0)};
    }
    const RoundDraws whole = luck.whole(round);
    const std::uint32_t context = context_of(arm, whole.context);
    return {context, reward_of<Numbers>(arm * contexts() + context, whole.reward)};
  }

 private:
  static constexpr std::uint32_t kShort = 16;
  struct Found {
    std::uint32_t context;
    bool decided;
  };
  // By the upper halves: undecided where one is equal to a threshold's.
  ARMATURE_HOST_AND_DEVICE Found context_by_upper(std::uint32_t arm, std::uint32_t draw) const {
    const std::uint32_t first = arm * contexts();
    if (contexts() > kShort) return searched_by_upper(first, draw);
    Found found{0, true};
    for (std::uint32_t k = 0; k + 1 < contexts(); ++k) {
      const std::uint32_t bar = at(tables_.cumulative_upper, first + k);
      found.context += draw >= bar ? 1 : 0;
      found.decided = found.decided && draw != bar;
    }
    return found;
  }
  ARMATURE_HOST_AND_DEVICE Found searched_by_upper(std::uint32_t first, std::uint32_t draw) const {
    Found found{0, true};
    std::uint32_t size = contexts();
    while (size > 1) {
      const std::uint32_t half = size / 2;
      const std::uint32_t bar = at(tables_.cumulative_upper, first + found.context + half - 1);
      found.context += draw >= bar ? half : 0;
      found.decided = found.decided && draw != bar;
      size -= half;
    }
    return found;
  }
  ARMATURE_HOST_AND_DEVICE std::uint32_t context_of(std::uint32_t arm, std::uint64_t draw) const {
    const std::uint32_t first = arm * contexts();
    std::uint32_t reached = 0;
    for (std::uint32_t k = 0; k + 1 < contexts(); ++k)
      reached += draw >= at(tables_.cumulative, first + k) ? 1 : 0;
    return reached;
  }
  template <class Numbers>
  ARMATURE_HOST_AND_DEVICE typename Numbers::Reward reward_of(std::uint32_t cell,
                                                              std::uint64_t draw) const {
    using Reward = typename Numbers::Reward;
    if constexpr (Numbers::kBernoulli) return Reward(draw < at(tables_.success, cell) ? 1 : 0);
    if (tables_.success != nullptr) return Reward(draw < at(tables_.success, cell) ? 1 : 0);
    const Law& law = tables_.laws[tables_.law_of[cell]];
    if (law.kind == Law::kBernoulli) return Reward(draw < law.threshold ? 1 : 0);
    if (law.kind == Law::kPoint) return Reward(law.value);
    std::uint32_t reached = 0;
    for (std::uint32_t k = 0; k + 1 < law.outcomes; ++k)
      reached += draw >= tables_.law_cumulative[law.first + k] ? 1 : 0;
    return Reward(tables_.law_values[law.first + reached]);
  }

  template <class T>
  ARMATURE_HOST_AND_DEVICE T at(const T* table, std::uint32_t i) const {
    if constexpr (kApart == 1)
      return table[i];
    else
      return table[i * tables_.apart + offset_];
  }

  const WorldTables& tables_;
  std::size_t offset_;
};

}  // namespace armature::cuda
