// What changes hands between nodes on one store: nobody answers for what is another's, and whoever
// takes something over knows all that was stored of it.
#include <gtest/gtest.h>

#include <future>

#include "service/memory_shared_log.h"
#include "service/service.h"
#include "service/shard.h"

namespace armature::service::test {
namespace {

/// A shard that is one of several.
struct Hand {
  Hand(std::shared_ptr<MemoryServer> shared, const std::string& name)
      : server(std::move(shared)), log(server, name, link) {
    options.clock = &clock;
    shard.emplace(log, options, [](const auto&) {});
  }
  std::vector<Answer> ask_all(const std::vector<Request>& requests) {
    return shard->process(requests);
  }
  Answer ask(const Request& request) { return shard->process({&request, 1}).front(); }
  template <class Expected>
  Expected must(const Request& request) {
    const Answer answer = ask(request);
    if (const auto* refusal = std::get_if<Refusal>(&answer))
      ADD_FAILURE() << "refused: " << refusal->what();
    return std::holds_alternative<Expected>(answer) ? std::get<Expected>(answer) : Expected{};
  }
  std::optional<RefusalKind> refusal(const Request& request) {
    const Answer answer = ask(request);
    const auto* refusal = std::get_if<Refusal>(&answer);
    return refusal != nullptr ? std::optional(refusal->kind()) : std::nullopt;
  }
  bool take(ExperimentId id) {
    if (log.take({id}).empty()) return false;
    shard->adopt({id});
    return true;
  }
  void leave(ExperimentId id) {
    shard->let_go({id});
    log.release({id});
  }

