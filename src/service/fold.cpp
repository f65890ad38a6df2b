#include "service/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "armature/extend.h"

namespace armature::service {
namespace {

// Adds names that are not there yet, and says where each stands.
std::vector<std::uint32_t> places_among(const std::vector<std::string>& names,
                                        std::vector<std::string>& all) {
  std::map<std::string, std::uint32_t> known;
  for (std::uint32_t i = 0; i < all.size(); ++i) known.emplace(all[i], i);
  std::vector<std::uint32_t> places;
  for (const std::string& name : names) {
    const auto [place, is_new] = known.emplace(name, static_cast<std::uint32_t>(all.size()));
    if (is_new) all.push_back(name);
    places.push_back(place->second);
  }
  return places;
}

std::size_t delay_bucket(Time delay) {
  const auto seconds = static_cast<std::uint64_t>(std::max<Time>(delay, 0) / kSecond);
  return std::min<std::size_t>(std::bit_width(seconds), kDelayBuckets - 1);
}

std::optional<std::uint32_t> there(std::uint32_t place, std::size_t size) {
  return place < size ? std::optional(place) : std::nullopt;
}

// Where `name` stands; the size of the list if it does not.
std::uint32_t place_of(const std::string& name, const std::vector<std::string>& names) {
  return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

Fold::Fold(ExperimentFacts facts, LogReader& log, ExperimentId id, Policy policy)
    : facts_(std::move(facts)), log_(&log), id_(id), policy_(policy), delays_(kDelayBuckets) {}

// --- Events --------------------------------------------------------------------------------------

Event Fold::apply(Event event, Taught* taught) {
  event.seq = last_seq_ + 1;
  event.time = std::max(event.time, last_time_);  // a clock that jumps back reorders nothing
  ARMATURE_CHECK(event.kind == EventKind::kEpoch || !epochs_.empty(),
                 "an experiment begins with an epoch");
  if (event.decision) check_about(event);
  switch (event.kind) {
    case EventKind::kDecided:
      decided(event);
      break;
    case EventKind::kFallback:
      fell_back(event);
      break;
    case EventKind::kReported:
      reported(event);
      break;
    case EventKind::kLearned:
      learned(event);
      break;
    case EventKind::kForgotten:
      forgotten(event);
      break;
    case EventKind::kLate:
      came_late(event);
      break;
    case EventKind::kState:
      changed_state(event);
      break;
    case EventKind::kEpoch:
      opened_epoch(event, taught);
      break;
    case EventKind::kAmended:
      amendments_[event.decision.value()] = {event.context, event.reward};
      ++amended_since_epoch_;
      break;
    case EventKind::kUpgraded:
      build_ = event.note;
      break;
    case EventKind::kShadow:
      changed_shadow(event, taught);
      break;
  }
  event.epoch = epoch().number;
  event.position = book_ ? std::optional(book_->session().position()) : std::nullopt;
  last_seq_ = event.seq;
  last_time_ = event.time;
  return event;
}

// A log may come from anywhere: what it says must be of this experiment before it is used.
void Fold::check_about(const Event& event) const {
  ARMATURE_CHECK(*event.decision > 0 && *event.decision < event.seq, "decisions come first");
  const Problem& problem = epoch_of(*event.decision).problem;
  ARMATURE_CHECK(!event.context || *event.context < problem.contexts(),
                 "a context is one of the problem's");
  ARMATURE_CHECK(!event.reward || (*event.reward >= 0 && *event.reward <= 1),
                 "a reward is a number in [0,1]");
}

void Fold::replay(const Event& logged) {
  const Event replayed = apply(logged);
  if (const std::string field = first_difference(replayed, logged); !field.empty())
    throw ReplayMismatch({"", fmt::format("event {} of '{}', {}", logged.seq, facts_.name, field),
                          "another value by replay", "what was logged"});
}

void Fold::drop_policy() {
  book_.reset();
  witnesses_ = false;
  for (auto& [seq, open] : open_) open.round = 0;
}

void Fold::decided(Event& event) {
  ARMATURE_CHECK(book_ || policy_ == Policy::kNone || is_external(),
                 "nobody decides in quarantine");
  DecisionBook::Id round = 0;
  if (book_) {
    const DecisionBook::Made made = book_->choose();
    event.action = made.arm;
    event.ticket = made.ticket;
    event.propensity = made.probability;
    round = made.id;
  }
  add_open(event, round);
}

void Fold::fell_back(Event& event) {
  event.propensity = 1;
  ++fallbacks_;
  add_open(event, 0);
}

void Fold::add_open(Event& event, DecisionBook::Id round) {
  const Arm action = event.action.value();
  ARMATURE_CHECK(action < epoch().problem.actions(), "a decision's action is the problem's");
  OpenDecision open;
  open.action = action;
  open.epoch = epoch().number;
  open.round = round;
  open.decided = event.time;
  open_.emplace_hint(open_.end(), event.seq, open);
  if (!event.key.empty()) keys_.add(event.key, event.seq, event.time);
  const std::uint32_t place = places_.back().actions[action];
  ++decisions_;
  ++decided_[place];
  history_.decided(event.time, place);
  for (Shadow& shadow : shadows_) shadow.decided(event.seq, action);
}

OpenDecision& Fold::must_be_open(const Event& event) {
  const auto open = open_.find(event.decision.value());
  ARMATURE_CHECK(open != open_.end(), "an outcome is of an open decision");
  return open->second;
}

void Fold::reported(const Event& event) {
  OpenDecision& open = must_be_open(event);
  if (!open.waiting()) {
    ++waiting_;
    count_delay(open, event);
  }
  if (event.context) open.context = event.context;
  if (event.reward) open.reward = event.reward;
}

void Fold::learned(Event& event) {
  const OpenDecision& open = must_be_open(event);
  event.action = open.action;
  const Outcome outcome{event.context.value_or(0), event.reward.value()};
  const std::optional<Arm> action = action_now(open);
  const std::optional<Outcome> now = outcome_now(open, event);
  if (book_ && open.round != 0 && open.epoch == epoch().number)
    book_->observe(open.round, outcome);
  else if (book_ && witnesses_ && action && now)
    book_->witness(*action, *now);
  if (now)
    for (Shadow& shadow : shadows_) shadow.learned(*event.decision, action, *now);

  const Places& places = places_[open.epoch - 1];
  Rewards& cell =
      cells_[places.actions[open.action] * contexts_.size() + places.contexts[outcome.context]];
  ++cell.learned;
  cell.rewards += outcome.reward;
  cell.squares += outcome.reward * outcome.reward;
  history_.learned(outcome.reward);
  // Who reported before was counted then, and silence is no report.
  if (!open.waiting() && event.note != note::kSilence) count_delay(open, event);
  ++learned_;
  close(event);
}

void Fold::count_delay(const OpenDecision& open, const Event& event) {
  ++delays_[delay_bucket(event.time - open.decided)];
}

void Fold::forgotten(Event& event) {
  const OpenDecision& open = must_be_open(event);
  if (book_ && open.round != 0 && open.epoch == epoch().number) book_->forget(open.round);
  for (Shadow& shadow : shadows_) shadow.forgotten(*event.decision);
  ++forgotten_;
  close(event);
}

void Fold::close(const Event& event) {
  const auto open = open_.find(*event.decision);
  waiting_ -= open->second.waiting() ? 1 : 0;
  open_.erase(open);
}

// The decision moves from where it had ended to the late ones; the note says where that was.
void Fold::came_late(const Event& event) {
  if (event.note == note::kMore) return;
  --(event.note == note::kSilence ? learned_ : forgotten_);
  ++late_;
}

void Fold::changed_state(const Event& event) {
  const std::string& text = event.note;
  const std::size_t colon = text.find(": ");
  const std::string state = text.substr(0, colon);
  const std::string reason = colon == std::string::npos ? "" : text.substr(colon + 2);
  if (state == note::kQuarantined) {
    quarantined_ = true;
    quarantine_reason_ = reason;
    return drop_policy();
  }
  state_reason_ = reason;
  if (state == note::kPaused) {
    state_ = ExperimentState::kPaused;
  } else if (state == note::kResumed) {
    state_ = ExperimentState::kRunning;
  } else {
    ARMATURE_CHECK(state == note::kFinished, "a state this program knows");
    state_ = ExperimentState::kFinished;
  }
}

// Everything that may be refused comes before anything is changed.
void Fold::opened_epoch(const Event& event, Taught* taught) {
  ARMATURE_CHECK(event.opened != nullptr, "an epoch says what it is");
  const Epoch& next = *event.opened;
  ARMATURE_CHECK(next.number == epochs_.size() + 1 && next.first == event.seq,
                 "epochs follow each other");
  Taught begins = taught_epoch(next, taught);

  add_epoch(event.opened);
  book_.reset();
  witnesses_ = false;
  if (begins.session) {
    witnesses_ = begins.session->policy().witness_obstacle().empty();
    book_.emplace(std::move(*begins.session), 0, DecisionBook::Probabilities::kTold);
  }
  shadows_ = std::move(begins.shadows);
  build_ = next.build;
  amended_since_epoch_ = 0;
  quarantined_ = false;
  quarantine_reason_.clear();
}

void Fold::add_epoch(std::shared_ptr<const Epoch> epoch) {
  const std::size_t old_contexts = contexts_.size();
  const std::size_t old_actions = actions_.size();
  Places places;
  places.actions = places_among(epoch->problem.action_names, actions_);
  places.contexts = places_among(epoch->problem.context_names, contexts_);
  std::vector<Rewards> cells(actions_.size() * contexts_.size());
  for (std::size_t a = 0; a < old_actions; ++a)
    for (std::size_t z = 0; z < old_contexts; ++z)
      cells[a * contexts_.size() + z] = cells_[a * old_contexts + z];
  cells_ = std::move(cells);
  decided_.resize(actions_.size());
  history_.widen(actions_.size());
  places_.push_back(std::move(places));
  epochs_.push_back(std::move(epoch));
}

void Fold::changed_shadow(const Event& event, Taught* taught) {
  const std::string& text = event.note;
  if (text.starts_with(note::kShadowAdded)) {
    const std::string policy = text.substr(std::string(note::kShadowAdded).size());
    shadows_.push_back(std::move(taught_shadow(policy, taught).shadows.front()));
    ++shadows_ever_;
    return;
  }
  ARMATURE_CHECK(text.starts_with(note::kShadowRemoved), "a change this program knows");
  const std::string policy = text.substr(std::string(note::kShadowRemoved).size());
  std::erase_if(shadows_, [&](const Shadow& shadow) { return shadow.policy() == policy; });
}

bool Fold::has_shadow(const std::string& policy) const {
  return std::any_of(shadows_.begin(), shadows_.end(),
                     [&](const Shadow& shadow) { return shadow.policy() == policy; });
}

// --- Teaching ------------------------------------------------------------------------------------

Taught Fold::taught_epoch(const Epoch& next, Taught* aside, Sequence most) const {
  ShadowNames shadows;
  for (const Shadow& shadow : shadows_) shadows.emplace_back(shadow.policy(), shadow.number());
  return taught(next, policy_ == Policy::kAtWork && next.policy != kExternalPolicy, shadows, aside,
                most);
}

Taught Fold::taught_shadow(const std::string& policy, Taught* aside, Sequence most) const {
  return taught(epoch(), false, {{policy, shadows_ever_}}, aside, most);
}

bool Fold::fits(const Taught& aside, const Epoch& next, bool with_session,
                const ShadowNames& shadows) const {
  const auto same = [](const Shadow& one, const auto& named) {
    return one.policy() == named.first && one.number() == named.second;
  };
  return aside.up_to <= last_seq_ && aside.epochs == epochs_.size() &&
         aside.amendments == amendments_ && aside.session.has_value() == with_session &&
         aside.epoch.policy == next.policy && aside.epoch.start == next.start &&
         aside.epoch.since == next.since &&
         aside.epoch.problem.fingerprint() == next.problem.fingerprint() &&
         std::equal(aside.shadows.begin(), aside.shadows.end(), shadows.begin(), shadows.end(),
                    same);
}

Taught Fold::taught(const Epoch& next, bool with_session, const ShadowNames& shadows, Taught* aside,
                    Sequence most) const {
  const bool fitting = aside != nullptr && fits(*aside, next, with_session, shadows);
  const bool learns = !shadows.empty() || (with_session && next.start != Start::kFresh);
  const Sequence known = std::max(fitting ? aside->up_to : 0,
                                  shadows.empty() && next.start == Start::kSince ? next.since : 0);
  if (learns && last_seq_ > known && last_seq_ - known > most)
    throw Refusal(RefusalKind::kUnprepared,
                  {"", "events to learn from", fmt::format("{}", last_seq_ - known),
                   fmt::format("at most {} that came since it was prepared", most)});
  Taught taught;
  if (fitting) {
    taught = std::move(*aside);
  } else {
    taught.epochs = epochs_.size();
    taught.amendments = amendments_;
    taught.epoch = next;
    if (with_session) taught.session.emplace(next.policy, next.problem, facts_.seed, next.number);
    for (const auto& [policy, number] : shadows)
      taught.shadows.emplace_back(policy, next.problem, facts_.seed, number);
  }
  const Sequence from = std::exchange(taught.up_to, last_seq_) + 1;
  if (taught.session && next.start != Start::kFresh) {
    const bool witnesses = taught.session->policy().witness_obstacle().empty();
    const Sequence since = next.start == Start::kSince ? next.since : 0;
    for_each_lesson(next.problem, std::max(from, since), [&](Arm action, Outcome outcome) {
      if (!witnesses)
        throw Error({"", "start", "the outcomes so far, for policy " + next.policy,
                     "\"fresh\", or a policy that learns from others' decisions"});
      taught.session->witness(action, outcome);
    });
  }
  for (Shadow& shadow : taught.shadows) {
    if (!shadow.failure().empty()) continue;
    try {
      for_each_lesson(next.problem, from,
                      [&](Arm action, Outcome outcome) { shadow.teach(action, outcome); });
    } catch (const Error& error) {  // the problem lacks what was seen, and nobody depends on it
      if (!is_choice(error)) throw;
      shadow.fail(error.what());
    }
  }
  return taught;
}

void Fold::for_each_lesson(const Problem& problem, Sequence since,
                           const std::function<void(Arm, Outcome)>& lesson) const {
  ARMATURE_CHECK(log_->first(id_) <= std::max<Sequence>(since, 1), "no lesson is archived");
  struct Names {
    std::vector<std::uint32_t> actions;
    std::vector<std::uint32_t> contexts;
  };
  std::vector<Names> names;  // where those of each epoch stand in the problem
  for (const auto& epoch : epochs_)
    names.push_back({places_by_name(epoch->problem.action_names, problem.action_names),
                     places_by_name(epoch->problem.context_names, problem.context_names)});
  log_->walk(id_, since, last_seq_ + 1, [&](const Event& event) {
    if (event.kind != EventKind::kLearned) return;
    require_sound(event, epoch_of(event.decision.value_or(event.seq)).problem);
    std::optional<Context> context = event.context;
    std::optional<double> reward = event.reward;
    if (const auto amended = amendments_.find(*event.decision); amended != amendments_.end()) {
      context = amended->second.context;
      reward = amended->second.reward;
      if (!reward) return;  // withdrawn
    }
    const Epoch& epoch = epoch_of(*event.decision);
    const Names& places = names[epoch.number - 1];
    const Arm action = places.actions[*event.action];
    if (action >= problem.actions()) return;
    // Where none was told nobody goes by it.
    const Context place = context ? places.contexts[*context] : 0;
    if (place >= problem.contexts()) refuse_lost_context(epoch.problem, *event.action, *context);
    lesson(action, {place, *reward});
  });
}

// --- Looking -------------------------------------------------------------------------------------

const Epoch& Fold::epoch_of(Sequence seq) const {
  const auto later =
      std::upper_bound(epochs_.begin(), epochs_.end(), seq,
                       [](Sequence value, const auto& epoch) { return value < epoch->first; });
  if (later == epochs_.begin())
    throw Unreadable(
        {"", fmt::format("event {}", seq), "before the first epoch", "one in an epoch"});
  return **(later - 1);
}

const OpenDecision* Fold::find_open(Sequence decision) const {
  const auto open = open_.find(decision);
  return open == open_.end() ? nullptr : &open->second;
}

std::optional<Arm> Fold::action_now(const OpenDecision& open) const {
  if (open.epoch == epoch().number) return open.action;
  const Problem& then = epochs_[open.epoch - 1]->problem;
  return there(place_of(then.action_names[open.action], epoch().problem.action_names),
               epoch().problem.actions());
}

std::optional<Outcome> Fold::outcome_now(const OpenDecision& open, const Event& event) const {
  const double reward = event.reward.value();
  if (!event.context || open.epoch == epoch().number)
    return Outcome{event.context.value_or(0), reward};
  const Problem& then = epochs_[open.epoch - 1]->problem;
  const auto context =
      there(place_of(then.context_names[*event.context], epoch().problem.context_names),
            epoch().problem.contexts());
  return context ? std::optional(Outcome{*context, reward}) : std::nullopt;
}

const Amendment* Fold::find_amendment(Sequence decision) const {
  const auto found = amendments_.find(decision);
  return found == amendments_.end() ? nullptr : &found->second;
}

std::uint64_t Fold::cells_with(const Problem& problem) const {
  std::vector<std::string> actions = actions_;
  std::vector<std::string> contexts = contexts_;
  places_among(problem.action_names, actions);
  places_among(problem.context_names, contexts);
  return std::uint64_t{actions.size()} * contexts.size();
}

Summary Fold::summary() const {
  Summary summary;
  summary.facts = facts_;
  summary.state = state();
  summary.state_reason = state_reason();
  summary.epoch = epoch().number;
  summary.epoch_first = epoch().first;
  summary.policy = epoch().policy;
  summary.epoch_facts = epochs_.back();
  summary.seq = last_seq_;
  summary.time = last_time_;
  summary.decisions = decisions_;
  summary.open = open_.size() - waiting_;
  summary.waiting = waiting_;
  summary.learned = learned_;
  summary.forgotten = forgotten_;
  summary.late = late_;
  summary.fallbacks = fallbacks_;
  summary.rounds = rounds();
  if (!open_.empty()) summary.oldest_open = open_.begin()->second.decided;
  summary.contexts = contexts_;
  summary.amended = amended_since_epoch_;
  std::vector<bool> present(actions_.size());
  for (const std::uint32_t place : places_.back().actions) present[place] = true;
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    ActionSummary action;
    action.name = actions_[a];
    action.present = present[a];
    action.decided = decided_[a];
    for (std::size_t z = 0; z < contexts_.size(); ++z) {
      const Rewards& cell = cells_[a * contexts_.size() + z];
      action.contexts.push_back(cell.learned);
      action.rewards.push_back(cell.rewards);
      action.outcomes.learned += cell.learned;
      action.outcomes.rewards += cell.rewards;
      action.outcomes.squares += cell.squares;
    }
    summary.actions.push_back(std::move(action));
  }
  summary.history = history_.stretches();
  std::copy(delays_.begin(), delays_.end(), summary.delays.begin());
  if (book_) summary.diagnostics = book_->session().policy().diagnostics();
  for (const Shadow& shadow : shadows_) summary.shadows.push_back(shadow.summary());
  return summary;
}

}  // namespace armature::service
