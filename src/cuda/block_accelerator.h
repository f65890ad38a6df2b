// An accelerator from a backend: cells become plans and tables, what was played becomes
// replications.
#pragma once

#include <memory>

#include "cuda/backend.h"
#include "simulate/accelerator.h"

namespace armature::cuda {

class BlockAccelerator final : public Accelerator {
 public:
  /// Nothing but time depends on them.
  struct Settings {
    unsigned threads = 1;  // of the host, which make worlds and replications where there are many
    std::uint64_t largest_table = kLargestTable;  // of widths: beyond it they are computed
    std::uint64_t memory = UINT64_MAX;  // of the process; worlds at work take a quarter at most
  };
  BlockAccelerator(std::unique_ptr<Backend> backend, const Settings& settings)
      : backend_(std::move(backend)), settings_(settings) {}
  explicit BlockAccelerator(std::unique_ptr<Backend> backend)
      : BlockAccelerator(std::move(backend), Settings{}) {}

  std::string name() const override { return backend_->name(); }
  unsigned devices() const override { return backend_->devices(); }
  unsigned blocks_at_once() const override { return kBlocksAtOnce; }
  std::string obstacle(const Cell& cell, const World& world) const override;
  std::uint32_t replications_per_block(const Cell& cell) const override;
  double seconds_of_one(const Cell& cell) const override;
  BlockResult run(const Cell& cell, ReplicationRange range, unsigned device,
                  const std::atomic<bool>& stop) override;
  /// What the last block took, for measurements: with its way to the device and back, and of
  /// playing alone; neither counts planning and what becomes of results.
  struct Seconds {
    double transfers_included = 0;
    double played = 0;
  };
  Seconds last_seconds() const { return {last_with_transfers_, last_played_}; }

 private:
  std::unique_ptr<Backend> backend_;
  Settings settings_;
  std::atomic<double> last_with_transfers_{0}, last_played_{0};
};

}  // namespace armature::cuda
