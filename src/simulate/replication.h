// One replication from its first round to its horizon. What is noted at checkpoints and at the end
// is noted here, for all engines, so that their results mean the same.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "armature/simulate.h"

namespace armature {

/// An engine at work: what takes a replication onward.
class Walker {
 public:
  virtual ~Walker() = default;

  /// Goes on by at most `limit` rounds (at least one), counts the pulls of each arm, and returns
  /// how many rounds it went. The limit is the next checkpoint: no walk goes past it.
  virtual Round advance(Round limit, std::span<std::uint64_t> pulls) = 0;
  /// Nothing follows: what the policy has to tell must not depend on anything left open.
  virtual void finish() {}
};

/// What there is to tell of the pulls so far: at a checkpoint, and when all is played.
void note_checkpoint(const Cell& cell, const World& world, const AnyPolicy& policy,
                     Replication& replication);
void note_end(const World& world, Diagnostics diagnostics, Replication& replication);

/// Walks from checkpoint to checkpoint and writes down what there is to tell. Nothing if it was
/// stopped before the horizon.
std::optional<Replication> walk_to_horizon(const Cell& cell, const World& world,
                                           const AnyPolicy& policy, Walker& walker,
                                           const std::atomic<bool>& stop);

}  // namespace armature
