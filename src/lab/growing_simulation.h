// A simulation that is computed piece by piece, for who shows results while they grow.
#pragma once

#include "armature/lab.h"
#include "lab/placement.h"
#include "lab/runner.h"

namespace armature {

/// What was finished is never computed again, and what has grown to the end is what `simulate`
/// gives, byte for byte.
class GrowingSimulation {
 public:
  /// Throws Error before anything runs if the instance or a policy does not fit.
  GrowingSimulation(const Simulation& simulation, const RunHooks& hooks);

  /// Computes what is missing of the first `replications` of every policy.
  void grow(std::uint32_t replications);
  /// Of what is finished. May be asked for in hooks.progress, too, where there is one thread.
  SimulationResult result() const;

 private:
  std::vector<BlockTask> blocks_up_to(std::uint32_t replications) const;

  Simulation simulation_;
  RunHooks hooks_;
  std::string instance_;  // canonical text form
  std::vector<PlannedCell> plan_;
  std::vector<Cell> cells_;
  std::shared_ptr<MemoryRecorder> recorder_;
  Placement placement_;
};

}  // namespace armature
