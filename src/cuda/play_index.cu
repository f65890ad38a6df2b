// Kernels of ucb and moss.
#include "cuda/device_play.h"

namespace armature::cuda {

std::uint32_t play_index_20(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                            const std::atomic<bool>& stop) {
  return play_any<PlayerOf<IndexPlayer20>>(job, results, limits, stop);
}
std::uint32_t play_index_32(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                            const std::atomic<bool>& stop) {
  return play_any<PlayerOf<IndexPlayer32>>(job, results, limits, stop);
}
std::uint32_t play_index_1024(const BlockJob& job, BlockResults& results,
                              const DeviceLimits& limits, const std::atomic<bool>& stop) {
  return play_many<PlayerOf<IndexPlayer1024>>(job, results, limits, stop);
}

}  // namespace armature::cuda
