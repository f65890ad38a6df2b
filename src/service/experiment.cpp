#include "service/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "service/archive.h"

namespace armature::service {
namespace {

constexpr Time kNever = std::numeric_limits<Time>::max();
constexpr Time kGrace = 10 * kMinute;
constexpr std::size_t kLongestReason = 1'000;
constexpr std::size_t kMostShadows = 8;
constexpr Sequence kMostLessons = 50'000;  // events that the writer teaches while all others wait

Refusal wrong_field(const char* field, const std::string& value, const std::string& expected) {
  return {RefusalKind::kField, {"", field, value, expected}};
}

std::uint32_t number_of(const Named& named, const std::vector<std::string>& names,
                        const char* field) {
  if (const auto* number = std::get_if<std::uint64_t>(&named)) {
    if (*number >= names.size())
      throw wrong_field(field, fmt::format("{}", *number),
                        fmt::format("a number below {}, or a name", names.size()));
    return static_cast<std::uint32_t>(*number);
  }
  const std::string& name = std::get<std::string>(named);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw wrong_field(field, "'" + name + "'",
                      fmt::format("one of the problem's {}s", field) + did_you_mean(name, names));
  return static_cast<std::uint32_t>(found - names.begin());
}

double checked_reward(double reward) {
  if (!(reward >= 0 && reward <= 1))
    throw wrong_field("reward", print_real(reward), "a number in [0,1]");
  return reward + 0.0;  // -0 is 0
}

void require_short(const std::string& reason) {
  if (reason.size() > kLongestReason)
    throw wrong_field("reason", fmt::format("{} bytes", reason.size()),
                      fmt::format("at most {}", kLongestReason));
}

// All that a key stands for.
std::string asked_text(const Decide& request) {
  std::string text = request.body;
  if (request.action)
    text += std::visit([](const auto& named) { return fmt::format("\naction {}", named); },
                       *request.action);
  if (request.propensity) text += "\npropensity " + print_real(*request.propensity);
  return text;
}

template <class Work>
void choosing(const char* field, const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    if (!is_choice(error)) throw;
    throw mistaken_choice(field, error);
  }
}

// What is archived can teach nobody any more.
void require_lessons(const OpenEpoch& request, Sequence first, std::size_t shadows) {
  if (first <= 1) return;
  const auto expected = [&](const std::string& instead) {
    return fmt::format("{}: events before {} are archived", instead, first);
  };
  if (request.start == Start::kReplay)
    throw wrong_field("start", "replay",
                      expected(fmt::format("fresh, or since={} or later", first)));
  if (request.start == Start::kSince && request.since < first)
    throw wrong_field("since", fmt::format("{}", request.since),
                      expected(fmt::format("{} or later", first)));
  if (shadows > 0)
    throw Refusal(RefusalKind::kState,
                  {"", "shadows", fmt::format("{}", shadows),
                   expected("none, for a new epoch teaches them from the first event on")});
}

// Does what was told before agree with what is told now? What was not told agrees with all.
template <class T>
bool agrees(const std::optional<T>& before, const std::optional<T>& now) {
  return !now || !before || *before == *now;
}
template <class T>
bool adds(const std::optional<T>& before, const std::optional<T>& now) {
  return now && !before;
}
template <class T>
bool repeats(const std::optional<T>& before, const std::optional<T>& now) {
  return !now || before == now;
}

}  // namespace

const char* status_name(Status status) {
  constexpr const char* kNames[] = {"open", "waiting", "learned", "forgotten", "late"};
  return kNames[static_cast<std::size_t>(status)];
}

const char* state_name(ExperimentState state) {
  constexpr const char* kNames[] = {"running", "paused", "finished", "quarantined"};
  return kNames[static_cast<std::size_t>(state)];
}

