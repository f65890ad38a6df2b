#include "service/http/routes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "service/facts.h"
#include "service/http/complaint.h"

namespace armature::service::http {
namespace {

using enum FieldKind;

constexpr std::size_t kLongestReason = 1'000;
constexpr std::size_t kLongestKey = 128;

constexpr std::span<const Field> kNothing = {};

constexpr const char* kSilenceSchema = R"({"oneOf": [{"const": "forget"}, {"type": "object",
  "properties": {"context": {"type": ["string", "integer"], "minimum": 0},
                 "reward": {"type": "number", "minimum": 0, "maximum": 1}},
  "required": ["context", "reward"], "additionalProperties": false}]})";

// Read by service/facts.h, which knows what goes together; here for the document.
constexpr Field kCreateFields[] = {
    {"name", kText, true, "letters, digits, - and _; part of every path", 64},
    {"problem", kObject, true, "what a policy may know (docs/formats.md): actions, contexts, …"},
    {"policy", kText, true, "a policy's text form, as armature policies lists them",
     kLongestPolicy},
    {"silence", kObject, true, "\"forget\", or the context and reward learned of the silent", 256,
     kNothing, kSilenceSchema},
    {"fallback", kText, true, "the action while it is paused; null: decides are refused then", 256,
     kNothing, R"({"type": ["string", "integer", "null"], "minimum": 0})"},
    {"seed", kSequence, false, "of the policy's luck; by default made of the name"},
    {"deadline", kText, false, "how long outcomes are waited for: 90s, 30m, 24h, 7d, never"},
    {"floor", kNumber, false, "every action has this probability over their number at least"},
    {"at_horizon", kText, false, "continue or stop"},
    {"contexts", kText, false, "required, or optional: a reward alone is an outcome"},
    {"most_open", kNumber, false, "decisions without an outcome at any time, at most 5,000,000",
     256, kNothing, R"({"type": "integer", "minimum": 1, "maximum": 5000000})"},
    {"tenant", kText, false, "whose it is", 64},
};
constexpr Field kDecideFields[] = {
    {"key", kText, false, "as the header Idempotency-Key", kLongestKey},
    {"about", kText, false, "what is decided; the same key must come with the same", 1'024},
    {"action", kName, false, "what was done: where the policy is external, and only there"},
    {"propensity", kNumber, false, "with action: the probability with which it was, if known"},
};
constexpr Field kDecideBatchFields[] = {
    {"decides", kItems, true, "one object per decision, perhaps empty", kMostItems, kDecideFields},
};
constexpr Field kOutcomeFields[] = {
    {"context", kName, false, "what was seen after the action"},
    {"reward", kNumber, false, "from 0 to 1"},
};
constexpr Field kOutcomeItem[] = {
    {"decision", kText, true, "its id"},
    {"context", kName, false, "what was seen after the action"},
    {"reward", kNumber, false, "from 0 to 1"},
    {"forget", kFlag, false, "it was never shown: there will be no outcome"},
};
constexpr Field kOutcomeBatchFields[] = {
    {"outcomes", kItems, true, "one object per decision", kMostItems, kOutcomeItem},
};
constexpr Field kReasonFields[] = {
    {"reason", kText, false, "for people", kLongestReason},
};
constexpr Field kEpochFields[] = {
    {"problem", kObject, false, "by default as it is"},
    {"policy", kText, false, "by default as it is", kLongestPolicy},
    {"start", kText, false, "replay (default), fresh, or since"},
    {"since", kSequence, false, "with start=since: the seq from which outcomes are taught"},
    {"reason", kText, false, "for people", kLongestReason},
};
constexpr Field kAmendFields[] = {
    {"decision", kText, true, "its id"},
    {"context", kName, false, "what it should have been"},
    {"reward", kNumber, false, "what it should have been"},
    {"withdraw", kFlag, false, "instead: as if there had been no outcome"},
    {"reason", kText, false, "for people", kLongestReason},
};
constexpr Field kShadowFields[] = {
    {"policy", kText, true, "a policy's text form", kLongestPolicy},
};
constexpr Field kTokenFields[] = {
    {"name", kText, true, "for people", 64},
    {"roles", kTexts, true, "some of decide, report, read, admin", 4},
    {"experiments", kTexts, false, "the only ones it is for; by default all", 1'000},
    {"tenant", kText, false, "the only one it is for; by default all", 64},
    {"expires", kText, false, "after so long: 90s, 30m, 24h, 7d; by default never"},
};
constexpr Field kLogQuery[] = {
    {"format", kText, false, "jsonl (default: every event), csv (a row per decision), dsjson"},
    {"from", kSequence, false, "seq of the first event, or decision, in it"},
};

constexpr Field kLookQuery[] = {
    {"propensity", kText, false,
     "exact: where none was logged, by replay and trials, with its error"},
};

const Route kRoutes[] = {
    {"POST", "/v1/experiments", Verb::kCreate, Role::kAdmin, Where::kCreator, kLargeBody,
     kCreateFields, kNothing, "Created", "Creates an experiment; the same again answers the same."},
    {"GET", "/v1/experiments", Verb::kList, Role::kRead, Where::kAnywhere, 0, kNothing, kNothing,
     "Experiments", "All experiments there are for this token."},
    {"GET", "/v1/experiments/{experiment}", Verb::kShow, Role::kRead, Where::kShown, 0, kNothing,
     kNothing, "Experiment", "All that is known of an experiment."},
    {"POST", "/v1/experiments/{experiment}/decide", Verb::kDecide, Role::kDecide, Where::kOwner,
     kSmallBody, kDecideFields, kNothing, "Decision", "What to do now."},
    {"POST", "/v1/experiments/{experiment}/decisions/{decision}/outcome", Verb::kOutcome,
     Role::kReport, Where::kOwner, kSmallBody, kOutcomeFields, kNothing, "Received",
     "What came of it: context, reward or both, in one call or two, in either order."},
    {"POST", "/v1/experiments/{experiment}/decide:batch", Verb::kDecideBatch, Role::kDecide,
     Where::kOwner, kLargeBody, kDecideBatchFields, kNothing, "Decisions",
     "Up to 1,000 decides; an answer each."},
    {"POST", "/v1/experiments/{experiment}/outcomes:batch", Verb::kOutcomeBatch, Role::kReport,
     Where::kOwner, kLargeBody, kOutcomeBatchFields, kNothing, "Receipts",
     "Up to 1,000 outcomes; an answer each."},
    {"POST", "/v1/experiments/{experiment}/decisions/{decision}/forget", Verb::kForget,
     Role::kReport, Where::kOwner, kSmallBody, kNothing, kNothing, "Received",
     "It was never shown: there will be no outcome."},
    {"GET", "/v1/experiments/{experiment}/decisions/{decision}", Verb::kLook, Role::kRead,
     Where::kOwner, 0, kNothing, kLookQuery, "DecisionView", "All that is known of a decision."},
    {"POST", "/v1/experiments/{experiment}/pause", Verb::kPause, Role::kAdmin, Where::kOwner,
     kSmallBody, kReasonFields, kNothing, "Done", "From now on the fallback action."},
    {"POST", "/v1/experiments/{experiment}/resume", Verb::kResume, Role::kAdmin, Where::kOwner,
     kSmallBody, kReasonFields, kNothing, "Done", "The policy decides again."},
    {"POST", "/v1/experiments/{experiment}/finish", Verb::kFinish, Role::kAdmin, Where::kOwner,
     kSmallBody, kReasonFields, kNothing, "Done",
     "No more decisions, for good; reports are still taken."},
    {"POST", "/v1/experiments/{experiment}/epochs", Verb::kEpoch, Role::kAdmin, Where::kOwner,
     kLargeBody, kEpochFields, kNothing, "Done", "Another problem or policy from now on."},
    {"POST", "/v1/experiments/{experiment}/amend", Verb::kAmend, Role::kAdmin, Where::kOwner,
     kSmallBody, kAmendFields, kNothing, "Received",
     "Corrects or withdraws a learned outcome, from the next epoch on."},
    {"GET", "/v1/experiments/{experiment}/shadows", Verb::kShadows, Role::kRead, Where::kShown, 0,
     kNothing, kNothing, "Shadows", "Policies that only watch, and what they would have done."},
    {"POST", "/v1/experiments/{experiment}/shadows", Verb::kAddShadow, Role::kAdmin, Where::kOwner,
     kSmallBody, kShadowFields, kNothing, "Done", "A policy that only watches."},
    {"DELETE", "/v1/experiments/{experiment}/shadows", Verb::kRemoveShadow, Role::kAdmin,
     Where::kOwner, 0, kNothing, kShadowFields, "Done", "Takes a shadow away."},
    {"GET", "/v1/experiments/{experiment}/log", Verb::kLog, Role::kRead, Where::kShown, 0, kNothing,
     kLogQuery, "application/x-ndjson", "The log as JSON lines, CSV, or decision-service JSON."},
    {"GET", "/v1/experiments/{experiment}/snapshot", Verb::kSnapshot, Role::kRead, Where::kShown, 0,
     kNothing, kNothing, "Snapshot",
     "The newest stored snapshot: its digest, and the state as hex digits."},
    {"GET", "/v1/experiments/{experiment}/live", Verb::kLive, Role::kRead, Where::kShown, 0,
     kNothing, kNothing, "text/event-stream",
     "The experiment's summary whenever it has changed, once a second at most."},
    {"GET", "/v1/tokens", Verb::kTokens, Role::kAdmin, Where::kAnywhere, 0, kNothing, kNothing,
     "Tokens", "All tokens, without their secrets."},
    {"POST", "/v1/tokens", Verb::kAddToken, Role::kAdmin, Where::kTokens, kSmallBody, kTokenFields,
     kNothing, "NewToken", "A new token; its secret is in the answer and nowhere else."},
    {"DELETE", "/v1/tokens/{token}", Verb::kRemoveToken, Role::kAdmin, Where::kTokens, 0, kNothing,
     kNothing, "Done", "Revokes a token by its id, at once."},
    {"GET", "/", Verb::kPage, Role::kNone, Where::kAnywhere, 0, kNothing, kNothing, "text/html",
     "The page."},
    {"GET", "/openapi.json", Verb::kOpenApi, Role::kNone, Where::kAnywhere, 0, kNothing, kNothing,
     "application/json", "This document."},
    {"GET", "/metrics", Verb::kMetrics, Role::kRead, Where::kAnywhere, 0, kNothing, kNothing,
     "text/plain", "Numbers for Prometheus."},
    {"GET", "/healthz", Verb::kHealth, Role::kNone, Where::kAnywhere, 0, kNothing, kNothing,
     "text/plain", "200 while the process lives."},
    {"GET", "/readyz", Verb::kReady, Role::kNone, Where::kAnywhere, 0, kNothing, kNothing, "Ready",
     "200 while it can decide and store, else 503 and why."},
    {"GET", "/version", Verb::kVersion, Role::kNone, Where::kAnywhere, 0, kNothing, kNothing,
     "Version", "Which armature this is."},
};

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// Routes with their paths taken apart, once.
struct Pattern {
  const Route* route;
  std::vector<std::string_view> parts;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = [] {
    std::vector<Pattern> made;
    for (const Route& route : routes()) made.push_back({&route, split(route.path)});
    return made;
  }();
  return all;
}

bool is_place(std::string_view part) { return part.starts_with('{'); }

bool fits(const Pattern& pattern, const std::vector<std::string_view>& parts) {
  if (pattern.parts.size() != parts.size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (is_place(pattern.parts[i]) ? parts[i].empty() : pattern.parts[i] != parts[i]) return false;
  return true;
}

}  // namespace

const std::vector<Route>& routes() {
  static const std::vector<Route> all(std::begin(kRoutes), std::end(kRoutes));
  return all;
}

Match match_route(const std::string& method, const std::string& target) {
  const std::string_view path = std::string_view(target).substr(0, target.find('?'));
  if (!path.starts_with('/'))
    throw HttpRefusal(400, "target", {"", "target", "'" + target + "'", "a path"});
  const std::vector<std::string_view> parts = split(path);
  std::vector<std::string> others;
  for (const Pattern& pattern : patterns()) {
    if (!fits(pattern, parts)) continue;
    if (pattern.route->method != method) {
      others.emplace_back(pattern.route->method);
      continue;
    }
    Match match;
    match.route = pattern.route;
    if (path.size() < target.size()) match.query = target.substr(path.size() + 1);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!is_place(pattern.parts[i])) continue;
      const std::optional<std::string> part = percent_decoded(parts[i]);
      if (!part)
        throw HttpRefusal(
            400, "target",
            {"", "target", "'" + std::string(parts[i]) + "'", "a % before two hex digits"});
      (pattern.parts[i] == "{experiment}" ? match.experiment : match.item) = *part;
    }
    return match;
  }
  if (others.empty())
    throw HttpRefusal(404, "no-route",
                      {"", "path", "'" + std::string(path) + "'", "one of /openapi.json"});
  throw HttpRefusal(405, "method", {"", "method", "'" + method + "'", join(others, ", ")});
}

std::size_t body_limit(const std::string& method, const std::string& target) {
  const std::vector<std::string_view> parts =
      split(std::string_view(target).substr(0, target.find('?')));
  for (const Pattern& pattern : patterns())
    if (pattern.route->method == method && fits(pattern, parts)) return pattern.route->most_body;
  return kSmallBody;  // it is read, and answered with 404
}

}  // namespace armature::service::http
