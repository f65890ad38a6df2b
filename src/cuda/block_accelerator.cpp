#include "cuda/block_accelerator.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>

#include "armature/error.h"

namespace armature::cuda {
namespace {

std::uint32_t facts_of(Kind kind) {
  return with_player(kind, [](auto tag) {
    using Any = Machine<SmallNumbers, FixedMemory<1>, WorldView<1>>;
    return decltype(tag)::template Player<Any>::kFacts;
  });
}

// Where nothing else is known of a device: as many as keep all its threads busy.
constexpr double kMostAtOnce = 2e6;
constexpr double kFewestAtOnce = 1024;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Error failed(const std::string& why) {
  return Error({"", "engine", "cuda, but " + why, "a device that works, or step"});
}

}  // namespace

std::string BlockAccelerator::obstacle(const Cell& cell, const World& world) const {
  return plan_cell(cell, world, settings_.largest_table).obstacle;
}

std::uint32_t BlockAccelerator::replications_per_block(const Cell& cell) const {
  const std::shared_ptr<const World> first = cell.world(0);
  double most = kMostAtOnce;
  if (cell.world(1) != first) {
    // Worlds of their own: tables of each lie in memory, here and there, and here those of all
    // blocks at work at once.
    constexpr double kMostTableBytes = 512e6;
    constexpr double kMemoryForTables = .25;
    const double blocks = devices() * blocks_at_once();
    const double bytes = std::min(
        kMostTableBytes, kMemoryForTables * static_cast<double>(settings_.memory) / blocks);
    const double actions = first->instance->actions();
    most = bytes / (32 * actions * first->instance->contexts() + 28 * actions);
  }
  return static_cast<std::uint32_t>(
      std::max(1.0, std::min(std::max(1 / seconds_of_one(cell), kFewestAtOnce), most)));
}

double BlockAccelerator::seconds_of_one(const Cell& cell) const {
  const CellPlan plan = plan_cell(cell, *cell.world(0), settings_.largest_table);
  return static_cast<double>(cell.horizon) / backend_->rounds_per_second(plan.kind);
}

BlockResult BlockAccelerator::run(const Cell& cell, ReplicationRange range, unsigned device,
                                  const std::atomic<bool>& stop) try {
  const auto start = std::chrono::steady_clock::now();
  const CellPlan plan = plan_cell(cell, *cell.world(range.first), settings_.largest_table);
  const PackedWorlds worlds(cell, range, settings_.threads, stop);
  BlockResult block;
  if (stop.load(std::memory_order_relaxed)) return block;
  if (!plan.obstacle.empty() || !worlds.obstacle().empty()) {
    Cell stepped = cell;
    stepped.engine = Engine::kStep;
    return run_block(stepped, range, stop);
  }
  BlockResults results(cell, range.count, worlds.sizes().actions, facts_of(plan.kind),
                       [this](std::size_t bytes) { return backend_->allocate(bytes); });
  const BlockJob job{plan, worlds, cell.seed, cell.checkpoints, range.first, range.count};
  const auto begin = std::chrono::steady_clock::now();
  const std::uint32_t finished = backend_->play(job, results, device, stop);
  last_with_transfers_ = seconds_since(begin);
  last_played_ = results.device_seconds;
  block.replications = replications_of(cell, plan, worlds, results, finished, settings_.threads);
  block.seconds = seconds_since(start);
  return block;
} catch (const std::bad_alloc&) {
  throw failed("the host has no memory left for a block");
} catch (const std::runtime_error& error) {
  throw failed(error.what());
}

}  // namespace armature::cuda
