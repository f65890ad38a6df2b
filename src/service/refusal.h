// What the service answers when it does not do what it was asked. Nothing has changed then.
#pragma once

#include "armature/error.h"

namespace armature::service {

enum class RefusalKind {
  kField,         // 400: a field is wrong; the report says which
  kNoExperiment,  // 404
  kNoDecision,    // 404: a sound id that was never given
  kMistyped,      // 400: no id at all, or its check does not fit
  kElsewhere,     // 404: a sound id of another experiment
  kArchived,      // 410: a decision whose events were moved to the archive
  kConflict,      // 409: the decision, or the name, already has other values
  kState,         // 409: not in this state (finished, quarantined)
  kKeyReused,     // 422: the key came before with another request
  kTooManyOpen,   // 429: decisions without an outcome
  kPaused,        // 503: and there is no fallback
  kQuarantined,   // 503: and there is no fallback, or it is no decide
  kBroken,        // 503: the policy failed a check of its own on this; the experiment was rebuilt
  kBusy,          // 503 + Retry-After: the queue is full
  kUnprepared,  // 503 + Retry-After: too much to be taught by who writes; prepared aside it is not
  kStore,       // 503: not stored, or nobody knows; ask again
  kFull,        // 507: no room on the disk
  kNotHere,     // 503 + Retry-After: another node's, or it is changing hands
  kStopping,    // 503
};
const char* refusal_name(RefusalKind kind);  // field, no-experiment, …
int http_status(RefusalKind kind);

class Refusal : public Error {
 public:
  Refusal(RefusalKind kind, ErrorReport report) : Error(std::move(report)), kind_(kind) {}
  RefusalKind kind() const { return kind_; }

 private:
  RefusalKind kind_;
};

/// A choice of the asker's (a policy, a problem) brought this about: a mistake in that field, or in
/// another one of the request; where inside of it is part of what was expected.
Refusal mistaken_choice(const char* field, const std::exception& error);

}  // namespace armature::service
