// Shards put together: every one is looked at first, so that all complaints come at once and
// nothing is written before there are none; then one store is filled aside and renamed into place.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "armature/error.h"
#include "base/directory_lease.h"
#include "base/machine.h"
#include "base/text.h"
#include "study/shard_mark.h"
#include "study/shards.h"
#include "study/stage.h"
#include "study/store.h"

namespace armature {
namespace {

using State = ShardStatus::State;

// A store that is being written may be opened on the same machine alone, and only where memory can
// be shared (StudyStore::require_shared).
bool may_be_opened(const std::string& directory) {
  const auto holder = DirectoryLease::holder(directory);
  return !holder || (holder->here && !on_network_file_system(directory));
}

LeaseTerms terms_of(const MergeHooks& hooks) {
  LeaseTerms terms;
  terms.notice = hooks.notice;
  return terms;
}

// What ends the names of fields by which an armature of another version is told.
constexpr const char* kVersionField = "version of armature";

// What a look at a shard has found.
struct Inspected {
  Shard shard;
  State state = State::kMissing;
  std::uint64_t stored = 0;
  std::uint64_t total = 0;
  std::string damage = {};  // empty: none
  bool removable = true;    // computing it again would mend that
};

// A study that shards are of, as the first of them has it, its cut, and by which build. There
// should be one.
struct Agreement {
  std::string build;
  StudyPlan plan;
  RunEnvironment environment;
  ShardCut cut;
  std::vector<std::uint32_t> numbers = {};  // the shards that are of it
  std::vector<std::string> marks = {};      // what tells it from others: "seed 9"
};
using Agreements = std::vector<Agreement>;

std::uint64_t total_of(const std::vector<ReplicationRange>& part) {
  std::uint64_t total = 0;
  for (const ReplicationRange& range : part) total += range.count;
  return total;
}

void add_mark(Agreement& agreement, const std::string& field, const std::string& value) {
  const std::string mark = fmt::format("{} {}", field, value);
  if (std::find(agreement.marks.begin(), agreement.marks.end(), mark) == agreement.marks.end())
    agreement.marks.push_back(mark);
}

std::optional<StudyDifference> difference_between(const std::string& build, const StudyPlan& plan,
                                                  const Agreement& agreement) {
  if (auto found = study_difference(plan, agreement.plan)) return found;
  if (build == agreement.build) return std::nullopt;
  return StudyDifference{"build", build, agreement.build};
}

// The one that a store is of, perhaps a new one. All are told from the first.
Agreement& agreement_of(StudyStore& store, Shard shard, bool search, Agreements& all) {
  const std::string build = store.shard_build();
  for (Agreement& agreement : all)
    if (!difference_between(build, store.plan(), agreement)) return agreement;
  all.push_back({build, store.plan(), store.environment(), ShardCut(store.plan(), shard.of)});
  if (all.size() > 1) {
    auto found = difference_between(build, store.plan(), all.front());
    if (search) found = told_of_search(*found);
    add_mark(all.back(), found->field, found->now);
    add_mark(all.front(), found->field, found->then);
  }
  return all.back();
}

void inspect_store(const std::string& place, bool search, Inspected& found,
                   Agreements& agreements) {
  StudyStore store = StudyStore::read_held(place);
  store.require_shard(found.shard);
  Agreement& agreement = agreement_of(store, found.shard, search, agreements);
  agreement.numbers.push_back(found.shard.number);
  const std::vector<ReplicationRange> part = agreement.cut.part(found.shard.number);
  const bool sealed = store.sealed();
  store.require_part(part, sealed);
  found.state = sealed ? State::kFinished : State::kStopped;
  found.stored = store.stored_replications();
  found.total = total_of(part);
}

Inspected inspect(const std::string& directory, Shard shard, bool search, const MergeHooks& hooks,
                  Agreements& agreements) {
  Inspected found{shard};
  const std::string place = shard_path(directory, shard);
  if (!StudyStore::exists(place)) return found;
  if (const auto holder = DirectoryLease::holder(place); holder && holder->alive) {
    found.state = State::kRunning;
    return found;
  }
  const DirectoryLease lease(place, terms_of(hooks));
  try {
    if (StudyStore::has_begun(place)) inspect_store(place, search, found, agreements);
  } catch (const DatabaseError& error) {
    if (error.full() || error.busy()) throw;  // no fault of the shard
    found.damage = error.what();
  } catch (const Error& error) {
    found.damage = error.what();
    found.removable = !error.report().field.ends_with(kVersionField);
  }
  return found;
}

// "2, 5–9".
std::string numbers_text(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    runs.push_back(end - i < 3 ? fmt::format("{}", numbers[i])
                               : fmt::format("{}–{}", numbers[i], numbers[end - 1]));
    i = end - i < 3 ? i + 1 : end;
  }
  return join(runs, ", ");
}

// All that stands in the way, by kind.
void require_good(const std::string& directory, const std::vector<Inspected>& shards,
                  const Agreements& agreements, bool partial) {
  std::map<State, std::vector<std::uint32_t>> numbers;
  std::vector<std::uint32_t> damaged;
  std::vector<std::string> kinds, troubles;
  const auto tell = [&](const std::vector<std::uint32_t>& list, const char* word) {
    if (list.empty()) return;
    kinds.push_back(fmt::format("{} {}", list.size(), word));
    troubles.push_back(
        fmt::format("{} {}: {}", list.size() == 1 ? "shard" : "shards", word, numbers_text(list)));
  };
  for (const Inspected& found : shards)
    if (found.damage.empty()) numbers[found.state].push_back(found.shard.number);
  if (!partial) {
    tell(numbers[State::kMissing], "missing");
    tell(numbers[State::kStopped], "unfinished");
    tell(numbers[State::kRunning], "running");
  }
  for (const Inspected& found : shards) {
    if (found.damage.empty()) continue;
    damaged.push_back(found.shard.number);
    troubles.push_back(fmt::format("shard {}: {}", found.shard.number, found.damage));
  }
  if (!damaged.empty()) kinds.push_back(fmt::format("{} no good", damaged.size()));
  // Which of them is the one that was meant, only a person knows: none is blamed.
  if (agreements.size() > 1) {
    kinds.push_back(fmt::format("{} studies or builds", agreements.size()));
    for (const Agreement& agreement : agreements)
      troubles.push_back(fmt::format("{} of one kind: {}: {}",
                                     agreement.numbers.size() == 1 ? "shard" : "shards",
                                     numbers_text(agreement.numbers), join(agreement.marks, ", ")));
  }
  if (kinds.empty()) return;
  const std::size_t of = shards.size();
  const std::string how = fmt::format("armature run … --shard N/{}", of);
  const bool removable = std::all_of(shards.begin(), shards.end(),
                                     [](const Inspected& found) { return found.removable; });
  std::string expected =
      fmt::format("all finished ({} goes on with one), or --partial to merge what there is", how);
  if (agreements.size() > 1)
    expected = "those of one study, by one build of armature; others need another directory";
  else if (!removable)
    expected = "all whole and by this version of armature, or the version that computed them";
  else if (!damaged.empty())
    expected = fmt::format(
        "all whole and of one study; where the directory of one that is no good is removed, {} "
        "computes it again",
        how);
  throw MergeRefused({directory, counted(of, "shard"), join(kinds, ", "), expected},
                     std::move(troubles));
}

// Whoever has merged them may remove them: what is whole needs no shards.
std::optional<MergeOutcome> merged_already(const std::string& directory) {
  if (StudyStore::standing(directory) != StudyStore::Standing::kWhole) return std::nullopt;
  return MergeOutcome{.already = true,
                      .replications = StudyStore::read_held(directory).stored_replications()};
}

MergeOutcome merge_stage(const std::string& directory, bool search, const DirectoryLease& lease,
                         bool partial, const MergeHooks& hooks) {
  if (auto whole = merged_already(directory)) return *whole;
  if (StudyStore::standing(directory) == StudyStore::Standing::kRun)
    StudyStore::merged(directory, StudyStore::read_held(directory).plan());  // refuses it
  const std::optional<std::uint32_t> count = shard_count(directory);
  if (!count)
    throw Error({directory, "shards", "none", "those that armature run --shard leaves there"});
  const auto tell = [&](bool checking, std::uint32_t done) {
    if (hooks.progress) hooks.progress({checking, done, *count});
  };

  // Of all at once, so that nobody waits for one machine after another that has fallen silent.
  for (std::uint32_t number = 1; number <= *count; ++number)
    DirectoryLease::holder(shard_path(directory, {number, *count}));
  Agreements agreements;
  std::vector<Inspected> shards;
  for (std::uint32_t number = 1; number <= *count; ++number) {
    shards.push_back(inspect(directory, {number, *count}, search, hooks, agreements));
    tell(true, number);
  }
  require_good(directory, shards, agreements, partial);
  if (agreements.empty())
    throw Error({directory, "shards", fmt::format("none of {} that can be merged", *count),
                 "some, to merge"});
  const Agreement& agreement = agreements.front();
  // An earlier merge in part goes; another study stays.
  StudyStore::merged(directory, agreement.plan);

  MergeOutcome outcome;
  StoreMerger merger(directory, agreement.plan, agreement.environment,
                     [&lease] { lease.require(); });
  for (const Inspected& found : shards) {
    if (found.state != State::kFinished) outcome.left_out.push_back(found.shard);
    if (found.state == State::kFinished || found.state == State::kStopped) {
      const std::string place = shard_path(directory, found.shard);
      const DirectoryLease shard_lease(place, terms_of(hooks));
      if (StudyStore::has_begun(place)) merger.absorb(place);
    }
    tell(false, found.shard.number);
  }
  // Once more, of all together: whatever happened to the shards since they were looked at.
  const std::uint32_t replications = agreement.plan.study.replications;
  merger.store().require_part(
      std::vector<ReplicationRange>(agreement.plan.cells.size(), {0, replications}), !partial);
  outcome.replications = merger.store().stored_replications();
  merger.commit(outcome.replications == std::uint64_t{replications} * agreement.plan.cells.size());
  return outcome;
}

}  // namespace

