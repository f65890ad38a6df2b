#include "simulate/replication.h"

#include <algorithm>

namespace armature {
namespace {

// Σ_a pulls(a)·Δ_a, from the counts: adding gaps round by round would drift, and a leap has no
// single rounds to add.
double regret_of(const Instance& instance, const std::vector<std::uint64_t>& pulls) {
  double regret = 0;
  for (Arm a = 0; a < instance.actions(); ++a)
    regret += static_cast<double>(pulls[a]) * instance.gap(a);
  return regret;
}

// What a balancer tells of its base learners; nothing of other policies. Shares follow from counts
// alone, which are right after every leap; the other diagnostics may wait for `finish`.
Diagnostics shares_of(const AnyPolicy& policy) {
  Diagnostics shares;
  for (Diagnostic& diagnostic : policy.diagnostics())
    if (diagnostic.name.starts_with("share(")) shares.push_back(std::move(diagnostic));
  return shares;
}

}  // namespace

void note_checkpoint(const Cell& cell, const World& world, const AnyPolicy& policy,
                     Replication& replication) {
  replication.regret.push_back(regret_of(*world.instance, replication.pulls));
  if (cell.follow_shares) replication.shares.push_back(shares_of(policy));
}

void note_end(const World& world, Diagnostics diagnostics, Replication& replication) {
  const std::vector<std::uint64_t>& pulls = replication.pulls;
  const auto most = std::max_element(pulls.begin(), pulls.end());
  replication.simple_regret = world.instance->gap(static_cast<Arm>(most - pulls.begin()));
  replication.diagnostics = std::move(diagnostics);
}

std::optional<Replication> walk_to_horizon(const Cell& cell, const World& world,
                                           const AnyPolicy& policy, Walker& walker,
                                           const std::atomic<bool>& stop) {
  Replication result;
  result.pulls.resize(world.instance->actions());
  Round round = 0;
  for (const Round checkpoint : cell.checkpoints) {
    while (round < checkpoint) {
      // Between advances, which are short: a replication cut short is worth nothing.
      if (stop.load(std::memory_order_relaxed)) return std::nullopt;
      round += walker.advance(checkpoint - round, result.pulls);
    }
    note_checkpoint(cell, world, policy, result);
  }
  walker.finish();  // only here: settling at checkpoints would draw, and change what follows
  note_end(world, policy.diagnostics(), result);
  return result;
}

}  // namespace armature
