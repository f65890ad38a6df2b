// What happened in an experiment, one event after the other: the truth of the decision service.
// Everything else it knows (policy, open decisions, keys, summaries) is a fold over these.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "service/facts.h"

namespace armature::service {

/// Stored by number: never renumber.
enum class EventKind : std::uint8_t {
  kDecided = 1,    // the policy chose
  kReported = 2,   // a part of the outcome, or all of it ahead of a deadline: kept
  kLearned = 3,    // the outcome; the decision is closed
  kForgotten = 4,  // there will be no more of an outcome than this; the decision is closed
  kLate = 5,       // reported after it was closed without a report: kept, never learned
  kState = 6,      // paused, resumed, finished or quarantined: see note
  kEpoch = 7,      // a new policy, or a new problem; the first event of every experiment
  kAmended = 8,    // a learned outcome is corrected or withdrawn, from the next epoch on
  kUpgraded = 9,   // another build of armature took over, after replaying what was there
  kFallback = 10,  // decided without the policy
  kShadow = 11,    // a policy that only watches was added, or taken away: see note
};
const char* event_kind_name(EventKind kind);  // decided, reported, learned, …
/// Throws Error if there is no kind of this number.
EventKind event_kind(std::int64_t number);

/// Notes that mean something. All others are for people.
namespace note {
inline constexpr const char* kPaused = "paused";
inline constexpr const char* kResumed = "resumed";
inline constexpr const char* kFinished = "finished";
inline constexpr const char* kQuarantined = "quarantined";
inline constexpr const char* kDeadline = "deadline";  // closed by the deadline…
inline constexpr const char* kSilence = "silence";    // …and learned what silence stands for…
inline constexpr const char* kSilentContext = "silence: context";  // …where the reward was told
inline constexpr const char* kSilentReward = "silence: reward";    // …where the context was told
inline constexpr const char* kBeyond = "beyond";                   // a decision after the horizon
inline constexpr const char* kMore = "more";         // of a late report: not the first part
inline constexpr const char* kShadowAdded = "add ";  // and the policy's text
inline constexpr const char* kShadowRemoved = "remove ";
}  // namespace note

/// Of a client's key 128 bits of its hash, and 32 bits of the request's; 20 bytes, or none.
using KeyHash = std::string;

/// `action`, `context` and `reward` of a decision are in the words of the epoch it was made in,
/// whenever the event happened. A decision is known by the `seq` of the event that made it.
struct Event {
  Sequence seq = 0;  // from 1, without gaps
  EventKind kind = EventKind::kDecided;
  std::optional<Sequence> decision;  // the one it is about; none: it makes one, or is about none
  KeyHash key;
  Time time = 0;          // never before the event before
  EpochNumber epoch = 0;  // in force
  std::optional<Arm> action;
  std::optional<std::uint64_t> ticket;    // the policy's own (armature::Decision)
  std::optional<std::uint64_t> position;  // of the policy's stream after the event: proves replay
  std::optional<double> propensity;       // of the action, where it is known exactly
  std::optional<Context> context;
  std::optional<double> reward;
  std::string note;
  std::shared_ptr<const Epoch> opened;  // of kEpoch, and only there

  bool makes_decision() const {
    return kind == EventKind::kDecided || kind == EventKind::kFallback;
  }
  bool closes_decision() const {
    return kind == EventKind::kLearned || kind == EventKind::kForgotten;
  }
};

/// Throws Unreadable (log.h) for what no experiment with this problem could have stored: the
/// problem of the decision it makes or is about.
void require_sound(const Event& event, const Problem& problem);

/// The first field in which they differ, empty if none: replay must give what was logged.
std::string first_difference(const Event& one, const Event& other);

// --- A decision's name outside -------------------------------------------------------------------

/// `<experiment>.<seq>.<4 hex>`: finding it is a lookup by primary key, and a mistyped one is told
/// apart from one that was never given.
std::string decision_id(const std::string& experiment, Sequence seq);
/// Throws Refusal: kMistyped, or kElsewhere for a sound id of another experiment.
Sequence parse_decision_id(const std::string& experiment, const std::string& id);

}  // namespace armature::service
