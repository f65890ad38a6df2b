// Who plays a block: a device, or the host with the device's functions. It sees plans and tables
// alone, nothing of policies, so that the module for devices needs nothing of the library.
#pragma once

#include <atomic>
#include <string>

#include "cuda/block.h"

namespace armature::cuda {

/// Blocks that a device is given at one time: cells of a few replications keep it busy only
/// together.
inline constexpr unsigned kBlocksAtOnce = 8;

/// Of a device's memory, for replications that are played together: more brings nothing. A block of
/// one world that takes more is played in chunks.
inline constexpr std::size_t kMostBytesOfAChunk = std::size_t{1} << 32;

struct BlockJob {
  const CellPlan& plan;
  const PackedWorlds& worlds;
  std::uint64_t seed;
  const std::vector<Round>& checkpoints;
  std::uint32_t first;  // replication, and how many
  std::uint32_t count;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string name() const = 0;
  virtual unsigned devices() const = 0;
  /// Rounds a second of one device, about, where there are replications enough.
  virtual double rounds_per_second(Kind kind) const = 0;
  /// Plays all of the block, and returns how many replications, from the first on, were finished:
  /// fewer only if stopped. From several threads at once. Throws std::runtime_error if it fails.
  virtual std::uint32_t play(const BlockJob& job, BlockResults& results, unsigned device,
                             const std::atomic<bool>& stop) = 0;
  /// Memory that results are quickly moved to.
  virtual std::shared_ptr<void> allocate(std::size_t bytes) {
    return {::operator new(bytes), [](void* memory) { ::operator delete(memory); }};
  }

 protected:
  Backend() = default;
  Backend(const Backend&) = default;
  Backend& operator=(const Backend&) = default;
};

}  // namespace armature::cuda