Experiment::Experiment(ExperimentId id, Fold fold, Log& log, const Clock& clock)
    : id_(id), fold_(std::move(fold)), log_(&log), clock_(&clock) {
  if (fold_.last_seq() > 0) most_open_ = most_open(fold_.facts().settings, fold_.epoch().policy);
  const std::optional<Time> deadline = fold_.facts().settings.deadline;
  const Time grace = deadline ? std::min(*deadline, kGrace) : 0;
  for (auto& [seq, open] : fold_.open())
    open.expires = !deadline
                       ? kNever
                       : clock.monotonic() + std::clamp(*deadline - (clock.wall() - open.decided),
                                                        grace, *deadline);
}

Event Experiment::record(Event event, Taught* taught) {
  if (event.closes_decision())
    if (const OpenDecision* open = fold_.find_open(event.decision.value()))
      ended_.emplace_back(*event.decision, open->expires);
  event = fold_.apply(std::move(event), taught);
  ++uncommitted_;
  if (event.opened) most_open_ = most_open(fold_.facts().settings, event.opened->policy);
  if (event.makes_decision()) {
    const std::optional<Time> deadline = fold_.facts().settings.deadline;
    fold_.open().at(event.seq).expires = deadline ? clock_->monotonic() + *deadline : kNever;
  }
  log_->append(id_, event);
  return event;
}

void Experiment::committed() {
  uncommitted_ = 0;
  ended_.clear();
}

void Experiment::keep_deadlines_of(const Experiment& before) {
  const Sequence stored = before.fold_.last_seq() - before.uncommitted_;
  uncommitted_ = fold_.last_seq() - std::min(fold_.last_seq(), stored);
  ended_ = before.ended_;
  for (const auto& [seq, expires] : before.ended_)
    if (const auto open = fold_.open().find(seq); open != fold_.open().end())
      open->second.expires = expires;
  for (auto& [seq, open] : fold_.open())
    if (const OpenDecision* still = before.fold_.find_open(seq)) open.expires = still->expires;
}

Event Experiment::event_of(EventKind kind, std::optional<Sequence> decision) const {
  Event event;
  event.kind = kind;
  event.decision = decision;
  event.time = clock_->wall();
  return event;
}

// --- Deciding ------------------------------------------------------------------------------------

bool Experiment::knows_key(const Decide& request) const {
  const KeyHash key = key_hash(request.key, asked_text(request));
  return !key.empty() && fold_.find_key(key).seq != 0;
}

Decided Experiment::decide(const Decide& request) {
  Event event = event_of(EventKind::kDecided);
  event.key = key_hash(request.key, asked_text(request));
  if (!event.key.empty()) {
    const RecentKeys::Found found = fold_.find_key(event.key);
    if (found.seq != 0 && !found.same_body)
      throw Refusal(RefusalKind::kKeyReused, {"", "Idempotency-Key", "'" + request.key + "'",
                                              "the request it came with before, or a new key"});
    if (found.seq != 0) return answer_of(stored_event(found.seq), true);
  }
  const Settings& settings = fold_.facts().settings;
  if ((request.action || request.propensity) && fold_.epoch().policy != kExternalPolicy)
    throw wrong_field(request.action ? "action" : "propensity", "one of the client's",
                      "none, unless the policy is external");
  if (fold_.state() == ExperimentState::kFinished)
    throw Refusal(RefusalKind::kState,
                  {"", "experiment", "'" + fold_.facts().name + "', finished", "one that runs"});
  if (fold_.open().size() >= most_open_)
    throw Refusal(RefusalKind::kTooManyOpen,
                  {"", "experiment", fmt::format("{} open decisions", fold_.open().size()),
                   "outcomes of some of them first"});
  const std::optional<Round> horizon = fold_.epoch().problem.horizon;
  const bool beyond = horizon && fold_.rounds() >= *horizon;
  if (fold_.state() == ExperimentState::kQuarantined)
    return fall_back(std::move(event), RefusalKind::kQuarantined, "in quarantine");
  if (fold_.state() == ExperimentState::kPaused)
    return fall_back(std::move(event), RefusalKind::kPaused, "paused");
  if (beyond && settings.stop_at_horizon)
    return fall_back(std::move(event), RefusalKind::kState, "at its horizon");
  if (beyond) event.note = note::kBeyond;
  if (fold_.is_external()) tell_external(request, event);
  return answer_of(record(std::move(event)), false);
}

