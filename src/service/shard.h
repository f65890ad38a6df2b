// The experiments of one log, and the one who writes to it: batches of requests become events, one
// commit, and answers. Knows no threads and no time but its clock's, so that a test can drive it
// through years and crashes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "service/experiment.h"
#include "service/options.h"

namespace armature::service {

class Shard {
 public:
  using Publish = std::function<void(std::shared_ptr<Summary>)>;  // its number is to be given

  /// Recovers everything. Throws Error if the store cannot be read, or written where an upgrade or
  /// a quarantine has to be noted.
  Shard(Log& log, const Options& options, Publish publish);

  /// One batch: deadlines that have passed, then the requests in order, then snapshots that are
  /// due, one commit. Answers are for telling when this returns: either all is stored, or all of
  /// them are refusals and nothing has changed.
  std::vector<Answer> process(std::span<const Request> requests);

  /// Is there something to do by this time of the monotonic clock, though nobody asks? Then
  /// process({}) does it.
  std::optional<Time> next_wake() const;

  /// Recovers what the log has come to own (SharedLog) since the last time; of what was `taken`
  /// just now nothing is believed that was known before, for others may have had it meanwhile.
  /// Throws StoreFailure, and then nothing has come.
  void adopt(const std::vector<ExperimentId>& taken = {});
  /// Keeps snapshots of these, if it can, and has no more to do with them.
  void let_go(const std::vector<ExperimentId>& unwanted);

  /// Keeps a snapshot of all that is new: at the end of a run.
  void keep_all();
  /// What nobody waits for, summaries among it: to be called when the answers are told.
  void tidy();

  const std::vector<Token>& tokens() const { return tokens_; }
  /// Nothing is answered until the store can be read again.
  bool behind() const { return must_undo_; }
  bool broken() const { return !trouble_.empty(); }
  const std::string& trouble() const { return trouble_; }
  std::vector<std::string> quarantined() const {
    return {quarantined_.begin(), quarantined_.end()};
  }
  std::size_t size() const { return slots_.size(); }  // experiments
  std::uint64_t fenced() const { return fenced_; }    // batches
  std::uint64_t events() const { return events_; }
  std::uint64_t snapshots() const { return snapshots_; }
  std::uint64_t replay_mismatches() const { return replay_mismatches_; }
  /// For tests.
  const Experiment* find(const std::string& name) const;

 private:
  struct Slot {
    ExperimentId id = 0;
    ExperimentFacts facts;
    std::unique_ptr<Experiment> live;  // null: its log cannot be read
    std::string damage;                // why
    std::string lost_facts;            // what cannot be read of its facts
    int strikes = 0;                   // checks its policy has failed in this run
    bool touched = false;              // in this batch: it is one of touched_
    bool unpublished = false;          // one of unpublished_
    bool anchor_due = false;
    std::string condemned;  // its policy failed after the commit, and why: struck in the next batch
    Sequence committed = 0;  // seq of the last event that is stored
    Sequence kept = 0;       // seq of the newest snapshot…
    Time kept_at = 0;        // …and when, on the monotonic clock
    Sequence looked = 0;     // seq of the last one that was made, if it was too large to be kept
    Sequence published = 0;
    Time publish_at = 0;  // not before this
  };

  void fill(Slot& slot, StoredExperiment stored);
  void drop(const std::function<bool(const Slot&)>& which);
  void note_touched();
  Answer answer(const Request& request);
  Answer create(const Create& request);
  Answer ask(Slot& slot, const Request& request);
  void touch(Slot& slot);
  void expire_all();
  void recover(Slot& slot);
  void take(Slot& slot, Fold fold);
  void recover_in_quarantine(Slot& slot, const std::string& why);
  void strike(Slot& slot, const std::string& why);
  void condemn(Slot& slot, const std::string& why);
  void require_tokens();
  void add_token(const Token& token);
  void remove_token(const std::string& hash);
  bool snapshot_due(const Slot& slot) const;
  bool has_new(const Slot& slot) const;
  void keep(Slot& slot, bool anchor);
  void publish_new();
  void publish_due();
  void publish(Slot& slot);
  void note(Slot& slot);
  void undo_batch();
  void look_at_disk();
  Time now() const { return options_.clock->monotonic(); }

  Log& log_;
  const Options& options_;
  Publish publish_;
  std::map<std::string, Slot> slots_;
  // Of ten thousand experiments a batch is about a few: nobody walks over all of them for it.
  std::vector<Slot*> touched_;      // in this batch
  std::vector<Slot*> unpublished_;  // with something new to show
  std::set<std::string> quarantined_;
  Time due_ = 0;  // nothing expires, and nobody is to be struck, before this
  std::vector<Token> tokens_;
  std::string trouble_;     // the store can no longer be trusted, and why
  bool must_undo_ = false;  // memory is ahead of the log, and could not be read again yet
  std::uint64_t fenced_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t snapshots_ = 0;
  std::uint64_t replay_mismatches_ = 0;
  std::uint64_t free_bytes_ = 0;
  std::optional<Time> disk_looked_at_;
};

}  // namespace armature::service
