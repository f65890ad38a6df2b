// The verbs of one experiment: what is asked becomes an event, or is answered from what is there,
// or refused. What is answered may be told only when the batch is stored.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "service/clock.h"
#include "service/fold.h"
#include "service/log.h"
#include "service/requests.h"

namespace armature::service {

class Experiment {
 public:
  /// What was open when the fold was recovered does not expire before a grace of ten minutes (or
  /// the deadline, if that is shorter): nobody could report while nobody listened.
  Experiment(ExperimentId id, Fold fold, Log& log, const Clock& clock);

  /// All throw Refusal, and then nothing has changed. StoreFailure is the batch's; anything else
  /// comes from the policy, and this object must be thrown away.
  Decided decide(const Decide& request);
  /// Was a decision made with its key? Then nothing is decided.
  bool knows_key(const Decide& request) const;
  Received report(const Report& request);
  Received forget(const Forget& request);
  DecisionView look(const Look& request);
  Done pause(const Pause& request);
  Done resume(const Resume& request);
  Done finish(const Finish& request);
  Done open_epoch(const OpenEpoch& request, std::uint64_t most_cells);
  Received amend(const Amend& request);
  Done add_shadow(const AddShadow& request);
  Done remove_shadow(const RemoveShadow& request);

  /// Closes decisions whose deadline has passed, by the rule for silence. How many, at most `most`.
  std::size_t expire(std::size_t most);
  /// On the monotonic clock; none: nothing is open, or nothing expires.
  std::optional<Time> next_expiry() const;

  /// All so far is stored.
  void committed();
  /// Events that are not.
  std::uint64_t uncommitted() const { return uncommitted_; }
  /// This one is made anew from the log, in the place of one that had gone further: of what is open
  /// the deadlines are as they were, even if it had ended there.
  void keep_deadlines_of(const Experiment& before);

  void quarantine(const std::string& why);
  void note_upgrade();
  Event record(Event event, Taught* taught = nullptr);

  ExperimentId id() const { return id_; }
  const Fold& fold() const { return fold_; }

 private:
  struct Told {  // what a report says, in the words of the decision's epoch
    std::optional<Context> context;
    std::optional<double> reward;
  };
  /// How a decision ended, with the events that say so.
  struct Ended {
    Event closing;
    std::optional<Event> late;
    Status status() const;
    bool without_report() const;  // forgotten, or learned by silence, if only in part
    bool silent_context() const;  // what silence stood for
    bool silent_reward() const;
    Told told() const;  // what somebody said, and not silence
    /// Learned by silence, nothing has come since, and what is told is no other than it had.
    bool agrees_with_silence(const Told& told) const;
  };

  Event event_of(EventKind kind, std::optional<Sequence> decision = std::nullopt) const;
  Decided answer_of(const Event& event, bool repeated) const;
  void tell_external(const Decide& request, Event& event) const;
  Decided fall_back(Event event, RefusalKind without, const char* why);
  Received answer_of(Sequence decision, Status status, bool repeated) const;
  Received report_open(Sequence decision, const OpenDecision& open, const Told& told);
  Received report_ended(Sequence decision, const Ended& ended, const Told& told);
  /// Throws Unreadable for one that makes no sense here.
  Event stored_event(Sequence seq);
  Ended must_have_ended(Sequence decision);
  Told told_of(Sequence decision, const std::optional<Named>& context,
               const std::optional<double>& reward) const;
  bool complete(const Told& told) const;
  void close_in_silence(Sequence decision);
  Done change_state(const char* state, const std::string& reason);
  [[noreturn]] void refuse_conflict(Sequence decision, const char* what) const;

  ExperimentId id_;
  Fold fold_;
  Log* log_;
  const Clock* clock_;
  std::uint64_t most_open_ = 0;  // by the epoch's policy
  std::uint64_t uncommitted_ = 0;
  std::vector<std::pair<Sequence, Time>> ended_;  // since the last commit: when they had expired
};

/// For a request that makes somebody learn all that the log has (OpenEpoch, AddShadow): does so
/// aside, by a reader of the caller's own, so that the one who writes has only the rest to teach.
/// What was prepared before, and was too old by then, is gone on with. Throws Refusal for a policy
/// or a problem that does not do, and what reading throws.
void prepare(Request& request, LogReader& log);

}  // namespace armature::service