void Experiment::tell_external(const Decide& request, Event& event) const {
  if (!request.action)
    throw wrong_field("action", "nothing", "the action that was taken: the policy is external");
  event.action = number_of(*request.action, fold_.epoch().problem.action_names, "action");
  if (request.propensity && !(*request.propensity > 0 && *request.propensity <= 1))
    throw wrong_field("propensity", print_real(*request.propensity), "a probability above 0");
  event.propensity = request.propensity;
}

// Of what was done elsewhere nothing else is recorded.
Decided Experiment::fall_back(Event event, RefusalKind without, const char* why) {
  const std::optional<std::string>& fallback = fold_.facts().settings.fallback;
  if (!fallback || fold_.epoch().policy == kExternalPolicy)
    throw Refusal(without, {"", "experiment", fmt::format("'{}', {}", fold_.facts().name, why),
                            "one that runs, or that has a fallback action"});
  event.kind = EventKind::kFallback;
  event.action = number_of(*fallback, fold_.epoch().problem.action_names, "action");
  return answer_of(record(std::move(event)), false);
}

Decided Experiment::answer_of(const Event& event, bool repeated) const {
  const Problem& problem = fold_.epoch_of(event.seq).problem;
  return {.decision = decision_id(fold_.facts().name, event.seq),
          .seq = event.seq,
          .action = problem.action_names[event.action.value()],
          .action_number = *event.action,
          .propensity = event.propensity,
          .repeated = repeated,
          .fallback = event.kind == EventKind::kFallback,
          .beyond_horizon = event.note == note::kBeyond};
}

// --- Outcomes ------------------------------------------------------------------------------------

Experiment::Told Experiment::told_of(Sequence decision, const std::optional<Named>& context,
                                     const std::optional<double>& reward) const {
  const Problem& problem = fold_.epoch_of(decision).problem;
  Told told;
  if (context) told.context = number_of(*context, problem.context_names, "context");
  if (reward) told.reward = checked_reward(*reward);
  return told;
}

Received Experiment::report(const Report& request) {
  const Sequence decision = parse_decision_id(fold_.facts().name, request.decision);
  if (!request.context && !request.reward)
    throw wrong_field("outcome", "nothing", "a context, a reward, or both");
  if (const OpenDecision* open = fold_.find_open(decision))
    return report_open(decision, *open, told_of(decision, request.context, request.reward));
  const Ended ended = must_have_ended(decision);
  return report_ended(decision, ended, told_of(decision, request.context, request.reward));
}

bool Experiment::complete(const Told& told) const {
  return told.reward && (told.context || fold_.facts().settings.contexts_optional);
}

Received Experiment::report_open(Sequence decision, const OpenDecision& open, const Told& told) {
  if (!agrees(open.context, told.context) || !agrees(open.reward, told.reward))
    refuse_conflict(decision, "was reported otherwise before");
  if (!adds(open.context, told.context) && !adds(open.reward, told.reward))
    return answer_of(decision, Status::kWaiting, true);
  const Told whole{told.context ? told.context : open.context,
                   told.reward ? told.reward : open.reward};
  const bool learn = complete(whole) && !fold_.facts().settings.silence;
  Event event = event_of(learn ? EventKind::kLearned : EventKind::kReported, decision);
  event.context = learn ? whole.context : told.context;
  event.reward = learn ? whole.reward : told.reward;
  record(std::move(event));
  return answer_of(decision, learn ? Status::kLearned : Status::kWaiting, false);
}

Status Experiment::Ended::status() const {
  if (late) return Status::kLate;
  return closing.kind == EventKind::kLearned ? Status::kLearned : Status::kForgotten;
}

