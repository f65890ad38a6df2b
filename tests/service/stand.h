// A shard on a store that outlives it, with a clock that stands where it is put.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "service/memory_log.h"
#include "service/shard.h"

namespace armature::service::test {

class HandClock final : public Clock {
 public:
  Time wall() const override { return wall_now; }
  Time monotonic() const override { return monotonic_now; }
  void pass(Time time) {
    wall_now += time;
    monotonic_now += time;
  }

  Time wall_now = Time{1'700'000'000} * kSecond;
  Time monotonic_now = 0;
};

/// Three actions, two contexts; what is not said is as small as can be.
inline Creation small_creation(const std::string& name, const std::string& policy) {
  Creation creation;
  creation.facts.name = name;
  creation.facts.seed = 7;
  creation.problem.action_names = {"plain", "coupon", "call"};
  creation.problem.context_names = {"ignored", "opened"};
  creation.policy = policy;
  return creation;
}

/// The same with marginals and a horizon, which some policies want.
inline Creation rich_creation(const std::string& policy) {
  Creation creation = small_creation("mail", policy);
  creation.problem.horizon = 5'000;
  creation.problem.marginals = std::make_shared<const Matrix>([] {
    Matrix matrix(3, 2);
    for (std::size_t a = 0; a < 3; ++a) {
      matrix(a, 0) = 0.25 * static_cast<double>(a + 1);
      matrix(a, 1) = 1 - matrix(a, 0);
    }
    return matrix;
  }());
  creation.facts.settings.fallback = "coupon";
  return creation;
}

class Stand {
 public:
  explicit Stand(std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>())
      : Stand([store] { return std::make_unique<MemoryLog>(store); }) {
    memory = store;
  }
  explicit Stand(std::function<std::unique_ptr<Log>()> open) : open_(std::move(open)) {
    options.clock = &clock;
    start();
  }

  void start() {
    log = open_();
    shard = std::make_unique<Shard>(*log, options, [this](std::shared_ptr<const Summary> summary) {
      published[summary->facts.name] = std::move(summary);
    });
  }
  /// As by kill -9: nothing is said or kept.
  void crash() {
    shard.reset();
    log.reset();
    start();
  }

  Answer ask(const Request& request) {
    Answer answer = shard->process({&request, 1}).front();
    shard->tidy();
    return answer;
  }
  template <class Expected>
  Expected must(const Request& request) {
    const Answer answer = ask(request);
    if (const auto* refusal = std::get_if<Refusal>(&answer))
      ADD_FAILURE() << "refused: " << refusal->what();
    return std::holds_alternative<Expected>(answer) ? std::get<Expected>(answer) : Expected{};
  }
  RefusalKind refused(const Request& request) {
    const Answer answer = ask(request);
    if (const auto* refusal = std::get_if<Refusal>(&answer)) return refusal->kind();
    ADD_FAILURE() << "accepted";
    return RefusalKind::kStopping;
  }

  void create(const Creation& creation) { must<Created>(Create{creation}); }
  Decided decide(const std::string& experiment, const std::string& key = "") {
    return must<Decided>(Decide{experiment, key, ""});
  }
  Received report(const Decided& decided, std::optional<std::string> context,
                  std::optional<double> reward) {
    return must<Received>(reporting(decided, std::move(context), reward));
  }
  static Report reporting(const Decided& decided, std::optional<std::string> context,
                          std::optional<double> reward) {
    Report report{decided.decision.substr(0, decided.decision.find('.')), decided.decision, {}, {}};
    if (context) report.context = Named(*context);
    report.reward = reward;
    return report;
  }
  DecisionView look(const Decided& decided) {
    return must<DecisionView>(
        Look{decided.decision.substr(0, decided.decision.find('.')), decided.decision});
  }
  const Fold& fold(const std::string& experiment) const { return shard->find(experiment)->fold(); }

  HandClock clock;
  Options options;
  std::shared_ptr<MemoryStore> memory;
  std::unique_ptr<Log> log;
  std::unique_ptr<Shard> shard;
  std::map<std::string, std::shared_ptr<const Summary>> published;

 private:
  std::function<std::unique_ptr<Log>()> open_;
};

}  // namespace armature::service::test
