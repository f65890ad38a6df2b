#include "lab/runner.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "lab/summary.h"

namespace armature {
namespace {

// Enough blocks to keep many cores busy, few enough that their summaries weigh nothing.
constexpr std::uint32_t kMostBlocks = 256;

std::vector<ReplicationRange> cut(std::uint32_t replications) {
  const std::uint32_t size = (replications + kMostBlocks - 1) / kMostBlocks;
  std::vector<ReplicationRange> ranges;
  for (std::uint32_t first = 0; first < replications; first += size)
    ranges.push_back({first, std::min(size, replications - first)});
  return ranges;
}

// Counts what is done and tells the hook, one thread at a time.
class ProgressReporter {
 public:
  ProgressReporter(const RunHooks& hooks, std::uint64_t total) : hooks_(hooks) {
    progress_.replications_total = total;
  }
  void add(std::uint64_t replications) {
    if (!hooks_.progress) return;
    const std::lock_guard lock(mutex_);
    progress_.replications_done += replications;
    progress_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    hooks_.progress(progress_);
  }

 private:
  const RunHooks& hooks_;
  std::mutex mutex_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<PolicySummary> run_cells(const std::vector<Cell>& cells, std::uint32_t replications,
                                     const RunHooks& hooks) {
  static const std::atomic<bool> never{false};
  const std::atomic<bool>& stop = hooks.stop ? *hooks.stop : never;
  const std::vector<ReplicationRange> ranges = cut(replications);
  std::vector<std::vector<BlockSummary>> blocks(cells.size(),
                                                std::vector<BlockSummary>(ranges.size()));
  ProgressReporter reporter(hooks, std::uint64_t{replications} * cells.size());

  const unsigned threads =
      hooks.threads > 0 ? hooks.threads : std::max(1u, std::thread::hardware_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(
        std::size_t{0}, cells.size() * ranges.size(),
        [&](std::size_t task) {
          const std::size_t cell = task / ranges.size();
          const std::size_t range = task % ranges.size();
          blocks[cell][range] = condense(run_block(cells[cell], ranges[range], stop));
          reporter.add(blocks[cell][range].final_regret.size());
        },
        tbb::simple_partitioner());
  });

  std::vector<PolicySummary> summaries;
  for (std::size_t i = 0; i < cells.size(); ++i)
    summaries.push_back(summarize(cells[i], blocks[i]));
  return summaries;
}

}  // namespace armature
