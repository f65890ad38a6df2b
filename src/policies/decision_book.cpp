#include "armature/decision_book.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace armature {
namespace {

constexpr const char* kOwner = "decision book";

[[noreturn]] void refuse_decision(DecisionMistake mistake, std::uint64_t id, const char* what) {
  throw DecisionError(mistake, {"", "decision", fmt::format("{}, {}", id, what),
                                "a decision whose outcome is outstanding"});
}

// The place of a name in a list of the problem's, or the mistake that it has no such thing.
std::uint32_t place_of(std::string_view name, const std::vector<std::string>& names,
                       DecisionMistake mistake, const char* field) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw DecisionError(
        mistake, {"", field, fmt::format("'{}'", name),
                  fmt::format("one of the problem's {}s", field) + did_you_mean(name, names)});
  return static_cast<std::uint32_t>(found - names.begin());
}

}  // namespace

const char* mistake_name(DecisionMistake mistake) {
  switch (mistake) {
    case DecisionMistake::kUnknown:
      return "unknown";
    case DecisionMistake::kRepeated:
      return "repeated";
    case DecisionMistake::kObserved:
      return "observed";
    case DecisionMistake::kForgotten:
      return "forgotten";
    case DecisionMistake::kClosed:
      return "closed";
    case DecisionMistake::kAction:
      return "action";
    case DecisionMistake::kContext:
      return "context";
    case DecisionMistake::kReward:
      return "reward";
    case DecisionMistake::kWitness:
      return "witness";
  }
  ARMATURE_CHECK(false, "every mistake has a name");
}

bool DecisionBook::Closed::same_end(const Closed& other) const {
  if (forgotten != other.forgotten) return false;
  return forgotten == 1 ||
         (outcome.context == other.outcome.context && outcome.reward == other.outcome.reward);
}

DecisionBook::DecisionBook(PolicySession session, std::size_t remembered, Probabilities told)
    : session_(std::move(session)),
      first_(session_.round() + 1),
      remembered_(remembered),
      told_(told) {
  session_.policy();  // aborts if it was moved from
  if (session_.outstanding() > 0)
    throw Error({"", "session", fmt::format("{} decisions outstanding", session_.outstanding()),
                 "a session whose decisions are all observed or forgotten"});
}

DecisionBook::Made DecisionBook::choose() {
  bool known = false;  // before the choice: afterwards they would be those of the next one
  if (told_ == Probabilities::kTold) {
    probabilities_.resize(session_.problem().actions());
    known = session_.policy().probabilities(probabilities_);
  }
  const Decision decision = session_.choose();
  open_.emplace_hint(open_.end(), session_.round(), decision);
  return {session_.round(), decision.arm,
          known ? std::optional(probabilities_[decision.arm]) : std::nullopt};
}

void DecisionBook::observe(Id id, Outcome outcome) {
  check_outcome(outcome);
  const Closed end{id, 0, outcome};
  const auto open = find_open(end);
  session_.observe(open->second, outcome);
  close(open, end);
}

void DecisionBook::observe(Id id, std::string_view context, double reward) {
  observe(id, {context_of(context), reward});
}

Context DecisionBook::context_of(std::string_view name) const {
  return place_of(name, session_.problem().context_names, DecisionMistake::kContext, "context");
}

void DecisionBook::forget(Id id) {
  const Closed end{id, 1, {}};
  const auto open = find_open(end);
  session_.forget(open->second);
  close(open, end);
}

void DecisionBook::witness(Arm arm, Outcome outcome) {
  check_outcome(outcome);
  const std::uint32_t actions = session_.problem().actions();
  if (arm >= actions)
    throw DecisionError(
        DecisionMistake::kAction,
        {"", "action", fmt::format("{}", arm), fmt::format("an action from 0 to {}", actions - 1)});
  if (const std::string instead = session_.policy().witness_obstacle(); !instead.empty())
    throw DecisionError(DecisionMistake::kWitness, {"", "policy " + session_.policy().text(),
                                                    "the outcome of another's decision", instead});
  session_.witness(arm, outcome);
}

void DecisionBook::witness(std::string_view action, std::string_view context, double reward) {
  const Arm arm =
      place_of(action, session_.problem().action_names, DecisionMistake::kAction, "action");
  witness(arm, {context_of(context), reward});
}

void DecisionBook::check_outcome(Outcome outcome) const {
  session_.policy();  // aborts if it was moved from: there are no contexts then
  const std::uint32_t contexts = session_.problem().contexts();
  if (outcome.context >= contexts)
    throw DecisionError(DecisionMistake::kContext,
                        {"", "context", fmt::format("{}", outcome.context),
                         fmt::format("a context from 0 to {}", contexts - 1)});
  if (!(outcome.reward >= 0 && outcome.reward <= 1))
    throw DecisionError(DecisionMistake::kReward,
                        {"", "reward", print_real(outcome.reward), "a number in [0,1]"});
}

