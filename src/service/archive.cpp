#include "service/archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "base/file.h"
#include "service/export.h"
#include "service/fold.h"
#include "service/transfer.h"

namespace armature::service {
namespace {

namespace fs = std::filesystem;

constexpr Sequence kToTheEnd = std::numeric_limits<std::int64_t>::max();
constexpr Sequence kEvery = 10'000;  // events between two looks at the progress

// Times never go back, so a month is one stretch of events.
struct Month {
  std::string name;  // 2026-10
  Sequence first = 0;
  Sequence last = 0;
};

// An event that was taught from earlier ones: it cannot be replayed without those from `from` on.
struct LooksBack {
  Sequence from = 0;
  Sequence event = 0;
};

class Archiving {
 public:
  Archiving(Log& log, const StoredExperiment& experiment, const ArchiveOptions& options)
      : log_(log),
        experiment_(experiment),
        options_(options),
        first_(log.first(experiment.id)),
        last_(log.last(experiment.id)) {}

  Archived run() {
    archived_.first = 1;
    if (first_ == 0) return archived_;  // nothing has happened
    const ThrowingChecks checks;
    survey();
    archived_.first = first_;
    archived_.last = by_date_;
    try {
      lower_to_what_is_needed();
      if (archived_.last < first_) return std::move(archived_);
      name_files();
      if (options_.dry_run) return std::move(archived_);
      anchor_ = made_anchor();
    } catch (const StoreFailure&) {
      throw;
    } catch (const std::exception& mismatch) {
      archived_.trouble = mismatch.what();
      return std::move(archived_);
    }
    write_files();
    tell("files complete", archived_.last);
    try {
      remove_rows();
    } catch (const ReplayMismatch& mismatch) {
      archived_.trouble = mismatch.what();
    } catch (const CheckFailure& mismatch) {
      archived_.trouble = mismatch.what();
    }
    return std::move(archived_);
  }

 private:
  void tell(const char* doing, Sequence at) const {
    if (options_.progress) options_.progress(doing, at, last_);
  }
  void tell_sometimes(const char* doing, Sequence at) const {
    if (at % kEvery == 0) tell(doing, at);
  }

  // --- How far -----------------------------------------------------------------------------------

  void survey() {
    by_date_ = first_ - 1;
    std::set<std::string> shadows;
    log_.walk(experiment_.id, first_, kToTheEnd, [&](const Event& event) {
      tell_sometimes("looking", event.seq);
      if (event.time < options_.before && event.seq < last_) {
        by_date_ = event.seq;
        const std::string month = print_time(event.time).substr(0, 7);
        if (months_.empty() || months_.back().name != month)
          months_.push_back({month, event.seq, event.seq});
        months_.back().last = event.seq;
      }
      const auto looks_back = [&](Sequence from) {
        if (from < event.seq) looks_back_.push_back({std::max<Sequence>(from, 1), event.seq});
      };
      if (event.kind == EventKind::kShadow) {
        const bool added = event.note.starts_with(note::kShadowAdded);
        const std::string policy = event.note.substr(event.note.find(' ') + 1);
        if (added) looks_back(1);
        if (added)
          shadows.insert(policy);
        else
          shadows.erase(policy);
      }
      if (event.kind == EventKind::kEpoch) {
        if (event.opened->start == Start::kReplay || !shadows.empty()) looks_back(1);
        if (event.opened->start == Start::kSince) looks_back(event.opened->since);
      }
    });
  }

  void lower_to_what_is_needed() {
    std::vector<std::string> mismatches;
    const Fold fold = recovered(experiment_.facts, log_, experiment_.id, mismatches);
    archived_.digest = fold.digest();
    const auto stay_before = [&](Sequence seq, const std::string& why) {
      if (seq > archived_.last) return;
      archived_.last = seq - 1;
      archived_.held_back += (archived_.held_back.empty() ? "" : "; ") + why;
    };
    if (!fold.open().empty()) {
      const Sequence oldest = fold.open().begin()->first;
      stay_before(oldest, fmt::format("event {} is a decision without an outcome", oldest));
    }
    if (const Sequence oldest = fold.oldest_key(); oldest > 0)
      stay_before(oldest,
                  fmt::format("the key of event {} is still known (the last 100,000 are)", oldest));
    for (bool lowered = true; std::exchange(lowered, false);)
      for (const LooksBack& one : looks_back_)
        if (archived_.last >= one.from && archived_.last < one.event) {
          stay_before(one.from, fmt::format("event {}, an epoch or a shadow, was taught from event "
                                            "{} on, and is not older than the date itself",
                                            one.event, one.from));
          lowered = true;
        }
    archived_.last = std::max(archived_.last, first_ - 1);
  }

