// What Slurm's queue holds of ours.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "study/batch_job.h"

namespace armature::cli {

/// All tasks of this user, at work or waiting. Throws Error if Slurm cannot be asked.
std::vector<QueuedTask> queue_of_ours();

/// The shards of a study's directory that the queue holds, of its search or of the stage after it.
/// None where nothing was submitted, or nobody can be asked.
std::set<std::uint32_t> queued_shards(const std::string& directory, bool of_search);

}  // namespace armature::cli
