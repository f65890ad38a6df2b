#include "service/refusal.h"

#include <algorithm>
#include <string_view>

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
    {"not-here", RefusalKind::kNotHere, 503},
    {"stopping", RefusalKind::kStopping, 503},
};

const Row& row_of(RefusalKind kind) {
  for (const Row& row : kRows)
    if (row.kind == kind) return row;
  ARMATURE_CHECK(false, "every refusal has its row");
}

// What requests call their fields.
constexpr std::string_view kRequestFields[] = {"name",  "tenant",    "problem",   "policy",
                                               "seed",  "deadline",  "silence",   "fallback",
                                               "floor", "most_open", "at_horizon"};
constexpr std::string_view kProblemFields[] = {"actions", "contexts", "marginals", "horizon",
                                               "epsilon"};

template <std::size_t n>
bool is_in(const std::string_view (&fields)[n], std::string_view field) {
  return std::find(std::begin(fields), std::end(fields),
                   field.substr(0, field.find_first_of(".["))) != std::end(fields);
}

// A place inside a policy's text, as policies tell it (`policy floor: base: policy ucb: delta`),
// without the words that the request's field says already.
std::string place_inside(std::string_view place) {
  constexpr std::string_view kBetween = ": ";
  constexpr std::string_view kPolicy = "policy ";
  std::string words;
  while (!place.empty()) {
    const std::size_t end = std::min(place.find(kBetween), place.size());
    std::string_view part = place.substr(0, end);
    place.remove_prefix(std::min(place.size(), end + kBetween.size()));
    if (part == "policy" || part == "text form") continue;
    if (part.starts_with(kPolicy)) part.remove_prefix(kPolicy.size());
    words += std::string(part) + std::string(kBetween);
  }
  return words;
}

}  // namespace

const char* refusal_name(RefusalKind kind) { return row_of(kind).name; }
int http_status(RefusalKind kind) { return row_of(kind).status; }

Refusal mistaken_choice(const char* field, const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  if (known == nullptr)
    return {RefusalKind::kField, {"", field, error.what(), "one that can start"}};
  ErrorReport report = known->report();
  if (is_in(kProblemFields, report.field)) {
    report.field = "problem." + report.field;
  } else if (!is_in(kRequestFields, report.field)) {
    report.expected = place_inside(report.field) + report.expected;
    report.field = field;
  }
  return {RefusalKind::kField, std::move(report)};
}

}  // namespace armature::service
