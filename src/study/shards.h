// A study cut into shards, for machines that cannot talk to each other: whoever has the study and
// the number of shards knows what belongs to each. Nothing that is measured may go into it, or two
// machines would not agree.
#pragma once

#include <optional>

#include "armature/study.h"

namespace armature {

inline constexpr std::uint32_t kMostShards = 100'000;

/// Work in units that only compare: of one replication of a cell, by its policy, sizes and horizon.
/// Saturates.
std::uint64_t expected_work(const PlannedCell& cell, const std::string& engine);
/// Has the table of costs a row of this name? Others are taken to cost as much as most do.
bool has_cost(const std::string& policy);
/// Beyond which horizon the engine `auto` is taken to leap with it; 0: never.
Round expected_to_leap_beyond(const std::string& policy);

/// The cut. Every shard has ⌊R/N⌋ replications of each cell, so that a wrong cost cannot unbalance
/// what is large; the others are given out, the longest first, to whoever has the least so far.
class ShardCut {
 public:
  ShardCut(const std::vector<PlannedCell>& cells, std::uint32_t replications,
           const std::string& engine, std::uint32_t shards);
  ShardCut(const StudyPlan& plan, std::uint32_t shards)
      : ShardCut(plan.cells, plan.study.replications, plan.study.engine, shards) {}

  std::uint32_t shards() const { return shards_; }
  /// What belongs to the shard, from 1 on: one range per cell, perhaps an empty one.
  std::vector<ReplicationRange> part(std::uint32_t number) const;
  /// Of one replication of each cell.
  const std::vector<std::uint64_t>& work() const { return work_; }

 private:
  std::uint32_t replications_;
  std::uint32_t shards_;
  std::vector<std::uint64_t> work_;
  /// Per cell: who was given one more, in the order of their numbers, some perhaps twice.
  std::vector<std::vector<std::uint32_t>> given_;
};

/// DIR/shards/03-of-40.
std::string shard_path(const std::string& directory, Shard shard);
/// DIR/shards.
std::string shards_path(const std::string& directory);
/// Those that have a directory there, in no order.
std::vector<Shard> shards_in(const std::string& directory);
/// Into how many shards the study in a directory is cut; none where there are no shards. Throws
/// Error if there are shards of two counts.
std::optional<std::uint32_t> shard_count(const std::string& directory);
/// "3/40", as it is written on command lines and in stores.
std::string shard_text(Shard shard);

}  // namespace armature
