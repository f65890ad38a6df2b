// What can be asked of the service, and what it answers. One struct per verb; the names of fields
// are those of the HTTP interface.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "service/event.h"
#include "service/refusal.h"

namespace armature::service {

/// An action or a context by its name, or by its number in the problem of the decision's epoch.
using Named = std::variant<std::string, std::uint64_t>;

// --- Requests ------------------------------------------------------------------------------------

struct Create {
  Creation creation;  // facts.created is filled in
};
struct Decide {
  std::string experiment;
  std::string key;   // Idempotency-Key; empty: none; at most 128 bytes
  std::string body;  // what else was asked, as bytes: the same key with another body is refused
  /// What was decided elsewhere, and with what probability: where the policy is external.
  std::optional<Named> action = {};
  std::optional<double> propensity = {};
};
/// Of context and reward at least one.
struct Report {
  std::string experiment;
  std::string decision;
  std::optional<Named> context;
  std::optional<double> reward;
};
struct Forget {
  std::string experiment;
  std::string decision;
};
struct Look {  // GET of a decision
  std::string experiment;
  std::string decision;
};
struct Pause {
  std::string experiment;
  std::string reason;
};
struct Resume {
  std::string experiment;
  std::string reason;
};
struct Finish {
  std::string experiment;
  std::string reason;
};
struct Taught;  // fold.h
struct OpenEpoch {
  std::string experiment;
  std::optional<Problem> problem;     // none: as it is
  std::optional<std::string> policy;  // none: as it is; written without the floor
  Start start = Start::kReplay;
  Sequence since = 0;
  std::string reason;
  std::shared_ptr<Taught> taught = {};  // aside, by `prepare` (experiment.h)
};
/// Corrects what a learned decision came to, or withdraws it: both none. From the next epoch on.
struct Amend {
  std::string experiment;
  std::string decision;
  std::optional<Named> context;
  std::optional<double> reward;
  std::string reason;
};
struct AddShadow {
  std::string experiment;
  std::string policy;
  std::shared_ptr<Taught> taught = {};  // as above
};
struct RemoveShadow {
  std::string experiment;
  std::string policy;  // as `AddShadow` answered it
};
struct Token {
  std::string hash;  // SHA-256 of the secret, 64 hex digits
  std::string name;
  std::string tenant;
  std::vector<std::string> roles;        // decide, report, read, admin
  std::vector<std::string> experiments;  // empty: all
  Time created = 0;
  std::optional<Time> expires;
};
struct AddToken {
  Token token;
};
struct RemoveToken {
  std::string hash;
};

using Request = std::variant<Create, Decide, Report, Forget, Look, Pause, Resume, Finish, OpenEpoch,
                             Amend, AddShadow, RemoveShadow, AddToken, RemoveToken>;

// --- Answers -------------------------------------------------------------------------------------

/// Where a decision is in its life. Every decision is in exactly one.
enum class Status : std::uint8_t {
  kOpen,       // nothing was reported
  kWaiting,    // something was reported; it is learned when the rest comes, or at the deadline
  kLearned,    // its outcome is in the record, and taught to the policy where the policy can
  kForgotten,  // it never had one
  kLate,       // a report came after the deadline, or after it was forgotten
};
const char* status_name(Status status);  // open, waiting, learned, forgotten, late

struct Created {
  std::string experiment;
  bool repeated = false;  // it was there, created just like this
};
struct Decided {
  std::string decision;
  Sequence seq = 0;
  std::string action;
  Arm action_number = 0;
  std::optional<double> propensity;
  bool repeated = false;        // the same key: the decision made then
  bool fallback = false;        // made without the policy
  bool beyond_horizon = false;  // more decisions than the problem's horizon
};
struct Received {  // answers Report, Forget and Amend
  std::string decision;
  Status status = Status::kOpen;
  bool repeated = false;  // it was told just this before
};
/// All that is known of one decision.
struct DecisionView {
  std::string decision;
  Sequence seq = 0;
  Status status = Status::kOpen;
  Time time = 0;
  EpochNumber epoch = 1;
  std::string policy;
  std::string action;
  std::optional<double> propensity;
  bool fallback = false;
  std::optional<std::string> context;  // as reported so far, as learned, or as it came late
  std::optional<double> reward;
  std::optional<Sequence> closed;  // seq of the event that closed it
  std::string cause;               // "deadline", "silence" or empty: by whoever reported
};
struct Done {  // answers everything else
  std::string experiment;
  Sequence seq = 0;       // of the event, 0 if there was nothing to do
  std::string text = {};  // of a shadow: its canonical policy
};

using Answer = std::variant<Refusal, Created, Decided, Received, DecisionView, Done>;

}  // namespace armature::service