MergeOutcome merge_shards(const std::string& directory, bool partial, const MergeHooks& hooks) {
  const std::string search = search_path(directory);
  // The second stage has no shards before the first is merged.
  const auto of_search = [&] {
    return !shard_count(directory) && !StudyStore::exists(directory) && shard_count(search);
  };
  // Before anything is held: what is merged may lie where nobody can write.
  if (const std::string stage = of_search() ? search : directory;
      may_be_opened(directory) && may_be_opened(stage))
    if (auto whole = merged_already(stage)) {
      whole->search = stage == search;
      return *whole;
    }
  const DirectoryLease lease(directory, terms_of(hooks));
  if (!of_search()) return merge_stage(directory, false, lease, partial, hooks);
  const DirectoryLease search_lease(search, terms_of(hooks));
  MergeOutcome outcome = merge_stage(search, true, search_lease, partial, hooks);
  outcome.search = true;
  return outcome;
}

// --- How far they are ----------------------------------------------------------------------------

namespace {

// The study of shards that can be opened now, of those whose mark is the one: none if there is
// none, and where there is no mark, that of the first.
std::optional<StudyPlan> plan_of_shards(const std::string& directory, std::uint32_t count,
                                        std::string& mark) {
  for (std::uint32_t number = 1; number <= count; ++number) {
    const std::string place = shard_path(directory, {number, count});
    try {
      if (!may_be_opened(place) || !StudyStore::has_begun(place)) continue;
      StudyStore store = StudyStore::read(place);
      const std::string own = store.shard_mark();
      if (mark_difference(own, mark)) continue;
      if (mark.empty()) mark = own;
      return store.plan();
    } catch (const Error&) {  // the status of that shard will say it
    }
  }
  return std::nullopt;
}

// What the process at work tells of itself.
void add_note(ShardStatus& status, const Progress& now) {
  status.done = now.replications_done;
  if (status.total == 0) status.total = now.replications_total;
  const double share = now.replications_total == 0
                           ? 1
                           : static_cast<double>(now.replications_done) /
                                 static_cast<double>(now.replications_total);
  status.work_done = status.work_total * share;
  if (now.seconds > 0) status.rounds_per_second = now.rounds_done / now.seconds;
  if (now.share > 0) status.seconds_left = now.seconds * (1 - now.share) / now.share;
}

ShardStatus status_of(const std::string& directory, Shard shard, const std::optional<ShardCut>& cut,
                      const std::string& mark, bool search) {
  ShardStatus status{shard};
  const std::string place = shard_path(directory, shard);
  std::vector<ReplicationRange> part;
  if (cut) part = cut->part(shard.number);
  for (std::size_t cell = 0; cell < part.size(); ++cell) {
    status.total += part[cell].count;
    status.work_total += part[cell].count * static_cast<double>(cut->work()[cell]);
  }
  const auto holder = DirectoryLease::holder(place);
  if (holder) status.state = holder->alive ? State::kRunning : State::kStopped;
  if (holder)
    if (const auto progress = progress_from(holder->note)) add_note(status, *progress);
  if (!cut || !may_be_opened(place)) return status;
  try {
    const auto glance = glance_at_store(place, part.size(), mark);
    if (!glance) return status;
    status.done = 0;
    status.work_done = 0;
    if (glance->other) {
      const StudyDifference other = search ? told_of_search(*glance->other) : *glance->other;
      status.trouble =
          fmt::format("of another study: {} {}, not {}", other.field, other.now, other.then);
      if (!holder) status.state = State::kStopped;
      return status;
    }
    for (std::size_t cell = 0; cell < part.size(); ++cell) {
      status.done += glance->replications[cell];
      status.work_done += glance->replications[cell] * static_cast<double>(cut->work()[cell]);
    }
    if (!holder) status.state = glance->sealed ? State::kFinished : State::kStopped;
  } catch (const Error& error) {
    status.trouble = std::string("cannot be read: ") + error.what();
    status.state = State::kStopped;
  }
  return status;
}

// Does armature run work here, or has it worked here since shards were merged, if any were? Then
// the store speaks, and shards are of the past.
bool run_without_shards(const std::string& directory) {
  if (may_be_opened(directory))
    return StudyStore::standing(directory) == StudyStore::Standing::kRun;
  const auto holder = DirectoryLease::holder(directory);
  return holder && progress_from(holder->note);  // whoever merges has nothing to tell of
}

}  // namespace

