// A block of replications on its way to a device and back: its worlds as tables, and what the
// players left as replications.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cuda/cell_plan.h"

namespace armature {
class Instance;
struct Replication;
struct ReplicationRange;
}  // namespace armature

namespace armature::cuda {

/// The worlds of a block, one for all or one each, as tables on the host.
class PackedWorlds {
 public:
  /// Throws nothing of its own; `obstacle()` says why a world cannot be played.
  /// Once stopped, it is not to be played. Many worlds are made by as many as `threads`, at
  /// least 1.
  PackedWorlds(const Cell& cell, const ReplicationRange& range, unsigned threads,
               const std::atomic<bool>& stop);

  const std::string& obstacle() const { return obstacle_; }
  bool shared() const { return worlds_ == 1; }
  const WorldTables& tables() const { return tables_; }
  Sizes sizes() const { return {tables_.actions, tables_.contexts, tables_.most_rows}; }
  /// Gap of an action in the world of the i-th replication of the block.
  double gap(std::uint32_t replication, std::uint32_t arm) const {
    return gaps_[shared() ? arm : std::size_t{arm} * worlds_ + replication];
  }

  /// visit(pointer of `tables`, number of entries) of every table there is, to move them elsewhere.
  template <class Visit>
  void each_table(WorldTables& tables, const Visit& visit) const {
    visit(tables.cumulative, cumulative_.size());
    visit(tables.success, success_.size());
    visit(tables.cumulative_upper, cumulative_upper_.size());
    visit(tables.success_upper, success_upper_.size());
    visit(tables.gaps, gaps_.size());
    visit(tables.marginals, marginals_.size());
    visit(tables.column_high, column_high_.size());
    visit(tables.column_low, column_low_.size());
    visit(tables.row_of, row_of_.size());
    visit(tables.action_of, action_of_.size());
    visit(tables.next_of, next_of_.size());
    visit(tables.numbers, numbers_.size());
    visit(tables.law_of, law_of_.size());
    visit(tables.laws, laws_.size());
    visit(tables.law_cumulative, law_cumulative_.size());
    visit(tables.law_values, law_values_.size());
  }

 private:
  std::uint32_t pack(const World& world, std::size_t place);
  void pack_laws(const Instance& instance);

  std::string obstacle_;
  std::size_t worlds_ = 1;
  WorldTables tables_;
  std::vector<std::uint64_t> cumulative_, success_, law_cumulative_;
  std::vector<double> gaps_, marginals_, column_high_, column_low_, law_values_;
  std::vector<std::uint32_t> cumulative_upper_, success_upper_;
  std::vector<std::uint32_t> row_of_, action_of_, next_of_, numbers_, law_of_;
  std::vector<Law> laws_;
};

/// What the players of a block leave, entry after entry, each of all replications.
struct BlockResults {
  /// Somebody's memory of so many bytes, kept as long as the pointer.
  using Allocate = std::function<std::shared_ptr<void>(std::size_t bytes)>;
  BlockResults(const Cell& cell, std::uint32_t count, std::uint32_t actions, std::uint32_t facts,
               const Allocate& allocate);

  std::uint32_t count;
  std::uint32_t facts_each;
  bool facts_followed;             // at every checkpoint, not only at the last
  std::span<double> regret;        // [checkpoint][replication]
  std::span<double> facts;         // [checkpoint, or 0][fact][replication]
  std::span<std::uint64_t> plays;  // [action][replication]
  double device_seconds = 0;       // of playing alone, where a device told

 private:
  std::shared_ptr<void> memory_;
};

/// Of those that were finished, the first so many; many of them by as many as `threads`, at
/// least 1.
std::vector<Replication> replications_of(const Cell& cell, const CellPlan& plan,
                                         const PackedWorlds& worlds, const BlockResults& results,
                                         std::uint32_t finished, unsigned threads);

/// The luck of a replication of the cell.
inline Luck luck_of(std::uint64_t seed, std::uint32_t replication, Purpose purpose) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), replication,
          static_cast<std::uint32_t>(purpose) << 8};
}

}  // namespace armature::cuda
