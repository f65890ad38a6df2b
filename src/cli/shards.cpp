// Studies that many machines compute in shards: how far they are, and putting them together.
#include "study/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "armature/error.h"
#include "armature/study.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/slurm.h"
#include "cli/terminal.h"
#include "options/long_work.h"
#include "report/table.h"
#include "study/batch_job.h"
#include "study/store.h"

namespace armature::cli {
namespace {

using State = ShardStatus::State;

struct MergeOptions {
  std::string directory;
  bool partial = false;
  bool quiet = false;
};

std::string merge_progress_text(const MergeProgress& progress) {
  return fmt::format("{} {} of {}", progress.checking ? "checked" : "merged", progress.done,
                     counted(progress.total, "shard"));
}

std::string merge_words(const MergeOptions& options, const MergeOutcome& outcome) {
  const std::string directory = visible(options.directory);
  const std::string word = visible(shell_word(options.directory));  // to be pasted
  const bool shards =
      has_shards(outcome.search ? search_path(options.directory) : options.directory);
  std::string out = directory + ": " + (outcome.search ? "search " : "");
  if (outcome.already && !shards)
    out += "a whole study; nothing to merge\n";
  else if (outcome.already)
    out += "merged already; nothing to do\n";
  else if (outcome.left_out.empty())
    out += fmt::format("merged, {}\n", counted(outcome.replications, "replication"));
  else
    out += fmt::format(
        "merged in part, {}; {} not finished\n", counted(outcome.replications, "replication"),
        outcome.left_out.size() == 1 ? "1 shard was"
                                     : fmt::format("{} shards were", outcome.left_out.size()));
  if (!outcome.left_out.empty()) {
    out += fmt::format(
        "A look at it: armature show {}. Shards can go on and be merged again, or "
        "armature run --out {} computes the rest.\n",
        visible(shell_word(outcome.search ? search_path(options.directory) : options.directory)),
        word);
    return out;
  }
  if (outcome.search) {
    out += fmt::format(
        "{}/search/shards is no longer needed. Now the cells it chose: the same armature run "
        "--shard again.\n",
        directory);
    return out;
  }
  if (shards) out += directory + "/shards is no longer needed. ";
  return out + fmt::format("What came out: armature show {}\n", word);
}

// Between two shards, so that what lies aside and all leases go as after any failure.
void end_if(const std::atomic<bool>& interrupted) {
  if (!interrupted) return;
  fmt::print(stderr, "armature: interrupted; nothing was merged, the same command begins anew\n");
  throw ExitStatus{interrupted_status()};
}

void merge(const MergeOptions& options) {
  const std::atomic<bool>& interrupted = stop_on_interrupt_or_end();
  MergeOutcome outcome;
  try {
    ProgressLine line(options.quiet, ProgressLine::InPipe::kPlainLines);
    const auto start = std::chrono::steady_clock::now();
    MergeHooks hooks;
    hooks.progress = [&](const MergeProgress& progress) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      line.show(passed.count(), [&](std::size_t) { return merge_progress_text(progress); });
      end_if(interrupted);
    };
    if (!options.quiet)
      hooks.notice = [](const std::string& words) {
        fmt::print(stderr, "armature: {}\n", visible(words));
      };
    outcome = merge_shards(options.directory, options.partial, hooks);
  } catch (const MergeRefused& refused) {
    // What is wrong in all, after what is wrong with each.
    for (const std::string& trouble : refused.troubles())
      fmt::print(stderr, "{}\n", visible(trouble));
    throw;
  }
  if (!options.quiet) emit(std::nullopt, merge_words(options, outcome));
}

// Never 100% before the end.
std::string percent(double done, double total) {
  return total > 0 ? fmt::format("{:.0f}%", std::floor(100 * std::min(done / total, 1.0))) : "–";
}

std::string share_words(const ShardStatus& shard) {
  return shard.work_total > 0
             ? percent(shard.work_done, shard.work_total)
             : percent(static_cast<double>(shard.done), static_cast<double>(shard.total));
}

// Numbers of shards that wait in a queue or are at work for it.
using Queue = std::set<std::uint32_t>;

std::string state_words(const ShardStatus& shard, const Queue& queue) {
  const bool queued = queue.contains(shard.shard.number);
  if (!shard.trouble.empty()) return visible(shard.trouble);
  switch (shard.state) {
    case State::kFinished:
      return "finished";
    case State::kRunning:
      return shard.seconds_left > 0 ? fmt::format("running, {} left", time_text(shard.seconds_left))
                                    : "running";
    case State::kStopped:
      return queued ? "stopped, in the queue again" : "stopped";
    case State::kMissing:
      return queued ? "not begun" : "missing";
  }
  return "";
}

// One line each of what is not finished; of those that nobody has begun a line for each row of
// them.
std::string unfinished_shards(const ShardsStatus& status, const Queue& queue) {
  TextTable table({"shard", "work done", "state"});
  table.words(2);
  bool any = false;
  for (std::size_t i = 0; i < status.shards.size();) {
    const ShardStatus& shard = status.shards[i];
    std::size_t end = i + 1;
    if (shard.state == State::kMissing && shard.trouble.empty())
      while (end < status.shards.size() && status.shards[end].state == State::kMissing &&
             state_words(status.shards[end], queue) == state_words(shard, queue))
        ++end;
    if (shard.state != State::kFinished) {
      any = true;
      table.add({end - i > 1 ? fmt::format("{}–{}", i + 1, end) : fmt::format("{}", i + 1),
                 share_words(shard), state_words(shard, queue)});
    }
    i = end;
  }
  return any ? table.print(screen()) : "";
}

// "37 of 40 shards finished, 2 running, 1 missing; 93% of the work; 1.2e+09 rounds/s; about 5 min
// 10 s left". The time is that of who is slowest: others end before.
std::string totals(const ShardsStatus& status, const Queue& queue) {
  std::size_t waiting = 0;
  std::map<State, std::size_t> counts;
  std::size_t no_good = 0;
  double done = 0, total = 0, rate = 0, left = 0;
  for (const ShardStatus& shard : status.shards) {
    const bool idle = shard.state == State::kMissing || shard.state == State::kStopped;
    const bool waits = idle && queue.contains(shard.shard.number);
    ++(!shard.trouble.empty() ? no_good : waits ? waiting : counts[shard.state]);
    done += shard.work_done;
    total += shard.work_total;
    if (shard.state != State::kRunning) continue;
    rate += shard.rounds_per_second;
    left = std::max(left, shard.seconds_left);
  }
  std::vector<std::string> states{
      fmt::format("{} of {} finished", counts[State::kFinished], counted(status.of, "shard"))};
  if (waiting > 0) states.push_back(fmt::format("{} in the queue", waiting));
  for (const auto& [state, word] : {std::pair(State::kRunning, "running"),
                                    {State::kStopped, "stopped"},
                                    {State::kMissing, "missing"}})
    if (counts[state] > 0) states.push_back(fmt::format("{} {}", counts[state], word));
  if (no_good > 0) states.push_back(fmt::format("{} no good", no_good));
  std::string out = (status.searching ? "search: " : "") + join(states, ", ");
  if (total > 0) out += fmt::format("; {} of the work", percent(done, total));
  if (rate > 0) out += fmt::format("; {:.3g} rounds/s", rate);
  if (left > 0)
    out += fmt::format("; about {} left{}", time_text(left),
                       waiting + counts[State::kStopped] + counts[State::kMissing] + no_good > 0
                           ? " for those at work"
                           : "");
  return out;
}

std::string next_step(const ShardsStatus& status, const std::string& directory) {
  const bool finished =
      std::all_of(status.shards.begin(), status.shards.end(),
                  [](const ShardStatus& shard) { return shard.state == State::kFinished; });
  if (status.merged)
    return "The search is merged; now the cells it chose: the same armature run --shard again.\n";
  if (finished) return fmt::format("Now: armature merge {}\n", visible(shell_word(directory)));
  return "";
}

}  // namespace

