#include "lab/runner.h"

// Blocks over threads: a counter and a crew. Nothing here may reach a result, so threads share only
// the next number, the first failure and the progress line. Why not a library: HACKING.md.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "armature/error.h"
#include "base/machine.h"
#include "simulate/lanes.h"

namespace armature {
namespace {

// A leap is tried in full where it has fewer events than this, a tenth of a microsecond to one
// each; of a study with many cells less, so that trials take a second or two in all.
constexpr std::uint64_t kTrialEvents = 4'000'000;
constexpr std::uint64_t kLeastTrialEvents = 20'000;
// What a longer one is taken to cost, in rounds played one by one: a guess.
constexpr double kRoundsLeapIsWorth = 2e6;

// Of a block that was handed over: `replications` are fewer than the task's once the run is
// stopped.
struct ComputedCount {
  BlockTask task;
  std::uint64_t replications = 0;
};

std::vector<ComputedCount> counts_of(const std::vector<FinishedBlock>& blocks) {
  std::vector<ComputedCount> counts;
  for (const FinishedBlock& block : blocks)
    counts.push_back({block.task, block.result.replications.size()});
  return counts;
}

// Counts what is done and tells the hook, one thread at a time.
class ProgressReporter {
 public:
  ProgressReporter(const RunHooks& hooks, const std::vector<Cell>& cells,
                   const std::vector<BlockTask>& tasks)
      : hooks_(hooks), cells_(cells) {
    for (const BlockTask& task : tasks) {
      progress_.replications_total += task.range.count;
      work_total_ += task.work;
      ++open_blocks_[task.cell];
    }
    progress_.cells_total = open_blocks_.size();
  }
  void add(const std::vector<ComputedCount>& blocks) {
    if (!hooks_.progress) return;
    // Held through the call of the hook, which RunHooks promises to call by one thread at a time.
    const std::lock_guard lock(mutex_);
    for (const auto& [task, replications] : blocks) {
      progress_.replications_done += replications;
      progress_.rounds_done +=
          static_cast<double>(replications) * static_cast<double>(cells_[task.cell].horizon);
      // Blocks of one cell end in any order: it is done with whichever comes last.
      if (--open_blocks_[task.cell] == 0) ++progress_.cells_done;
      work_done_ += task.work;
    }
    progress_.share = work_done_ / work_total_;
    progress_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    hooks_.progress(progress_);
  }

