// Kernels of sentry.
#include "cuda/device_play.h"

namespace armature::cuda {

std::uint32_t play_sentry_20(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                             const std::atomic<bool>& stop) {
  return play_large<PlayerOf<SentryPlayer20>>(job, results, limits, stop);
}
std::uint32_t play_sentry_1024(const BlockJob& job, BlockResults& results,
                               const DeviceLimits& limits, const std::atomic<bool>& stop) {
  return play_many<PlayerOf<SentryPlayer1024>>(job, results, limits, stop);
}

}  // namespace armature::cuda
