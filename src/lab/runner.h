// The one block runner: blocks of replications over the cores of the machine. What a block
// computes depends on its cell and its replication numbers alone, so results are the same bytes
// for any number of threads and any cut into blocks.
#pragma once

#include "armature/lab.h"
#include "simulate/accelerator.h"

namespace armature {

/// Some replications of one cell. `work` orders the blocks and moves the progress line; its unit is
/// free, as long as all tasks of a call have the same. A wrong guess costs time, never a bit.
struct BlockTask {
  std::size_t cell = 0;  // its place in the cells given to run_blocks
  ReplicationRange range;
  double work = 1;
  bool on_device = false;  // computed by the accelerator given to run_blocks
};

struct FinishedBlock {
  BlockTask task;
  BlockResult result;
};
/// Takes what was computed since it was last called. From many threads at once, in any order.
using BlocksFinished = std::function<void(std::vector<FinishedBlock>)>;

/// Who computes blocks: threads of this process, or processes on many hosts (ranks/rank_crew.h).
class Crew {
 public:
  virtual ~Crew() = default;

  /// How many blocks it computes at one time.
  virtual unsigned hands() const = 0;
  /// Told before the blocks of a stage, in a text that another process can make the same cells of
  /// (study/stage.h).
  virtual void announce(const std::string& stage) = 0;
  /// Computes the tasks in about this order and hands their results to `finished`, as run_blocks
  /// promises.
  virtual void compute(const std::vector<Cell>& cells, const std::vector<BlockTask>& tasks,
                       const std::atomic<bool>& stop, const BlocksFinished& finished) = 0;

 protected:
  Crew() = default;
  Crew(const Crew&) = default;
  Crew& operator=(const Crew&) = default;
};

/// Runs the tasks, those with the most work first, by hooks.crew, or else by threads of this
/// process; beside them an accelerator computes what is its own, fed by threads that mostly wait.
/// Where it fails at a cell with Engine::kAuto, the block is stepped, and hooks.notice told once.
/// Results are handed to `finished` in any order. Once hooks.stop is set, the blocks left are
/// handed over with the replications they finished, perhaps none, or not at all. The first
/// exception ends the handing out and is thrown again here; blocks under way (of a crew: all of
/// them) are finished and handed over.
void run_blocks(const std::vector<Cell>& cells, std::vector<BlockTask> tasks, const RunHooks& hooks,
                const BlocksFinished& finished, Accelerator* accelerator = nullptr);

/// A block's size, made fit for lock step (simulate/lanes.h) where the cell plays in it: whole
/// groups, as long as everybody still has a block of the cell's replications to do.
std::uint32_t size_for_lock_step(const Cell& cell, std::uint32_t size, std::uint32_t replications,
                                 unsigned hands);

/// Seconds of computing that one replication of each cell takes, guessed from its first rounds, or
/// from one that leaps. What it computes is thrown away. `known`: those of cells that need no
/// trial, or 0; none: all are tried.
std::vector<double> trial_seconds(const std::vector<Cell>& cells, std::vector<double> known = {});
/// Rounds of a trial, at most.
inline constexpr Round kTrialRounds = 8192;

/// hooks.threads, or one per core that this process may use.
unsigned threads_of(const RunHooks& hooks);
/// How many blocks a run computes at one time: its threads, or its crew's hands.
unsigned hands_of(const RunHooks& hooks);

}  // namespace armature
