// The devices there are, and who plays what on them.
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

class DeviceBackend final : public Backend {
 public:
  explicit DeviceBackend(int devices) : devices_(static_cast<unsigned>(devices)) {
    for (int device = 0; device < devices; ++device) {
      check(cudaGetDeviceProperties(&properties_, device));
      check(cudaSetDevice(device));
      cudaMemPool_t pool = nullptr;
      check(cudaDeviceGetDefaultMemPool(&pool, device));
      // Memory stays with the process from block to block.
      std::uint64_t keep = ~std::uint64_t{0};
      check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    }
  }

  std::string name() const override { return properties_.name; }
  unsigned devices() const override { return devices_; }
  double rounds_per_second(Kind kind) const override {
    switch (kind) {
      case Kind::kFixed:
      case Kind::kRoundRobin:
      case Kind::kUniform:
      case Kind::kIndex20:
        return 1.5e11;
      default:
        return 5e10;
    }
  }
  std::shared_ptr<void> allocate(std::size_t bytes) override {
    void* const memory = pool_->take(bytes);
    return {memory, [pool = pool_, bytes](void* back) { pool->give_back(bytes, back); }};
  }
  std::uint32_t play(const BlockJob& job, BlockResults& results, unsigned device,
                     const std::atomic<bool>& stop) override {
    check(cudaSetDevice(static_cast<int>(device)));
    const DeviceLimits limits{properties_.sharedMemPerBlockOptin,
                              properties_.sharedMemPerMultiprocessor};
    return player_of(job.plan.kind)(job, results, limits, stop);
  }

 private:
  unsigned devices_;
  cudaDeviceProp properties_{};
  std::shared_ptr<PinnedPool> pool_ = std::make_shared<PinnedPool>();
};

}  // namespace

std::unique_ptr<Backend> open_devices(std::string& why_not) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) {
    why_not = cudaGetErrorString(status);
    return nullptr;
  }
  if (devices == 0) {
    why_not = "none is there";
    return nullptr;
  }
  try {
    return std::make_unique<DeviceBackend>(devices);
  } catch (const std::runtime_error& error) {
    why_not = error.what();
    return nullptr;
  }
}

}  // namespace armature::cuda
