#include "armature/decision_book.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace armature {
namespace {

constexpr const char* kOwner = "decision book";
// A book that was extended, or with decisions half told, has more to say.
constexpr const char* kLongOwner = "decision book, continued";

[[noreturn]] void refuse_decision(DecisionMistake mistake, std::uint64_t id, const char* what) {
  throw DecisionError(mistake, {"", "decision", fmt::format("{}, {}", id, what),
                                "a decision whose outcome is outstanding"});
}

// Of what is told together each decision is one: else the second would be a mistake found too late.
void refuse_twice(std::span<const DecisionBook::Told> all) {
  if (all.size() < 2) return;
  std::vector<DecisionBook::Id> ids;
  ids.reserve(all.size());
  for (const DecisionBook::Told& told : all) ids.push_back(told.id);
  if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end())
    refuse_decision(DecisionMistake::kRepeated, *twice, "which is there twice");
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
    case DecisionMistake::kArm:
      return "arm";
    case DecisionMistake::kContext:
      return "context";
    case DecisionMistake::kReward:
      return "reward";
    case DecisionMistake::kWitness:
      return "witness";
  }
  ARMATURE_CHECK(false, "every mistake has a name");
}

bool DecisionBook::Closed::says(const Part& part) const {
  return forgotten == 0 && part.context.value_or(outcome.context) == outcome.context &&
         part.reward.value_or(outcome.reward) == outcome.reward;
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
  open_.add(last_id(), decision);
  std::optional<double> probability;
  if (known)
    probability = probabilities_[decision.arm];
  else if (told_ == Probabilities::kTold)
    probability = session_.policy().last_probability();
  return {last_id(), decision.arm, probability, decision.ticket};
}

void DecisionBook::observe(Id id, Outcome outcome) {
  observe(Told{id, outcome.context, outcome.reward});
}

void DecisionBook::observe(Id id, std::string_view context, double reward) {
  observe(id, {context_of(context), reward});
}

Context DecisionBook::context_of(std::string_view name) const {
  return place_of(name, session_.problem().context_names, DecisionMistake::kContext, "context");
}

void DecisionBook::observe(const Told& told) {
  check(told);
  take_in(told);
}

void DecisionBook::observe_all(std::span<const Told> all) {
  for (const Told& told : all) check(told);
  refuse_twice(all);
  for (const Told& told : all) take_in(told);
}

void DecisionBook::forget(Id id) {
  const Told told{.id = id};
  forget_all({&told, 1});
}

void DecisionBook::forget_all(std::span<const Told> all) {
  for (const Told& told : all) check_arm(told, nullptr);
  refuse_twice(all);
  for (const Told& told : all) end(told.id, nullptr);
}

void DecisionBook::witness(Arm arm, Outcome outcome) {
  const Logged entry{arm, outcome};
  witness_all({&entry, 1});
}

void DecisionBook::witness(std::string_view action, std::string_view context, double reward) {
  const Arm arm =
      place_of(action, session_.problem().action_names, DecisionMistake::kAction, "action");
  witness(arm, {context_of(context), reward});
}

void DecisionBook::witness_all(std::span<const Logged> all) {
  for (const Logged& entry : all) check_witness(entry);
  check_can_witness();
  for (const auto& [arm, outcome] : all) session_.witness(arm, outcome);
}

// --- What is told, checked before anything changes

void DecisionBook::check_outcome(const Part& part) const {
  session_.policy();  // aborts if it was moved from: there are no contexts then
  const std::uint32_t contexts = session_.problem().contexts();
  if (part.context && *part.context >= contexts)
    throw DecisionError(DecisionMistake::kContext,
                        {"", "context", fmt::format("{}", *part.context),
                         fmt::format("a context from 0 to {}", contexts - 1)});
  if (part.reward && !(*part.reward >= 0 && *part.reward <= 1))
    throw DecisionError(DecisionMistake::kReward,
                        {"", "reward", print_real(*part.reward), "a number in [0,1]"});
  if (!part.context && !part.reward)
    throw DecisionError(DecisionMistake::kContext,
                        {"", "outcome", "neither context nor reward", "one of them, or both"});
}

