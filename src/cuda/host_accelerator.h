// The functions that a device runs, run by the host: no faster than stepping, but what a device
// computes can be looked at and tested where there is none.
#pragma once

#include "simulate/accelerator.h"

namespace armature::cuda {

class HostAccelerator final : public Accelerator {
 public:
  enum class Numbers { kSmallest, kLarge };
  /// Large numbers everywhere, or the smallest that will do.
  explicit HostAccelerator(Numbers numbers = Numbers::kSmallest) : numbers_(numbers) {}

  std::string name() const override { return "the host"; }
  unsigned devices() const override { return 1; }
  std::string obstacle(const Cell& cell, const World& world) const override;
  std::uint32_t replications_per_block(const Cell& cell) const override;
  BlockResult run(const Cell& cell, ReplicationRange range, unsigned device,
                  const std::atomic<bool>& stop) override;

 private:
  Numbers numbers_;
};

}  // namespace armature::cuda
