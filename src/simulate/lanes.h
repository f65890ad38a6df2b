// Replications of small problems in lock step: all of them play the same round at the same time,
// one in each lane of a vector (base/instruction_sets.h). What comes out is what stepping them one
// by one would give, bit for bit; only the time differs.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "armature/simulate.h"
#include "simulate/lanes_game.h"

namespace armature {

/// The stepped replications of one block. What they share (tables of widths) is kept from call to
/// call.
class LockStep {
 public:
  /// Wherever it can be, or where it was found to be faster.
  enum class Where { kFaster, kPossible };
  explicit LockStep(const Cell& cell, InstructionSet instructions = widest_instructions(),
                    Where where = Where::kFaster);
  ~LockStep();
  LockStep(const LockStep&) = delete;
  LockStep& operator=(const LockStep&) = delete;

  /// How many replications a block should have, or a multiple; half as many do. 1 if they are
  /// stepped one by one. Asked before anything is played.
  std::uint32_t group();
  /// The first replications of the range, in order: as many as go together. `world` is that of the
  /// first, `policy` a text form without `oracle`. Empty if they have to be stepped one by one, or
  /// if it was stopped before the horizon.
  std::vector<Replication> play(const std::shared_ptr<const World>& world,
                                const std::string& policy, ReplicationRange range,
                                const std::atomic<bool>& stop);

 private:
  bool prepare(const std::shared_ptr<const World>& world, const std::string& policy);
  bool shared_world(ReplicationRange range) const;
  std::vector<Replication> walk(ReplicationRange range, const std::atomic<bool>& stop);

  const Cell& cell_;
  Where where_;
  lanes::WalkMaker walks_;
  bool possible_;
  // Once the first group was asked for.
  std::shared_ptr<const World> world_;
  std::unique_ptr<AnyPolicy> policy_;  // has not played
  std::unique_ptr<lanes::Game> game_;
};

}  // namespace armature
