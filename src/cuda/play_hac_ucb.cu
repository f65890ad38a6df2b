// Kernels of hac-ucb.
#include "cuda/device_play.h"

namespace armature::cuda {

std::uint32_t play_hac_ucb_20(const BlockJob& job, BlockResults& results,
                              const DeviceLimits& limits, const std::atomic<bool>& stop) {
  return play_any<PlayerOf<HacUcbPlayer20>>(job, results, limits, stop);
}
std::uint32_t play_hac_ucb_1024(const BlockJob& job, BlockResults& results,
                                const DeviceLimits& limits, const std::atomic<bool>& stop) {
  return play_many<PlayerOf<HacUcbPlayer1024>>(job, results, limits, stop);
}

}  // namespace armature::cuda
