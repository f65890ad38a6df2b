// Where blocks of stepped replications may be computed other than on the cores of this process: a
// GPU (src/cuda, docs/gpu.md). What comes back is what the step engine would have computed, to the
// bit, so that nothing but time depends on whether there is one.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "armature/simulate.h"

namespace armature {

/// All members but the destructor may be called from several threads at once.
class Accelerator {
 public:
  virtual ~Accelerator() = default;

  /// "NVIDIA H200", for messages.
  virtual std::string name() const = 0;
  /// At least one; several share the blocks.
  virtual unsigned devices() const = 0;
  /// How many blocks one device should be given at one time: two at least, so that it computes one
  /// while the results of another are put away; more where a block may be too small to fill it.
  virtual unsigned blocks_at_once() const { return 2; }
  /// Why it cannot play this cell (policy, reward laws, sizes, feedback, …), in words that go on
  /// after "ts: "; empty if it can. `world` is the cell's world of replication 0; where another
  /// replication meets one that it cannot play after all, `run` steps that one on the CPU.
  virtual std::string obstacle(const Cell& cell, const World& world) const = 0;
  /// How many replications of the cell make a block of about a second on one device; at least 1. A
  /// guess costs time, never a bit. Whoever cuts the blocks sees to memory for their results.
  virtual std::uint32_t replications_per_block(const Cell& cell) const = 0;
  /// What one replication of the cell takes, of a block that fills a device.
  virtual double seconds_of_one(const Cell& cell) const {
    return 1.0 / replications_per_block(cell);
  }
  /// The bytes of run_block with Engine::kStep: replications in order, each with Engine::kStep as
  /// the engine that ran. Only of cells that have no obstacle. `device` is below devices(). `stop`
  /// is looked at every so often; then only the first replications, as many as are finished in a
  /// row, are there. `seconds` is what the device took. Throws Error where the device fails,
  /// or memory for the block.
  virtual BlockResult run(const Cell& cell, ReplicationRange range, unsigned device,
                          const std::atomic<bool>& stop) = 0;

 protected:
  Accelerator() = default;
  Accelerator(const Accelerator&) = default;
  Accelerator& operator=(const Accelerator&) = default;
};

}  // namespace armature
