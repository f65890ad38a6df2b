// A study as jobs of a batch queue (Slurm): into how many shards it is cut, the scripts that
// compute and merge them, and what is submitted again when some did not come through. Numbers and
// texts in, numbers and texts out: whoever writes files and talks to the queue is cli/submit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/study.h"

namespace armature {

// --- How many shards -----------------------------------------------------------------------------

/// Seconds of "2h", "90min", "1d12h", "02:00:00" or "1-12:00:00". A number alone is refused: to
/// Slurm it is minutes, to others seconds. Throws Error naming --time.
double parse_time_limit(const std::string& text);
/// As Slurm takes it: "02:00:00", "1-12:00:00".
std::string slurm_time(double seconds);

/// What one task of a job is given.
struct JobRequest {
  std::uint32_t nodes = 1;  // tasks at a time, each on a node of its own
  std::uint32_t cores = 1;  // of a task
  double limit = 3600;      // of a task, in seconds
  std::string partition;    // empty: the queue's own choice, as is the account
  std::string account;
  std::vector<std::string> more;  // options of sbatch, as "--mem=8G": a line each of every script
};
/// Throws Error naming --sbatch unless this is one long option of sbatch that is not given by
/// another option here.
void require_sbatch_option(const std::string& text);

/// A partition of the queue, by all lines of `sinfo --all --exact --format "%P %a %l %c"` on it.
struct Partition {
  std::string name;
  bool is_default = false;
  bool up = false;
  double limit = 0;          // in seconds; infinite where there is none
  std::uint64_t fewest = 0;  // processors of a node; 0: not known
  std::uint64_t most = 0;
};
std::vector<Partition> read_partitions(const std::string& lines);
/// Those that jobs would go to: all of "a,b", the default one where nothing is named, none where
/// there is no default. Throws Error naming --partition if one does not exist, or none is up.
std::vector<Partition> partitions_named(const std::vector<Partition>& all,
                                        const std::string& names);
/// Throws Error naming what none of these can give: a job that asks for it would wait for ever.
void require_possible(const std::vector<Partition>& partitions, const JobRequest& request);

/// What a study comes to, in seconds of one core, by trial_seconds.
struct WorkEstimate {
  double search = 0;  // of the first stage; 0: there is none
  double study = 0;
  double longest_replication = 0;
  std::uint64_t replications = 0;  // of all cells, of the stage that has more
};
WorkEstimate estimate_work(const StudyPlan& plan, const std::vector<double>& seconds);

/// As many as Slurm takes into one array unless it is told otherwise.
inline constexpr std::uint32_t kMostTasks = 1000;

/// So many that each takes at most half of the limit, at least one per node, and a multiple of the
/// nodes where that can be and leaves each a minute of work; but never more than there are
/// replications. Throws Error naming the estimate and what would do.
std::uint32_t choose_shards(const WorkEstimate& work, const JobRequest& request);

// --- What is submitted ---------------------------------------------------------------------------

/// In the order in which they follow each other; a study without a search has the last two alone.
enum class JobKind { kSearchShards, kSearchMerge, kShards, kMerge };
bool computes_shards(JobKind kind);
/// "search-shards", "merge": what scripts are called, and jobs in records.
std::string kind_name(JobKind kind);

/// A job that was submitted before; all that belong to one directory, and the number of shards that
/// all of them go by.
struct SubmittedJob {
  std::string id;
  JobKind kind = JobKind::kShards;
};
struct JobRecord {
  std::uint32_t shards = 0;
  std::vector<SubmittedJob> jobs;
};
/// DIR/job/submitted.json.
std::string job_record_path(const std::string& directory);
/// Empty where nothing was submitted.
JobRecord job_record_in(const std::string& directory);
std::string write_job_record(const JobRecord& record);
JobRecord read_job_record(const std::string& json, const std::string& source);

/// A line of `squeue --array --format "%F %K"`: a job, or one task of an array.
struct QueuedTask {
  std::string job;
  std::uint32_t task = 0;  // 0: the job is no array
};
std::vector<QueuedTask> read_queue(const std::string& lines);

/// How far a directory is.
struct JobSituation {
  std::uint32_t shards = 1;
  bool searches = false;      // the study has a search that is not merged yet
  std::vector<bool> wanted;   // of the stage that is due, shard by shard: somebody must compute it
  std::vector<bool> at_work;  // likewise: somebody does
  std::uint32_t nodes = 1;    // tasks at a time, those of earlier submissions, too
  std::vector<QueuedTask> queue;
  JobRecord record;
};

struct JobStep {
  JobKind kind = JobKind::kShards;
  std::vector<std::uint32_t> tasks = {};  // of shards
  std::uint32_t at_a_time = 0;            // of these
};
struct JobChain {
  std::vector<JobStep> steps;  // each after the one before; empty: nothing to submit
  /// Jobs of earlier submissions, which the first merge is after; and the first shards, too, where
  /// those have all nodes.
  std::vector<std::string> waits_for;
  bool shards_wait = false;
  std::vector<std::string> replaced;  // queued jobs that these take the place of
  std::vector<std::string> living;    // all other jobs of earlier submissions
  std::size_t waiting = 0;            // shards that are in the queue already and not at work
  std::size_t at_work = 0;
};
JobChain plan_jobs(const JobSituation& situation);

// --- Scripts -------------------------------------------------------------------------------------

/// One word of a shell's command line, whatever it holds.
std::string shell_word(const std::string& text);
/// "1-8", "3,7,9-11".
std::string task_list(const std::vector<std::uint32_t>& tasks);

/// Where everything is; absolute paths, as jobs begin anywhere.
struct JobPlaces {
  std::string command;    // armature
  std::string study;      // the copy that all tasks read
  std::string directory;  // the study's
  std::string logs;
};
/// Throws Error if paths hold what Slurm's own lines of a script cannot (quotes, backslashes, line
/// breaks); all else they may.
void require_plain_paths(const JobPlaces& places);

/// `name` is the study's, for the queue's list; `words` are comments at the top.
std::string job_script(const JobStep& step, std::uint32_t shards, const JobRequest& request,
                       const JobPlaces& places, const std::string& name,
                       const std::vector<std::string>& words);

/// The study spelt out, and the files that it names, by their paths in a folder of its own: whoever
/// edits the study later disturbs no task. Files named by absolute paths stay where they are. The
/// study stands so deep that paths which lead upwards do not leave the folder.
struct StudyCopy {
  std::string study;                                       // the path of the study itself
  std::vector<std::pair<std::string, std::string>> files;  // path and content, the study's too
};
StudyCopy copy_study(const Study& study);

}  // namespace armature
