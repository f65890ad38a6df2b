// The devices there are, and who plays what on them.
#include <algorithm>
#include <map>
#include <mutex>

#include "cuda/device_backend.h"
#include "cuda/device_play.h"

namespace armature::cuda {
namespace {

// Memory of the host that the device writes to directly. Asking for it takes longer than using it:
// what is given back is given out again.
class PinnedPool {
 public:
  ~PinnedPool() {
    for (const auto& [bytes, memory] : free_) cudaFreeHost(memory);
  }
  void* take(std::size_t& bytes) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = free_.lower_bound(bytes);
      if (found != free_.end() && found->first <= 4 * bytes) {
        bytes = found->first;
        void* const memory = found->second;
        free_.erase(found);
        return memory;
      }
    }
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable));
    return memory;
  }
  void give_back(std::size_t bytes, void* memory) {
    const std::lock_guard lock(mutex_);
    free_.emplace(bytes, memory);
    if (free_.size() <= kKept) return;
    cudaFreeHost(free_.begin()->second);
    free_.erase(free_.begin());
  }

 private:
  static constexpr std::size_t kKept = 4;
  std::mutex mutex_;
  std::multimap<std::size_t, void*> free_;
};

PlayBlock& player_of(Kind kind) {
  switch (kind) {
    case Kind::kFixed:
      return play_fixed;
    case Kind::kRoundRobin:
      return play_round_robin;
    case Kind::kUniform:
      return play_uniform;
    case Kind::kIndex20:
      return play_index_20;
    case Kind::kIndex32:
      return play_index_32;
    case Kind::kIndex1024:
      return play_index_1024;
    case Kind::kBalancing20:
      return play_balancing_20;
    case Kind::kBalancing1024:
      return play_balancing_1024;
    case Kind::kSentry20:
      return play_sentry_20;
    case Kind::kSentry1024:
      return play_sentry_1024;
    case Kind::kWarden20:
      return play_warden_20;
    case Kind::kWarden1024:
      return play_warden_1024;
    case Kind::kHacUcb20:
      return play_hac_ucb_20;
    case Kind::kHacUcb1024:
      return play_hac_ucb_1024;
    case Kind::kCausal:
      break;
  }
  return play_causal;
}

// A device that has our kernels.
struct Device {
  int number;
  cudaDeviceProp properties;
};

// Throws if it cannot be used, and says why.
void require_kernels(const cudaDeviceProp& properties) {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, compare_roots);
  if (status != cudaErrorNoKernelImageForDevice && status != cudaErrorInvalidDeviceFunction)
    return check(status);
  const std::string capability =
      std::to_string(properties.major) + "." + std::to_string(properties.minor);
  throw std::runtime_error(std::string(properties.name) + " has compute capability " + capability +
                           ", and the kernels were compiled for others "
                           "(-DARMATURE_CUDA_ARCHITECTURES)");
}

Device usable_device(int number) {
  Device device{number, {}};
  check(cudaGetDeviceProperties(&device.properties, number));
  check(cudaSetDevice(number));
  require_kernels(device.properties);
  // Memory stays with the process from block to block.
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, number));
  std::uint64_t keep = ~std::uint64_t{0};
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  return device;
}

class DeviceBackend final : public Backend {
 public:
  explicit DeviceBackend(std::vector<Device> devices) : devices_(std::move(devices)) {}

  std::string name() const override { return devices_.front().properties.name; }
  unsigned devices() const override { return static_cast<unsigned>(devices_.size()); }
  double rounds_per_second(Kind kind) const override {
    switch (kind) {
      case Kind::kFixed:
      case Kind::kRoundRobin:
      case Kind::kUniform:
        return 2e11;
      case Kind::kIndex20:
      case Kind::kIndex32:
      case Kind::kCausal:
        return 1e11;
      default:
        return 3e10;
    }
  }
  std::shared_ptr<void> allocate(std::size_t bytes) override {
    // Of a device that is ours: the first of the machine may be one that cannot be used.
    check(cudaSetDevice(devices_.front().number));
    void* const memory = pool_->take(bytes);
    return {memory, [pool = pool_, bytes](void* back) { pool->give_back(bytes, back); }};
  }
  std::uint32_t play(const BlockJob& job, BlockResults& results, unsigned device,
                     const std::atomic<bool>& stop) override {
    const Device& on = devices_[device];
    check(cudaSetDevice(on.number));
    // All blocks at work together take half of the device's memory at most.
    const DeviceLimits limits{
        on.properties.sharedMemPerBlockOptin, on.properties.sharedMemPerMultiprocessor,
        std::min(kMostBytesOfAChunk, on.properties.totalGlobalMem / (2 * kBlocksAtOnce))};
    return player_of(job.plan.kind)(job, results, limits, stop);
  }

 private:
  std::vector<Device> devices_;
  std::shared_ptr<PinnedPool> pool_ = std::make_shared<PinnedPool>();
};

}  // namespace

std::unique_ptr<Backend> open_devices(std::string& why_not) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    why_not = cudaGetErrorString(status);
    return nullptr;
  }
  why_not = "none is there";
  // One that cannot be used does not stand in the way of others.
  std::vector<Device> devices;
  for (int number = 0; number < count; ++number) {
    try {
      devices.push_back(usable_device(number));
    } catch (const std::runtime_error& error) {
      cudaGetLastError();  // told, not left for the next call
      why_not = "GPU " + std::to_string(number) + ": " + error.what();
    }
  }
  if (devices.empty()) return nullptr;
  return std::make_unique<DeviceBackend>(std::move(devices));
}

}  // namespace armature::cuda