bool Experiment::Ended::without_report() const {
  return closing.kind == EventKind::kForgotten || closing.note.starts_with(note::kSilence);
}

bool Experiment::Ended::silent_context() const {
  return closing.note == note::kSilence || closing.note == note::kSilentContext;
}
bool Experiment::Ended::silent_reward() const {
  return closing.note == note::kSilence || closing.note == note::kSilentReward;
}

Experiment::Told Experiment::Ended::told() const {
  if (late) return {late->context, late->reward};
  Told told{closing.context, closing.reward};
  if (silent_context()) told.context.reset();
  if (silent_reward()) told.reward.reset();
  return told;
}

bool Experiment::Ended::agrees_with_silence(const Told& told) const {
  return closing.kind == EventKind::kLearned && !late && repeats(closing.context, told.context) &&
         repeats(closing.reward, told.reward);
}

Event Experiment::stored_event(Sequence seq) {
  std::optional<Event> event = log_->event(id_, seq);
  if (!event)
    throw Unreadable({"", fmt::format("event {} of '{}'", seq, fold_.facts().name), "none",
                      "the one that was stored"});
  require_sound(*event, fold_.epoch_of(event->decision.value_or(seq)).problem);
  return std::move(*event);
}

Experiment::Ended Experiment::must_have_ended(Sequence decision) {
  const auto closing = log_->closing(id_, decision);
  const Sequence first = closing ? 0 : log_->first(id_);
  if (decision > 0 && decision < first)
    throw archived_decision(fold_.facts().name, decision, first);
  if (!closing)
    throw Refusal(RefusalKind::kNoDecision,
                  {"", "decision", "'" + decision_id(fold_.facts().name, decision) + "'",
                   "a decision of this experiment"});
  Ended ended{stored_event(closing->seq), std::nullopt};
  if (closing->late) ended.late = stored_event(*closing->late);
  if (ended.closing.decision != decision || !ended.closing.closes_decision() ||
      (ended.late && (ended.late->decision != decision || ended.late->kind != EventKind::kLate)))
    throw Unreadable({"", "decision", "'" + decision_id(fold_.facts().name, decision) + "'",
                      "events that say how it ended"});
  return ended;
}

// It was closed. Where somebody had reported all of it that stands, and others are contradictions.
// Otherwise whatever comes is kept, unless it was told before, or is all that silence stood for. A
// part of that is kept with the rest of it: whatever else comes, the record has no hole.
Received Experiment::report_ended(Sequence decision, const Ended& ended, const Told& told) {
  const Told before = ended.told();
  if (repeats(before.context, told.context) && repeats(before.reward, told.reward))
    return answer_of(decision, ended.status(), true);
  if (!ended.without_report()) refuse_conflict(decision, "already has another outcome");
  const bool as_silence = ended.agrees_with_silence(told);
  if (as_silence && (told.context || !ended.silent_context()) &&
      (told.reward || !ended.silent_reward()))
    return answer_of(decision, ended.status(), true);
  const Told rest = as_silence ? Told{ended.closing.context, ended.closing.reward} : before;
  Event event = event_of(EventKind::kLate, decision);
  event.context = told.context ? told.context : rest.context;
  event.reward = told.reward ? told.reward : rest.reward;
  if (ended.late)
    event.note = note::kMore;
  else if (ended.closing.kind == EventKind::kLearned)
    event.note = note::kSilence;
  record(std::move(event));
  return answer_of(decision, Status::kLate, false);
}

Received Experiment::forget(const Forget& request) {
  const Sequence decision = parse_decision_id(fold_.facts().name, request.decision);
  if (const OpenDecision* open = fold_.find_open(decision)) {
    Event event = event_of(EventKind::kForgotten, decision);
    event.context = open->context;
    event.reward = open->reward;
    record(std::move(event));
    return answer_of(decision, Status::kForgotten, false);
  }
  const Ended ended = must_have_ended(decision);
  if (ended.closing.kind == EventKind::kLearned)
    refuse_conflict(decision, "already has its outcome");
  return answer_of(decision, ended.status(), true);
}

