// Kernels of the policies that learn nothing.
#include "cuda/device_play.h"

namespace armature::cuda {

std::uint32_t play_fixed(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                         const std::atomic<bool>& stop) {
  return play_many<PlayerOf<FixedPlayer>>(job, results, limits, stop);
}
std::uint32_t play_round_robin(const BlockJob& job, BlockResults& results,
                               const DeviceLimits& limits, const std::atomic<bool>& stop) {
  return play_many<PlayerOf<RoundRobinPlayer>>(job, results, limits, stop);
}
std::uint32_t play_uniform(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                           const std::atomic<bool>& stop) {
  return play_many<PlayerOf<UniformPlayer>>(job, results, limits, stop);
}

}  // namespace armature::cuda
