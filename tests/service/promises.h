// What was acknowledged, and whether it is still true: after kills, power cuts and full disks.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/keys.h"
#include "service/log.h"
#include "service/requests.h"

namespace armature::service::test {

struct Promise {
  std::string action = {};
  std::string key = {};
  std::optional<std::string> context = {};
  std::optional<double> reward = {};
  bool forgotten = false;
  bool learned = false;
};

class Promises {
 public:
  void decided(const std::string& id, const std::string& action, const std::string& key) {
    add(id, {action, key});
  }
  /// A report was taken, whatever it led to.
  void told(const std::string& id, const std::optional<std::string>& context,
            const std::optional<double>& reward) {
    if (context) made_.at(id).context = context;
    if (reward) made_.at(id).reward = reward;
  }
  void learned(const std::string& id, const std::string& context, double reward) {
    told(id, context, reward);
    made_.at(id).learned = true;
  }
  void forgotten(const std::string& id) { made_.at(id).forgotten = true; }
  /// What somebody else was promised.
  void add(const Promises& others) {
    for (const auto& [id, promise] : others.made_) add(id, promise);
    twice_.insert(twice_.end(), others.twice_.begin(), others.twice_.end());
  }

  std::size_t size() const { return made_.size(); }
  const std::map<std::string, Promise>& made() const { return made_; }

  /// How many do not hold. `ask` is anything that answers requests: it looks at every decision, and
  /// repeats what came with a key.
  template <class Ask>
  std::uint64_t broken(const std::string& experiment, const Ask& ask) const {
    std::uint64_t broken = twice_.size();
    for (const auto& [id, promise] : made_) broken += holds(experiment, id, promise, ask) ? 0 : 1;
    return broken;
  }

  /// The same by what is in the log, event by event, whoever wrote it; and there is nothing beside
  /// it: who asked until there was an answer was promised all that was done. What is wrong, a line
  /// each.
  std::vector<std::string> broken_in(LogReader& log) const {
    std::vector<std::string> broken;
    for (const std::string& id : twice_) broken.push_back(id + ": promised to two");
    std::size_t there = 0;
    for (const StoredExperiment& one : log.experiments()) {
      const auto decisions = logged(log, one, broken);
      there += decisions.size();
      for (const auto& [seq, decision] : decisions) {
        const std::string id = decision_id(one.facts.name, seq);
        const auto promise = made_.find(id);
        if (promise == made_.end())
          broken.push_back(id + ": promised to nobody");
        else if (!is_as_promised(decision, promise->second))
          broken.push_back(id + ": not as it was promised");
      }
    }
    if (there < made_.size())
      broken.push_back(fmt::format("of {} decisions {} are there", made_.size(), there));
    return broken;
  }

 private:
  void add(const std::string& id, const Promise& promise) {
    const auto [known, is_new] = made_.try_emplace(id, promise);
    if (!is_new && (known->second.action != promise.action || known->second.key != promise.key))
      twice_.push_back(id);
  }

  // Decisions by their seq, the hash of the key in place of the key.
  static std::map<Sequence, Promise> logged(LogReader& log, const StoredExperiment& experiment,
                                            std::vector<std::string>& broken) {
    std::map<Sequence, Promise> decisions;
    std::set<KeyHash> keys;
    const Problem problem = log.epochs(experiment.id).at(0)->problem;
    Sequence next = log.first(experiment.id);
    const auto complain = [&](const Event& event, const std::string& what) {
      broken.push_back(fmt::format("{}: event {} {}", experiment.facts.name, event.seq, what));
    };
    log.walk(experiment.id, next, log.last(experiment.id) + 1, [&](const Event& event) {
      if (event.seq != next) complain(event, fmt::format("in the place of {}", next));
      next = event.seq + 1;
      if (event.makes_decision()) {
        if (!event.key.empty() && !keys.insert(hash_of(event.key)).second)
          complain(event, "has the key of another one");
        decisions[event.seq] = {problem.action_names.at(*event.action), hash_of(event.key)};
      }
      if (!event.decision) return;
      Promise& decision = decisions[*event.decision];
      if (event.closes_decision() && (decision.learned || decision.forgotten))
        complain(event, "closes what is closed");
      decision.learned = decision.learned || event.kind == EventKind::kLearned;
      decision.forgotten = decision.forgotten || event.kind == EventKind::kForgotten;
      if (event.context) decision.context = problem.context_names.at(*event.context);
      if (event.reward) decision.reward = event.reward;
    });
    return decisions;
  }
  // Of the key alone, without what was asked with it.
  static std::string hash_of(const KeyHash& key) { return key.substr(0, 16); }
  static bool is_as_promised(const Promise& logged, const Promise& promise) {
    return logged.action == promise.action &&
           logged.key == (promise.key.empty() ? "" : hash_of(key_hash(promise.key, ""))) &&
           (!promise.forgotten || logged.forgotten) && (!promise.learned || logged.learned) &&
           (!promise.context || logged.context == promise.context) &&
           (!promise.reward || logged.reward == promise.reward);
  }

  template <class Ask>
  static bool holds(const std::string& experiment, const std::string& id, const Promise& promise,
                    const Ask& ask) {
    const Answer looked = ask(Look{experiment, id});
    const auto* view = std::get_if<DecisionView>(&looked);
    if (view == nullptr || view->action != promise.action) return false;
    if (promise.forgotten && view->status != Status::kForgotten) return false;
    if (promise.learned && view->status != Status::kLearned) return false;
    if (promise.reward && view->reward != promise.reward) return false;
    if (promise.context && view->context != promise.context) return false;
    if (promise.key.empty()) return true;
    const Answer repeated = ask(Decide{experiment, promise.key, ""});
    const auto* decided = std::get_if<Decided>(&repeated);
    return decided != nullptr && decided->repeated && decided->decision == id;
  }

  std::map<std::string, Promise> made_;
  std::vector<std::string> twice_;  // decisions that two were promised
};

}  // namespace armature::service::test
