// A whole service in one thread and one seed: clients that repeat, reorder and contradict
// themselves, batches, deadlines, pauses, epochs, amendments, clocks that jump, full disks, crashes
// before and after the commit.
// Every answer is what the model says, and after every crash everything that was answered is there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "service/model.h"
#include "service/sqlite_log.h"
#include "service/stand.h"
#include "support/program.h"

namespace armature::service::test {
namespace {

constexpr std::uint64_t kMostOpen = 60;  // of one of them, so that it comes to that

class Simulation {
 public:
  Simulation(Stand& stand, std::uint32_t seed)
      : stand_(stand), luck_({2026, seed, Purpose::kTest}) {
    stand_.options.snapshot_events = 1'000;
    stand_.options.publish_every = 24 * kHour;  // nobody looks
    add("plain", "sentry", [](Settings& settings) {
      settings.deadline = kHour;
      settings.most_open = kMostOpen;
    });
    add("brief", "ucb", [](Settings& settings) { settings.deadline = kHour; });
    add("silent", "ts", [](Settings& settings) {
      settings.deadline = kHour / 2;
      settings.silence = Silence{"ignored", 0};
    });
    add("floored", "ucb", [](Settings& settings) {
      settings.floor = 0.1;
      settings.contexts_optional = true;
      settings.deadline = 2 * kHour;
    });
    add("stubborn", "corral", [](Settings& settings) {
      settings.deadline = 2 * kHour;
      settings.silence = Silence{"opened", 0.25};
    });
  }

  void run(std::uint64_t steps) {
    while (steps_ < steps && !testing::Test::HasFailure()) {
      const double dice = luck_.uniform();
      if (dice < 0.001) {
        crash();
      } else if (dice < 0.002) {
        refuse_a_batch();
      } else if (dice < 0.003) {
        lose_the_answers();
      } else if (dice < 0.004) {
        const Time jumps[] = {kHour, -kHour, 365 * 24 * kHour, -365 * 24 * kHour};
        stand_.clock.wall_now += jumps[uniform_index(luck_, 4)];
      } else if (dice < 0.01) {
        steer();
      } else if (dice < 0.015) {
        amend(names_[uniform_index(luck_, static_cast<std::uint32_t>(names_.size()))]);
      } else {
        stand_.clock.pass(static_cast<Time>(luck_.uniform() * kMinute));
        pass();
        const std::vector<Asked> batch = gathered();
        check(batch, send(batch));
      }
    }
  }

  // Each decision's status, and the whole log by replay.
  void look_at_everything() {
    for (const auto& [name, model] : models_)
      for (const auto& [seq, expected] : model.decisions()) {
        const auto view = stand_.must<DecisionView>(Look{name, decision_id(name, seq)});
        ASSERT_EQ(view.status, expected.status) << view.decision;
        ASSERT_EQ(view.action, expected.action);
        const bool learned = expected.status == Status::kLearned;
        ASSERT_EQ(view.context, learned ? expected.learned_context : expected.context)
            << view.decision;
        ASSERT_EQ(view.reward, learned ? expected.learned_reward : expected.reward)
            << view.decision;
      }
    for (const CheckedExperiment& checked : check_log(*stand_.log))
      EXPECT_EQ(checked.trouble, "") << checked.name;
    EXPECT_EQ(stand_.shard->replay_mismatches(), 0u);
    EXPECT_TRUE(stand_.shard->quarantined().empty());
  }

  std::uint64_t crashes = 0;
  std::map<std::string, std::uint64_t> seen;  // kinds of answers: a simulation that tries nothing

 private:
  struct Asked {
    Request request;
    std::string experiment;
    Sequence decision = 0;
    std::optional<std::string> context;
  };

  template <class Change>
  void add(const std::string& name, const std::string& policy, const Change& change) {
    Creation creation = rich_creation(policy);
    creation.facts.name = name;
    change(creation.facts.settings);
    stand_.create(creation);
    models_.emplace(name, Model(creation.facts.settings));
    names_.push_back(name);
  }

