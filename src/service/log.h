// Where events are kept. SQLite is behind this (sqlite_log.h), PostgreSQL for several nodes
// (postgres/postgres_log.h), and memory in tests (memory_log.h). One thread writes, in batches: all
// of a batch is stored, or nothing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/event.h"
#include "service/requests.h"

namespace armature::service {

/// The fold as it was after an event.
struct Snapshot {
  Sequence seq = 0;
  std::uint64_t digest = 0;
  bool anchor = false;  // kept for ever; else the two newest are
  std::string state;    // Fold::snapshot
};

/// The events that ended a decision.
struct Closing {
  Sequence seq = 0;              // learned or forgotten
  std::optional<Sequence> late;  // the last part of a late report
};

struct KeyedDecision {
  KeyHash key;
  Sequence seq = 0;
  Time time = 0;
};

struct StoredExperiment {
  ExperimentId id = 0;
  ExperimentFacts facts;
  std::string damage = {};  // what cannot be read of its facts; empty: nothing
};

/// The batch was not stored, or something could not be read.
class StoreFailure : public Error {
 public:
  enum class Cause {
    kFull,     // no room: the next batch may be stored
    kBusy,     // another program holds the store, or it cannot be reached: the same
    kFenced,   // some of it is another writer's by now (SharedLog): the same, without that
    kLasting,  // nobody knows what is on the disk (a failed sync): the process must end
  };
  StoreFailure(Cause cause, ErrorReport report) : Error(std::move(report)), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

/// A row that makes no sense, or that the disk no longer gives: who asked for it is refused, and of
/// the store nothing else is the worse for it.
class Unreadable : public Error {
  using Error::Error;
};

/// Is it what somebody chose that failed, and not the store or the machine?
bool is_choice(const std::exception& error);

/// Reading. A Log sees its own batch; a reader of its own sees what was committed.
class LogReader {
 public:
  using Visit = std::function<void(const Event&)>;

  virtual ~LogReader() = default;
  virtual std::vector<StoredExperiment> experiments() = 0;  // by id
  virtual std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId experiment) = 0;
  /// Seq of the first event that is here; 0: none. Those before it are archived.
  virtual Sequence first(ExperimentId experiment) = 0;
  virtual Sequence last(ExperimentId experiment) = 0;  // seq of the last event; 0: none
  virtual std::optional<Event> event(ExperimentId experiment, Sequence seq) = 0;
  /// In order, from `from` on and below `before`.
  virtual void walk(ExperimentId experiment, Sequence from, Sequence before,
                    const Visit& visit) = 0;
  /// Decisions that were asked for with a key, the newest first, up to `last`, until told to stop
  /// (false).
  virtual void walk_keys(ExperimentId experiment, Sequence last,
                         const std::function<bool(const KeyedDecision&)>& visit) = 0;
  virtual std::optional<Closing> closing(ExperimentId experiment, Sequence decision) = 0;
  virtual std::vector<Sequence> snapshots(ExperimentId experiment) = 0;  // newest first
  virtual std::optional<Snapshot> snapshot(ExperimentId experiment, Sequence seq) = 0;
  virtual std::vector<Token> tokens() = 0;
};

class Log : public LogReader {
 public:
  /// A batch. Without commit it is as if nothing had been written. Writing and committing throw
  /// StoreFailure.
  virtual void begin() = 0;
  virtual void commit() = 0;
  virtual void roll_back() = 0;

