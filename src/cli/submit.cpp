// A study on a cluster: submit plans it, writes the job scripts and hands them to Slurm; the same
// again submits what did not come through.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "armature/error.h"
#include "armature/study.h"
#include "base/directory_lease.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/program.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/slurm.h"
#include "cli/terminal.h"
#include "options/long_work.h"
#include "study/batch_job.h"
#include "study/plan.h"
#include "study/shard_mark.h"
#include "study/shards.h"
#include "study/store.h"

namespace armature::cli {
namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string nodes;
  std::string time;
  std::string partition;
  std::string cores;
  std::string account;
  std::vector<std::string> more;
  std::string directory;
  bool dry_run = false;
  bool yes = false;
};

// --- What is asked for ---------------------------------------------------------------------------

// It becomes part of a line that Slurm reads.
void require_word(const std::string& option, const std::string& text) {
  for (const char c : text)
    if (!is_name(std::string_view(&c, 1)) &&
        std::string_view(".,:+@/=").find(c) == std::string::npos)
      throw Error({"", option, "'" + text + "'", "a name that Slurm knows, without blanks"});
}

std::string default_directory(const std::string& file) {
  return "runs/" + fs::path(file).stem().string();
}

JobPlaces places_of(const SubmitOptions& options) {
  JobPlaces places;
  std::error_code error;
  places.command = fs::read_symlink("/proc/self/exe", error).string();
  if (error) throw Error({"/proc/self/exe", "link", error.message(), "this command's path"});
  const std::string directory =
      options.directory.empty() ? default_directory(options.file) : options.directory;
  places.directory = fs::absolute(directory).lexically_normal().string();
  if (places.directory.ends_with('/')) places.directory.pop_back();
  places.logs = places.directory + "/job/logs";
  require_plain_paths(places);
  return places;
}

// What Slurm tells of its partitions; nothing where it cannot be asked.
std::vector<Partition> all_partitions() {
  if (!program_exists("sinfo")) return {};
  try {
    return read_partitions(
        program_output({"sinfo", "--noheader", "--all", "--exact", "--format=%P %a %l %c"}));
  } catch (const Error&) {
    return {};
  }
}

// Those that jobs will go to: sbatch, too, takes the variable where nothing is said.
std::vector<Partition> partitions_for(const SubmitOptions& options) {
  const std::vector<Partition> all = all_partitions();
  if (all.empty()) return {};
  const char* variable = std::getenv("SBATCH_PARTITION");
  return partitions_named(
      all, options.partition.empty() && variable != nullptr ? variable : options.partition);
}

std::uint32_t cores_of_task(const SubmitOptions& options,
                            const std::vector<Partition>& partitions) {
  constexpr std::uint64_t kMostCores = 4096;
  if (!options.cores.empty())
    return static_cast<std::uint32_t>(whole_number("--cores", options.cores, 1, kMostCores));
  std::uint64_t fewest = kMostCores + 1;
  for (const Partition& one : partitions)
    if (one.fewest > 0) fewest = std::min({fewest, one.fewest, kMostCores});
  if (fewest <= kMostCores) return static_cast<std::uint32_t>(fewest);
  const unsigned here = cores_given();
  complain(fmt::format(
      "note: Slurm does not say how many processors its nodes have; taken is what this machine "
      "has, {}; --cores says otherwise",
      here));
  return here;
}

JobRequest request_of(const SubmitOptions& options) {
  JobRequest request;
  request.nodes = static_cast<std::uint32_t>(whole_number("--nodes", options.nodes, 1, kMostTasks));
  request.limit = parse_time_limit(options.time);
  require_word("--partition", options.partition);
  require_word("--account", options.account);
  request.partition = options.partition;
  request.account = options.account;
  request.more = options.more;
  for (const std::string& option : options.more) require_sbatch_option(option);
  const std::vector<Partition> partitions = partitions_for(options);
  request.cores = cores_of_task(options, partitions);
  require_possible(partitions, request);
  return request;
}

// --- How far the directory is --------------------------------------------------------------------

// What all tasks would find out one by one.
void require_place(const StudyPlan& plan, const std::string& directory) {
  std::error_code ignored;
  if (fs::exists(directory, ignored) && !fs::is_directory(directory, ignored))
    throw Error({directory, "--out", "a file", "a directory"});
  if (searches_first(plan))
    StudyStore::require_same_search(directory, plan.study, /*in_shards=*/true);
  else
    StudyStore::require_place_for_shards(directory, plan.study);
}