void DecisionBook::check_witness(const Logged& entry) const {
  check_outcome({entry.outcome.context, entry.outcome.reward});
  const std::uint32_t actions = session_.problem().actions();
  if (entry.arm >= actions)
    throw DecisionError(DecisionMistake::kAction,
                        {"", "action", fmt::format("{}", entry.arm),
                         fmt::format("an action from 0 to {}", actions - 1)});
}

void DecisionBook::check_can_witness() const {
  if (const std::string instead = session_.policy().witness_obstacle(); !instead.empty())
    throw DecisionError(DecisionMistake::kWitness, {"", "policy " + session_.policy().text(),
                                                    "the outcome of another's decision", instead});
}

// The action an outstanding decision was made for. `part` is what is told of it; null: it is
// forgotten.
Arm DecisionBook::made_arm(Id id, const Part* part) const {
  if (const Decision* open = open_.find(id)) return open->arm;
  const auto inherited = inherited_.find(id);
  if (inherited == inherited_.end()) refuse(id, part);
  return inherited->second.made;
}

void DecisionBook::check_arm(const Told& told, const Part* part) const {
  const Arm made = made_arm(told.id, part);
  if (told.arm && *told.arm != made)
    throw DecisionError(
        DecisionMistake::kArm,
        {"", fmt::format("decision {}", told.id), fmt::format("action {}", *told.arm),
         fmt::format("action {}, which it was made for", made)});
}

void DecisionBook::check(const Told& told) const {
  const Part part{told.context, told.reward};
  check_outcome(part);
  check_arm(told, &part);
  if (parts_.empty()) return;
  const auto known = parts_.find(told.id);
  if (known == parts_.end()) return;
  const auto& [context, reward] = known->second;
  const bool same =
      told.context.value_or(context.value_or(0)) == context.value_or(told.context.value_or(0)) &&
      told.reward.value_or(reward.value_or(0)) == reward.value_or(told.reward.value_or(0));
  if (!same)
    refuse_decision(DecisionMistake::kObserved, told.id,
                    context ? "which already has its context" : "which already has its reward");
  if (!known_with(told).whole())
    refuse_decision(DecisionMistake::kRepeated, told.id, "of which this is known");
}

DecisionBook::Part DecisionBook::known_with(const Told& told) const {
  Part part{told.context, told.reward};
  if (parts_.empty()) return part;
  if (const auto known = parts_.find(told.id); known != parts_.end()) {
    if (!part.context) part.context = known->second.context;
    if (!part.reward) part.reward = known->second.reward;
  }
  return part;
}

// Ids ascend: what was given and is not outstanding is closed.
void DecisionBook::refuse(Id id, const Part* part) const {
  if (id < first_ || id > last_id())
    refuse_decision(DecisionMistake::kUnknown, id, "an unknown decision");
  const auto known = std::find_if(closed_.begin(), closed_.end(),
                                  [&](const Closed& closed) { return closed.id == id; });
  if (known == closed_.end())
    refuse_decision(DecisionMistake::kClosed, id, "which was closed long ago");
  const bool forgotten = known->forgotten == 1;
  const char* what = forgotten ? "which was forgotten" : "which already has its outcome";
  if (part == nullptr ? forgotten : known->says(*part))
    refuse_decision(DecisionMistake::kRepeated, id, what);
  refuse_decision(forgotten ? DecisionMistake::kForgotten : DecisionMistake::kObserved, id, what);
}

// --- What was checked

void DecisionBook::take_in(const Told& told) {
  const Part part = known_with(told);
  if (!part.whole()) {
    parts_[told.id] = part;
    return;
  }
  const Outcome outcome{*part.context, *part.reward};
  end(told.id, &outcome);
}

