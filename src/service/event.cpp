#include "service/event.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "armature/state.h"
#include "service/log.h"
#include "service/refusal.h"

namespace armature::service {
namespace {

// Doubles by their bits: a propensity that differs in the last one is another.
bool same(const std::optional<double>& one, const std::optional<double>& other) {
  if (one.has_value() != other.has_value()) return false;
  return !one || std::bit_cast<std::uint64_t>(*one) == std::bit_cast<std::uint64_t>(*other);
}

// Of the name and the number: no secret, but a typing mistake passes only one time in 65,536.
std::uint16_t check_of(const std::string& experiment, Sequence seq) {
  Fingerprint fingerprint;
  fingerprint.add(experiment);
  fingerprint.add(&seq, sizeof seq);
  const std::uint64_t value = fingerprint.value();
  return static_cast<std::uint16_t>(value ^ value >> 16 ^ value >> 32 ^ value >> 48);
}

template <class Number>
std::optional<Number> digits(std::string_view text, int base) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

const char* event_kind_name(EventKind kind) {
  switch (kind) {
    case EventKind::kDecided:
      return "decided";
    case EventKind::kReported:
      return "reported";
    case EventKind::kLearned:
      return "learned";
    case EventKind::kForgotten:
      return "forgotten";
    case EventKind::kLate:
      return "late";
    case EventKind::kState:
      return "state";
    case EventKind::kEpoch:
      return "epoch";
    case EventKind::kAmended:
      return "amended";
    case EventKind::kUpgraded:
      return "upgraded";
    case EventKind::kFallback:
      return "fallback";
    case EventKind::kShadow:
      return "shadow";
  }
  ARMATURE_CHECK(false, "every kind of event has a name");
}

EventKind event_kind(std::int64_t number) {
  if (number < static_cast<int>(EventKind::kDecided) ||
      number > static_cast<int>(EventKind::kShadow))
    throw Error({"", "kind", fmt::format("{}", number), "a kind of event this program knows"});
  return static_cast<EventKind>(number);
}

void require_sound(const Event& event, const Problem& problem) {
  const char* wrong = nullptr;
  const bool about_action = event.makes_decision() || event.kind == EventKind::kLearned;
  if (about_action && !event.action) wrong = "action";
  if (event.action && *event.action >= problem.actions()) wrong = "action";
  if (event.context && *event.context >= problem.contexts()) wrong = "context";
  if (event.kind == EventKind::kLearned && !event.reward) wrong = "reward";
  if (event.reward && !(*event.reward >= 0 && *event.reward <= 1)) wrong = "reward";
  if (event.propensity && !(*event.propensity >= 0 && *event.propensity <= 1)) wrong = "propensity";
  if (!event.makes_decision() && event.decision && *event.decision >= event.seq) wrong = "decision";
  if (event.closes_decision() && !event.decision) wrong = "decision";
  if (wrong != nullptr)
    throw Unreadable({"", fmt::format("event {}", event.seq),
                      fmt::format("a {} that is none", wrong), "what was stored"});
}

std::string first_difference(const Event& one, const Event& other) {
  if (one.seq != other.seq) return "seq";
  if (one.kind != other.kind) return "kind";
  if (one.decision != other.decision) return "decision";
  if (one.key != other.key) return "key";
  if (one.time != other.time) return "time";
  if (one.epoch != other.epoch) return "epoch";
  if (one.action != other.action) return "action";
  if (one.ticket != other.ticket) return "ticket";
  if (one.position != other.position) return "position";
  if (!same(one.propensity, other.propensity)) return "propensity";
  if (one.context != other.context) return "context";
  if (!same(one.reward, other.reward)) return "reward";
  if (one.note != other.note) return "note";
  return "";
}

std::string decision_id(const std::string& experiment, Sequence seq) {
  return fmt::format("{}.{}.{:04x}", experiment, seq, check_of(experiment, seq));
}

Sequence parse_decision_id(const std::string& experiment, const std::string& id) {
  const auto mistyped = [&]() -> Refusal {
    return {RefusalKind::kMistyped,
            {"", "decision", "'" + id + "'", "an id as it was answered, letter for letter"}};
  };
  const std::size_t first = id.find('.');
  const std::size_t last = id.rfind('.');
  if (first == std::string::npos || first == last) throw mistyped();
  const std::string name = id.substr(0, first);
  const std::string_view number = std::string_view(id).substr(first + 1, last - first - 1);
  const auto seq = digits<Sequence>(number, 10);
  const auto check = digits<std::uint16_t>(std::string_view(id).substr(last + 1), 16);
  // Only as we write it: leading zeros or capitals would give one decision two names.
  if (!seq || !check || *check != check_of(name, *seq) || id != decision_id(name, *seq))
    throw mistyped();
  if (name != experiment)
    throw Refusal(RefusalKind::kElsewhere, {"", "decision", "'" + id + "'",
                                            "a decision of experiment '" + experiment + "'"});
  return *seq;
}

}  // namespace armature::service
