// Replications in, summaries out. Blocks are condensed where they were run and merged in block
// order, so memory does not grow with the number of replications times checkpoints, and the order
// of arrival leaves no trace in the numbers.
#pragma once

#include "armature/lab.h"
#include "lab/moments.h"

namespace armature {

struct NamedMoments {
  std::string name;
  Moments moments;
};

/// One block of one policy, condensed.
struct BlockSummary {
  Engine engine = Engine::kStep;
  std::vector<double> final_regret;
  std::vector<Moments> checkpoints;
  std::vector<double> pulls;  // totals per arm
  Moments simple_regret;
  std::vector<NamedMoments> diagnostics;
  double seconds = 0;
};

BlockSummary condense(const BlockResult& result);
PolicySummary summarize(const Cell& cell, const std::vector<BlockSummary>& blocks);

}  // namespace armature