  void name_files() {
    std::erase_if(months_, [&](const Month& month) { return month.first > archived_.last; });
    months_.back().last = std::min(months_.back().last, archived_.last);
    for (const Month& month : months_) archived_.files.push_back(file_of(month));
  }
  std::string file_of(const Month& month) const {
    return (fs::path(options_.folder) /
            fmt::format("{}-{}.jsonl", experiment_.facts.name, month.name))
        .string();
  }

  Snapshot made_anchor() {
    const Fold fold =
        replayed_up_to(experiment_.facts, log_, experiment_.id, archived_.last,
                       [&](const Event& event) { tell_sometimes("replaying", event.seq); });
    Snapshot anchor = fold.snapshot();
    anchor.anchor = true;
    return anchor;
  }

  // --- Files -------------------------------------------------------------------------------------

  // A file that is there stays until its successor is complete: that has all lines of it that are
  // no longer in the store. As the store is, they are for their owner alone.
  void write_files() {
    make_private_directory(options_.folder);
    for (const Month& month : months_) {
      const std::string path = file_of(month);
      const std::string aside = path + ".next";
      FileWriter file(aside, FileReaders::kOwner);
      for_each_line(month, [&](const std::string& line) { file.write(line + "\n"); });
      file.commit();  // synced
      compare(month, aside);
      std::error_code error;
      fs::rename(aside, path, error);
      if (error) throw Error({path, "rename", error.message(), "a file that can be replaced"});
      remove_leftovers(aside);
      tell("file complete", month.last);
    }
    sync_directory(options_.folder);
    sync_directory(fs::absolute(options_.folder).parent_path().string());
  }

  void for_each_line(const Month& month, const WriteLine& write) {
    write(experiment_json(experiment_.facts));
    if (fs::exists(file_of(month))) for_each_kept_line(month, write);
    log_.walk(experiment_.id, month.first, month.last + 1, [&](const Event& event) {
      tell_sometimes("writing", event.seq);
      const std::string line = event_json(event);
      if (const std::string field = first_difference(event_of_json(line), event); !field.empty())
        throw Error({file_of(month), fmt::format("event {}, {}", event.seq, field),
                     "what JSON cannot hold", "text in UTF-8"});
      write(line);
    });
  }

  // Of the month's file from before: events that the store has no more. What it still has, from a
  // run that was stopped, must be the same.
  void for_each_kept_line(const Month& month, const WriteLine& write) {
    const std::string path = file_of(month);
    std::ifstream file(path);
    std::size_t number = 0;
    const auto refuse = [&](const std::string& got, const std::string& expected) {
      throw Error({path, fmt::format("line {}", number), got,
                   expected + ". It was left as it is: move it away, or use another folder"});
    };
    Sequence kept = 0;
    for (std::string line; std::getline(file, line);) {
      if (++number == 1) {
        if (line != experiment_json(experiment_.facts))
          refuse("another experiment", "the one of the store, with its seed and settings");
        continue;
      }
      Sequence seq = 0;
      try {
        seq = event_of_json(line).seq;
      } catch (const std::exception& error) {
        refuse(error.what(), "an event");
      }
      if (seq >= first_) {
        const auto stored = seq >= month.first ? log_.event(experiment_.id, seq) : std::nullopt;
        if (!stored || event_json(*stored) != line)
          refuse(fmt::format("event {}", seq), "the same as in the store");
        continue;
      }
      if (kept > 0 && seq != kept + 1)
        refuse(fmt::format("event {}", seq), fmt::format("event {}", kept + 1));
      kept = seq;
      write(line);
    }
    ++number;
    if (number == 1) refuse("nothing", "an experiment");
    if (kept > 0 && (kept + 1 != first_ || month.first != first_))
      refuse(fmt::format("an end after event {}", kept),
             fmt::format("events up to {}, where the store begins", month.first - 1));
  }

