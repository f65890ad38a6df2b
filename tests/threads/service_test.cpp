// The writer's thread, its queue, and those who look on.
#include "service/service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "service/sqlite_log.h"
#include "service/stand.h"
#include "support/program.h"

namespace armature::service::test {
namespace {

using armature::test::TemporaryDirectory;

// Holds a commit back until it is let go.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  void open() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = false;
    }
    change_.notify_all();
  }
  /// Until somebody waits at it.
  void await_arrival() {
    std::unique_lock lock(mutex_);
    change_.wait(lock, [&] { return waiting_; });
  }
  void pass() {
    std::unique_lock lock(mutex_);
    waiting_ = true;
    change_.notify_all();
    change_.wait(lock, [&] { return !closed_; });
    waiting_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable change_;
  bool closed_ = false;
  bool waiting_ = false;
};

struct Fixture {
  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
  Options options;
  std::unique_ptr<Service> service;

  void start() { service = std::make_unique<Service>(std::make_unique<MemoryLog>(store), options); }
};

template <class Expected>
Expected must(Service& service, Request request) {
  const Answer answer = service.ask(std::move(request));
  EXPECT_TRUE(std::holds_alternative<Expected>(answer))
      << (std::holds_alternative<Refusal>(answer) ? std::get<Refusal>(answer).what() : "another");
  return std::holds_alternative<Expected>(answer) ? std::get<Expected>(answer) : Expected{};
}

TEST(Service, AnswersManyThreadsEachItsOwn) {
  const TemporaryDirectory directory;
  std::map<std::string, std::string> actions;  // by decision
  {
    Service service(open_sqlite_log(directory.path(), {.synchronous = "OFF"}), {});
    must<Created>(service, Create{small_creation("mail", "ts")});
    std::mutex mutex;
    std::vector<std::thread> clients;
    for (int client = 0; client < 8; ++client)
      clients.emplace_back([&, client] {
        for (int i = 0; i < 50; ++i) {
          const auto decided = must<Decided>(
              service, Decide{"mail", std::to_string(client) + "/" + std::to_string(i), ""});
          must<Received>(service, Stand::reporting(decided, "opened", 0.5));
          const std::lock_guard lock(mutex);
          actions[decided.decision] = decided.action;
        }
      });
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(actions.size(), 400u);
    EXPECT_EQ(service.health().events, 801u);
    EXPECT_EQ(service.events("mail", 1, 10).size(), 10u);
    EXPECT_EQ(service.events("mail", 800, 10).size(), 2u);
    EXPECT_EQ(service.epochs("mail").size(), 1u);
    EXPECT_THROW(service.events("male", 1, 10), Refusal);
  }
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"service.sqlite"});
  Service service(open_sqlite_log(directory.path()), {});
  EXPECT_EQ(service.summary("mail")->learned, 400u);
  EXPECT_EQ(service.health().replay_mismatches, 0u);
  for (const auto& [decision, action] : actions)
    EXPECT_EQ(must<DecisionView>(service, Look{"mail", decision}).action, action);
}

TEST(Service, AFullQueueRefusesAtOnceAndLosesNothing) {
  Fixture fixture;
  Gate gate;
  fixture.store->before_commit = [&] { gate.pass(); };
  fixture.options.queued_requests = 10;
  fixture.start();
  must<Created>(*fixture.service, Create{small_creation("mail", "ucb")});
  gate.close();
  std::atomic<int> answered = 0;
  std::atomic<int> busy = 0;
  const auto count = [&](const Answer& answer) {
    if (std::holds_alternative<Decided>(answer)) ++answered;
    const auto* refusal = std::get_if<Refusal>(&answer);
    if (refusal != nullptr && refusal->kind() == RefusalKind::kBusy) ++busy;
  };
  fixture.service->submit(Decide{"mail", "", ""}, count);
  gate.await_arrival();  // one is being written; the queue is empty
  for (int i = 0; i < 15; ++i) fixture.service->submit(Decide{"mail", "", ""}, count);
  EXPECT_EQ(answered, 0);
  EXPECT_EQ(busy, 5);
  EXPECT_EQ(fixture.service->health().queued, 10u);
  // A batch goes in whole or not at all.
  int refused = 0;
  fixture.service->submit_all({Decide{"mail", "", ""}, Decide{"mail", "", ""}},
                              [&](const std::vector<Answer>& answers) {
                                for (const Answer& answer : answers)
                                  refused += std::holds_alternative<Refusal>(answer) ? 1 : 0;
                              });
  EXPECT_EQ(refused, 2);
  gate.open();
  fixture.service->stop();
  EXPECT_EQ(answered, 11);
  const Answer late = fixture.service->ask(Decide{"mail", "", ""});
  EXPECT_EQ(std::get<Refusal>(late).kind(), RefusalKind::kStopping);
}