// A stage whose results are all in one store, merged or run without shards. Throws Error if what is
// there is another study, or a run without shards that is not finished.
bool is_whole(const StudyPlan& stage, const std::string& directory, bool search) {
  StudyStore::require_shared(directory);
  if (StudyStore::merged(directory, stage) == StudyStore::Merged::kWhole) return true;
  require_same_mark(directory, stage, search);
  return false;
}

// The stages of a study, by what is whole in its directory.
struct Stages {
  bool search = false;
  bool study = false;
};
Stages whole_stages(const StudyPlan& plan, const std::string& directory) {
  if (!searches_first(plan)) return {false, is_whole(plan, directory, false)};
  Stages whole;
  whole.search =
      is_whole(plan_study(search_study(plan.study), kAnySize), search_path(directory), true);
  StudyStore::require_shared(directory);
  if (!StudyStore::has_begun(directory)) return whole;
  // Who has finished the second stage may have removed the first.
  Study chosen = plan.study;
  chosen.search = StudyStore::read(directory).plan().study.search;
  whole.study = is_whole(plan_study(chosen, kAnySize), directory, false);
  return whole;
}

// The shards that somebody must compute, of the stage that is due.
struct Due {
  bool search = false;
  std::vector<bool> wanted;
  std::vector<bool> at_work;
};
Due due_of(const StudyPlan& plan, const Stages& whole, const std::string& directory,
           std::uint32_t shards) {
  Due due{searches_first(plan) && !whole.search, std::vector<bool>(shards, true),
          std::vector<bool>(shards, false)};
  const std::optional<ShardsStatus> status = shards_status(directory);
  // None of them, or only what is left of a stage that is merged.
  if (!status || status->searching != due.search) return due;
  for (const ShardStatus& one : status->shards) {
    const bool runs = one.state == ShardStatus::State::kRunning;
    due.wanted[one.shard.number - 1] = !runs && one.state != ShardStatus::State::kFinished;
    due.at_work[one.shard.number - 1] = runs;
  }
  return due;
}

void say_finished(const std::string& directory) {
  emit(std::nullopt,
       fmt::format("{}: finished already; nothing to submit. What came out: armature show {}\n",
                   visible(directory), visible(shell_word(directory))));
}

// --- The copy of the study -----------------------------------------------------------------------

// Throws Error if it is not the study that was submitted into the directory before.
void require_same_copy(const std::string& folder, const StudyCopy& copy,
                       const std::string& directory) {
  for (const auto& [path, content] : copy.files)
    if (!fs::is_regular_file(folder + path) || read_file(folder + path) != content)
      throw Error({directory, "study",
                   "another one, submitted before (" + folder + copy.study + ")",
                   "the same study, or another --out"});
}

void write_copy(const std::string& folder, const StudyCopy& copy) {
  for (const auto& [path, content] : copy.files) {
    make_directory(fs::path(folder + path).parent_path().string());
    write_file(folder + path, content);
  }
}

// --- Handing it over -----------------------------------------------------------------------------

struct Script {
  JobStep step;
  std::string path;
  std::string text;
};

// DIR/job while this process submits, and nobody else does. What was written there for a submission
// that came to nothing goes with it; where there was an earlier one, that stays, and so does
// whatever others have made around it meanwhile.
class JobFolder {
 public:
  /// Throws Error if somebody else submits, and then removes nothing.
  explicit JobFolder(const std::string& directory) : path_(directory + "/job") {
    for (fs::path one = path_; !fs::exists(one); one = one.parent_path())
      made_.push_back(one.string());
    make_directory(path_);
    lease_.emplace(path_);
    // Only now: whoever had it until a moment ago may have submitted.
    fresh_ = contents().empty();
  }
  ~JobFolder() {
    if (kept_) return;
    std::error_code ignored;
    if (fresh_ && !lease_->lost())
      for (const fs::path& one : contents()) fs::remove_all(one, ignored);
    lease_.reset();  // it is a file in there
    for (const std::string& folder : made_)
      if (!fs::remove(folder, ignored)) return;  // somebody needs it: it is not empty
  }
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;
  void keep() { kept_ = true; }

