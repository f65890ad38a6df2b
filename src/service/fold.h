// An experiment as its events made it: policy with its luck, open decisions, keys, statistics. A
// pure function of the events: `apply` both lives and replays them. Live, it is given what is meant
// (kind, decision, outcome, time) and answers with the event to be logged, its action, ticket,
// position and propensity filled in; replay gives it the logged event and must get the same one
// back.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/decision_book.h"
#include "service/history.h"
#include "service/keys.h"
#include "service/log.h"
#include "service/shadow.h"
#include "service/summary.h"

namespace armature::service {

/// A decision without its outcome, known by the seq of the event that made it.
struct OpenDecision {
  Arm action = 0;  // in the words of its epoch
  EpochNumber epoch = 1;
  DecisionBook::Id round = 0;  // in that epoch's book; 0: made without the policy
  Time decided = 0;
  std::optional<Context> context;  // reported so far
  std::optional<double> reward;
  /// On the monotonic clock of this run, for whoever keeps deadlines: no part of the fold.
  Time expires = 0;

  bool waiting() const { return context || reward; }
};

/// Replay gave something else than the log has. The fold is no use any more.
class ReplayMismatch : public Error {
  using Error::Error;
};

/// A correction of a learned outcome.
struct Amendment {
  std::optional<Context> context;
  std::optional<double> reward;  // none: withdrawn
  bool operator==(const Amendment&) const = default;
};

/// The policy of a new epoch and its shadows, or a new shadow alone, taught all that was learned up
/// to an event. Teaching takes as long as the log is: whoever can does it aside, with a fold and a
/// reader of their own, and only what has come since is left to the one who writes.
struct Taught {
  Sequence up_to = 0;
  std::size_t epochs = 0;  // there were…
  std::map<Sequence, Amendment> amendments;
  Epoch epoch;  // it is for; of a shadow: the one in force
  std::optional<PolicySession> session;
  std::vector<Shadow> shadows;
};

class Fold {
 public:
  /// Without a policy decisions are what the log says, and outcomes are kept but not learned: for
  /// quarantine, where nothing may depend on a policy that cannot be built or fails.
  enum class Policy : bool { kAtWork, kNone };
  static constexpr Sequence kAll = std::numeric_limits<Sequence>::max();

  /// Nothing has happened yet. The log is asked for earlier events when a policy is to be taught
  /// them; it outlives the fold.
  Fold(ExperimentFacts facts, LogReader& log, ExperimentId id, Policy policy = Policy::kAtWork);
  /// As it was when this was saved, with keys from the log. Throws Error if the snapshot is damaged
  /// or does not belong here.
  static Fold load(ExperimentFacts facts, LogReader& log, ExperimentId id, const Snapshot& snapshot,
                   Policy policy = Policy::kAtWork);

  /// The event as it is to be logged. Throws Error for an epoch that cannot be, and then nothing
  /// has changed. Anything else that is thrown (a policy's failed check) leaves the fold half way:
  /// throw it away. `taught`: what an epoch or a shadow begins with, if it fits; it is used up.
  Event apply(Event event, Taught* taught = nullptr);
  /// Throws ReplayMismatch, or what the policy throws.
  void replay(const Event& logged);
  /// Whoever was without a policy has one again from the next epoch on.
  void end_without_policy() { policy_ = Policy::kAtWork; }

  /// Taught all that was learned so far. What was taught aside is used up if it fits: if it is what
  /// this fold would have come to on the way. Throws Error if the policy does not fit its problem,
  /// or cannot be taught these outcomes; a shadow has then failed.
  /// Where there are more than `most` events to learn from: Refusal (kUnprepared).
  Taught taught_epoch(const Epoch& next, Taught* aside = nullptr, Sequence most = kAll) const;
  Taught taught_shadow(const std::string& policy, Taught* aside = nullptr,
                       Sequence most = kAll) const;

  const ExperimentFacts& facts() const { return facts_; }
  Sequence last_seq() const { return last_seq_; }
  Time last_time() const { return last_time_; }
  /// Quarantine is beside it: who was paused is paused afterwards, and who finished has finished.
  ExperimentState state() const { return in_quarantine() ? ExperimentState::kQuarantined : state_; }
  const std::string& state_reason() const {
    return in_quarantine() ? quarantine_reason_ : state_reason_;
  }
  bool quarantined() const { return quarantined_; }
  const std::string& build() const { return build_; }  // which armature was at work last
  bool has_policy() const { return book_.has_value(); }
  /// Another build may compute other bits: of the policy, or of shadows alone.
  bool depends_on_build() const { return has_policy() || is_external(); }
  /// Decided elsewhere: an event says what.
  bool is_external() const { return !quarantined_ && epoch().policy == kExternalPolicy; }
  Round rounds() const { return book_ ? book_->session().round() : 0; }
  /// The policy at work; null in quarantine.
  const PolicySession* session() const { return book_ ? &book_->session() : nullptr; }

  const Epoch& epoch() const { return *epochs_.back(); }
  const Epoch& first_epoch() const { return *epochs_.front(); }
  /// The one in which the event of this number happened.
  const Epoch& epoch_of(Sequence seq) const;