void Experiment::refuse_conflict(Sequence decision, const char* what) const {
  throw Refusal(RefusalKind::kConflict,
                {"", "decision",
                 fmt::format("'{}', which {}", decision_id(fold_.facts().name, decision), what),
                 "the same values again, or none"});
}

Received Experiment::answer_of(Sequence decision, Status status, bool repeated) const {
  return {decision_id(fold_.facts().name, decision), status, repeated};
}

DecisionView Experiment::look(const Look& request) {
  const Sequence decision = parse_decision_id(fold_.facts().name, request.decision);
  const OpenDecision* open = fold_.find_open(decision);
  std::optional<Ended> ended;
  if (open == nullptr) ended = must_have_ended(decision);
  const Event made = stored_event(decision);
  const Epoch& epoch = fold_.epoch_of(decision);

  DecisionView view;
  view.decision = decision_id(fold_.facts().name, decision);
  view.seq = decision;
  view.time = made.time;
  view.epoch = epoch.number;
  view.policy = epoch.policy;
  view.action = epoch.problem.action_names[made.action.value()];
  view.propensity = made.propensity;
  view.fallback = made.kind == EventKind::kFallback;
  const auto tell = [&](const std::optional<Context>& context,
                        const std::optional<double>& reward) {
    if (context) view.context = epoch.problem.context_names[*context];
    view.reward = reward;
  };
  if (open != nullptr) {
    view.status = open->waiting() ? Status::kWaiting : Status::kOpen;
    tell(open->context, open->reward);
    return view;
  }
  view.status = ended->status();
  const Event& said = ended->late ? *ended->late : ended->closing;
  tell(said.context, said.reward);
  view.closed = ended->closing.seq;
  const std::string& cause = ended->closing.note;
  view.cause = cause.starts_with(note::kSilence) ? note::kSilence : cause;
  return view;
}

// --- Deadlines -----------------------------------------------------------------------------------

std::optional<Time> Experiment::next_expiry() const {
  if (fold_.open().empty()) return std::nullopt;
  const Time expires = fold_.open().begin()->second.expires;
  return expires == kNever ? std::nullopt : std::optional(expires);
}

std::size_t Experiment::expire(std::size_t most) {
  const Time now = clock_->monotonic();
  std::size_t closed = 0;
  for (; closed < most && !fold_.open().empty(); ++closed) {
    const auto oldest = fold_.open().begin();
    if (oldest->second.expires > now) break;
    close_in_silence(oldest->first);
  }
  return closed;
}

void Experiment::close_in_silence(Sequence decision) {
  const std::optional<Silence>& silence = fold_.facts().settings.silence;
  Event event = event_of(silence ? EventKind::kLearned : EventKind::kForgotten, decision);
  event.note = note::kDeadline;
  const OpenDecision& open = *fold_.find_open(decision);
  event.context = open.context;
  event.reward = open.reward;
  if (silence && !complete({open.context, open.reward})) {
    event.note = open.context  ? note::kSilentReward
                 : open.reward ? note::kSilentContext
                               : note::kSilence;
    if (!open.context)
      event.context =
          number_of(silence->context, fold_.epoch_of(decision).problem.context_names, "context");
    if (!open.reward) event.reward = silence->reward;
  }
  record(std::move(event));
}

// --- Steering ------------------------------------------------------------------------------------

Done Experiment::change_state(const char* state, const std::string& reason) {
  require_short(reason);
  Event event = event_of(EventKind::kState);
  event.note = reason.empty() ? std::string(state) : fmt::format("{}: {}", state, reason);
  return {fold_.facts().name, record(std::move(event)).seq};
}