 private:
  std::vector<fs::path> contents() const {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(path_, error), end; entry != end; entry.increment(error))
      if (!DirectoryLease::is_lease_file(entry->path().filename().string()))
        found.push_back(entry->path());
    return found;
  }

  std::string path_;
  std::vector<std::string> made_;  // folders that were not there, the innermost first
  std::optional<DirectoryLease> lease_;
  bool fresh_ = false;  // nobody has submitted from here before
  bool kept_ = false;
};

// sbatch says "17" or, of one of several clusters, "17;name".
std::string submitted_id(const std::string& said) {
  const std::string id = said.substr(0, said.find_first_of(";\n"));
  if (id.empty() || !std::all_of(id.begin(), id.end(), is_digit))
    throw Error({"", "sbatch", "'" + shown(said, 100) + "'", "the number of a job"});
  return id;
}

// Returns what went wrong, in words; empty: nothing did.
std::string cancel(const std::vector<std::string>& jobs) {
  if (jobs.empty()) return "";
  std::vector<std::string> command = {"scancel"};
  command.insert(command.end(), jobs.begin(), jobs.end());
  try {
    run_program(command);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

struct Dependency {
  std::vector<std::string> jobs;
  // The second stage is nothing without the search's choice; a merge says what is missing.
  bool succeeded = false;
};

std::string submit_script(const Script& script, const Dependency& after) {
  std::vector<std::string> command = {"sbatch", "--parsable"};
  if (!after.jobs.empty()) {
    command.push_back(fmt::format("--dependency={}:{}", after.succeeded ? "afterok" : "afterany",
                                  fmt::join(after.jobs, ":")));
    command.push_back("--kill-on-invalid-dep=yes");
  }
  command.push_back(script.path);
  return submitted_id(program_output(command));
}

// One after the other: each waits for the one before, the first merge also for what earlier
// submissions still have in the queue, and the first shards where these have all nodes. All of
// them, or none; the record knows of each as soon as it is in the queue.
std::vector<SubmittedJob> hand_over(const std::vector<Script>& scripts, const JobChain& chain,
                                    const JobRecord& before, const std::string& directory,
                                    JobFolder& folder) {
  JobRecord record = before;
  std::vector<std::string> ids;
  const auto keep = [&](const JobRecord& one) {
    write_file(job_record_path(directory), write_job_record(one));
  };
  try {
    for (const Script& script : scripts) {
      Dependency after;
      if (!ids.empty()) after.jobs.push_back(ids.back());
      const bool computes = computes_shards(script.step.kind);
      after.succeeded = computes && !ids.empty();
      const bool behind_earlier = computes ? ids.empty() && chain.shards_wait : ids.size() <= 1;
      if (behind_earlier)
        after.jobs.insert(after.jobs.end(), chain.waits_for.begin(), chain.waits_for.end());
      ids.push_back(submit_script(script, after));
      record.jobs.push_back({ids.back(), script.step.kind});
      keep(record);
    }
  } catch (const Error& error) {
    if (ids.empty()) throw;
    const std::string trouble = cancel(ids);
    // What is in the queue for good needs what was written for it.
    if (trouble.empty())
      keep(before);
    else
      folder.keep();
    const std::string fate = fmt::format(
        "; {} {} {}", ids.size() == 1 ? "job" : "jobs", join(ids, ", "),
        trouble.empty() ? "submitted before it: cancelled" : "NOT cancelled: " + trouble);
    throw Error({error.report().file, error.report().field, error.report().value,
                 error.report().expected + fate});
  }
  return {record.jobs.begin() + static_cast<std::ptrdiff_t>(before.jobs.size()), record.jobs.end()};
}

// --- What a person reads -------------------------------------------------------------------------

std::string shard_words(const WorkEstimate& work, std::uint32_t shards, const JobRequest& request) {
  const double larger = std::max(work.search, work.study);
  return fmt::format("{}, at most {} at a time, each on {} of one node: by the estimate {} of {}.",
                     counted(shards, "shard"), std::min(shards, request.nodes),
                     counted(request.cores, "core"), time_text(larger / shards / request.cores),
                     time_text(request.limit));
}

std::string work_words(const StudyPlan& plan, const WorkEstimate& work) {
  const std::string searched =
      work.search > 0 ? fmt::format(" for its search and {} for the cells that it chooses",
                                    time_text(work.study))
                      : "";
  return fmt::format("{}, about {} of one core{}, estimated from a short trial.",
                     counted(plan.cells.size(), "cell"),
                     time_text(work.search > 0 ? work.search : work.study), searched);
}

std::vector<std::string> top_comments(JobKind kind, const std::string& work,
                                      const std::string& shards) {
  switch (kind) {
    case JobKind::kSearchShards:
      return {"The study's search, in shards: one task of the array computes one.",
              "Study: " + work, shards};
    case JobKind::kSearchMerge:
      return {"When all shards of the search have ended, well or not: puts them together."};
    case JobKind::kShards:
      return {"The study, in shards: one task of the array computes one.", "Study: " + work,
              shards};
    case JobKind::kMerge:
      return {"When all shards have ended, well or not: puts them together and writes the report."};
  }
  ARMATURE_CHECK(false, "every kind of job has words");
  return {};
}

std::string script_listing(const std::vector<Script>& scripts) {
  std::string out;
  for (const Script& script : scripts)
    out += fmt::format("──── {}\n{}\n", visible(script.path), script.text);
  return out;
}

std::string following(const std::vector<SubmittedJob>& jobs, const JobChain& chain,
                      const JobPlaces& places) {
  std::vector<std::string> ids = chain.living, words;
  for (const SubmittedJob& job : jobs) {
    ids.push_back(job.id);
    words.push_back(fmt::format("{} ({})", job.id, kind_name(job.kind)));
  }
  std::string out = fmt::format("Submitted: {}\n", join(words, ", "));
  if (chain.waiting + chain.at_work > 0)
    out += fmt::format(
        "Already in the queue: {}, at work: {}{}\n", counted(chain.waiting, "shard"), chain.at_work,
        chain.shards_wait ? "; the new ones wait for these, which have all nodes" : "");
  return out + fmt::format(
                   "Follow them: armature status {0}\n"
                   "             squeue -j {1}\n"
                   "Their logs:  {2}\n"
                   "If some shards fail, the same command submits those again.\n",
                   visible(shell_word(places.directory)), join(ids, ","), visible(places.logs));
}

// --- All of it -----------------------------------------------------------------------------------

std::vector<Script> scripts_of(const JobChain& chain, std::uint32_t shards,
                               const JobRequest& request, const JobPlaces& places,
                               const std::string& name, const std::string& work,
                               const std::string& cut) {
  std::vector<Script> scripts;
  for (const JobStep& step : chain.steps)
    scripts.push_back(
        {step, places.directory + "/job/" + kind_name(step.kind) + ".sh",
         job_script(step, shards, request, places, name, top_comments(step.kind, work, cut))});
  return scripts;
}

// What is due of the study in its directory, and what is already taken care of.
JobSituation situation_of(const StudyPlan& plan, const Stages& whole, const std::string& directory,
                          const WorkEstimate& work, const JobRequest& request) {
  JobSituation situation;
  situation.record = job_record_in(directory);
  const bool again = situation.record.shards > 0;
  // Shards of two counts do not fit together: what was begun goes on as it was cut.
  if (const std::optional<ShardsStatus> there = shards_status(directory))
    situation.shards = there->of;
  else
    situation.shards = again ? situation.record.shards : choose_shards(work, request);
  situation.record.shards = situation.shards;
  const Due due = due_of(plan, whole, directory, situation.shards);
  situation.searches = due.search;
  situation.wanted = due.wanted;
  situation.at_work = due.at_work;
  situation.nodes = request.nodes;
  if (again && program_exists("squeue")) situation.queue = queue_of_ours();
  return situation;
}

void say_taken_care_of(const JobChain& chain, const std::string& directory) {
  emit(std::nullopt,
       prose(fmt::format("{}: nothing to submit. {} in the queue, {} at work, and what merges them "
                         "is in the queue, too. Follow them: armature status {}",
                         directory, counted(chain.waiting, "shard"), chain.at_work,
                         shell_word(directory)),
             screen()));
}

void submit(const SubmitOptions& options) {
  if (!options.dry_run && !program_exists("sbatch"))
    throw Error({"", "sbatch", "no program of this name on the PATH",
                 "a machine from which jobs are submitted to Slurm; --dry-run shows the scripts"});
  JobPlaces places = places_of(options);
  const std::string& directory = places.directory;
  const StudyPlan plan =
      planned(options.file, options.overrides, options.yes, stored_files(directory));
  const JobRequest request = request_of(options);
  const StudyCopy copy = copy_study(plan.study);
  const std::string folder = directory + "/job/study/";
  places.study = folder + copy.study;

  require_place(plan, directory);
  std::optional<JobFolder> held;
  if (!options.dry_run) held.emplace(directory);
  if (fs::exists(job_record_path(directory))) require_same_copy(folder, copy, directory);
  const Stages whole = whole_stages(plan, directory);
  if (whole.study) return say_finished(directory);
  const WorkEstimate work = estimate_work(plan, trial_seconds(plan));
  const JobSituation situation = situation_of(plan, whole, directory, work, request);
  const JobChain chain = plan_jobs(situation);
  if (chain.steps.empty()) return say_taken_care_of(chain, directory);

  const std::string work_line = work_words(plan, work);
  const std::string cut_line = shard_words(work, situation.shards, request);
  const std::vector<Script> scripts =
      scripts_of(chain, situation.shards, request, places, fs::path(options.file).stem().string(),
                 work_line, cut_line);
  emit(std::nullopt,
       prose(work_line, screen()) + prose(cut_line, screen()) + "\n" + script_listing(scripts));
  if (options.dry_run) return;

  make_directory(places.logs);
  write_copy(folder, copy);
  for (const Script& script : scripts) write_file(script.path, script.text);
  const std::vector<SubmittedJob> jobs =
      hand_over(scripts, chain, situation.record, directory, *held);
  held->keep();
  if (const std::string trouble = cancel(chain.replaced); !trouble.empty())
    complain(fmt::format("note: jobs {}, which these take the place of, could not be cancelled: {}",
                         join(chain.replaced, ", "), trouble));
  emit(std::nullopt, following(jobs, chain, places));
}

}  // namespace

void add_submit(CLI::App& app) {
  auto options = std::make_shared<SubmitOptions>();
  CLI::App* command = app.add_subcommand(
      "submit", "run a study on a cluster: job scripts for Slurm, written, shown and submitted");
  command->add_option("FILE", options->file, "a study (TOML; docs/studies.md)")->required();
  command->add_option("KEY=VALUE", options->overrides,
                      "replace top-level values: replications=20 horizons=[1e4,1e5]");
  command->add_option("--nodes,-N", options->nodes, "at most so many nodes at a time")->required();
  command
      ->add_option("--time,-t", options->time,
                   "the limit of one task, of which it should need half: 2h, 90min, 1d, 02:00:00")
      ->required();
  command->add_option("--partition,-p", options->partition, "Slurm's partition [its default]");
  command->add_option("--cores,-c", options->cores,
                      "of a node for one task [the fewest that a node of the partition has]");
  command->add_option("--account,-A", options->account, "Slurm's account [its default]");
  command
      ->add_option("--sbatch", options->more,
                   "another option of sbatch for every job, once for each: --sbatch=--mem=8G")
      ->allow_extra_args(false);
  command->add_option("--out,-o", options->directory,
                      "the study's directory, which all nodes see [runs/FILE's stem]");
  command->add_flag("--dry-run", options->dry_run, "show the scripts; write and submit nothing");
  command->add_flag("--yes,-y", options->yes, "submit it even if it has very many cells");
  command->footer(
      "Every task of the array computes a shard of the study, one job merges them and\n"
      "writes the report. What they compute is a copy of the study, DIR/job/study, so\n"
      "that FILE may be edited. The same command again submits only what is neither\n"
      "finished nor at work nor in the queue. Then: armature status DIR\n\n"
      "Examples:\n"
      "  armature submit studies/headline.toml --nodes 4 --time 2h --dry-run\n"
      "  armature submit studies/delay.toml replications=5 horizons=1000 \\\n"
      "                  --nodes 2 --time 30min --cores 16 --dry-run\n"
      "  armature submit studies/delay.toml replications=5 horizons=1000 \\\n"
      "                  --nodes 2 --time 30min --partition short \\\n"
      "                  --sbatch=--mem=8G --dry-run");
  command->callback([options] { submit(*options); });
}

}  // namespace armature::cli