// Above half of the room, those that free memory are taken first: 3 reports behind 6 decides.
TEST(Service, ReportsOvertakeDecidesWhenTheQueueIsFull) {
  for (const std::uint64_t room : {10, 100}) {
    Fixture fixture;
    Gate gate;
    fixture.store->before_commit = [&] { gate.pass(); };
    fixture.options.queued_requests = room;
    fixture.start();
    Service& service = *fixture.service;
    must<Created>(service, Create{small_creation("mail", "ucb")});
    std::vector<Decided> made;
    for (int i = 0; i < 3; ++i) made.push_back(must<Decided>(service, Decide{"mail", "", ""}));
    gate.close();
    service.submit(Decide{"mail", "", ""}, [](const Answer&) {});
    gate.await_arrival();
    std::vector<char> order;
    for (int i = 0; i < 6; ++i)
      service.submit(Decide{"mail", "", ""}, [&](const Answer&) { order.push_back('d'); });
    for (const Decided& decided : made)
      service.submit(Stand::reporting(decided, "opened", 1),
                     [&](const Answer&) { order.push_back('r'); });
    gate.open();
    service.stop();
    // 9 of 10 wait, so reports come first until 5 wait; of 100 they are no crowd.
    EXPECT_EQ(std::string(order.begin(), order.end()), room == 10 ? "rrrdddddd" : "ddddddrrr");
  }
}

TEST(Service, PublishesSummariesAndWakesReaders) {
  HandClock clock;
  std::atomic<int> wakes = 0;
  Fixture fixture;  // ends before what it is told of
  fixture.options.clock = &clock;
  fixture.start();
  Service& service = *fixture.service;
  service.on_publish([&] { ++wakes; });
  EXPECT_EQ(service.summary("mail"), nullptr);
  must<Created>(service, Create{small_creation("mail", "ucb")});
  const auto first = service.summary("mail");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->decisions, 0u);
  must<Decided>(service, Decide{"mail", "", ""});
  EXPECT_EQ(service.summary("mail"), first);  // not ten times a second
  EXPECT_EQ(service.summaries().size(), 1u);
  EXPECT_EQ(wakes, 1);
}

TEST(Service, KeepsTokens) {
  Fixture fixture;
  fixture.start();
  Service& service = *fixture.service;
  must<Done>(service, AddToken{{"ab", "page", "", {"read"}, {}, 0, {}}});
  ASSERT_EQ(service.tokens()->size(), 1u);
  must<Done>(service, AddToken{{"cd", "shop", "", {"decide"}, {}, 0, {}}});
  EXPECT_TRUE(std::holds_alternative<Refusal>(
      service.ask(AddToken{{"cd", "again", "", {"decide"}, {}, 0, {}}})));
  must<Done>(service, RemoveToken{"ab"});
  ASSERT_EQ(service.tokens()->size(), 1u);
  EXPECT_EQ(service.tokens()->front().name, "shop");
}

TEST(Service, SaysOnceThatItsStoreIsBroken) {
  std::vector<std::string> told;
  Fixture fixture;
  fixture.options.on_broken_store = [&](const std::string& why) { told.push_back(why); };
  fixture.start();
  Service& service = *fixture.service;
  must<Created>(service, Create{small_creation("mail", "ucb")});
  fixture.store->next_commit = MemoryStore::Failure::kLasting;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(std::get<Refusal>(service.ask(Decide{"mail", "", ""})).kind(), RefusalKind::kStore);
  EXPECT_FALSE(service.health().ready);
  service.stop();
  ASSERT_EQ(told.size(), 1u);
}

