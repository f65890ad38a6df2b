#include "service/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "service/fold.h"
#include "service/postgres/connection.h"
#include "service/postgres/postgres_log.h"
#include "service/sqlite_log.h"

namespace armature::service {
namespace {

namespace fs = std::filesystem;

// What the store comes to, by its own snapshots and events.
std::uint64_t digest_of(const StoredExperiment& experiment, LogReader& log, ExperimentId id) {
  std::vector<std::string> mismatches;
  try {
    return recovered(experiment.facts, log, id, mismatches).digest();
  } catch (const StoreFailure&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // what does not replay is copied like everything else
    return recovered_without_policy(experiment.facts, log, id).digest();
  }
}

void copy_rows(const StoredExperiment& experiment, LogReader& from, Log& to, ExperimentId id,
               const CopyProgress& progress) {
  constexpr Sequence kTellEvery = 10'000;
  const Sequence first = from.first(experiment.id);
  const Sequence last = from.last(experiment.id);
  if (first > 1) {
    std::vector<std::shared_ptr<const Epoch>> early = from.epochs(experiment.id);
    std::erase_if(early, [&](const auto& epoch) { return epoch->first >= first; });
    to.begin_after(id, first - 1, early);
  }
  from.walk(experiment.id, first, last + 1, [&](const Event& event) {
    if (progress && event.seq % kTellEvery == 0) progress(experiment.facts.name, event.seq, last);
    to.append(id, event);
  });
  std::vector<Sequence> snapshots = from.snapshots(experiment.id);
  std::sort(snapshots.begin(), snapshots.end());
  for (const Sequence seq : snapshots)
    if (const auto snapshot = from.snapshot(experiment.id, seq))
      if (seq <= last) to.add_snapshot(id, *snapshot);
}

Copied copy_one(const StoredExperiment& experiment, LogReader& from, Log& to,
                const CopyProgress& progress) {
  Copied copied;
  copied.name = experiment.facts.name;
  if (!experiment.damage.empty()) {
    copied.trouble = experiment.damage;
    return copied;
  }
  to.begin();
  try {
    const ExperimentId id = to.add_experiment(experiment.facts);
    copy_rows(experiment, from, to, id, progress);
    copied.events = to.last(id) + 1 - from.first(experiment.id);
    copied.digest = digest_of(experiment, from, experiment.id);
    if (const std::uint64_t there = digest_of(experiment, to, id); there != copied.digest)
      throw Error({"", "digest", fmt::format("{:016x}", there),
                   fmt::format("{:016x}, as in the store it comes from", copied.digest)});
    to.commit();
  } catch (const StoreFailure&) {
    to.roll_back();
    throw;
  } catch (const std::exception& error) {
    to.roll_back();
    copied.trouble = error.what();
  }
  return copied;
}

void copy_tokens(LogReader& from, Log& to) {
  std::set<std::string> there;
  for (const Token& token : to.tokens()) there.insert(token.hash);
  to.begin();
  for (const Token& token : from.tokens())
    if (there.insert(token.hash).second) to.add_token(token);
  to.commit();
}

}  // namespace

bool is_database(const std::string& store) { return postgres::is_url(store); }

std::string shown_store(const std::string& store) {
  return is_database(store) ? postgres::shown_url(store) : store;
}

std::unique_ptr<LogReader> read_store(const std::string& store) {
  return is_database(store) ? read_postgres_log(store) : read_sqlite_log(store);
}

std::unique_ptr<Log> open_store(const std::string& store) {
  return is_database(store) ? open_postgres_tool(store) : open_sqlite_log(store);
}

void back_up_store(const std::string& store, const std::string& directory) {
  if (!is_database(store)) return back_up_sqlite_log(store, directory);
  if (fs::exists(directory) && !fs::is_empty(directory))
    throw Error({directory, "directory", "one that is not empty", "a new one"});
  const auto from = read_postgres_log(store, true);
  const std::string aside = fs::path(directory).lexically_normal().string() + ".partial";
  fs::remove_all(aside);
  try {
    const auto to = open_sqlite_log(aside);
    for (const Copied& one : copy_store(*from, *to))
      if (!one.trouble.empty()) throw Error({shown_store(store), one.name, one.trouble, "a copy"});
    to->close();
  } catch (...) {
    fs::remove_all(aside);
    throw;
  }
  std::error_code refused;
  fs::rename(aside, directory, refused);
  if (refused) {
    fs::remove_all(aside);
    throw Error({directory, "directory", refused.message(), "a new one"});
  }
  const fs::path parent = fs::absolute(directory).lexically_normal().parent_path();
  sync_path(parent.string());
}

std::vector<Copied> copy_store(LogReader& from, Log& to, const CopyProgress& progress) {
  const ThrowingChecks checks;
  std::set<std::string> there;
  for (const StoredExperiment& one : to.experiments()) there.insert(one.facts.name);
  const std::vector<StoredExperiment> all = from.experiments();
  for (const StoredExperiment& one : all)
    if (there.contains(one.facts.name))
      throw Error({"", "experiment", "'" + one.facts.name + "', which is there already",
                   "a store without it"});
  std::vector<Copied> copied;
  for (const StoredExperiment& one : all) copied.push_back(copy_one(one, from, to, progress));
  copy_tokens(from, to);
  return copied;
}

}  // namespace armature::service
