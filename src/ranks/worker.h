// Every other rank's side: computes what rank 0 hands out, and touches no file.
#pragma once

#include <chrono>

#include "ranks/hands.h"
#include "ranks/transport.h"

namespace armature::ranks {

/// How the blocks of a stage are computed, from its text. Throws Error if the stage cannot be.
using StageReader = std::function<Compute(const std::string& stage)>;

/// The real one: plans the study again and plays it.
Compute cells_of_stage(const std::string& stage);

struct WorkerOptions {
  StageReader read_stage = cells_of_stage;
  /// If rank 0 is not heard of for so long, the worker ends.
  std::chrono::milliseconds silence = std::chrono::minutes(10);
  const std::atomic<bool>* told_to_end = nullptr;  // SIGTERM
};

/// What this process says of itself.
Hello hello_of_this_process();

/// Computes until rank 0 says that nothing is left.
enum class WorkerEnd { kSentHome, kToldToEnd, kRankZeroSilent };
WorkerEnd work_for_rank_zero(Transport& transport, const Hello& hello,
                             const WorkerOptions& options = {});

}  // namespace armature::ranks
