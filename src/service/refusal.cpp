#include "service/refusal.h"

namespace armature::service {
namespace {

struct Row {
  const char* name;
  RefusalKind kind;
  int status;
};

constexpr Row kRows[] = {
    {"field", RefusalKind::kField, 400},
    {"no-experiment", RefusalKind::kNoExperiment, 404},
    {"no-decision", RefusalKind::kNoDecision, 404},
    {"mistyped", RefusalKind::kMistyped, 400},
    {"elsewhere", RefusalKind::kElsewhere, 404},
    {"archived", RefusalKind::kArchived, 410},
    {"conflict", RefusalKind::kConflict, 409},
    {"state", RefusalKind::kState, 409},
    {"key-reused", RefusalKind::kKeyReused, 422},
    {"too-many-open", RefusalKind::kTooManyOpen, 429},
    {"paused", RefusalKind::kPaused, 503},
    {"quarantined", RefusalKind::kQuarantined, 503},
    {"broken", RefusalKind::kBroken, 503},
    {"busy", RefusalKind::kBusy, 503},
    {"unprepared", RefusalKind::kUnprepared, 503},
    {"store", RefusalKind::kStore, 503},
    {"full", RefusalKind::kFull, 507},
    {"stopping", RefusalKind::kStopping, 503},
};

const Row& row_of(RefusalKind kind) {
  for (const Row& row : kRows)
    if (row.kind == kind) return row;
  ARMATURE_CHECK(false, "every refusal has its row");
}

}  // namespace

const char* refusal_name(RefusalKind kind) { return row_of(kind).name; }
int http_status(RefusalKind kind) { return row_of(kind).status; }

Refusal mistaken_choice(const char* field, const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return {RefusalKind::kField, known != nullptr
                                   ? known->report()
                                   : ErrorReport{"", field, error.what(), "one that can start"}};
}

}  // namespace armature::service
