// The one block runner: blocks of replications over the cores of the machine. What a block
// computes depends on its cell and its replication numbers alone, so results are the same bytes
// for any number of threads and any cut into blocks.
#pragma once

#include "armature/lab.h"

namespace armature {

/// Some replications of one cell. `work` orders the blocks and moves the progress line; its unit is
/// free, as long as all tasks of a call have the same. A wrong guess costs time, never a bit.
struct BlockTask {
  std::size_t cell = 0;  // its place in the cells given to run_blocks
  ReplicationRange range;
  double work = 1;
};

/// Runs the tasks, those with the most work first, and hands each result to `finished` from the
/// thread that computed it: many at once, in any order. Once hooks.stop is set, the blocks left are
/// handed over with the replications they finished, perhaps none. The first exception ends the
/// handing out and is thrown again here; blocks under way are finished and handed over.
void run_blocks(const std::vector<Cell>& cells, std::vector<BlockTask> tasks, const RunHooks& hooks,
                const std::function<void(const BlockTask&, BlockResult)>& finished);

/// Seconds of computing that one replication of each cell takes, guessed from its first rounds, or
/// from one that leaps. What it computes is thrown away.
std::vector<double> trial_seconds(const std::vector<Cell>& cells);
/// Rounds of a trial, at most.
inline constexpr Round kTrialRounds = 8192;

/// hooks.threads, or one per core.
unsigned threads_of(const RunHooks& hooks);

}  // namespace armature
