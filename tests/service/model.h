// What a client may expect of an experiment, in a hundred lines that know nothing of events, folds
// or stores: the reference the simulation holds the service against.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "service/requests.h"

namespace armature::service::test {

struct ModelDecision {
  std::string action;
  Time decided = 0;
  Time expires = 0;
  Status status = Status::kOpen;
  bool reported = false;        // all of it, before it ended
  bool silent_context = false;  // what was learned stood for silence
  bool silent_reward = false;
  std::optional<std::string> context;  // what somebody said, late or not…
  std::optional<double> reward;
  std::optional<std::string> learned_context;  // …and what was learned, by silence in part
  std::optional<double> learned_reward;
};

struct Expected {
  std::optional<RefusalKind> refusal;
  Status status = Status::kOpen;
  bool repeated = false;
};

class Model {
 public:
  explicit Model(Settings settings) : settings_(std::move(settings)) {}

  void pass(Time now) {
    while (!open_.empty() && decisions_.at(*open_.begin()).expires <= now) expire(*open_.begin());
  }
  /// Its deadline has passed. False: it is not open.
  bool expire(Sequence seq) {
    const auto which = open_.find(seq);
    if (which == open_.end()) return false;
    ModelDecision& one = decisions_.at(seq);
    if (settings_.silence) {
      const bool told = one.reward && (one.context || settings_.contexts_optional);
      end(which, Status::kLearned, told);
      one.silent_context = !one.context && !told;
      one.silent_reward = !one.reward;
      if (one.silent_context) one.learned_context = settings_.silence->context;
      if (one.silent_reward) one.learned_reward = settings_.silence->reward;
    } else {
      end(which, Status::kForgotten, false);
    }
    return true;
  }
  /// The process began anew.
  void restart(Time wall, Time monotonic) {
    const Time grace = std::min(*settings_.deadline, 10 * kMinute);
    for (const Sequence seq : open_) {
      ModelDecision& one = decisions_.at(seq);
      const Time left = *settings_.deadline - (wall - one.decided);
      one.expires = monotonic + std::min(std::max(left, grace), *settings_.deadline);
    }
  }

  /// The decision made with this key, if there is one.
  std::optional<Sequence> keyed(const std::string& key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? std::nullopt : std::optional(found->second);
  }
  void decided(const Decided& made, const std::string& key, Time wall, Time monotonic) {
    ModelDecision one;
    one.action = made.action;
    one.decided = wall;
    one.expires = monotonic + *settings_.deadline;
    decisions_[made.seq] = one;
    open_.insert(open_.end(), made.seq);
    if (!key.empty()) keys_[key] = made.seq;
  }

  Expected report(Sequence seq, const std::optional<std::string>& context,
                  const std::optional<double>& reward) {
    ModelDecision& one = decisions_.at(seq);
    const bool open = open_.contains(seq);
    const bool contradicts = (context && one.context && context != one.context) ||
                             (reward && one.reward && reward != one.reward);
    const bool adds = (context && !one.context) || (reward && !one.reward);
    if (contradicts && (open || one.reported)) return conflict();
    if (!contradicts && !adds) return {{}, one.status, true};
    if (one.reported) return conflict();
    const bool all_as_silence =
        one.status == Status::kLearned && (context || !one.silent_context) &&
        (reward || !one.silent_reward) && (!context || context == one.learned_context) &&
        (!reward || reward == one.learned_reward);
    if (!open && all_as_silence) return {{}, one.status, true};
    const bool part_of_silence = one.status == Status::kLearned &&
                                 (!context || context == one.learned_context) &&
                                 (!reward || reward == one.learned_reward);
    if (!open && part_of_silence) {  // kept with the rest of it
      one.context = one.learned_context;
      one.reward = one.learned_reward;
    }
    if (context) one.context = context;
    if (reward) one.reward = reward;
    one.status = open ? Status::kWaiting : Status::kLate;
    if (open && one.reward && (one.context || settings_.contexts_optional) && !settings_.silence)
      end(open_.find(seq), Status::kLearned, true);
    return {{}, one.status, false};
  }

  Expected forget(Sequence seq) {
    if (open_.contains(seq)) {
      end(open_.find(seq), Status::kForgotten, false);
      return {{}, Status::kForgotten, false};
    }
    if (!forgotten_.contains(seq)) return conflict();
    return {{}, decisions_.at(seq).status, true};
  }

  const std::map<Sequence, ModelDecision>& decisions() const { return decisions_; }
  std::size_t open() const { return open_.size(); }

 private:
  static Expected conflict() { return {RefusalKind::kConflict, {}, false}; }

  void end(std::set<Sequence>::iterator which, Status status, bool reported) {
    ModelDecision& one = decisions_.at(*which);
    one.status = status;
    one.reported = reported;
    one.learned_context = one.context;
    one.learned_reward = one.reward;
    if (status == Status::kForgotten) forgotten_.insert(*which);
    open_.erase(which);
  }
  Settings settings_;
  std::map<Sequence, ModelDecision> decisions_;
  std::set<Sequence> open_;       // in the order of deadlines
  std::set<Sequence> forgotten_;  // with or without a late report
  std::map<std::string, Sequence> keys_;
};

}  // namespace armature::service::test