DecisionBook::Open::iterator DecisionBook::find_open(const Closed& end) {
  const auto open = open_.find(end.id);
  if (open == open_.end()) refuse(end);
  return open;
}

// Ids ascend: what was given and is not outstanding is closed.
void DecisionBook::refuse(const Closed& end) const {
  if (end.id < first_ || end.id > session_.round())
    refuse_decision(DecisionMistake::kUnknown, end.id, "an unknown decision");
  const auto known = std::find_if(closed_.begin(), closed_.end(),
                                  [&](const Closed& closed) { return closed.id == end.id; });
  if (known == closed_.end())
    refuse_decision(DecisionMistake::kClosed, end.id, "which was closed long ago");
  const char* what =
      known->forgotten == 1 ? "which was forgotten" : "which already has its outcome";
  if (known->same_end(end)) refuse_decision(DecisionMistake::kRepeated, end.id, what);
  refuse_decision(known->forgotten == 1 ? DecisionMistake::kForgotten : DecisionMistake::kObserved,
                  end.id, what);
}

void DecisionBook::close(Open::iterator open, const Closed& end) {
  open_.erase(open);
  if (remembered_ == 0) return;
  if (closed_.size() < remembered_) {
    closed_.push_back(end);
    return;
  }
  closed_[oldest_] = end;
  oldest_ = oldest_ + 1 == remembered_ ? 0 : oldest_ + 1;
}

std::vector<DecisionBook::Waiting> DecisionBook::outstanding() const {
  std::vector<Waiting> waiting;
  waiting.reserve(open_.size());
  for (const auto& [id, decision] : open_)
    waiting.push_back({id, decision.arm, session_.round() - id});
  return waiting;
}

// What is saved; the session's own form is the last field.
struct DecisionBook::Saved {
  struct Outstanding {
    Id id;
    Arm arm;
    std::uint64_t ticket;
  };
  std::uint64_t first = 0;
  std::uint64_t remembered = 0;
  bool told = false;
  std::vector<Outstanding> outstanding;  // by id
  std::vector<Closed> closed;            // the oldest first
  std::string session;

  StateVisit fields() {
    return [this](StateVisitor& visitor) {
      visitor.field("first", first);
      visitor.field("remembered", remembered);
      visitor.field("probabilities_told", told);
      visitor.list("outstanding", outstanding, [](ItemVisitor& part, Outstanding& one) {
        part.field("id", one.id);
        part.field("arm", one.arm);
        part.field("ticket", one.ticket);
      });
      visitor.list("closed", closed, [](ItemVisitor& part, Closed& one) {
        part.field("id", one.id);
        part.field("forgotten", one.forgotten);
        part.field("context", one.outcome.context);
        part.field("reward", one.outcome.reward);
      });
      visitor.require(closed.size() <= remembered, "closed");
      visitor.field("session", session);
    };
  }
  // Ids are those of decisions that were made, each in one list only.
  bool ids_fit(Round round) const {
    std::vector<Id> ids;
    for (const Outstanding& one : outstanding) ids.push_back(one.id);
    if (!std::is_sorted(ids.begin(), ids.end())) return false;
    for (const Closed& one : closed) ids.push_back(one.id);
    std::sort(ids.begin(), ids.end());
    return std::adjacent_find(ids.begin(), ids.end()) == ids.end() &&
           (ids.empty() || (ids.front() >= first && ids.back() <= round));
  }
};

std::string DecisionBook::save() const {
  Saved saved{first_, remembered_, told_ == Probabilities::kTold, {}, {}, session_.save()};
  for (const auto& [id, decision] : open_)
    saved.outstanding.push_back({id, decision.arm, decision.ticket});
  saved.closed = closed_;
  std::rotate(saved.closed.begin(), saved.closed.begin() + static_cast<std::ptrdiff_t>(oldest_),
              saved.closed.end());
  return save_state(kOwner, saved.fields());
}

DecisionBook DecisionBook::load(std::string_view bytes, const Problem& problem) {
  Saved saved;
  load_state(kOwner, bytes, saved.fields());
  DecisionBook book(PolicySession::load(saved.session, problem), saved);
  const bool arms_fit =
      std::all_of(saved.outstanding.begin(), saved.outstanding.end(),
                  [&](const Saved::Outstanding& one) { return one.arm < problem.actions(); });
  if (!arms_fit || !saved.ids_fit(book.session_.round()) ||
      book.open_.size() != book.session_.outstanding())
    throw Error({"", "saved decision book", "decisions that were never made",
                 "a book saved by this program"});
  return book;
}

DecisionBook::DecisionBook(PolicySession session, const Saved& saved)
    : session_(std::move(session)),
      first_(saved.first),
      remembered_(saved.remembered),
      told_(saved.told ? Probabilities::kTold : Probabilities::kUntold),
      closed_(saved.closed) {
  for (const Saved::Outstanding& one : saved.outstanding)
    open_.emplace_hint(open_.end(), one.id, Decision{one.arm, one.ticket});
}

}  // namespace armature
