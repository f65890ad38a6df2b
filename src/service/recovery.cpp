// From what is stored to a fold, or to the reason why not.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>

#include "service/archive.h"
#include "service/fold.h"
#include "service/refusal.h"

namespace armature::service {
namespace {

constexpr Sequence kToTheEnd = std::numeric_limits<std::int64_t>::max();

void require_events(const Fold& fold) {
  if (fold.last_seq() == 0)
    throw Error({"", "events of '" + fold.facts().name + "'", "none", "an epoch first"});
}

void replay_the_rest(Fold& fold, LogReader& log, ExperimentId id) {
  log.walk(id, fold.last_seq() + 1, kToTheEnd, [&](const Event& event) { fold.replay(event); });
  require_events(fold);
}

// The same to whoever may take long: a reader that stays in one place keeps the write-ahead log
// from being moved into the database.
void walk_in_pieces(LogReader& log, ExperimentId id, Sequence from, Sequence before,
                    const LogReader::Visit& visit) {
  constexpr Sequence kPiece = 10'000;
  const Sequence end = std::min(before, log.last(id) + 1);
  for (; from < end; from += kPiece) log.walk(id, from, std::min(from + kPiece, end), visit);
}

// The fold that was kept after this event; none: there is none, or it is damaged. Who keeps what
// was never stored has lost its way, too.
struct Kept {
  std::optional<Fold> fold;
  bool anchor = false;
};
Kept kept_after(const ExperimentFacts& facts, LogReader& log, ExperimentId id, Sequence seq,
                std::vector<std::string>& damages, Fold::Policy policy = Fold::Policy::kAtWork) {
  try {
    const auto snapshot = log.snapshot(id, seq);
    if (!snapshot) return {};
    if (seq > log.last(id))
      throw Error({"", "event", fmt::format("{}", log.last(id)), "one that was stored"});
    return {Fold::load(facts, log, id, *snapshot, policy), snapshot->anchor};
  } catch (const StoreFailure&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& damage) {
    damages.push_back(fmt::format("snapshot of event {}: {}", seq, damage.what()));
    return {};
  }
}

}  // namespace

Fold beginning(const ExperimentFacts& facts, LogReader& log, ExperimentId id, Fold::Policy policy) {
  const Sequence first = log.first(id);
  if (first <= 1) return Fold(facts, log, id, policy);
  std::vector<std::string> damages{"not there"};
  if (Kept kept = kept_after(facts, log, id, first - 1, damages, policy); kept.fold)
    return std::move(*kept.fold);
  throw Error({"", fmt::format("anchor of event {} of '{}'", first - 1, facts.name), damages.back(),
               "a whole one: events before it are archived. Import the archive and what "
               "this store exports"});
}

Fold replayed_up_to(const ExperimentFacts& facts, LogReader& log, ExperimentId id, Sequence last,
                    const LogReader::Visit& told) {
  std::vector<std::string> damages;
  std::optional<Fold> fold;
  for (const Sequence seq : log.snapshots(id))
    if (seq <= last && !fold)
      if (Kept kept = kept_after(facts, log, id, seq, damages); kept.anchor)
        fold = std::move(kept.fold);
  if (!fold) fold = beginning(facts, log, id);
  log.walk(id, fold->last_seq() + 1, last + 1, [&](const Event& event) {
    fold->replay(event);
    told(event);
  });
  return std::move(*fold);
}

Fold recovered(const ExperimentFacts& facts, LogReader& log, ExperimentId id,
               std::vector<std::string>& mismatches) {
  for (const Sequence seq : log.snapshots(id)) {
    Kept kept = kept_after(facts, log, id, seq, mismatches);
    if (!kept.fold) continue;
    try {
      replay_the_rest(*kept.fold, log, id);
      return std::move(*kept.fold);
    } catch (const StoreFailure&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& mismatch) {
      mismatches.push_back(fmt::format("from event {}: {}", seq, mismatch.what()));
      if (kept.anchor) throw;
    }
  }
  Fold fold = beginning(facts, log, id);
  replay_the_rest(fold, log, id);
  return fold;
}

Fold recovered_without_policy(const ExperimentFacts& facts, LogReader& log, ExperimentId id) {
  const auto go_on = [&](Fold fold) {
    log.walk(id, fold.last_seq() + 1, kToTheEnd, [&](const Event& event) {
      if (fold.apply(event).seq != event.seq)
        throw Error({"", fmt::format("event {} of '{}'", fold.last_seq(), facts.name), "none",
                     "events without a gap"});
    });
    require_events(fold);
    fold.end_without_policy();
    return fold;
  };
  std::vector<std::string> damages;
  for (const Sequence seq : log.snapshots(id))
    if (Kept kept = kept_after(facts, log, id, seq, damages, Fold::Policy::kNone); kept.fold)
      return go_on(std::move(*kept.fold));
  return go_on(beginning(facts, log, id, Fold::Policy::kNone));
}

ProbabilityEstimate replayed_probabilities(const ExperimentFacts& facts, LogReader& log,
                                           ExperimentId id, Sequence decision,
                                           std::uint64_t draws) {
  const ThrowingChecks checks;
  if (const Sequence first = log.first(id); decision > 0 && decision < first)
    throw archived_decision(facts.name, decision, first);
  const auto made = log.event(id, decision);
  if (!made || made->kind != EventKind::kDecided)
    throw Refusal(RefusalKind::kNoDecision,
                  {"", "decision", decision_id(facts.name, decision), "one the policy made"});
  std::vector<std::string> damages;
  std::optional<Fold> fold;
  for (const Sequence seq : log.snapshots(id))
    if (seq < decision && !fold) fold = kept_after(facts, log, id, seq, damages).fold;
  if (!fold) fold = beginning(facts, log, id);
  walk_in_pieces(log, id, fold->last_seq() + 1, decision,
                 [&](const Event& event) { fold->replay(event); });
  if (fold->session() == nullptr)
    throw Refusal(RefusalKind::kState, {"", "decision", decision_id(facts.name, decision),
                                        "one that was made while its policy was at work"});
  return fold->session()->estimate_probabilities(draws);
}

namespace {

// From where the fold is to the end of the log; snapshots on the way must be what replay gives.
void check_the_rest(Fold& fold, LogReader& log, ExperimentId id) {
  std::vector<Sequence> snapshots = log.snapshots(id);
  if (!snapshots.empty() && snapshots.front() > log.last(id))
    throw ReplayMismatch({"", fmt::format("snapshot of event {}", snapshots.front()),
                          fmt::format("{} events", log.last(id)), "an event that is stored"});
  while (!snapshots.empty() && snapshots.back() <= fold.last_seq()) snapshots.pop_back();
  walk_in_pieces(log, id, fold.last_seq() + 1, kToTheEnd, [&](const Event& event) {
    fold.replay(event);
    if (snapshots.empty() || snapshots.back() != event.seq) return;
    snapshots.pop_back();
    const auto kept = log.snapshot(id, event.seq);
    if (!kept) return;  // a service at work has dropped it meanwhile
    if (kept->digest != fold.digest())
      throw ReplayMismatch({"", fmt::format("snapshot of event {}", event.seq),
                            "another digest by replay", "the stored one"});
  });
  require_events(fold);
}

// From the first event that is there on; where that gives something else than was logged, from the
// first anchor after it on: where a new build, or a quarantine, had begun anew.
void check_one(const StoredExperiment& stored, LogReader& log, CheckedExperiment& one) {
  std::optional<Fold> fold = beginning(stored.facts, log, stored.id);
  one.first = fold->last_seq() + 1;
  one.from = one.first;
  for (;;) try {
      check_the_rest(*fold, log, stored.id);
      one.digest = fold->digest();
      one.trouble.clear();
      return;
    } catch (const std::exception& error) {
      one.trouble = error.what();
      if (one.before.empty()) one.before = one.trouble;
      const Sequence reached = fold->last_seq();
      std::vector<Sequence> later = log.snapshots(stored.id);
      std::erase_if(later, [&](Sequence seq) { return seq <= reached; });
      fold.reset();
      for (auto seq = later.rbegin(); seq != later.rend() && !fold; ++seq)
        if (const auto kept = log.snapshot(stored.id, *seq); kept && kept->anchor) {
          fold = Fold::load(stored.facts, log, stored.id, *kept);
          one.from = *seq + 1;
        }
      if (!fold) return;
    }
}

// How a decision ended is found by a table that is made of the events: it must say the same.
void check_closing(const Event& event, const StoredExperiment& stored, LogReader& log) {
  const bool late = event.kind == EventKind::kLate;
  if (!event.closes_decision() && !late) return;
  const auto closing = log.closing(stored.id, event.decision.value());
  if (closing && (late ? closing->late && *closing->late >= event.seq : closing->seq == event.seq))
    return;
  throw Error({"", "end of decision " + decision_id(stored.facts.name, *event.decision),
               closing ? "another event" : "none",
               fmt::format("event {}: what this store exports can be imported, and is whole again",
                           event.seq)});
}

}  // namespace

std::vector<CheckedExperiment> check_log(LogReader& log) {
  const ThrowingChecks checks;
  std::vector<CheckedExperiment> checked;
  for (const StoredExperiment& stored : log.experiments()) {
    CheckedExperiment one;
    one.name = stored.facts.name;
    try {
      if (!stored.damage.empty()) throw Unreadable({"", "experiment", "damaged", stored.damage});
      check_one(stored, log, one);
      walk_in_pieces(log, stored.id, one.first, kToTheEnd, [&](const Event& event) {
        one.events += 1;
        one.decisions += event.makes_decision() ? 1 : 0;
        if (event.decision && *event.decision >= one.first) check_closing(event, stored, log);
      });
    } catch (const std::exception& error) {
      one.trouble = error.what();
    }
    checked.push_back(std::move(one));
  }
  return checked;
}

}  // namespace armature::service
