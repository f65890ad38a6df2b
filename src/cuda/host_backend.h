// The functions that a device runs, run by the host: no faster than stepping, but what a device
// computes can be looked at and tested where there is none.
#pragma once

#include "cuda/backend.h"

namespace armature::cuda {

class HostBackend final : public Backend {
 public:
  enum class Numbers { kSmallest, kLarge };
  /// Large numbers everywhere, or the smallest that will do.
  explicit HostBackend(Numbers numbers = Numbers::kSmallest) : numbers_(numbers) {}

  std::string name() const override { return "the host"; }
  unsigned devices() const override { return 1; }
  double rounds_per_second(Kind) const override { return 1e7; }
  std::uint32_t play(const BlockJob& job, BlockResults& results, unsigned device,
                     const std::atomic<bool>& stop) override;

 private:
  Numbers numbers_;
};

}  // namespace armature::cuda