Done Experiment::pause(const Pause& request) {
  if (fold_.state() == ExperimentState::kPaused) return {fold_.facts().name, 0};
  if (fold_.state() != ExperimentState::kRunning)
    throw Refusal(RefusalKind::kState, {"", "experiment", state_name(fold_.state()), "running"});
  return change_state(note::kPaused, request.reason);
}

Done Experiment::resume(const Resume& request) {
  if (fold_.state() == ExperimentState::kRunning) return {fold_.facts().name, 0};
  if (fold_.state() == ExperimentState::kQuarantined)
    throw Refusal(RefusalKind::kState, {"", "experiment", "quarantined: " + fold_.state_reason(),
                                        "paused; what is in quarantine goes on by a new epoch"});
  if (fold_.state() == ExperimentState::kFinished)
    throw Refusal(RefusalKind::kState, {"", "experiment", "finished", "paused"});
  return change_state(note::kResumed, request.reason);
}

Done Experiment::finish(const Finish& request) {
  if (fold_.state() == ExperimentState::kFinished) return {fold_.facts().name, 0};
  return change_state(note::kFinished, request.reason);
}

void Experiment::quarantine(const std::string& why) {
  if (fold_.quarantined()) return;
  change_state(note::kQuarantined, why.substr(0, kLongestReason));
}

void Experiment::note_upgrade() {
  Event event = event_of(EventKind::kUpgraded);
  event.note = this_build();
  record(std::move(event));
}

namespace {

// What is asked for, after what there is. Throws Error.
Epoch epoch_asked(const OpenEpoch& request, const Fold& fold) {
  Epoch epoch;
  epoch.number = fold.epoch().number + 1;
  epoch.first = fold.last_seq() + 1;
  epoch.problem = request.problem.value_or(fold.epoch().problem);
  epoch.written = request.policy.value_or(fold.epoch().written);
  epoch.start = request.start;
  epoch.since = request.start == Start::kSince ? request.since : 0;
  epoch.reason = request.reason;
  epoch.build = this_build();
  epoch.problem.validate();
  check_settings(fold.facts().settings, epoch.problem, epoch.written);
  epoch.policy = policy_with_floor(epoch.written, fold.facts().settings.floor, epoch.problem);
  check_contexts(fold.facts().settings, epoch.problem, epoch.policy);
  return epoch;
}

}  // namespace

// A policy that does not fit, or fails while it is taught, is the asker's mistake: the fold, and
// the policy at work, are as they were.
Done Experiment::open_epoch(const OpenEpoch& request, std::uint64_t most_cells) {
  require_short(request.reason);
  if (fold_.state() == ExperimentState::kFinished)
    throw Refusal(RefusalKind::kState, {"", "experiment", "finished", "one that runs"});
  if (request.start == Start::kSince && request.since > fold_.last_seq())
    throw wrong_field("since", fmt::format("{}", request.since),
                      fmt::format("an event from 1 to {}", fold_.last_seq()));
  require_lessons(request, log_->first(id_), fold_.shadows());
  Event event = event_of(EventKind::kEpoch);
  Taught taught;
  choosing("policy", [&] {
    const Problem& problem = request.problem.value_or(fold_.epoch().problem);
    require_cells(problem, most_cells);
    // The record keeps what was learned of all of them.
    if (const std::uint64_t cells = fold_.cells_with(problem); cells > most_cells)
      throw Error({"", "problem",
                   fmt::format("{} cells, all actions times all contexts there ever were", cells),
                   fmt::format("at most {}", most_cells)});
    auto epoch = std::make_shared<Epoch>(epoch_asked(request, fold_));
    taught = fold_.taught_epoch(*epoch, request.taught.get(), kMostLessons);
    event.opened = std::move(epoch);
  });
  return {fold_.facts().name, record(std::move(event), &taught).seq};
}

