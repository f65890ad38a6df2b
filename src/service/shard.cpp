#include "service/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <set>
#include <utility>

namespace armature::service {
namespace {

constexpr int kMostStrikes = 2;
constexpr int kMostTries = 3;  // of a batch that others have taken something from
constexpr Time kNever = std::numeric_limits<Time>::max();

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// The experiment a request is about; null: none that is there already.
const std::string* experiment_of(const Request& request) {
  return std::visit(Overloaded{[](const Create&) -> const std::string* { return nullptr; },
                               [](const AddToken&) -> const std::string* { return nullptr; },
                               [](const RemoveToken&) -> const std::string* { return nullptr; },
                               [](const auto& other) { return &other.experiment; }},
                    request);
}

}  // namespace

Shard::Shard(Log& log, const Options& options, Publish publish)
    : log_(log), options_(options), publish_(std::move(publish)), due_(kNever) {
  adopt();
  look_at_disk();
}

// The log may have lost one of them, and the shard not noticed, as nobody had asked about it since.
void Shard::adopt(const std::vector<ExperimentId>& taken) {
  const ThrowingChecks checks;
  drop([&](const Slot& slot) {
    return std::find(taken.begin(), taken.end(), slot.id) != taken.end();
  });
  std::set<std::string> adopted;
  try {
    log_.begin();
    for (StoredExperiment& stored : log_.experiments()) {
      if (slots_.contains(stored.facts.name)) continue;
      adopted.insert(stored.facts.name);
      Slot& slot = slots_[stored.facts.name];
      fill(slot, std::move(stored));
    }
    tokens_ = log_.tokens();
    log_.commit();
  } catch (...) {
    log_.roll_back();
    drop([&](const Slot& slot) { return adopted.contains(slot.facts.name); });
    throw;
  }
  for (const std::string& name : adopted) {
    Slot& slot = slots_.at(name);
    slot.touched = false;
    this->publish(slot);
    note(slot);
  }
  touched_.clear();
}

void Shard::fill(Slot& slot, StoredExperiment stored) {
  slot.id = stored.id;
  slot.facts = std::move(stored.facts);
  slot.lost_facts = std::move(stored.damage);
  recover(slot);
  if (slot.live && slot.live->fold().depends_on_build() &&
      slot.live->fold().build() != this_build()) {
    slot.live->note_upgrade();
    slot.anchor_due = true;
  }
  if (slot.anchor_due) keep(slot, true);
}

// Snapshots save time: whoever takes it over replays what there is.
void Shard::let_go(const std::vector<ExperimentId>& unwanted) {
  const ThrowingChecks checks;
  const std::set<ExperimentId> going(unwanted.begin(), unwanted.end());
  const auto goes = [&](const Slot& slot) { return going.contains(slot.id); };
  if (!broken() && !must_undo_) try {
      log_.begin();
      for (auto& [name, slot] : slots_)
        if (goes(slot) && has_new(slot)) keep(slot, false);
      log_.commit();
    } catch (const StoreFailure&) {
      log_.roll_back();
    }
  drop(goes);
}

void Shard::drop(const std::function<bool(const Slot&)>& which) {
  const auto points_to_one = [&](const Slot* slot) { return which(*slot); };
  std::erase_if(touched_, points_to_one);
  std::erase_if(unpublished_, points_to_one);
  for (const auto& [name, slot] : slots_)
    if (which(slot)) quarantined_.erase(name);
  std::erase_if(slots_, [&](const auto& entry) { return which(entry.second); });
}

const Experiment* Shard::find(const std::string& name) const {
  const auto slot = slots_.find(name);
  return slot == slots_.end() ? nullptr : slot->second.live.get();
}

// --- A batch -------------------------------------------------------------------------------------

std::vector<Answer> Shard::process(std::span<const Request> requests) {
  const ThrowingChecks checks;
  std::vector<Answer> answers;
  answers.reserve(requests.size());
  const auto refuse_all = [&](RefusalKind kind, const ErrorReport& report) {
    answers.assign(requests.size(), Refusal(kind, report));
  };
  if (broken()) {
    refuse_all(RefusalKind::kStore, {"", "store", trouble_, "a restart"});
    return answers;
  }
  look_at_disk();
  if (must_undo_) undo_batch();
  if (must_undo_) {
    refuse_all(RefusalKind::kStore, {"", "store", "not readable yet", "the same again, later"});
    return answers;
  }
  // What another writer has taken meanwhile is found out at the commit, and then nothing of the
  // batch is stored: the others' part of it is done again, without that.
  for (int tries = 0;; ++tries) {
    bool begun = false;
    try {
      log_.begin();
      begun = true;
      expire_all();
      for (const Request& request : requests) answers.push_back(answer(request));
      for (Slot* slot : touched_)
        if (slot->anchor_due || snapshot_due(*slot)) keep(*slot, slot->anchor_due);
      log_.commit();
      break;
    } catch (const StoreFailure& failure) {
      const bool full = failure.cause() == StoreFailure::Cause::kFull;
      fenced_ += failure.cause() == StoreFailure::Cause::kFenced ? 1 : 0;
      refuse_all(full ? RefusalKind::kFull : RefusalKind::kStore, failure.report());
      if (failure.cause() == StoreFailure::Cause::kLasting)
        trouble_ = failure.what();
      else if (begun)
        undo_batch();
      if (failure.cause() != StoreFailure::Cause::kFenced || must_undo_ || broken() ||
          tries == kMostTries)
        return answers;
      answers.clear();
    } catch (const std::exception& failure) {  // no memory, or a mistake of ours
      refuse_all(RefusalKind::kStore, {"", "batch", failure.what(), "the same again, later"});
      undo_batch();
      return answers;
    }
  }
  note_touched();
  if (options_.publish_every == 0) publish_due();
  publish_new();
  return answers;
}

void Shard::note_touched() {
  for (Slot* slot : touched_) {
    slot->touched = false;
    note(*slot);
  }
  touched_.clear();
}

void Shard::touch(Slot& slot) {
  if (!std::exchange(slot.touched, true)) touched_.push_back(&slot);
}

// What it came to, once that is stored.
void Shard::note(Slot& slot) {
  if (!slot.live || slot.live->fold().state() == ExperimentState::kQuarantined)
    quarantined_.insert(slot.facts.name);
  else
    quarantined_.erase(slot.facts.name);
  if (slot.live) {
    slot.live->committed();
    events_ += slot.live->fold().last_seq() - slot.committed;
    slot.committed = slot.live->fold().last_seq();
  }
  if ((!slot.live || slot.committed != slot.published) && !std::exchange(slot.unpublished, true))
    unpublished_.push_back(&slot);
  if (!slot.live) return;
  if (!slot.condemned.empty()) due_ = std::min(due_, now());
  if (const auto expiry = slot.live->next_expiry()) due_ = std::min(due_, *expiry);
}

// Memory is ahead of the log: what was touched is read again. As long as that is not possible,
// either (no room for the note of a quarantine), nothing else is done.
void Shard::undo_batch() {
  must_undo_ = true;
  try {
    log_.roll_back();
    log_.begin();
    std::set<ExperimentId> stored;
    for (const StoredExperiment& one : log_.experiments()) stored.insert(one.id);
    drop([&](const Slot& slot) { return !stored.contains(slot.id); });
    touched_.clear();
    for (auto& [name, slot] : slots_)
      if (slot.touched || (slot.live && slot.live->fold().last_seq() != slot.committed)) {
        slot.anchor_due = false;
        slot.touched = true;
        recover(slot);
        if (slot.anchor_due) keep(slot, true);
      }
    tokens_ = log_.tokens();
    log_.commit();
    for (auto& [name, slot] : slots_)
      if (std::exchange(slot.touched, false)) note(slot);
    touched_.clear();
    due_ = now();  // whoever was to be asked about deadlines still is
    must_undo_ = false;
  } catch (const StoreFailure& failure) {
    if (failure.cause() == StoreFailure::Cause::kLasting) trouble_ = failure.what();
  } catch (const std::exception&) {  // no memory: perhaps the next time
  }
}

void Shard::tidy() {
  const ThrowingChecks checks;
  if (broken() || must_undo_) return;
  publish_due();
  log_.tidy();
}

Answer Shard::answer(const Request& request) {
  try {
    if (const auto* creation = std::get_if<Create>(&request)) return create(*creation);
    if (const auto* adding = std::get_if<AddToken>(&request)) {
      require_tokens();
      add_token(adding->token);
      return Done{};
    }
    if (const auto* removing = std::get_if<RemoveToken>(&request)) {
      require_tokens();
      remove_token(removing->hash);
      return Done{};
    }
    const std::string& name = *experiment_of(request);
    const auto slot = slots_.find(name);
    if (slot == slots_.end() && log_.shared())
      throw Refusal(RefusalKind::kNotHere, {"", "experiment", "'" + name + "', not this node's",
                                            "the same again, a little later"});
    if (slot == slots_.end())
      throw Refusal(RefusalKind::kNoExperiment,
                    {"", "experiment", "'" + name + "'", "one that was created"});
    log_.rest_on(slot->second.id);
    if (!slot->second.live)
      throw Refusal(RefusalKind::kQuarantined,
                    {"", "experiment", "'" + name + "', damaged: " + slot->second.damage,
                     "a log that can be read"});
    return ask(slot->second, request);
  } catch (const Refusal& refusal) {
    return refusal;
  }
}

void Shard::require_tokens() {
  if (!log_.owns(kTokens))
    throw Refusal(RefusalKind::kNotHere,
                  {"", "tokens", "not this node's", "the same again, a little later"});
  log_.rest_on(kTokens);
}

void Shard::add_token(const Token& token) {
  for (const Token& known : tokens_)
    if (known.hash == token.hash || known.name == token.name)
      throw Refusal(RefusalKind::kConflict,
                    {"", "token", "'" + known.name + "', which is there", "a new name and secret"});
  log_.add_token(token);
  tokens_ = log_.tokens();
}

// Asked here, where nobody else adds or removes one meanwhile.
void Shard::remove_token(const std::string& hash) {
  const auto found = std::find_if(tokens_.begin(), tokens_.end(),
                                  [&](const Token& token) { return token.hash == hash; });
  if (found == tokens_.end()) return;
  if (rules_all(*found) && std::count_if(tokens_.begin(), tokens_.end(), rules_all) == 1)
    throw Refusal(RefusalKind::kConflict,
                  {"", "token", "the last admin for all experiments and without an end",
                   "another one first: without any, nobody could make one"});
  log_.remove_token(hash);
  tokens_ = log_.tokens();
}

Answer Shard::create(const Create& request) {
  Creation creation = request.creation;
  const std::string& name = creation.facts.name;
  Event event;
  event.kind = EventKind::kEpoch;
  try {
    check_creation(creation);
    require_cells(creation.problem, options_.most_cells);
    if (const auto there = slots_.find(name); there != slots_.end()) {
      const Slot& slot = there->second;
      if (slot.live) {
        const Epoch& first = slot.live->fold().first_epoch();
        if (write_creation({slot.facts, first.problem, first.written}) == write_creation(creation))
          return Created{name, true};
      }
      throw Refusal(RefusalKind::kConflict,
                    {"", "name", "'" + name + "', which is another experiment", "a new name"});
    }
    if (slots_.size() >= options_.most_experiments)
      throw Refusal(RefusalKind::kTooManyOpen,
                    {"", "experiments", fmt::format("{}", slots_.size()), "fewer in one store"});
    auto epoch = std::make_shared<Epoch>();
    epoch->problem = creation.problem;
    epoch->written = creation.policy;
    epoch->policy =
        policy_with_floor(creation.policy, creation.facts.settings.floor, creation.problem);
    epoch->build = this_build();
    check_contexts(creation.facts.settings, epoch->problem, epoch->policy);
    creation.facts.created = options_.clock->wall();
    event.time = creation.facts.created;
    event.opened = std::move(epoch);
    Fold(creation.facts, log_, 0).apply(event);  // refused before anything is written
  } catch (const std::exception& error) {
    if (!is_choice(error)) throw;
    throw mistaken_choice("policy", error);
  }
  // From here on whatever fails is the batch's failure: the store has a row without events.
  Slot slot;
  slot.id = log_.add_experiment(creation.facts);
  slot.facts = creation.facts;
  slot.live = std::make_unique<Experiment>(slot.id, Fold(creation.facts, log_, slot.id), log_,
                                           *options_.clock);
  slot.live->record(std::move(event));
  slot.anchor_due = true;
  touch(slots_.emplace(name, std::move(slot)).first->second);
  return Created{name, false};
}

Answer Shard::ask(Slot& slot, const Request& request) {
  Experiment& live = *slot.live;
  const bool looks_only = std::holds_alternative<Look>(request);
  if (!looks_only) touch(slot);
  try {
    return std::visit(
        Overloaded{[&](const Decide& decide) -> Answer {
                     const auto repeats = [&] { return live.knows_key(decide); };
                     if (options_.free_bytes && free_bytes_ < options_.disk_floor && !repeats())
                       throw Refusal(RefusalKind::kFull,
                                     {"", "disk", fmt::format("{} bytes left", free_bytes_),
                                      fmt::format("{} at least", options_.disk_floor)});
                     return live.decide(decide);
                   },
                   [&](const Report& report) -> Answer { return live.report(report); },
                   [&](const Forget& forget) -> Answer { return live.forget(forget); },
                   [&](const Look& look) -> Answer { return live.look(look); },
                   [&](const Pause& pause) -> Answer { return live.pause(pause); },
                   [&](const Resume& resume) -> Answer { return live.resume(resume); },
                   [&](const Finish& finish) -> Answer { return live.finish(finish); },
                   [&](const OpenEpoch& epoch) -> Answer {
                     Answer done = live.open_epoch(epoch, options_.most_cells);
                     slot.anchor_due = true;
                     slot.strikes = 0;
                     return done;
                   },
                   [&](const Amend& amend) -> Answer { return live.amend(amend); },
                   [&](const AddShadow& shadow) -> Answer { return live.add_shadow(shadow); },
                   [&](const RemoveShadow& shadow) -> Answer { return live.remove_shadow(shadow); },
                   [](const auto&) -> Answer { return Done{}; }},
        request);
  } catch (const Refusal&) {
    throw;
  } catch (const Unreadable& damage) {  // old rows are asked for before anything is changed
    throw Refusal(RefusalKind::kStore, damage.report());
  } catch (const StoreFailure& failure) {
    if (looks_only) throw Refusal(RefusalKind::kStore, failure.report());
    throw;
  } catch (const std::bad_alloc&) {  // says nothing about the policy
    throw;
  } catch (const std::exception& failure) {
    const std::string why = failure.what();
    if (looks_only)
      throw Refusal(RefusalKind::kStore, {"", "decision", why, "a row that is whole"});
    strike(slot, why);
    throw Refusal(RefusalKind::kBroken,
                  {"", "experiment", fmt::format("'{}': {}", slot.facts.name, why),
                   "nothing of yours: the policy failed, and was rebuilt from the log"});
  }
}

void Shard::expire_all() {
  if (now() < due_) return;
  due_ = kNever;
  std::size_t left = options_.batch_events;
  for (auto& [name, slot] : slots_) {
    if (!slot.live) continue;
    const auto expiry = slot.live->next_expiry();
    if (slot.condemned.empty() && (!expiry || *expiry > now())) {
      if (expiry) due_ = std::min(due_, *expiry);
      continue;
    }
    touch(slot);  // before anything is changed: whatever fails, it is read again
    try {
      if (!slot.condemned.empty()) strike(slot, std::exchange(slot.condemned, ""));
      if (slot.live) left -= slot.live->expire(left);
    } catch (const StoreFailure&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& failure) {
      strike(slot, failure.what());
    }
  }
}

// --- Policies that fail --------------------------------------------------------------------------

void Shard::recover(Slot& slot) {
  if (!slot.lost_facts.empty()) {
    slot.damage = slot.lost_facts;
    return;
  }
  std::vector<std::string> mismatches;
  try {
    take(slot, recovered(slot.facts, log_, slot.id, mismatches));
  } catch (const StoreFailure&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    recover_in_quarantine(slot, failure.what());
  }
  replay_mismatches_ += mismatches.size();
  slot.kept = 0;
  slot.kept_at = now();
  slot.looked = 0;
  if (!slot.live) return;
  slot.committed = slot.live->fold().last_seq() - slot.live->uncommitted();
  try {
    const std::vector<Sequence> snapshots = log_.snapshots(slot.id);
    if (!snapshots.empty()) slot.kept = std::min(snapshots.front(), slot.committed);
  } catch (const Unreadable&) {  // then the next one is due soon
  }
}

// Deadlines within a run go by this run's clock: whoever was waiting for one still is.
void Shard::take(Slot& slot, Fold fold) {
  auto live = std::make_unique<Experiment>(slot.id, std::move(fold), log_, *options_.clock);
  if (slot.live) live->keep_deadlines_of(*slot.live);
  slot.live = std::move(live);
  slot.damage.clear();
}

void Shard::recover_in_quarantine(Slot& slot, const std::string& why) {
  try {
    take(slot, recovered_without_policy(slot.facts, log_, slot.id));
    slot.live->quarantine(why);
    touch(slot);
    slot.anchor_due = true;  // next time this is where recovery begins
  } catch (const StoreFailure&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& damage) {
    slot.live.reset();
    slot.damage = damage.what();
  }
}

// The event that did it is not in the log: from there the experiment is as it was before. What does
// it again does not get a third time.
void Shard::strike(Slot& slot, const std::string& why) {
  ++slot.strikes;
  if (slot.strikes < kMostStrikes)
    recover(slot);
  else
    recover_in_quarantine(slot, why);
}

// It failed where nobody had asked for anything: struck in the next batch.
void Shard::condemn(Slot& slot, const std::string& why) {
  slot.condemned = why;
  due_ = std::min(due_, now());
}

// --- Snapshots and summaries ---------------------------------------------------------------------

bool Shard::snapshot_due(const Slot& slot) const {
  if (!slot.live) return false;
  const Fold& fold = slot.live->fold();
  const std::uint64_t since = fold.last_seq() - std::max(slot.kept, slot.looked);
  // A snapshot holds all that is open: it must not cost more than the events it saves.
  const std::uint64_t open = fold.open().size();
  if (since >= std::max(options_.snapshot_events, open)) return true;
  return since > open / 8 && now() - slot.kept_at >= options_.snapshot_time;
}

void Shard::keep(Slot& slot, bool anchor) {
  if (!slot.live) return;
  Snapshot snapshot;
  slot.looked = slot.live->fold().last_seq();
  slot.kept_at = now();
  try {
    snapshot = slot.live->fold().snapshot();
  } catch (const std::bad_alloc&) {  // says nothing about the policy: later, perhaps
    return;
  } catch (const std::exception& failure) {
    return condemn(slot, failure.what());
  }
  slot.anchor_due = false;
  // More than the store can take: replay takes longer then, and nothing is lost.
  if (snapshot.state.size() > options_.largest_snapshot) return;
  snapshot.anchor = anchor;
  log_.add_snapshot(slot.id, snapshot);
  slot.kept = snapshot.seq;
  ++snapshots_;
}

void Shard::keep_all() {
  const ThrowingChecks checks;
  if (broken() || must_undo_) return;  // what is in memory is not what is stored
  log_.begin();
  for (auto& [name, slot] : slots_)
    if (has_new(slot)) keep(slot, false);
  log_.commit();
}

// What is another's by now would spoil the batch for all.
bool Shard::has_new(const Slot& slot) const {
  return slot.live && slot.live->fold().last_seq() > slot.kept && log_.owns(slot.id);
}

// Whoever created one may ask about it as soon as that is answered.
void Shard::publish_new() {
  std::vector<Slot*> created;
  std::erase_if(unpublished_, [&](Slot* slot) {
    if (slot->published != 0 || !slot->live) return false;
    slot->unpublished = false;
    created.push_back(slot);
    return true;
  });
  for (Slot* slot : created) publish(*slot);
}

void Shard::publish_due() {
  std::vector<Slot*> due;
  std::erase_if(unpublished_, [&](Slot* slot) {
    if (slot->published != 0 && now() < slot->publish_at) return false;
    slot->unpublished = false;
    due.push_back(slot);
    return true;
  });
  for (Slot* slot : due) publish(*slot);
}

// A large one takes a while, and all others wait for it: it is shown less often, so that it takes a
// twentieth of the time at most.
void Shard::publish(Slot& slot) {
  constexpr Time kPauseForCost = 20;
  const Time begin = now();
  slot.publish_at = begin + options_.publish_every;
  auto summary = std::make_shared<Summary>();
  try {
    if (slot.live) *summary = slot.live->fold().summary();
  } catch (const std::bad_alloc&) {  // says nothing about the policy
    if (!std::exchange(slot.unpublished, true)) unpublished_.push_back(&slot);
    return;
  } catch (const std::exception& failure) {
    return condemn(slot, failure.what());
  }
  if (!slot.live) {  // what there is to say about it
    summary->facts = slot.facts;
    summary->state = ExperimentState::kQuarantined;
    summary->state_reason = "damaged: " + slot.damage;
    summary->epoch_facts = std::make_shared<const Epoch>();
    summary->seq = slot.committed;
  }
  if (slot.kept > 0) summary->snapshot = slot.kept;
  slot.published = summary->seq;
  publish_(std::move(summary));
  slot.publish_at = std::max(slot.publish_at, now() + kPauseForCost * (now() - begin));
}

std::optional<Time> Shard::next_wake() const {
  if (broken()) return std::nullopt;
  if (must_undo_) return now() + kSecond;
  Time wake = due_;
  for (const Slot* slot : unpublished_) wake = std::min(wake, slot->publish_at);
  return wake == kNever ? std::nullopt : std::optional(wake);
}

void Shard::look_at_disk() {
  if (!options_.free_bytes) return;
  if (disk_looked_at_ && now() - *disk_looked_at_ < kSecond) return;
  disk_looked_at_ = now();
  free_bytes_ = options_.free_bytes();
}

}  // namespace armature::service
