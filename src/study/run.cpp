// Runs what is missing of a study, block by block, into its store. First a short trial of every
// cell, so that blocks can be cut by the time they take; how they are cut leaves no trace in
// results.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "armature/error.h"
#include "base/directory_lease.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/text.h"
#include "lab/moments.h"
#include "lab/placement.h"
#include "lab/runner.h"
#include "study/plan.h"
#include "study/shard_mark.h"
#include "study/shards.h"
#include "study/stage.h"
#include "study/store.h"

namespace armature {
namespace {

constexpr double kLongestBlock = 1;      // seconds: what a kill can cost each thread
constexpr double kShortestBlock = 0.05;  // seconds: each block is a transaction, synced to disk
constexpr double kBlocksPerHand = 16;    // so that threads end at about the same time
constexpr double kMostBlockBytes = 64 << 20;  // a block waits in memory until it is whole…
constexpr double kMemoryForBlocks = .25;      // …and all at work together take no more than this

// Of one finished replication, roughly.
double bytes_of(const StudyPlan& plan, const PlannedCell& cell) {
  // A checkpoint: its regret, and two learners' shares with their names.
  return 8.0 * (cell.actions + 16.0 * plan.study.checkpoints + 100);
}

// Those of the ranges that lie in one.
std::vector<ReplicationRange> within(ReplicationRange part,
                                     const std::vector<ReplicationRange>& ranges) {
  std::vector<ReplicationRange> inside;
  for (const ReplicationRange& range : ranges) {
    const std::uint32_t first = std::max(range.first, part.first);
    const std::uint32_t end = std::min(range.first + range.count, part.first + part.count);
    if (first < end) inside.push_back({first, end - first});
  }
  return inside;
}

// The replications that are to be computed, per cell.
std::vector<ReplicationRange> part_of(const StudyPlan& plan, std::optional<Shard> shard) {
  if (shard) return ShardCut(plan, shard->of).part(shard->number);
  return std::vector<ReplicationRange>(plan.cells.size(), {0, plan.study.replications});
}

// Cuts what is missing into blocks that take about a second, or less where there is little to do.
// A device is given as much at a time as it wants: cutting finer would only leave parts of it idle.
std::vector<BlockTask> missing_blocks(StudyStore& store, const std::vector<ReplicationRange>& part,
                                      const std::vector<Cell>& cells, const Placement& placement,
                                      const std::vector<double>& seconds, unsigned hands) {
  const StudyPlan& plan = store.plan();
  std::vector<std::vector<ReplicationRange>> missing;
  double work = 0;  // of the cores
  for (const PlannedCell& cell : plan.cells) {
    missing.push_back(within(part[cell.id], store.missing(cell.id)));
    if (placement.on_device(cell.id)) continue;
    for (const ReplicationRange& range : missing.back()) work += range.count * seconds[cell.id];
  }
  // A second at most, as that is what a kill costs. A short study is cut finer, or some threads
  // would have nothing to do.
  const double target = std::clamp(work / (hands * kBlocksPerHand), kShortestBlock, kLongestBlock);
  const double core_bytes = most_block_bytes(hands, memory_given());
  const double device_bytes =
      placement.accelerator ? most_device_block_bytes(*placement.accelerator, memory_given()) : 0;
  std::vector<BlockTask> tasks;
  for (const PlannedCell& cell : plan.cells) {
    const bool on_device = placement.on_device(cell.id);
    // A trial may be too short for the clock: 1e-9 stands in for 0. A replication longer than the
    // target is a block by itself, for blocks are made of whole ones.
    const double one =
        on_device ? placement.device_seconds(cell.id) : std::max(seconds[cell.id], 1e-9);
    double most = std::min((on_device ? device_bytes : core_bytes) / bytes_of(plan, cell),
                           (on_device ? kLongestBlock : target) / one);
    // Beside results there may be worlds of their own in memory: only the device knows how many.
    if (on_device) most = std::min<double>(most, placement.per_block[cell.id]);
    auto size = static_cast<std::uint32_t>(std::clamp(most, 1.0, 1e6));
    if (!on_device) size = size_for_lock_step(cells[cell.id], size, plan.study.replications, hands);
    for (const ReplicationRange& range : missing[cell.id])
      for (std::uint32_t done = 0; done < range.count; done += size) {
        const std::uint32_t count = std::min(size, range.count - done);
        tasks.push_back({cell.id, {range.first + done, count}, count * one, on_device});
      }
  }
  return tasks;
}

// Sums of pulls are kept in the signed 64 bits of the store: 9e18 is just below 2^63.
void require_countable(const StudyPlan& plan) {
  for (const PlannedCell& cell : plan.cells)
    if (static_cast<double>(cell.horizon) * plan.study.replications > 9e18)
      throw Error({"", "horizon × replications",
                   fmt::format("{} × {}", cell.horizon, plan.study.replications), "at most 9e18"});
}

// What a run tells of itself in its lease.
std::string note_of(const Progress& progress) {
  return nlohmann::json{
      {"searching", progress.searching},   {"replications", progress.replications_done},
      {"of", progress.replications_total}, {"rounds", progress.rounds_done},
      {"share", progress.share},           {"seconds", progress.seconds}}
      .dump();
}

}  // namespace

std::optional<Progress> progress_from(const std::string& note) {
  const nlohmann::json json = nlohmann::json::parse(note, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    Progress progress;
    progress.searching = json.at("searching");
    progress.replications_done = json.at("replications");
    progress.replications_total = json.at("of");
    progress.rounds_done = json.at("rounds");
    progress.share = json.at("share");
    progress.seconds = json.at("seconds");
    return progress;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

namespace {

LeaseTerms terms_of(const RunHooks& hooks) {
  LeaseTerms terms;
  terms.notice = hooks.notice;
  terms.stop = hooks.stop;
  return terms;
}

// The directories that a stage works in, its own and those around it: it lasts as long as they are
// all held, and says in all of them how far it is.
class Workplace {
 public:
  Workplace(const std::string& directory, const RunHooks& hooks, const Workplace* around = nullptr)
      : lease_(directory, terms_of(hooks)), around_(around) {}

  void require() const {
    lease_.require();
    if (around_ != nullptr) around_->require();
  }
  void tell(const Progress& progress) const {
    lease_.note(note_of(progress));
    if (around_ != nullptr) around_->tell(progress);
  }

 private:
  mutable DirectoryLease lease_;
  const Workplace* around_;
};

// The same hooks, and the workplace is told, too: of all replications of the stage, also of those
// that were there before.
RunHooks telling(const Workplace& place, const RunHooks& hooks, std::uint64_t before,
                 std::uint64_t total, bool searching) {
  RunHooks telling = hooks;
  telling.progress = [&place, before, total, searching,
                      progress = hooks.progress](const Progress& now) {
    Progress noted = now;
    noted.searching = searching;
    noted.replications_done += before;
    noted.replications_total = total;
    place.tell(noted);
    if (progress) progress(now);
  };
  return telling;
}

enum class Stage { kSearch, kMain };

// Tells of it, too; once, where there are two stages. What a search has chosen may be what only
// cores can compute: no error, after hours.
Placement placed(const StudyPlan& plan, const std::vector<Cell>& cells, const RunHooks& hooks) {
  const bool chosen = plan.study.search && !plan.study.search->chosen.empty();
  Placement placement = place_cells(cells, plan.study.replications, hooks,
                                    chosen ? Unplayable::kStepped : Unplayable::kError);
  if (hooks.notice && !chosen)
    for (const std::string& words : placement.notes) hooks.notice(words);
  return placement;
}

// Said before a directory is made; where a study has begun it may have nothing left to compute.
void require_device(const StudyPlan& plan, const std::string& directory, const RunHooks& hooks) {
  if (engine_named(plan.study.engine) == Engine::kCuda && hooks.accelerator &&
      !StudyStore::exists(directory) && !StudyStore::exists(search_path(directory)))
    hooks.accelerator();
}

// Of cells that the cores compute: as they were found before, if somebody asked, or by a trial.
std::vector<double> seconds_on_cores(const std::vector<Cell>& cells, const Placement& placement,
                                     std::vector<double> known) {
  known.resize(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (placement.on_device(i)) known[i] = 1;  // nobody looks at it
  return trial_seconds(cells, std::move(known));
}

// One stage: what is missing of an ordinary study, or of a shard of one.
StudyOutcome run_stage(const StudyPlan& plan, const std::string& directory, const Workplace& place,
                       Stage stage, const RunHooks& hooks, std::vector<double> seconds,
                       std::optional<Shard> shard = std::nullopt) {
  StudyStore store = StudyStore::begin(
      directory, plan, [&place] { place.require(); }, shard);
  const std::vector<ReplicationRange> part = part_of(plan, shard);
  std::uint64_t total = 0;
  for (const ReplicationRange& range : part) total += range.count;
  const std::uint64_t before = store.stored_replications();
  // A study that is complete costs nothing to run again: no worlds, no trial.
  if (before < total) {
    const std::vector<Cell> cells = cells_of(plan);
    const Placement placement = placed(plan, cells, hooks);
    if (placement.accelerator) store.note_accelerator(placement.accelerator->name());
    seconds = seconds_on_cores(cells, placement, std::move(seconds));
    if (hooks.crew) hooks.crew->announce(write_stage(plan));
    const bool searching = stage == Stage::kSearch;
    run_blocks(
        cells, missing_blocks(store, part, cells, placement, seconds, hands_of(hooks)),
        telling(place, hooks, before, total, searching),
        [&](const std::vector<FinishedBlock>& finished) {
          std::vector<StudyStore::Block> blocks;
          for (const auto& [task, result] : finished)
            blocks.push_back({plan.cells[task.cell].id, task.range.first, result});
          store.add(blocks);
        },
        placement.accelerator.get());
  }
  // Counted in the store, not from what was handed out: a run that was stopped has fewer.
  const std::uint64_t after = store.stored_replications();
  const bool complete = after == total;
  if (shard && complete && !store.sealed()) store.seal();
  store.finish();
  return {.complete = complete, .computed = after - before};
}

RunHooks telling_of_search(RunHooks hooks) {
  if (hooks.progress)
    hooks.progress = [progress = hooks.progress](Progress now) {
      now.searching = true;
      progress(now);
    };
  return hooks;
}

// Planned again, as random families draw their worlds by the seed.
StudyPlan search_plan(const StudyPlan& plan) {
  return plan_study(search_study(plan.study), kAnySize);
}

// The first stage, in a directory of its own, where it can be looked at and resumed like any other
// study.
StudyOutcome run_search(const StudyPlan& plan, const std::string& directory,
                        const Workplace& around, const RunHooks& hooks,
                        const std::vector<double>& seconds) {
  make_directory(directory);
  const Workplace place(directory, hooks, &around);
  return run_stage(search_plan(plan), directory, place, Stage::kSearch, telling_of_search(hooks),
                   seconds);
}

double mean_final_regret(StudyStore& store, std::uint32_t cell) {
  Moments moments;
  store.regrets(cell, store.checkpoints(cell).size() - 1, Recorder::Order::kOfReplications,
                [&](double regret) { moments.add(regret); });
  return moments.mean;
}

// By the finished search in the directory: the largest mean of each list; of equals the first of
// the plan, on every machine.
std::vector<std::uint32_t> chosen_cells(const StudyPlan& plan, const std::string& directory) {
  StudyStore search = StudyStore::read(search_path(directory));
  std::vector<std::uint32_t> chosen;
  for (const std::vector<std::uint32_t>& choices : search_choices(plan)) {
    std::uint32_t worst = choices.front();
    double largest = mean_final_regret(search, worst);
    for (const std::uint32_t cell : choices)
      if (const double mean = mean_final_regret(search, cell); mean > largest) {
        worst = cell;
        largest = mean;
      }
    chosen.push_back(worst);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// The second stage: the cells that the finished search in the directory has chosen, and how long
// they take.
struct ChosenStage {
  StudyPlan plan;
  std::vector<double> seconds;
};
ChosenStage chosen_stage(const StudyPlan& plan, const std::string& directory,
                         const std::vector<double>& seconds) {
  Study study = plan.study;
  study.search->chosen = chosen_cells(plan, directory);
  std::vector<double> of_chosen;
  if (!seconds.empty())
    for (const std::uint32_t cell : study.search->chosen) of_chosen.push_back(seconds[cell]);
  return {plan_study(study, kAnySize), std::move(of_chosen)};
}

// Who merges in this directory: a run without shards tells how far it is, a merge tells nothing.
// One on another machine that seems to have died is watched until that is sure; who cannot be told
// of is nobody to wait for.
std::optional<DirectoryLease::Holder> merger_of(const std::string& directory,
                                                const LeaseTerms& terms) {
  auto holder = DirectoryLease::holder(directory, terms);
  if (holder && !holder->here) holder = DirectoryLease::holder_elsewhere(directory, terms);
  const bool merges = holder && holder->process > 0 && !progress_from(holder->note);
  return merges ? holder : std::nullopt;
}

// Nobody else can look at what is merged while that is written, and the shards are the merge's for
// as long: a task of a queue that starts just then would have been started in vain.
void wait_for_a_merge(const std::string& directory, const RunHooks& hooks) {
  using namespace std::chrono_literals;
  const LeaseTerms terms = terms_of(hooks);
  bool told = false;
  while (const auto holder = merger_of(directory, terms)) {
    if (!std::exchange(told, true) && hooks.notice)
      hooks.notice(
          fmt::format("waiting for {}, which merges in {}", holder_words(*holder), directory));
    for (auto pause = 0ms; pause < 1s; pause += 100ms) {
      if (hooks.stop && *hooks.stop) throw LeaseWaitStopped{};
      std::this_thread::sleep_for(100ms);
    }
  }
}

// A shard of one stage, unless the stage is merged already.
StudyOutcome run_shard_of_stage(const StudyPlan& plan, const std::string& directory, Shard shard,
                                Stage stage, const RunHooks& hooks, std::vector<double> seconds) {
  const std::string own = shard_path(directory, shard);
  // Nobody holds the directory around it: there others work on their shards.
  std::optional<Workplace> place;
  for (bool refused = false; !place;) {
    StudyStore::require_place_for_shards(directory, plan.study);
    wait_for_a_merge(directory, hooks);
    StudyStore::require_shared(directory);
    if (StudyStore::merged(directory, plan) == StudyStore::Merged::kWhole)
      return {.complete = true, .merged = true};
    if (const auto count = shard_count(directory); count && *count != shard.of)
      throw Error({shards_path(directory), "--shard", shard_text(shard),
                   fmt::format("one of {}, as those that are there; use another directory for "
                               "another cut",
                               counted(*count, "shard"))});
    claim_shard(directory, shard, plan, stage == Stage::kSearch);
    try {
      place.emplace(own, hooks);
    } catch (const Error&) {
      // By a merge that began meanwhile, perhaps, and holds this shard, too, or has ended by now.
      const bool merging = merger_of(directory, terms_of(hooks)).has_value();
      if (!merging && std::exchange(refused, true)) throw;
    }
  }
  return run_stage(plan, own, *place, stage, hooks, std::move(seconds), shard);
}

}  // namespace

double most_block_bytes(unsigned hands, std::uint64_t memory) {
  return std::min(kMostBlockBytes, kMemoryForBlocks * static_cast<double>(memory) / hands);
}

std::vector<double> trial_seconds(const StudyPlan& plan) { return trial_seconds(cells_of(plan)); }

ExpectedSeconds expected_seconds(const StudyPlan& plan, const RunHooks& hooks) {
  const std::vector<Cell> cells = cells_of(plan);
  const std::uint32_t replications =
      searches_first(plan) ? plan.study.search->replications : plan.study.replications;
  const Placement placement = place_cells(cells, replications, hooks);
  ExpectedSeconds expected;
  expected.on_cores = seconds_on_cores(cells, placement, {});
  expected.on_device.resize(cells.size());
  if (!placement.accelerator) return expected;
  expected.accelerator = placement.accelerator->name();
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (placement.on_device(i)) {
      expected.on_cores[i] = 0;
      expected.on_device[i] = placement.device_seconds(i);
    }
  return expected;
}

StudyOutcome run_study(const StudyPlan& plan, const std::string& directory, const RunHooks& hooks,
                       std::vector<double> seconds) try {
  require_countable(plan);
  require_device(plan, directory, hooks);
  make_directory(directory);
  // Before the store is touched; and declared before it, so that the database is closed by the time
  // another run may come in.
  const Workplace place(directory, hooks);
  if (!searches_first(plan))
    return run_stage(plan, directory, place, Stage::kMain, hooks, std::move(seconds));
  // Before hours of search for a place that will be refused.
  StudyStore::require_same_search(directory, plan.study);
  const StudyOutcome search = run_search(plan, search_path(directory), place, hooks, seconds);
  if (!search.complete) return search;
  ChosenStage chosen = chosen_stage(plan, directory, seconds);
  StudyOutcome outcome =
      run_stage(chosen.plan, directory, place, Stage::kMain, hooks, std::move(chosen.seconds));
  outcome.computed += search.computed;
  return outcome;
} catch (const LeaseWaitStopped&) {
  return {};  // nothing was begun
}

StudyOutcome run_shard(const StudyPlan& plan, const std::string& directory, Shard shard,
                       const RunHooks& hooks, std::vector<double> seconds) try {
  require_countable(plan);
  require_device(plan, shard_path(directory, shard), hooks);
  if (!searches_first(plan))
    return run_shard_of_stage(plan, directory, shard, Stage::kMain, hooks, std::move(seconds));
  for (const std::string& place : {directory, search_path(directory)}) {
    wait_for_a_merge(place, hooks);
    StudyStore::require_shared(place);
  }
  StudyStore::require_same_search(directory, plan.study, /*in_shards=*/true);
  StudyOutcome outcome = run_shard_of_stage(search_plan(plan), search_path(directory), shard,
                                            Stage::kSearch, telling_of_search(hooks), seconds);
  outcome.searching = true;
  if (!outcome.merged) return outcome;
  ChosenStage chosen = chosen_stage(plan, directory, seconds);
  return run_shard_of_stage(chosen.plan, directory, shard, Stage::kMain, hooks,
                            std::move(chosen.seconds));
} catch (const LeaseWaitStopped&) {
  return {};  // nothing was begun
}

bool chosen_by_its_search(const std::string& directory) {
  Study study = StudyStore::read(directory).plan().study;
  if (!study.search) return true;
  const StudyStatus status = study_status(directory);
  if (status.searching || status.searched == 0) return false;
  const std::vector<std::uint32_t> chosen = std::exchange(study.search->chosen, {});
  const StudyPlan plan = plan_study(study, kAnySize);
  // A search of another size is another study's.
  return status.searched == std::uint64_t{study.search->replications} * plan.cells.size() &&
         chosen == chosen_cells(plan, directory);
}

StudyResult read_results(const std::string& directory) {
  StudyStore store = StudyStore::read(directory);
  return results_of(store);
}

StudyResult results_of(StudyStore& store) {
  StudyResult result;
  static_cast<Results&>(result) =
      summarize(store, store.plan().cells, store.plan().study.replications);
  result.plan = store.plan();
  result.environment = store.environment();
  store.require_whole(result);
  return result;
}

StudyStatus study_status(const std::string& directory) {
  StudyStatus status;
  if (const auto holder = DirectoryLease::holder(directory)) {
    status.running = holder->alive;
    status.worker = {holder->host, holder->process, holder->silent_seconds,
                     progress_from(holder->note)};
    status.hidden = !holder->here || on_network_file_system(directory);
  }
  if (status.hidden) return status;
  status.searching = StudyStore::only_searched(directory);
  StudyStore store = StudyStore::read(status.searching ? search_path(directory) : directory);
  status.plan = store.plan();
  status.replications = store.replications_per_cell();
  if (!status.searching && store.plan().study.search && StudyStore::exists(search_path(directory)))
    status.searched = StudyStore::read(search_path(directory)).stored_replications();
  return status;
}

}  // namespace armature
