#include "lab/runner.h"

#include <algorithm>
#include <chrono>
#include <exception>
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

// Runs work(0), work(1), … work(count-1) on so many threads, handing out the next number to whoever
// is free. The first exception ends the handing out and is thrown again here.
void for_each_task(std::size_t count, unsigned threads,
                   const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr first_failure;
  std::mutex failure_mutex;
  const auto worker = [&] {
    for (std::size_t task = next.fetch_add(1); task < count; task = next.fetch_add(1)) {
      try {
        work(task);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!first_failure) first_failure = std::current_exception();
        next.store(count);
      }
    }
  };
  {
    std::vector<std::jthread> crew;
    for (unsigned i = 1; i < std::min<std::size_t>(threads, count); ++i) crew.emplace_back(worker);
    worker();
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

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
  for_each_task(cells.size() * ranges.size(), threads, [&](std::size_t task) {
    const std::size_t cell = task / ranges.size();
    const std::size_t range = task % ranges.size();
    blocks[cell][range] = condense(run_block(cells[cell], ranges[range], stop));
    reporter.add(blocks[cell][range].final_regret.size());
  });

  std::vector<PolicySummary> summaries;
  for (std::size_t i = 0; i < cells.size(); ++i)
    summaries.push_back(summarize(cells[i], blocks[i]));
  return summaries;
}

}  // namespace armature