  void pass() {
    for (auto& [name, model] : models_) model.pass(stand_.clock.monotonic_now);
  }

  // One to eight requests, none of which depends on another's answer.
  std::vector<Asked> gathered() {
    std::vector<Asked> batch(1 + uniform_index(luck_, 8));
    for (Asked& asked : batch) {
      asked.experiment = names_[uniform_index(luck_, static_cast<std::uint32_t>(names_.size()))];
      Model& model = models_.at(asked.experiment);
      const double dice = luck_.uniform();
      if (model.decisions().empty() || (dice < 0.45 && model.open() < 300)) {
        // One key in eight is an old one.
        std::string key;
        if (luck_.uniform() < 0.5)
          key = fmt::format("{}",
                            luck_.uniform() < 0.125 ? uniform_index(luck_, 1 + keys_) : ++keys_);
        asked.request = Decide{asked.experiment, key, luck_.uniform() < 0.9 ? "" : "another"};
        continue;
      }
      asked.decision = some_decision(model);
      const std::string id = decision_id(asked.experiment, asked.decision);
      if (dice > 0.95) {
        asked.request = Forget{asked.experiment, id};
        continue;
      }
      Report report{asked.experiment, id, {}, {}};
      const std::uint32_t parts = 1 + uniform_index(luck_, 3);
      if ((parts & 1) != 0) asked.context = luck_.uniform() < 0.7 ? "opened" : "ignored";
      if (asked.context) report.context = Named(*asked.context);
      if ((parts & 2) != 0) report.reward = uniform_index(luck_, 4) / 4.0;
      asked.request = report;
    }
    return batch;
  }

  // Mostly a recent one; those of long ago are asked about, too.
  Sequence some_decision(const Model& model) {
    const auto& decisions = model.decisions();
    const Sequence last = decisions.rbegin()->first;
    const std::uint64_t window = luck_.uniform() < 0.9 ? std::min<Sequence>(last, 400) : last;
    auto found = decisions.lower_bound(last - luck_.next_u64() % window);
    return found == decisions.end() ? last : found->first;
  }

  std::vector<Answer> send(const std::vector<Asked>& batch) {
    std::vector<Request> requests;
    for (const Asked& asked : batch) requests.push_back(asked.request);
    steps_ += batch.size();
    return stand_.shard->process(requests);
  }

  void check(const std::vector<Asked>& batch, const std::vector<Answer>& answers) {
    ASSERT_EQ(batch.size(), answers.size());
    for (std::size_t i = 0; i < batch.size(); ++i) check(batch[i], answers[i]);
  }

  void check(const Asked& asked, const Answer& answer) {
    Model& model = models_.at(asked.experiment);
    if (const auto* decide = std::get_if<Decide>(&asked.request)) {
      const auto before = model.keyed(decide->key);
      std::optional<RefusalKind> refusal;
      if (before && bodies_.at({asked.experiment, decide->key}) != decide->body)
        refusal = RefusalKind::kKeyReused;
      else if (!before && finished_.contains(asked.experiment))
        refusal = RefusalKind::kState;
      else if (!before && asked.experiment == "plain" && model.open() >= kMostOpen)
        refusal = RefusalKind::kTooManyOpen;
      if (refusal) {
        ASSERT_TRUE(std::holds_alternative<Refusal>(answer)) << refusal_name(*refusal);
        ASSERT_EQ(std::get<Refusal>(answer).kind(), *refusal);
        ++seen[refusal_name(*refusal)];
        return;
      }
      const auto* decided = std::get_if<Decided>(&answer);
      ASSERT_NE(decided, nullptr) << std::get<Refusal>(answer).what();
      ASSERT_EQ(decided->repeated, before.has_value());
      ++seen[before ? "repeated decide" : decided->fallback ? "fallback" : "decide"];
      if (before) {
        ASSERT_EQ(decided->seq, *before);
        ASSERT_EQ(decided->action, model.decisions().at(*before).action);
      } else {
        ASSERT_EQ(decided->fallback, paused_.contains(asked.experiment));
        bodies_[{asked.experiment, decide->key}] = decide->body;
        const Time when = stand_.fold(asked.experiment).find_open(decided->seq)->decided;
        model.decided(*decided, decide->key, when, stand_.clock.monotonic_now);
      }
      return;
    }
    const auto* report = std::get_if<Report>(&asked.request);
    const Expected expected = report != nullptr
                                  ? model.report(asked.decision, asked.context, report->reward)
                                  : model.forget(asked.decision);
    if (expected.refusal) {
      const auto* refusal = std::get_if<Refusal>(&answer);
      ASSERT_NE(refusal, nullptr) << asked.experiment << "." << asked.decision;
      ASSERT_EQ(refusal->kind(), *expected.refusal);
      ++seen["conflict"];
      return;
    }
    const auto* received = std::get_if<Received>(&answer);
    ASSERT_NE(received, nullptr) << std::get<Refusal>(answer).what();
    ASSERT_EQ(received->status, expected.status) << received->decision;
    ASSERT_EQ(received->repeated, expected.repeated) << received->decision;
    ++seen[std::string(received->repeated ? "repeated " : "") + status_name(received->status)];
  }