Received Experiment::amend(const Amend& request) {
  require_short(request.reason);
  const Sequence decision = parse_decision_id(fold_.facts().name, request.decision);
  const auto refuse = [&](const char* status) -> Refusal {
    return {RefusalKind::kState,
            {"", "decision", fmt::format("'{}', {}", request.decision, status), "a learned one"}};
  };
  if (fold_.find_open(decision) != nullptr) throw refuse("open");
  const Ended ended = must_have_ended(decision);
  if (ended.closing.kind != EventKind::kLearned) throw refuse("forgotten");
  const Told told = told_of(decision, request.context, request.reward);
  // What is not told stays: as it was amended before, or as it was learned.
  const Amendment* before = fold_.find_amendment(decision);
  const Amendment learned{ended.closing.context, ended.closing.reward};
  const Amendment& base = before != nullptr && before->reward ? *before : learned;
  Amendment now;
  if (told.context || told.reward)
    now = {told.context ? told.context : base.context, told.reward ? told.reward : base.reward};
  if (now == (before != nullptr ? *before : learned))
    return answer_of(decision, ended.status(), true);
  Event event = event_of(EventKind::kAmended, decision);
  event.context = now.context;
  event.reward = now.reward;
  event.note = request.reason;
  record(std::move(event));
  return answer_of(decision, ended.status(), false);
}

Done Experiment::add_shadow(const AddShadow& request) {
  const Problem& problem = fold_.epoch().problem;
  std::string policy;
  choosing("policy",
           [&] { policy = canonical_policy(request.policy, problem.formula_variables()); });
  if (fold_.has_shadow(policy)) return {fold_.facts().name, 0, policy};
  if (fold_.shadows() >= kMostShadows)
    throw wrong_field("shadows", fmt::format("{}", fold_.shadows() + 1),
                      fmt::format("at most {}", kMostShadows));
  if (log_->first(id_) > 1)
    throw Refusal(RefusalKind::kState,
                  {"", "experiment", "one whose first events are archived",
                   "one with all of them: shadows are taught from the first on"});
  Taught taught;
  choosing("policy", [&] {
    check_contexts(fold_.facts().settings, problem, policy);
    taught = fold_.taught_shadow(policy, request.taught.get(), kMostLessons);
  });
  if (const std::string& failure = taught.shadows.front().failure(); !failure.empty())
    throw wrong_field("policy", "'" + policy + "'", "one that can start here: " + failure);
  Event event = event_of(EventKind::kShadow);
  event.note = note::kShadowAdded + policy;
  return {fold_.facts().name, record(std::move(event), &taught).seq, policy};
}

Done Experiment::remove_shadow(const RemoveShadow& request) {
  if (!fold_.has_shadow(request.policy)) return {fold_.facts().name, 0, request.policy};
  Event event = event_of(EventKind::kShadow);
  event.note = note::kShadowRemoved + request.policy;
  return {fold_.facts().name, record(std::move(event)).seq, request.policy};
}

// --- Aside ---------------------------------------------------------------------------------------

void prepare(Request& request, LogReader& log) {
  auto* epoch = std::get_if<OpenEpoch>(&request);
  auto* shadow = std::get_if<AddShadow>(&request);
  if (epoch == nullptr && shadow == nullptr) return;
  const std::string& name = epoch != nullptr ? epoch->experiment : shadow->experiment;
  const ThrowingChecks checks;
  for (const StoredExperiment& stored : log.experiments()) {
    if (stored.facts.name != name || !stored.damage.empty()) continue;
    std::optional<Fold> fold;
    try {
      fold = recovered_without_policy(stored.facts, log, stored.id);
    } catch (const std::exception& error) {
      if (!is_choice(error)) throw;
      return;  // its log is damaged: the writer says so
    }
    choosing("policy", [&] {
      if (epoch != nullptr)
        epoch->taught = std::make_shared<Taught>(
            fold->taught_epoch(epoch_asked(*epoch, *fold), epoch->taught.get()));
      else
        shadow->taught = std::make_shared<Taught>(fold->taught_shadow(
            canonical_policy(shadow->policy, fold->epoch().problem.formula_variables()),
            shadow->taught.get()));
    });
    return;
  }
}

}  // namespace armature::service
