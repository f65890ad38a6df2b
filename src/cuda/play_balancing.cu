// Kernels of db.
#include "cuda/device_play.h"

namespace armature::cuda {

std::uint32_t play_balancing_20(const BlockJob& job, BlockResults& results,
                                const DeviceLimits& limits, const std::atomic<bool>& stop) {
  return play_any<PlayerOf<BalancingPlayer20>>(job, results, limits, stop);
}
std::uint32_t play_balancing_1024(const BlockJob& job, BlockResults& results,
                                  const DeviceLimits& limits, const std::atomic<bool>& stop) {
  return play_many<PlayerOf<BalancingPlayer1024>>(job, results, limits, stop);
}

}  // namespace armature::cuda