  std::map<std::string, std::uint64_t> digests() const {
    std::map<std::string, std::uint64_t> digests;
    for (const std::string& name : names_) digests[name] = stand_.fold(name).digest();
    return digests;
  }
  void restart() {
    stand_.crash();
    ++crashes;
    for (auto& [name, model] : models_)
      model.restart(stand_.clock.wall_now, stand_.clock.monotonic_now);
  }

  // Between batches: everything is as it was.
  void crash() {
    const auto before = digests();
    restart();
    ASSERT_EQ(digests(), before);
  }

  // No room: nothing has happened. What is asked again is as if asked for the first time.
  void refuse_a_batch() {
    if (!stand_.memory) return;
    using Failure = MemoryStore::Failure;
    const auto before = digests();
    stand_.clock.pass(static_cast<Time>(luck_.uniform() * kHour));  // some would expire
    const double dice = luck_.uniform();
    if (dice < 0.5)
      stand_.memory->room = uniform_index(luck_, 3);
    else
      stand_.memory->next_commit = dice < 0.7   ? Failure::kLasting
                                   : dice < 0.9 ? Failure::kFull
                                                : Failure::kBusy;
    const std::vector<Asked> batch = gathered();
    const std::vector<Answer> answers = send(batch);
    if (stand_.memory->room) {
      const bool refused = std::any_of(answers.begin(), answers.end(), [](const Answer& answer) {
        const auto* refusal = std::get_if<Refusal>(&answer);
        return refusal != nullptr && refusal->kind() == RefusalKind::kFull;
      });
      stand_.memory->room.reset();
      if (!refused) {  // there was room for all of it
        pass();
        return check(batch, answers);
      }
      ++seen["undone"];
    }
    for (const Answer& answer : answers) ASSERT_TRUE(std::holds_alternative<Refusal>(answer));
    const bool goes_on = !stand_.shard->broken();
    if (goes_on) ASSERT_EQ(digests(), before);  // undone in place
    // Half of those that can go on as they are; their deadlines are where they were.
    if (goes_on && luck_.uniform() < 0.5) {
      ++seen["went on"];
      return pass();
    }
    restart();
    ASSERT_EQ(digests(), before);
  }

  // Stored, and then the process dies before it answers: who asks again is told the same.
  void lose_the_answers() {
    std::vector<Asked> batch = gathered();
    for (Asked& asked : batch)
      if (auto* decide = std::get_if<Decide>(&asked.request); decide != nullptr)
        if (decide->key.empty()) decide->key = fmt::format("{}", ++keys_);
    check(batch, send(batch));
    restart();
    check(batch, send(batch));
  }

