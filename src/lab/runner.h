// The one block runner: blocks of replications over the cores of the machine. What a block
// computes depends on its cell and its replication numbers alone, so results are the same bytes
// for any number of threads and any cut into blocks.
#pragma once

#include "armature/lab.h"

namespace armature {

/// Some replications of one cell, and the work they are expected to be, in any unit.
struct BlockTask {
  std::size_t cell = 0;
  ReplicationRange range;
  double work = 1;
};

/// Runs the tasks, those with the most work first, and hands over each result from the thread that
/// computed it. The first exception ends the handing out and is thrown again here.
void run_blocks(const std::vector<Cell>& cells, std::vector<BlockTask> tasks, const RunHooks& hooks,
                const std::function<void(const BlockTask&, BlockResult)>& finished);

/// hooks.threads, or one per core.
unsigned threads_of(const RunHooks& hooks);

}  // namespace armature
