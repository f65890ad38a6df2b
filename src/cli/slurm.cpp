#include "cli/slurm.h"

#include <fmt/format.h>
#include <unistd.h>

#include "armature/error.h"
#include "base/program.h"

namespace armature::cli {

std::vector<QueuedTask> queue_of_ours() {
  return read_queue(program_output(
      {"squeue", "--noheader", "--array", fmt::format("--user={}", ::getuid()), "--format=%F %K"}));
}

std::set<std::uint32_t> queued_shards(const std::string& directory, bool of_search) {
  std::set<std::uint32_t> shards;
  try {
    const JobRecord record = job_record_in(directory);
    if (record.jobs.empty() || !program_exists("squeue")) return {};
    const JobKind kind = of_search ? JobKind::kSearchShards : JobKind::kShards;
    const std::vector<QueuedTask> queue = queue_of_ours();
    for (const SubmittedJob& job : record.jobs)
      for (const QueuedTask& task : queue)
        if (job.kind == kind && task.job == job.id) shards.insert(task.task);
  } catch (const Error&) {
    return {};
  }
  return shards;
}

}  // namespace armature::cli