bool has_shards(const std::string& directory) {
  std::error_code ignored;
  return std::filesystem::exists(shards_path(directory), ignored);
}

// Of shards that are all still waiting in a queue.
bool print_submitted(const std::string& directory) {
  const JobRecord record = job_record_in(directory);
  if (record.shards == 0 || StudyStore::exists(directory)) return false;
  std::vector<std::string> ids;
  for (const SubmittedJob& job : record.jobs) ids.push_back(job.id);
  emit(std::nullopt, prose(fmt::format("{} submitted, none of them begun; squeue -j {} says when",
                                       counted(record.shards, "shard"), join(ids, ",")),
                           screen()));
  return true;
}

bool print_shards_status(const std::string& directory) {
  const std::optional<ShardsStatus> status = shards_status(directory);
  if (!status && print_submitted(directory)) return true;
  // What is merged is told of as any study.
  if (!status || (status->merged && !status->searching)) return false;
  std::string out = status->title.empty() ? "" : prose(status->title, screen());
  const Queue queue = queued_shards(directory, status->searching);
  const std::string list = unfinished_shards(*status, queue);
  if (!list.empty()) out += (out.empty() ? "" : "\n") + list + "\n";
  emit(std::nullopt, out + prose(totals(*status, queue), screen()) + next_step(*status, directory));
  return true;
}

void add_merge(CLI::App& app) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* command =
      app.add_subcommand("merge", "put the shards of a study together, once all are finished");
  command->add_option("DIR", options->directory, "where armature run --shard has left them")
      ->required();
  command->add_flag("--partial", options->partial,
                    "merge what there is, though some are missing or unfinished");
  command->add_flag("--quiet,-q", options->quiet, "no progress, and no words at the end");
  command->footer(
      "Every shard is checked first. A merge that fails or is stopped leaves nothing,\n"
      "one that is killed a file aside that the next one removes; either can be\n"
      "repeated. What comes out is the study as one machine would have run it, to the\n"
      "last byte of its export.\n\n"
      "Examples:\n"
      "  armature merge runs/cut\n"
      "  armature merge runs/cut --partial --quiet");
  command->callback([options] { merge(*options); });
}

}  // namespace armature::cli