// With its outcome; null: it is forgotten.
void DecisionBook::end(Id id, const Outcome* outcome) {
  if (const Decision* open = open_.find(id)) {
    if (outcome != nullptr)
      session_.observe(*open, *outcome);
    else
      session_.forget(*open);
    open_.erase(id);
  } else {
    const auto inherited = inherited_.find(id);
    if (outcome != nullptr && inherited->second.now != kGone)
      session_.witness(inherited->second.now, *outcome);
    inherited_.erase(inherited);
  }
  if (!parts_.empty()) parts_.erase(id);
  if (remembered_ == 0) return;
  const Closed closed{id, outcome == nullptr ? 1u : 0u, outcome == nullptr ? Outcome{} : *outcome};
  if (closed_.size() < remembered_) {
    closed_.push_back(closed);
    return;
  }
  closed_[oldest_] = closed;
  oldest_ = oldest_ + 1 == remembered_ ? 0 : oldest_ + 1;
}

std::vector<DecisionBook::Waiting> DecisionBook::outstanding() const {
  std::vector<Waiting> waiting;
  waiting.reserve(outstanding_count());
  // Inherited ones are older than all others.
  for (const auto& [id, inherited] : inherited_)
    waiting.push_back({id, inherited.made, last_id() - id,
                       inherited.now == kGone ? std::nullopt : std::optional(inherited.now)});
  open_.for_each([&](Id id, Decision decision) {
    waiting.push_back({id, decision.arm, last_id() - id, decision.arm});
  });
  return waiting;
}

std::vector<DecisionBook::Told> DecisionBook::half_told() const {
  std::vector<Told> told;
  for (const auto& [id, part] : parts_) told.push_back({id, part.context, part.reward});
  return told;
}

DecisionBook DecisionBook::extend(const std::string& policy, const Problem& problem) const {
  const Problem& from = session_.problem();
  const auto arms = places_by_name(from.action_names, problem.action_names);
  const auto contexts = places_by_name(from.context_names, problem.context_names);
  DecisionBook next(session_.extend(policy, problem), remembered_, told_);
  next.first_ = first_;
  next.base_ = last_id();
  const auto arm_there = [&](Arm arm) {
    return arm == kGone || arms[arm] == problem.actions() ? kGone : arms[arm];
  };
  for (const auto& [id, inherited] : inherited_)
    next.inherited_[id] = {inherited.made, arm_there(inherited.now)};
  open_.for_each([&](Id id, Decision decision) {
    next.inherited_[id] = {decision.arm, arm_there(decision.arm)};
  });
  for (auto [id, part] : parts_) {
    if (part.context && contexts[*part.context] == problem.contexts())
      refuse_lost_context(from, next.inherited_.at(id).made, *part.context);
    if (part.context) part.context = contexts[*part.context];
    next.parts_[id] = part;
  }
  next.closed_ = closed_;
  next.oldest_ = oldest_;
  for (Closed& closed : next.closed_)
    if (closed.forgotten == 0) {
      const Context context = closed.outcome.context;
      const bool kept = context < contexts.size() && contexts[context] < problem.contexts();
      closed.outcome.context = kept ? contexts[context] : kNoContext;
    }
  return next;
}

// What is saved; the session's own form is the last field.
struct DecisionBook::Saved {
  struct Outstanding {
    Id id;
    Arm arm;
    std::uint64_t ticket;
  };
  struct HalfTold {
    Id id;
    std::uint32_t has_context;  // 1, or 0: it has a reward
    Context context;
    double reward;
  };
  struct Heir {
    Id id;
    Arm made;
    Arm now;
  };
  bool continued = false;  // are the fields of that kind there?
  std::uint64_t first = 0;
  std::uint64_t base = 0;
  std::uint64_t remembered = 0;
  bool told = false;
  std::vector<Outstanding> outstanding = {};  // by id, as those below
  std::vector<Heir> inherited = {};
  std::vector<HalfTold> half_told = {};
  std::vector<Closed> closed;  // the oldest first
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
      if (continued) more_fields(visitor);
      visitor.field("session", session);
    };
  }
  void more_fields(StateVisitor& visitor) {
    visitor.field("base", base);
    visitor.list("inherited", inherited, [](ItemVisitor& part, Heir& one) {
      part.field("id", one.id);
      part.field("made", one.made);
      part.field("now", one.now);
    });
    visitor.list("half_told", half_told, [](ItemVisitor& part, HalfTold& one) {
      part.field("id", one.id);
      part.field("has_context", one.has_context);
      part.field("context", one.context);
      part.field("reward", one.reward);
    });
    for (const HalfTold& one : half_told) {
      visitor.require(one.has_context <= 1, "half_told_has_context");
      visitor.require_within(0, 1, "half_told_reward", {&one.reward, 1});
    }
  }
  // Ids are those of decisions that were made, each in one list only.
  bool ids_fit(Id last) const {
    std::vector<Id> ids;
    for (const Heir& one : inherited) ids.push_back(one.id);
    if (!ids.empty() && ids.back() > base) return false;
    if (!outstanding.empty() && outstanding.front().id <= base) return false;
    for (const Outstanding& one : outstanding) ids.push_back(one.id);
    if (!std::is_sorted(ids.begin(), ids.end())) return false;
    for (const Closed& one : closed) ids.push_back(one.id);
    std::sort(ids.begin(), ids.end());
    return std::adjacent_find(ids.begin(), ids.end()) == ids.end() &&
           (ids.empty() || (ids.front() >= first && ids.back() <= last));
  }
};