  // What the disk gives back, line by line.
  void compare(const Month& month, const std::string& path) {
    std::ifstream file(path);
    std::size_t number = 0;
    const auto require = [&](bool same) {
      if (!same)
        throw Error({path, fmt::format("line {}", number), "something else than was written",
                     "a disk that keeps what it is given. Nothing was removed from the store"});
    };
    std::string line;
    for_each_line(month, [&](const std::string& written) {
      ++number;
      require(std::getline(file, line) && line == written);
    });
    ++number;
    require(!std::getline(file, line));
  }

  // Of runs that were stopped while they wrote.
  static void remove_leftovers(const std::string& aside) {
    const std::string name = fs::path(aside).filename().string();
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fs::path(aside).parent_path(), ignored))
      if (entry.path().filename().string().starts_with(name)) fs::remove(entry.path(), ignored);
  }

  static void sync_directory(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
    const std::string why = std::error_code(errno, std::generic_category()).message();
    if (descriptor >= 0) ::close(descriptor);
    if (!synced) throw Error({path, "sync", why, "a directory that can be written"});
  }

  // --- Rows --------------------------------------------------------------------------------------

  // In one transaction, and only if what stays still replays to where it was.
  void remove_rows() {
    log_.begin();
    try {
      log_.add_snapshot(experiment_.id, anchor_);
      log_.remove_archived(experiment_.id, archived_.last);
      Fold fold = beginning(experiment_.facts, log_, experiment_.id);
      log_.walk(experiment_.id, fold.last_seq() + 1, kToTheEnd, [&](const Event& event) {
        tell_sometimes("checking", event.seq);
        fold.replay(event);
      });
      if (fold.digest() != archived_.digest)
        throw ReplayMismatch({"", "digest", fmt::format("{:016x} from the anchor", fold.digest()),
                              fmt::format("{:016x}", archived_.digest)});
      tell("rows removed", archived_.last);
      log_.commit();
    } catch (...) {
      log_.roll_back();
      throw;
    }
  }

  Log& log_;
  const StoredExperiment& experiment_;
  const ArchiveOptions& options_;
  const Sequence first_;
  const Sequence last_;
  Sequence by_date_ = 0;  // the last event older than the date
  std::vector<Month> months_;
  std::vector<LooksBack> looks_back_;
  Snapshot anchor_;
  Archived archived_;
};

}  // namespace

Refusal archived_decision(const std::string& experiment, Sequence decision, Sequence first) {
  return {
      RefusalKind::kArchived,
      {"", "decision", fmt::format("'{}', which is archived", decision_id(experiment, decision)),
       fmt::format("one made at event {} or later. Earlier events are in the archive of this "
                   "store, {}-YYYY-MM.jsonl by month",
                   first, experiment)}};
}

Time parse_date(const std::string& text, const std::string& field) {
  using namespace std::chrono;
  const auto number = [&](std::size_t from, std::size_t size) {
    int value = -1;
    const char* begin = text.data() + from;
    const auto [end, error] = std::from_chars(begin, begin + size, value);
    return error == std::errc() && end == begin + size ? value : -1;
  };
  if (text.size() == 10 && text[4] == '-' && text[7] == '-') {
    const int y = number(0, 4), m = number(5, 2), d = number(8, 2);
    const year_month_day date{year(y), month(static_cast<unsigned>(std::max(m, 0))),
                              day(static_cast<unsigned>(std::max(d, 0)))};
    if (y >= 0 && date.ok())
      return duration_cast<microseconds>(sys_days(date).time_since_epoch()).count();
  }
  throw Error({"", field, "'" + text + "'", "a day as 2026-10-01"});
}

Archived archive_experiment(Log& log, const StoredExperiment& experiment,
                            const ArchiveOptions& options) {
  if (!experiment.damage.empty()) {
    Archived nothing;
    nothing.trouble = experiment.damage;
    return nothing;
  }
  return Archiving(log, experiment, options).run();
}

}  // namespace armature::service
