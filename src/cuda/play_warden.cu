// Kernels of warden.
#include "cuda/device_play.h"

namespace armature::cuda {

std::uint32_t play_warden_20(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                             const std::atomic<bool>& stop) {
  return play_large<PlayerOf<WardenPlayer20>>(job, results, limits, stop);
}
std::uint32_t play_warden_1024(const BlockJob& job, BlockResults& results,
                               const DeviceLimits& limits, const std::atomic<bool>& stop) {
  return play_many<PlayerOf<WardenPlayer1024>>(job, results, limits, stop);
}

}  // namespace armature::cuda