// An exact propensity replays the log: one at a time, beside everybody else, and a service that
// stops does not wait for the end of it.
TEST(Service, AReplayIsAloneAndEndsWithTheService) {
  Fixture fixture;
  Service* service = nullptr;
  std::thread stopping;
  Decided last;
  int events = 0;
  // Called within the replay, at its third event. It has hundreds.
  fixture.store->on_walk = [&](const Event&) {
    if (++events != 3) return;
    try {
      service->propensity("mail", last.decision, 10);
      ADD_FAILURE() << "two at a time";
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.kind(), RefusalKind::kBusy);
    }
    must<Decided>(*service, Decide{"mail", "", ""});  // the writer waits for nobody
    stopping = std::thread([&] { service->stop(); });
    for (;;) {
      const Answer answer = service->ask(Look{"mail", last.decision});
      if (std::holds_alternative<Refusal>(answer)) break;
    }
  };
  fixture.start();
  service = fixture.service.get();
  must<Created>(*service, Create{small_creation("mail", "ts")});
  for (int i = 0; i < 300; ++i) last = must<Decided>(*service, Decide{"mail", "", ""});
  try {
    service->propensity("mail", last.decision, 10);
    ADD_FAILURE() << "went on to the end";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.kind(), RefusalKind::kStopping);
  }
  EXPECT_EQ(events, 3);
  stopping.join();
}

// Looking frees nothing: it does not overtake decides.
TEST(Service, LooksWaitTheirTurn) {
  Fixture fixture;
  Gate gate;
  fixture.store->before_commit = [&] { gate.pass(); };
  fixture.options.queued_requests = 10;
  fixture.start();
  Service& service = *fixture.service;
  must<Created>(service, Create{small_creation("mail", "ucb")});
  const auto made = must<Decided>(service, Decide{"mail", "", ""});
  gate.close();
  service.submit(Decide{"mail", "", ""}, [](const Answer&) {});
  gate.await_arrival();
  std::string order;
  for (int i = 0; i < 5; ++i)
    service.submit(Decide{"mail", "", ""}, [&](const Answer&) { order += 'd'; });
  for (int i = 0; i < 4; ++i)
    service.submit(Look{"mail", made.decision}, [&](const Answer&) { order += 'l'; });
  gate.open();
  service.stop();
  EXPECT_EQ(order, "dddddllll");
}

// What waits is counted by what it holds, whatever it is.
TEST(Service, LongTextsFillTheQueue) {
  const std::string text(100'000, 'x');
  const Request requests[] = {
      Report{"mail", "mail.1.0000", Named(text), {}},
      Forget{"mail", text},
      Look{"mail", text},
      Pause{"mail", text},
      Resume{"mail", text},
      Finish{"mail", text},
      OpenEpoch{"mail", {}, text, Start::kFresh, 0, ""},
      Amend{"mail", "mail.1.0000", {}, 1.0, text},
      AddShadow{"mail", text},
      RemoveShadow{"mail", text},
      AddToken{{"", text, "", {}, {}, 0, {}}},
      RemoveToken{text},
      Decide{text, "", ""},
  };
  for (const Request& request : requests) {
    Fixture fixture;
    fixture.options.queued_bytes = 50'000;
    fixture.start();
    const Answer answer = fixture.service->ask(request);
    ASSERT_TRUE(std::holds_alternative<Refusal>(answer)) << request.index();
    EXPECT_EQ(std::get<Refusal>(answer).kind(), RefusalKind::kBusy) << request.index();
  }
}

// Deadlines are kept though nobody asks: a millisecond's, so that nobody waits either.
TEST(Service, KeepsDeadlinesByItself) {
  Fixture fixture;
  fixture.options.publish_every = 0;
  fixture.start();
  Service& service = *fixture.service;
  Creation creation = small_creation("mail", "ucb");
  creation.facts.settings.deadline = kSecond / 1000;
  std::mutex mutex;
  std::condition_variable published;
  service.on_publish([&] {
    const std::lock_guard lock(mutex);
    published.notify_all();
  });
  must<Created>(service, Create{creation});
  must<Decided>(service, Decide{"mail", "", ""});
  std::unique_lock lock(mutex);
  published.wait(lock, [&] { return service.summary("mail")->forgotten == 1; });
}

}  // namespace
}  // namespace armature::service::test