std::string DecisionBook::save() const {
  Saved saved{.continued = base_ > 0 || !inherited_.empty() || !parts_.empty(),
              .first = first_,
              .base = base_,
              .remembered = remembered_,
              .told = told_ == Probabilities::kTold,
              .closed = closed_,
              .session = session_.save()};
  open_.for_each([&](Id id, Decision decision) {
    saved.outstanding.push_back({id, decision.arm, decision.ticket});
  });
  for (const auto& [id, one] : inherited_) saved.inherited.push_back({id, one.made, one.now});
  for (const auto& [id, part] : parts_)
    saved.half_told.push_back(
        {id, part.context ? 1u : 0u, part.context.value_or(0), part.reward.value_or(0)});
  std::rotate(saved.closed.begin(), saved.closed.begin() + static_cast<std::ptrdiff_t>(oldest_),
              saved.closed.end());
  return save_state(saved.continued ? kLongOwner : kOwner, saved.fields());
}

DecisionBook DecisionBook::load(std::string_view bytes, const Problem& problem) {
  Saved saved;
  const std::string_view owner = bytes.substr(std::min(bytes.find('\n'), bytes.size() - 1) + 1);
  saved.continued = owner.starts_with(std::string(kLongOwner) + '\n');
  load_state(saved.continued ? kLongOwner : kOwner, bytes, saved.fields());
  PolicySession session = PolicySession::load(saved.session, problem);
  const auto refuse_unless = [](bool fits) {
    if (!fits)
      throw Error({"", "saved decision book", "decisions that were never made",
                   "a book saved by this program"});
  };
  refuse_unless(saved.base <= std::numeric_limits<Id>::max() - session.round() &&
                saved.ids_fit(saved.base + session.round()));
  DecisionBook book(std::move(session), saved);
  refuse_unless(book.holds_together());
  return book;
}

DecisionBook::DecisionBook(PolicySession session, const Saved& saved)
    : session_(std::move(session)),
      first_(saved.first),
      base_(saved.base),
      remembered_(saved.remembered),
      told_(saved.told ? Probabilities::kTold : Probabilities::kUntold),
      closed_(saved.closed) {
  for (const Saved::Outstanding& one : saved.outstanding) open_.add(one.id, {one.arm, one.ticket});
  for (const Saved::Heir& one : saved.inherited) inherited_[one.id] = {one.made, one.now};
  for (const Saved::HalfTold& one : saved.half_told)
    parts_[one.id] = one.has_context == 1 ? Part{one.context, {}} : Part{{}, one.reward};
}

bool DecisionBook::holds_together() const {
  const Problem& problem = session_.problem();
  const auto is_arm = [&](Arm arm) { return arm < problem.actions(); };
  bool fits = open_.size() == session_.outstanding();
  open_.for_each([&](Id, Decision decision) { fits = fits && is_arm(decision.arm); });
  for (const auto& [id, inherited] : inherited_)
    fits = fits && (inherited.now == kGone || is_arm(inherited.now));
  for (const auto& [id, part] : parts_)
    fits = fits && (open_.find(id) != nullptr || inherited_.contains(id)) &&
           part.context.value_or(0) < problem.contexts();
  return fits;
}

}  // namespace armature
