// What was acknowledged, and whether it is still true: after kills, power cuts and full disks.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "service/requests.h"

namespace armature::service::test {

struct Promise {
  std::string action;
  std::string key;
  std::optional<std::string> context;
  std::optional<double> reward;
  bool forgotten = false;
  bool learned = false;
};

class Promises {
 public:
  void decided(const std::string& id, const std::string& action, const std::string& key) {
    made_[id] = {action, key, {}, {}, false, false};
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

  std::size_t size() const { return made_.size(); }
  const std::map<std::string, Promise>& made() const { return made_; }

  /// How many do not hold. `ask` is anything that answers requests: it looks at every decision, and
  /// repeats what came with a key.
  template <class Ask>
  std::uint64_t broken(const std::string& experiment, const Ask& ask) const {
    std::uint64_t broken = 0;
    for (const auto& [id, promise] : made_) broken += holds(experiment, id, promise, ask) ? 0 : 1;
    return broken;
  }

 private:
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
};

}  // namespace armature::service::test