std::optional<ShardsStatus> shards_status(const std::string& directory) {
  ShardsStatus status;
  std::string stage = directory;
  std::optional<std::uint32_t> count = shard_count(stage);
  if (run_without_shards(directory)) return std::nullopt;
  if (!count) {
    // Its second stage has begun without shards.
    if (may_be_opened(directory) && StudyStore::has_begun(directory)) return std::nullopt;
    stage = search_path(directory);
    count = shard_count(stage);
    status.searching = true;
  }
  if (!count || (status.searching && run_without_shards(stage))) return std::nullopt;
  status.of = *count;
  std::string mark = mark_in(stage);
  const std::optional<StudyPlan> plan = plan_of_shards(stage, *count, mark);
  std::optional<ShardCut> cut;
  if (plan) {
    cut.emplace(*plan, *count);
    status.title = plan->study.title;
  }
  status.merged =
      may_be_opened(stage) && StudyStore::standing(stage) == StudyStore::Standing::kWhole;
  for (std::uint32_t number = 1; number <= *count; ++number)
    status.shards.push_back(status_of(stage, {number, *count}, cut, mark, status.searching));
  // Where no store can be opened, all that is known is what those at work tell.
  const bool all_told = std::all_of(status.shards.begin(), status.shards.end(),
                                    [](const ShardStatus& shard) { return shard.total > 0; });
  if (!cut && all_told)
    for (ShardStatus& shard : status.shards) {
      shard.work_done = static_cast<double>(shard.done);
      shard.work_total = static_cast<double>(shard.total);
    }
  return status;
}

}  // namespace armature