  /// Throws Refusal (kNotHere) for a name that is another writer's.
  virtual ExperimentId add_experiment(const ExperimentFacts& facts) = 0;
  /// The events of one that was just added begin after this one: those up to it are archived, and
  /// these epochs began in them. For copies.
  virtual void begin_after(ExperimentId experiment, Sequence archived,
                           const std::vector<std::shared_ptr<const Epoch>>& epochs) = 0;
  /// The event's seq is the next one: another is refused by the store itself.
  virtual void append(ExperimentId experiment, const Event& event) = 0;
  /// Of those that are no anchors only the two newest stay.
  virtual void add_snapshot(ExperimentId experiment, const Snapshot& snapshot) = 0;
  /// Takes out what an archive holds (archive.h): events up to `last`, how the decisions made by
  /// then ended, and snapshots before `last`, which are of no use without events.
  virtual void remove_archived(ExperimentId experiment, Sequence last) = 0;
  virtual void add_token(const Token& token) = 0;
  /// The last one to go leaves one that opens nothing: where there were tokens, no token is never
  /// again good enough.
  virtual void remove_token(const std::string& hash) = 0;

  /// What is answered in this batch rests on what is known of this experiment, though nothing may
  /// be written to it. A log with several writers does not commit unless it is still this one's.
  virtual void rest_on(ExperimentId /*experiment*/) {}
  /// For tools, outside of a batch: until the next commit or roll_back nobody else writes to it.
  virtual void hold(ExperimentId /*experiment*/) {}
  /// May this one write to it? To a store with one writer: always. kTokens: to tokens.
  virtual bool owns(ExperimentId /*experiment*/) const { return true; }
  /// Are there other writers, who own what this one does not?
  virtual bool shared() const { return false; }

  virtual std::unique_ptr<LogReader> reader() = 0;
  virtual std::string durability() const { return "memory"; }  // what a commit means
  virtual std::uint64_t bytes() = 0;                           // on disk
  virtual std::uint64_t bytes_ahead() { return 0; }            // of them in a write-ahead log
  /// What can be done after the answers are told.
  virtual void tidy() {}
  /// Leaves one plain file; nothing may be asked afterwards.
  virtual void close() = 0;
};

/// Stands for all tokens where it is told who may write what: no experiment has this id.
inline constexpr ExperimentId kTokens = 0;

/// A log that several processes write to, each of them to what it owns: `experiments()` are those.
/// What another one has taken meanwhile is found out at the commit (kFenced), which then stores
/// nothing; from then on it is not owned any more.
class SharedLog : public Log {
 public:
  /// Of these, those that are nobody's, or whose owner has not been heard of for too long, become
  /// this one's; and those that were its own before (by an earlier process of its name). Nothing is
  /// in the store afterwards that could still be added to by whoever had them. Outside of a batch.
  /// Throws StoreFailure.
  virtual std::vector<ExperimentId> take(const std::vector<ExperimentId>& wanted) = 0;
  /// They are nobody's. Outside of a batch. Throws StoreFailure, and then they are not owned any
  /// more, either: others find out later.
  virtual void release(const std::vector<ExperimentId>& unwanted) = 0;
  /// What this one owns, kTokens perhaps among it…
  virtual const std::set<ExperimentId>& owned() const = 0;
  /// …and how often that has changed.
  virtual std::uint64_t changes() const = 0;

  bool owns(ExperimentId experiment) const override { return owned().contains(experiment); }
  bool shared() const override { return true; }
};

/// The token that stays where all others went: no secret has this hash, and it may do nothing.
inline Token spent_token() { return {"", "(revoked)", "", {}, {}, 0, 0}; }

/// May it do everything, for ever? Only who has such a token can make others.
bool rules_all(const Token& token);

/// Of each experiment with a poison (a snapshot that does not fit, a decision that replay does not
/// give) one line; empty: all replays as it was logged.
struct CheckedExperiment {
  std::string name;
  std::uint64_t events = 0;
  std::uint64_t decisions = 0;
  std::uint64_t digest = 0;  // of the fold at the end
  std::string trouble;       // empty: none
  Sequence first = 1;        // where the store begins; above 1: earlier events are archived
  /// Where another build had gone on from, or a quarantine: before this event replay gives
  /// something else than was logged (`before` says what), from here on it does not.
  Sequence from = 1;
  std::string before;
};
/// What `armature service check` does.
std::vector<CheckedExperiment> check_log(LogReader& log);

}  // namespace armature::service