  /// By seq, which is the order of deadlines, too.
  std::map<Sequence, OpenDecision>& open() { return open_; }
  const std::map<Sequence, OpenDecision>& open() const { return open_; }
  const OpenDecision* find_open(Sequence decision) const;
  const Amendment* find_amendment(Sequence decision) const;
  /// All actions times all contexts there ever were, if this came, too.
  std::uint64_t cells_with(const Problem& problem) const;
  RecentKeys::Found find_key(const KeyHash& key) const { return keys_.find(key); }
  Sequence oldest_key() const { return keys_.oldest(); }  // of decisions; 0: no key is known
  bool has_shadow(const std::string& policy) const;
  std::size_t shadows() const { return shadows_.size(); }

  Snapshot snapshot() const;
  std::uint64_t digest() const;
  Summary summary() const;

 private:
  /// Where an epoch's actions and contexts stand among all there ever were.
  struct Places {
    std::vector<std::uint32_t> actions;
    std::vector<std::uint32_t> contexts;
  };
  struct Saved;

  void decided(Event& event);
  void fell_back(Event& event);
  void reported(const Event& event);
  void learned(Event& event);
  void forgotten(Event& event);
  void came_late(const Event& event);
  void changed_state(const Event& event);
  void opened_epoch(const Event& event, Taught* taught);
  void changed_shadow(const Event& event, Taught* taught);
  void drop_policy();
  bool in_quarantine() const { return quarantined_ && state_ != ExperimentState::kFinished; }

  void check_about(const Event& event) const;
  OpenDecision& must_be_open(const Event& event);
  void add_open(Event& event, DecisionBook::Id round);
  void close(const Event& event);
  void add_epoch(std::shared_ptr<const Epoch> epoch);
  /// Its action in the words of the epoch in force, if it is still there; likewise the context.
  std::optional<Arm> action_now(const OpenDecision& open) const;
  std::optional<Outcome> outcome_now(const OpenDecision& open, const Event& event) const;

  /// Every outcome learned from `since` on, as amended, in the words of `problem` and in the order
  /// of learning; actions that it does not have are left out. Throws Error where it lacks a context
  /// that was seen.
  void for_each_lesson(const Problem& problem, Sequence since,
                       const std::function<void(Arm, Outcome)>& lesson) const;
  using ShadowNames = std::vector<std::pair<std::string, std::uint32_t>>;
  Taught taught(const Epoch& next, bool with_session, const ShadowNames& shadows, Taught* aside,
                Sequence most) const;
  bool fits(const Taught& aside, const Epoch& next, bool with_session,
            const ShadowNames& shadows) const;
  void count_delay(const OpenDecision& open, const Event& event);
  void load_keys();

  Saved saved() const;
  /// Is it what was saved? Else it is without its policy, or a shadow could not be read.
  bool take(Saved&& saved);

  ExperimentFacts facts_;
  LogReader* log_;
  ExperimentId id_;
  Policy policy_;

  Sequence last_seq_ = 0;
  Time last_time_ = 0;
  ExperimentState state_ = ExperimentState::kRunning;
  std::string state_reason_;
  bool quarantined_ = false;
  std::string quarantine_reason_;
  std::string build_;

  std::vector<std::shared_ptr<const Epoch>> epochs_;
  std::optional<DecisionBook> book_;
  bool witnesses_ = false;  // the policy learns from others' decisions
  std::map<Sequence, OpenDecision> open_;
  std::uint64_t waiting_ = 0;  // of open_
  RecentKeys keys_;
  std::map<Sequence, Amendment> amendments_;
  std::vector<Shadow> shadows_;
  std::uint32_t shadows_ever_ = 0;

  // Statistics, over all epochs. Cells are row by row: actions times contexts.
  std::vector<std::string> actions_;
  std::vector<std::string> contexts_;
  std::vector<Places> places_;  // by epoch
  std::uint64_t decisions_ = 0;
  std::uint64_t learned_ = 0;  // decisions by where they ended…
  std::uint64_t forgotten_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t fallbacks_ = 0;
  std::uint64_t amended_since_epoch_ = 0;
  std::vector<std::uint64_t> decided_;  // by action
  std::vector<Rewards> cells_;
  std::vector<std::uint64_t> delays_;
  History history_;
};

// --- Recovery ------------------------------------------------------------------------------------

/// The fold of everything that is stored, from the newest snapshot that is whole, or from an older
/// one if replay does not give what was logged, down to the last anchor. `mismatches` says what did
/// not fit. Throws the last of them if nothing fits, or Error if the log itself cannot be read.
Fold recovered(const ExperimentFacts& facts, LogReader& log, ExperimentId id,
               std::vector<std::string>& mismatches);
/// The same without a policy, for quarantine: what the log says is taken as it is.
Fold recovered_without_policy(const ExperimentFacts& facts, LogReader& log, ExperimentId id);
/// The fold before the first event that is stored: nothing, or the anchor that archiving left.
/// Throws Error if that is damaged.
Fold beginning(const ExperimentFacts& facts, LogReader& log, ExperimentId id,
               Fold::Policy policy = Fold::Policy::kAtWork);
/// The fold after the event `last`, from the newest whole anchor up to it; every event in between
/// is replayed, and `told`. Throws what does not fit.
Fold replayed_up_to(const ExperimentFacts& facts, LogReader& log, ExperimentId id, Sequence last,
                    const LogReader::Visit& told);
/// What the probabilities of the actions were when this decision was made, by replay up to it and
/// so many trials there: for policies without a closed form. Throws Refusal for what is no decision
/// of the policy, and what replay throws.
ProbabilityEstimate replayed_probabilities(const ExperimentFacts& facts, LogReader& log,
                                           ExperimentId id, Sequence decision, std::uint64_t draws);

}  // namespace armature::service