  std::shared_ptr<MemoryServer> server;
  std::shared_ptr<MemoryLink> link = std::make_shared<MemoryLink>();
  MemorySharedLog log;
  HandClock clock;
  Options options;
  std::optional<Shard> shard;
};

constexpr ExperimentId kMail = 1;
constexpr ExperimentId kPost = 2;

/// Two nodes; the first has made two experiments. Nobody has a lease.
struct Hands : testing::Test {
  Hands() {
    one.must<Created>(Create{small_creation("mail", "ucb")});
    one.must<Created>(Create{small_creation("post", "ts")});
  }
  std::shared_ptr<MemoryServer> server = std::make_shared<MemoryServer>();
  Hand one{server, "one"};
  Hand two{server, "two"};
};

Request decide(const std::string& experiment, const std::string& key) {
  return Decide{experiment, key, ""};
}

TEST_F(Hands, OneBatchIsDoneAgainWithoutWhatIsAnothers) {
  one.must<Decided>(decide("mail", "a"));
  ASSERT_TRUE(two.take(kMail));
  const auto answers = one.ask_all({decide("mail", "b"), decide("post", "b")});
  ASSERT_TRUE(std::holds_alternative<Refusal>(answers[0]));
  EXPECT_EQ(std::get<Refusal>(answers[0]).kind(), RefusalKind::kNotHere);
  ASSERT_TRUE(std::holds_alternative<Decided>(answers[1]));
  EXPECT_EQ(std::get<Decided>(answers[1]).seq, 2u);
  EXPECT_EQ(one.log.owned(), (std::set<ExperimentId>{kPost}));
  EXPECT_EQ(one.shard->find("mail"), nullptr);
  EXPECT_EQ(server->store->experiments[0].events.size(), 2u);
  EXPECT_EQ(two.must<Decided>(decide("mail", "a")).seq, 2u);
  EXPECT_EQ(two.must<Decided>(decide("mail", "b")).seq, 3u);
}

// Nothing is written then, and it may be wrong all the same.
TEST_F(Hands, WhoeverOnlyRepeatsOrLooksIsFencedToo) {
  const auto decided = one.must<Decided>(decide("mail", "a"));
  ASSERT_TRUE(two.take(kMail));
  EXPECT_EQ(one.refusal(decide("mail", "a")), RefusalKind::kNotHere);
  ASSERT_TRUE(one.take(kMail));  // two has no lease
  EXPECT_EQ(two.refusal(Look{"mail", decided.decision}), RefusalKind::kNotHere);
  EXPECT_EQ(one.must<DecisionView>(Look{"mail", decided.decision}).status, Status::kOpen);
}

TEST_F(Hands, WhoeverHasALeaseKeepsWhatItHas) {
  server->renew("one", 10 * kSecond, true);
  EXPECT_FALSE(two.take(kMail));
  server->clock += 10 * kSecond;
  EXPECT_TRUE(two.take(kMail));
}

// One loses the store for a while. Meanwhile two has had the experiment, and left it. One comes
// back, asked about something else, and takes it again: what it remembers is of before.
TEST_F(Hands, WhatIsTakenAgainIsReadAgain) {
  one.must<Decided>(decide("mail", "a"));
  one.link->next_commit = MemoryLink::Fault::kUnsent;
  EXPECT_EQ(one.refusal(decide("post", "a")), RefusalKind::kStore);
  one.link->cut = true;
  EXPECT_EQ(one.refusal(decide("post", "a")), RefusalKind::kStore);
  ASSERT_TRUE(two.take(kMail));
  const auto decided = two.must<Decided>(decide("mail", "b"));
  two.leave(kMail);
  one.link->cut = false;
  EXPECT_EQ(one.must<Decided>(decide("post", "a")).seq, 2u);
  EXPECT_FALSE(one.log.owns(kMail));
  ASSERT_TRUE(one.take(kMail));
  EXPECT_TRUE(one.must<Decided>(decide("mail", "b")).repeated);
  EXPECT_EQ(one.must<DecisionView>(Look{"mail", decided.decision}).action, decided.action);
  EXPECT_EQ(one.must<Decided>(decide("mail", "c")).seq, 4u);
  EXPECT_EQ(server->clashes, 0u);
}

// The statement is somewhere between: it is stored before it is read again, or never.
TEST_F(Hands, WhatWasGivenUpIsStoredAtOnceOrNever) {
  for (const bool first : {true, false}) {
    server->carried_out_first = [=] { return first; };
    const std::string key = first ? "a" : "b";
    const std::size_t before = server->store->experiments[0].events.size();
    one.link->next_commit = MemoryLink::Fault::kOnItsWay;
    EXPECT_EQ(one.refusal(decide("mail", key)), RefusalKind::kStore);
    const auto again = one.must<Decided>(decide("mail", key));
    EXPECT_EQ(again.repeated, first);
    EXPECT_EQ(again.seq, before + 1);
    if (!first) server->carry_out(server->in_flight.begin());
    EXPECT_EQ(server->store->experiments[0].events.size(), before + 1);
  }
  EXPECT_EQ(server->late_stored, 1u);
  EXPECT_EQ(server->late_refused, 1u);
  EXPECT_EQ(server->clashes, 0u);
}

TEST_F(Hands, WhatWasStoredUnheardIsRepeated) {
  one.link->next_commit = MemoryLink::Fault::kUnheard;
  EXPECT_EQ(one.refusal(decide("mail", "a")), RefusalKind::kStore);
  EXPECT_TRUE(one.must<Decided>(decide("mail", "a")).repeated);
}

TEST_F(Hands, LettingGoKeepsASnapshotAndTheRestIsUntouched) {
  for (int i = 0; i < 10; ++i) one.must<Decided>(decide("mail", ""));
  EXPECT_EQ(server->store->experiments[0].snapshots.rbegin()->first, 1u);
  one.shard->let_go({kMail});
  EXPECT_EQ(server->store->experiments[0].snapshots.rbegin()->first, 11u);
  EXPECT_EQ(one.shard->find("mail"), nullptr);
  EXPECT_NE(one.shard->find("post"), nullptr);
  one.log.release({kMail});
  EXPECT_EQ(one.refusal(decide("mail", "")), RefusalKind::kNotHere);
  EXPECT_EQ(server->owners.at(kMail).node, "");
  ASSERT_TRUE(two.take(kMail));
  EXPECT_EQ(two.must<Decided>(decide("mail", "")).seq, 12u);
}

// It cannot be told: then it is still nobody's business here, and its own by name.
TEST_F(Hands, LettingGoWithoutTheStore) {
  one.must<Decided>(decide("mail", ""));
  one.link->cut = true;
  one.shard->let_go({kMail});
  EXPECT_THROW(one.log.release({kMail}), StoreFailure);
  EXPECT_FALSE(one.log.owns(kMail));
  EXPECT_EQ(one.shard->find("mail"), nullptr);
  one.link->cut = false;
  EXPECT_EQ(one.refusal(decide("mail", "")), RefusalKind::kNotHere);
  EXPECT_EQ(server->owners.at(kMail).node, "one");
  ASSERT_TRUE(one.take(kMail));
  EXPECT_EQ(one.must<Decided>(decide("mail", "")).seq, 3u);
}

// A snapshot of what is another's by now does not cost the others theirs.
TEST_F(Hands, SnapshotsAtTheEndAreOfOnesOwn) {
  one.must<Decided>(decide("mail", ""));
  one.must<Decided>(decide("post", ""));
  ASSERT_TRUE(two.take(kMail));
  one.log.release({kMail});  // found out, but for the shard
  one.shard->keep_all();
  EXPECT_EQ(server->store->experiments[1].snapshots.rbegin()->first, 2u);
}

TEST_F(Hands, AdoptingThatFailsBringsNothing) {
  one.leave(kMail);
  ASSERT_FALSE(two.log.take({kMail}).empty());
  two.link->cut = true;
  EXPECT_THROW(two.shard->adopt({kMail}), StoreFailure);
  EXPECT_EQ(two.shard->find("mail"), nullptr);
  two.link->cut = false;
  two.shard->adopt({kMail});
  EXPECT_EQ(two.must<Decided>(decide("mail", "")).seq, 2u);
}

// Who creates does not know of all there are: the store does, and the rest of the batch is done.
TEST_F(Hands, ANameThatIsAnothers) {
  const auto answers =
      two.ask_all({Create{small_creation("mail", "ucb")}, Create{small_creation("parcel", "ucb")}});
  ASSERT_TRUE(std::holds_alternative<Refusal>(answers[0]));
  EXPECT_EQ(std::get<Refusal>(answers[0]).kind(), RefusalKind::kNotHere);
  EXPECT_TRUE(std::holds_alternative<Created>(answers[1]));
  EXPECT_EQ(server->owners.at(3).node, "two");
}

TEST_F(Hands, AnEarlierProcessOfTheSameName) {
  one.must<Decided>(decide("mail", "a"));
  Hand successor{server, "one"};
  server->renew("one", kHour, true);
  ASSERT_TRUE(successor.take(kMail));
  EXPECT_TRUE(successor.must<Decided>(decide("mail", "a")).repeated);
  EXPECT_EQ(one.refusal(decide("mail", "b")), RefusalKind::kNotHere);
}

// Whoever takes it over gives those who could not report meanwhile their time.
TEST_F(Hands, DeadlinesHaveTheirGrace) {
  Creation creation = small_creation("brief", "ucb");
  creation.facts.settings.deadline = kMinute;
  one.must<Created>(Create{creation});
  const auto decided = one.must<Decided>(decide("brief", ""));
  for (Hand* hand : {&one, &two}) hand->clock.pass(kHour);
  ASSERT_TRUE(two.take(3));
  two.shard->process({});
  EXPECT_EQ(two.must<DecisionView>(Look{"brief", decided.decision}).status, Status::kOpen);
  two.clock.pass(kMinute);
  two.shard->process({});
  EXPECT_EQ(two.must<DecisionView>(Look{"brief", decided.decision}).status, Status::kForgotten);
  // One, whose clock says the same, finds out that it is none of its business.
  one.clock.pass(kMinute);
  one.shard->process({});
  EXPECT_EQ(one.shard->find("brief"), nullptr);
}

Token token_named(const std::string& name) { return {name, name, "", {"admin"}, {}, 0, {}}; }

TEST_F(Hands, TokensHaveAnOwnerToo) {
  EXPECT_EQ(one.refusal(AddToken{token_named("a")}), RefusalKind::kNotHere);
  ASSERT_TRUE(one.take(kTokens));
  one.must<Done>(AddToken{token_named("a")});
  ASSERT_TRUE(two.take(kTokens));
  ASSERT_EQ(two.shard->tokens().size(), 1u);
  EXPECT_EQ(two.refusal(AddToken{token_named("a")}), RefusalKind::kConflict);
  EXPECT_EQ(one.refusal(AddToken{token_named("b")}), RefusalKind::kNotHere);
  EXPECT_EQ(server->store->tokens.size(), 1u);
}

// --- The service ---------------------------------------------------------------------------------

void change(Service& service, std::vector<ExperimentId> take, std::vector<ExperimentId> leave) {
  std::promise<void> done;
  service.change_hands(std::move(take), std::move(leave), [&] { done.set_value(); });
  done.get_future().wait();
}

std::optional<RefusalKind> refusal_of(const Answer& answer) {
  const auto* refusal = std::get_if<Refusal>(&answer);
  return refusal != nullptr ? std::optional(refusal->kind()) : std::nullopt;
}

struct ServiceHands : testing::Test {
  std::unique_ptr<Service> start(const std::string& name) {
    Options options;
    options.clock = &clock;
    options.publish_every = 0;
    return std::make_unique<Service>(std::make_unique<MemorySharedLog>(server, name), options);
  }
  HandClock clock;  // stands still
  std::shared_ptr<MemoryServer> server = std::make_shared<MemoryServer>();
};

TEST_F(ServiceHands, ChangeBetweenBatches) {
  const auto one = start("one");
  const auto two = start("two");
  ASSERT_NE(one->owned(), nullptr);
  EXPECT_TRUE(one->owned()->empty());
  one->ask(Create{small_creation("mail", "ucb")});
  one->ask(decide("mail", "a"));
  EXPECT_EQ(*one->owned(), (std::set<ExperimentId>{kMail}));
  EXPECT_EQ(refusal_of(two->ask(decide("mail", "a"))), RefusalKind::kNotHere);
  change(*one, {}, {kMail});
  EXPECT_TRUE(one->owned()->empty());
  EXPECT_EQ(refusal_of(one->ask(decide("mail", "a"))), RefusalKind::kNotHere);
  change(*two, {kMail}, {});
  EXPECT_EQ(*two->owned(), (std::set<ExperimentId>{kMail}));
  EXPECT_TRUE(std::get<Decided>(two->ask(decide("mail", "a"))).repeated);
  // What one shows of it from now on is what it is told.
  Summary told = *two->summary("mail");
  two->show(kMail, told);  // is two's own
  EXPECT_EQ(two->summary("mail")->number, told.number);
  two->ask(decide("mail", "b"));
  told = *two->summary("mail");
  one->show(kMail, told);
  EXPECT_EQ(one->summary("mail")->seq, 3u);
  told.seq = 2;  // older than what is shown
  one->show(kMail, told);
  EXPECT_EQ(one->summary("mail")->seq, 3u);
  // Reading is for everybody.
  EXPECT_EQ(one->events("mail", 1, 10).size(), 3u);
  two->stop();
  EXPECT_EQ(server->owners.at(kMail).node, "");
  std::promise<void> done;
  two->change_hands({kMail}, {}, [&] { done.set_value(); });
  done.get_future().wait();  // nobody waits for ever
  EXPECT_EQ(server->owners.at(kMail).node, "");
}

// A new node shows what others have before it has anything.
TEST_F(ServiceHands, WhoeverHasNothingShowsWhatOthersHave) {
  const auto one = start("one");
  const auto two = start("two");
  one->ask(Create{small_creation("mail", "ucb")});
  EXPECT_EQ(two->summary("mail"), nullptr);
  two->show(kMail, *one->summary("mail"));
  ASSERT_NE(two->summary("mail"), nullptr);
}

TEST_F(ServiceHands, TokensAreTheOwnersOrWhatItTold) {
  const auto one = start("one");
  const auto two = start("two");
  change(*one, {kTokens}, {});
  one->ask(AddToken{token_named("a")});
  ASSERT_EQ(one->tokens()->size(), 1u);
  two->take_tokens(*one->tokens());
  two->ask(Create{small_creation("mail", "ucb")});  // a batch of its own says nothing of tokens
  ASSERT_EQ(two->tokens()->size(), 1u);
  one->take_tokens({});  // its own word counts
  EXPECT_EQ(one->tokens()->size(), 1u);
  // As many, but others: whoever takes them over knows.
  one->ask(AddToken{token_named("b")});
  one->ask(RemoveToken{"a"});
  change(*one, {}, {kTokens});
  change(*two, {kTokens}, {});
  ASSERT_EQ(two->tokens()->size(), 1u);
  EXPECT_EQ(two->tokens()->front().name, "b");
}

}  // namespace
}  // namespace armature::service::test