 private:
  const RunHooks& hooks_;
  const std::vector<Cell>& cells_;
  std::mutex mutex_;
  Progress progress_;
  std::map<std::size_t, std::size_t> open_blocks_;  // per cell
  double work_done_ = 0;
  double work_total_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A check that failed in a helper is one of this thread, which knows whether to throw or to abort.
[[noreturn]] void fail_here(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const CheckFailure& check) {
    check_failed(check.file().c_str(), check.line(), check.condition().c_str(),
                 check.why().c_str());
  }
}

// Tasks numbered from 0 on, and how many threads do them. Each is told which thread it is.
struct Pool {
  std::size_t count = 0;
  unsigned threads = 1;
  std::function<void(std::size_t task, unsigned thread)> work;
};

// Runs all tasks of all pools at the same time, this thread among those of the first pool, and
// hands the next number of a pool to whoever of it is free.
void for_each_task(const std::vector<Pool>& pools) {
  std::vector<std::atomic<std::size_t>> next(pools.size());
  std::exception_ptr first_failure;
  std::mutex failure_mutex;
  const auto worker = [&](std::size_t pool, unsigned thread) {
    const auto& [count, threads, work] = pools[pool];
    for (std::size_t task = next[pool]++; task < count; task = next[pool]++) {
      try {
        work(task, thread);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!first_failure) first_failure = std::current_exception();
        // No more numbers for anyone. Other threads end the block they are at: its result is as
        // good as any and gets recorded.
        for (std::size_t other = 0; other < pools.size(); ++other) next[other] = pools[other].count;
      }
    }
  };
  const auto helper = [&](std::size_t pool, unsigned thread) {
    const ThrowingChecks until_they_are_told_here;
    worker(pool, thread);
  };
  {
    // They are joined at the end of this scope: only then may the failure be read without its lock.
    std::vector<std::jthread> crew;
    for (std::size_t pool = 0; pool < pools.size(); ++pool)
      for (unsigned i = pool == 0 ? 1 : 0;
           i < std::min<std::size_t>(pools[pool].threads, pools[pool].count); ++i)
        crew.emplace_back(helper, pool, i);
    worker(0, 0);
  }
  if (first_failure) fail_here(first_failure);
}

std::vector<FinishedBlock> finished_block(const BlockTask& task, BlockResult result) {
  std::vector<FinishedBlock> block;
  block.push_back({task, std::move(result)});
  return block;
}

// Computing time of one replication; of one among several, where they are played in lock step.
double played(const Cell& cell) {
  static const std::atomic<bool> never{false};
  const std::uint32_t count = std::max(LockStep(cell).group() / 2, 1u);
  return run_block(cell, {0, count}, never).seconds / count;
}

// Up to some round, always stepped. The cell keeps its horizon, which policies plan by; the last
// checkpoint ends the trial.
double stepped(Cell cell, Round rounds) {
  cell.checkpoints = {rounds};
  cell.engine = Engine::kStep;
  return played(cell);
}

// The whole of a replication that leaps, which cannot be cut short in proportion; nothing if that
// takes too many events.
std::optional<double> leapt(Cell cell, std::uint64_t most_events) {
  cell.max_events = std::min(cell.max_events, most_events);
  try {
    return played(cell);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// What it takes to begin, once, and what a round takes, as often as there are rounds.
double trial(const Cell& cell, std::uint64_t most_events) {
  const bool leaps = engine_for(cell, *cell.world(0)) == Engine::kLeap;
  if (leaps)
    if (const auto seconds = leapt(cell, most_events)) return *seconds;
  const Round rounds = std::min(cell.horizon, kTrialRounds);
  const double begin = stepped(cell, 1);
  const double round = std::max(stepped(cell, rounds) - begin, 0.0) / static_cast<double>(rounds);
  const auto horizon = static_cast<double>(cell.horizon);
  return begin + round * (leaps ? std::min(horizon, kRoundsLeapIsWorth) : horizon);
}

// Blocks for a device. One that fails ends the run where it was asked for; where `auto` took it to
// be sooner, cores have the same bytes later, and it is said once.
class DeviceBlocks {
 public:
  DeviceBlocks(Accelerator& accelerator, const RunHooks& hooks, const std::atomic<bool>& stop)
      : accelerator_(accelerator), hooks_(hooks), stop_(stop) {}

  BlockResult compute(const Cell& cell, ReplicationRange range, unsigned device) {
    try {
      return accelerator_.run(cell, range, device, stop_);
    } catch (const Error& error) {
      if (cell.engine != Engine::kAuto) throw;
      std::call_once(told_, [&] {
        if (hooks_.notice)
          hooks_.notice(std::string("what the device fails at is stepped on the CPU, which takes "
                                    "longer: ") +
                        error.what());
      });
    }
    Cell stepped = cell;
    stepped.engine = Engine::kStep;
    return run_block(stepped, range, stop_);
  }

 private:
  Accelerator& accelerator_;
  const RunHooks& hooks_;
  const std::atomic<bool>& stop_;
  std::once_flag told_;
};

}  // namespace

std::vector<double> trial_seconds(const std::vector<Cell>& cells, std::vector<double> known) {
  const std::uint64_t events = std::max(kTrialEvents / (cells.size() + 1), kLeastTrialEvents);
  known.resize(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (known[i] == 0) known[i] = trial(cells[i], events);
  return known;
}

std::uint32_t size_for_lock_step(const Cell& cell, std::uint32_t size, std::uint32_t replications,
                                 unsigned hands) {
  const std::uint32_t group = LockStep(cell).group();
  if (group == 1) return size;
  const std::uint32_t half = group / 2;
  if (size >= half) return size - size % half;
  return replications / hands >= half ? half : size;
}

unsigned threads_of(const RunHooks& hooks) {
  return hooks.threads > 0 ? hooks.threads : cores_given();
}

unsigned hands_of(const RunHooks& hooks) {
  return hooks.crew ? hooks.crew->hands() : threads_of(hooks);
}

void run_blocks(const std::vector<Cell>& cells, std::vector<BlockTask> tasks, const RunHooks& hooks,
                const BlocksFinished& finished, Accelerator* accelerator) {
  static const std::atomic<bool> never{false};
  const std::atomic<bool>& stop = hooks.stop ? *hooks.stop : never;
  // Long blocks first, so that no thread is left alone with one at the end; among equals the order
  // of the plan, so that two runs hand out alike.
  std::stable_sort(tasks.begin(), tasks.end(), [](const BlockTask& one, const BlockTask& other) {
    return one.work > other.work;
  });
  ProgressReporter reporter(hooks, cells, tasks);
  const auto take = [&](std::vector<FinishedBlock> blocks) {
    // Recorded first, reported then: progress never counts what a kill could still take away.
    const std::vector<ComputedCount> counts = counts_of(blocks);
    finished(std::move(blocks));
    reporter.add(counts);
  };
  const auto others = std::stable_partition(tasks.begin(), tasks.end(),
                                            [](const BlockTask& task) { return task.on_device; });
  const std::vector<BlockTask> device_tasks(tasks.begin(), others);
  tasks.erase(tasks.begin(), others);

  Pool by_cores{tasks.size(), threads_of(hooks), [&](std::size_t number, unsigned) {
                  const BlockTask& task = tasks[number];
                  take(finished_block(task, run_block(cells[task.cell], task.range, stop)));
                }};
  // A crew has its own way of handing out: to the pool it is one task.
  if (hooks.crew)
    by_cores = {tasks.empty() ? 0u : 1u, 1,
                [&](std::size_t, unsigned) { hooks.crew->compute(cells, tasks, stop, take); }};
  std::vector<Pool> pools{std::move(by_cores)};
  std::optional<DeviceBlocks> device_blocks;
  if (!device_tasks.empty()) {
    ARMATURE_CHECK(accelerator != nullptr, "blocks for a device need one");
    device_blocks.emplace(*accelerator, hooks, stop);
    const unsigned devices = accelerator->devices();
    pools.push_back(
        {device_tasks.size(), devices * accelerator->blocks_at_once(),
         [&, devices](std::size_t number, unsigned thread) {
           if (stop.load(std::memory_order_relaxed)) return;
           const BlockTask& task = device_tasks[number];
           take(finished_block(
               task, device_blocks->compute(cells[task.cell], task.range, thread % devices)));
         }});
  }
  for_each_task(pools);
}

}  // namespace armature
