// Kernels of c-ucb.
#include "cuda/device_play.h"

namespace armature::cuda {

std::uint32_t play_causal(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                          const std::atomic<bool>& stop) {
  return play_any<PlayerOf<CausalPlayer>>(job, results, limits, stop);
}

}  // namespace armature::cuda