  void steer() {
    const std::string& name =
        names_[uniform_index(luck_, static_cast<std::uint32_t>(names_.size()))];
    const double dice = luck_.uniform();
    ++steps_;
    if (finished_.contains(name)) return;
    if (name == "brief" && luck_.uniform() < 0.3) {
      stand_.must<Done>(Finish{name, "it was brief"});
      finished_.insert(name);
    } else if (dice < 0.3) {
      stand_.must<Done>(Pause{name, ""});
      paused_.insert(name);
    } else if (dice < 0.9) {
      stand_.must<Done>(Resume{name, "on we go"});
      paused_.erase(name);
    } else if (dice < 0.93) {
      const bool fresh = name == "stubborn";  // corral cannot be taught
      stand_.must<Done>(
          OpenEpoch{name, {}, {}, fresh ? Start::kFresh : Start::kReplay, 0, "a new one"});
      ++seen["epoch"];
    } else if (dice < 0.96) {
      stand_.must<Done>(AddShadow{name, "ucb"});
    } else {
      stand_.must<Done>(RemoveShadow{name, "ucb"});
    }
    pass();
  }

  // Of a learned decision another reward, or none; of an open one nothing.
  void amend(const std::string& name) {
    const Model& model = models_.at(name);
    ++steps_;
    if (model.decisions().empty()) return;
    const Sequence seq = some_decision(model);
    Amend request{name, decision_id(name, seq), {}, {}, "a correction"};
    if (luck_.uniform() < 0.8) request.reward = uniform_index(luck_, 4) / 4.0;
    const Status status = model.decisions().at(seq).status;
    if (status == Status::kLearned) {
      ASSERT_EQ(stand_.must<Received>(request).status, Status::kLearned);
      ++seen["amended"];
    } else if (status == Status::kOpen || status == Status::kWaiting) {
      ASSERT_EQ(stand_.refused(request), RefusalKind::kState);
    }
  }

  Stand& stand_;
  Stream luck_;
  std::map<std::string, Model> models_;
  std::vector<std::string> names_;
  std::set<std::string> paused_;
  std::set<std::string> finished_;
  std::map<std::pair<std::string, std::string>, std::string> bodies_;  // by experiment and key
  std::uint32_t keys_ = 0;
  std::uint64_t steps_ = 0;
};

void expect_all_seen(const Simulation& simulation) {
  for (const char* kind : {"decide", "repeated decide", "fallback", "conflict", "waiting",
                           "learned", "forgotten", "late", "repeated waiting", "repeated learned",
                           "repeated forgotten", "repeated late", "key-reused", "amended"})
    EXPECT_TRUE(simulation.seen.contains(kind)) << "never happened: " << kind;
}

#ifdef NDEBUG
constexpr std::uint64_t kSteps = 100'000;
#else
constexpr std::uint64_t kSteps = 10'000;  // under sanitizers
#endif

class OneSeed : public testing::TestWithParam<std::uint32_t> {};

// Ten seeds make a million steps.
TEST_P(OneSeed, IsWhatTheModelSays) {
  Stand stand;
  Simulation simulation(stand, GetParam());
  simulation.run(kSteps);
  simulation.look_at_everything();
  expect_all_seen(simulation);
#ifdef NDEBUG
  EXPECT_GT(simulation.crashes, kSteps / 10'000);
  for (const char* kind : {"too-many-open", "state", "undone", "epoch", "went on"})
    EXPECT_TRUE(simulation.seen.contains(kind)) << "never happened: " << kind;
#endif
}

INSTANTIATE_TEST_SUITE_P(Simulation, OneSeed, testing::Range(0u, 10u));

// The same on the store that is used, without waiting for the disk.
TEST(Simulation, OnSqlite) {
  const armature::test::TemporaryDirectory directory;
  Stand stand([&] { return open_sqlite_log(directory.path(), {.synchronous = "OFF"}); });
  Simulation simulation(stand, 77);
  simulation.run(20'000);
  simulation.look_at_everything();
  EXPECT_GT(simulation.crashes, 3u);
}

}  // namespace
}  // namespace armature::service::test
