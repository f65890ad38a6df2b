// Policies that fail, stores that fail, clocks that lie: one experiment suffers, or nobody.
#include <gtest/gtest.h>

#include <map>

#include "service/http/views.h"
#include "service/stand.h"

namespace armature::service::test {
namespace {

// Fails a check of its own once it has had n outcomes: when it observes, when it is saved, or when
// it is asked how it is. `cured` is for what was written by another build.
struct Poison {
  static bool cured;
  static int makings;  // it can still be made so many times

  static PolicyFacts facts() {
    return {
        .name = "poison",
        .summary = "fails a check",
        .text = "For tests of who survives it.",
        .section = "",
        .parameters = {
            Parameter::integer("after").defaults_to("5").help("outcomes", ""),
            Parameter::choice("at", {"observe", "state", "diagnostics"}).help("what fails", "")}};
  }
  Poison(const Problem&, const Arguments& arguments)
      : after(arguments.integer("after")), at(arguments.word("at")) {
    ARMATURE_CHECK(makings-- > 0, "cannot be made");
  }
  Decision choose(Stream&) { return {0, 0}; }
  void observe(Decision, Outcome, Stream&) {
    ++outcomes;
    check("observe");
  }
  void forget(Decision) {}
  void visit_state(StateVisitor& visitor) {
    visitor.field("outcomes", outcomes);
    check("state");
  }
  Diagnostics diagnostics() const {
    check("diagnostics");
    return {};
  }
  void check(const std::string& here) const {
    ARMATURE_CHECK(cured || at != here || outcomes < after, "poison");
  }

  std::uint64_t after;
  std::string at;
  std::uint64_t outcomes = 0;
};
bool Poison::cured = false;
int Poison::makings = 1'000'000;

class PoisonTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_policy(policy_entry<Poison>()); }
  void SetUp() override {
    Poison::cured = false;
    Poison::makings = 1'000'000;
  }

  // With a neighbour who must not notice.
  void create(bool fallback) {
    Creation creation = small_creation("bad", "poison:after=5");
    if (fallback) creation.facts.settings.fallback = "call";
    stand.create(creation);
    stand.create(small_creation("good", "ucb"));
    for (int i = 0; i < 4; ++i) stand.report(stand.decide("bad"), "opened", 1);
  }
  void neighbour_is_well() {
    EXPECT_EQ(stand.report(stand.decide("good"), "opened", 1).status, Status::kLearned);
  }

  Stand stand;
};

TEST_F(PoisonTest, IsRebuiltOnceThenInQuarantine) {
  create(true);
  const Decided decided = stand.decide("bad");
  const std::uint64_t digest = stand.fold("bad").digest();
  EXPECT_EQ(stand.refused(Stand::reporting(decided, "opened", 1)), RefusalKind::kBroken);
  EXPECT_EQ(stand.fold("bad").digest(), digest);  // as it was, from the log
  EXPECT_TRUE(stand.shard->quarantined().empty());
  neighbour_is_well();
  EXPECT_EQ(stand.refused(Stand::reporting(decided, "opened", 1)), RefusalKind::kBroken);
  EXPECT_EQ(stand.shard->quarantined(), std::vector<std::string>{"bad"});
  neighbour_is_well();
  // In quarantine the fallback decides, and reports are kept.
  for (const bool crash : {false, true}) {
    if (crash) stand.crash();
    EXPECT_EQ(stand.fold("bad").state(), ExperimentState::kQuarantined);
    const Decided fallback = stand.decide("bad");
    EXPECT_TRUE(fallback.fallback);
    EXPECT_EQ(stand.report(fallback, "opened", 1).status, Status::kLearned);
    neighbour_is_well();
  }
  EXPECT_EQ(stand.report(decided, "opened", 1).status, Status::kLearned);
  EXPECT_EQ(stand.refused(Resume{"bad", ""}), RefusalKind::kState);
  EXPECT_EQ(stand.fold("bad").summary().learned, 7u);
  // A new epoch is the way out.
  stand.must<Done>(OpenEpoch{"bad", {}, "ucb", Start::kReplay, 0, "another policy"});
  EXPECT_TRUE(stand.shard->quarantined().empty());
  EXPECT_FALSE(stand.decide("bad").fallback);
  stand.crash();
  EXPECT_TRUE(stand.shard->quarantined().empty());
  EXPECT_FALSE(stand.decide("bad").fallback);
}

TEST_F(PoisonTest, WithoutAFallbackIsRefused) {
  create(false);
  const Decided decided = stand.decide("bad");
  for (int i = 0; i < 2; ++i) stand.ask(Stand::reporting(decided, "opened", 1));
  EXPECT_EQ(stand.refused(Decide{"bad", "", ""}), RefusalKind::kQuarantined);
  neighbour_is_well();
}

// The deadline itself brings it out.
TEST_F(PoisonTest, AtTheDeadlineToo) {
  Creation creation = small_creation("bad", "poison:after=3");
  creation.facts.settings.silence = Silence{"ignored", 0};
  stand.create(creation);
  stand.create(small_creation("good", "ucb"));
  for (int i = 0; i < 4; ++i) stand.decide("bad");
  stand.clock.pass(25 * kHour);
  for (int i = 0; i < 3; ++i) {
    neighbour_is_well();
    stand.clock.pass(10 * kMinute);  // what was rebuilt has the grace of a start
  }
  EXPECT_EQ(stand.shard->quarantined(), std::vector<std::string>{"bad"});
  EXPECT_EQ(stand.fold("bad").summary().learned, 4u);  // in the record, if by no policy
}

// Where nobody asked for anything: at a snapshot, or when a summary is made for the page.
TEST_F(PoisonTest, WhenItIsSavedOrShownToo) {
  for (const char* at : {"state", "diagnostics"}) {
    Stand own;
    own.options.snapshot_events = 4;
    Creation creation = small_creation("bad", std::string("poison:after=6,at=") + at);
    creation.facts.settings.fallback = "call";
    own.create(creation);
    own.create(small_creation("good", "ucb"));
    for (int i = 0; i < 10; ++i) {
      own.clock.pass(kSecond);
      own.report(own.decide("bad"), "opened", 1);
      own.report(own.decide("good"), "opened", 1);
    }
    EXPECT_EQ(own.shard->quarantined(), std::vector<std::string>{"bad"}) << at;
    EXPECT_EQ(own.fold("bad").summary().learned, 10u) << at;
    EXPECT_EQ(own.fold("good").summary().learned, 10u) << at;
    own.crash();
    EXPECT_EQ(own.fold("bad").summary().learned, 10u) << at;
  }
}

// Another build computes something else: noticed at recovery, and only this experiment suffers.
TEST_F(PoisonTest, WhatReplaysOtherwiseIsQuarantined) {
  Poison::cured = true;
  Creation creation = small_creation("bad", "poison:after=5");
  creation.facts.settings.fallback = "call";
  stand.create(creation);
  stand.create(small_creation("good", "ucb"));
  for (int i = 0; i < 8; ++i) stand.report(stand.decide("bad"), "opened", 1);
  Poison::cured = false;
  stand.crash();
  EXPECT_GT(stand.shard->replay_mismatches(), 0u);
  EXPECT_EQ(stand.shard->quarantined(), std::vector<std::string>{"bad"});
  EXPECT_TRUE(stand.decide("bad").fallback);
  EXPECT_EQ(stand.fold("bad").summary().learned, 8u);
  neighbour_is_well();
  // A check goes on where the quarantine began anew, and says so.
  const auto checked = check_log(*stand.log);
  EXPECT_NE(checked.at(0).before, "");
  EXPECT_GT(checked.at(0).from, 16u);
  EXPECT_EQ(checked.at(0).trouble, "");
  EXPECT_EQ(checked.at(1).before, "");
  EXPECT_EQ(checked.at(1).trouble, "");
}

// Whenever it is that a policy cannot be made: nothing is left of its experiment, and the name is
// free.
TEST_F(PoisonTest, ACreationThatFailsLeavesNothing) {
  int makings = 0;
  for (; stand.shard->find("bad") == nullptr && makings < 10; ++makings) {
    Poison::makings = makings;
    stand.ask(Create{small_creation("bad", "poison")});
    EXPECT_EQ(stand.memory->experiments.size(), stand.shard->find("bad") == nullptr ? 0u : 1u);
    EXPECT_FALSE(stand.shard->broken());
  }
  EXPECT_GT(makings, 1);
  EXPECT_LT(makings, 10);
  stand.decide("bad");
}

TEST_F(PoisonTest, ADamagedSnapshotIsPassedOver) {
  stand.options.snapshot_events = 10;
  stand.create(small_creation("good", "ts"));
  for (int i = 0; i < 50; ++i) stand.report(stand.decide("good"), "opened", 0.3);
  const std::uint64_t digest = stand.fold("good").digest();
  auto& snapshots = stand.memory->experiments[0].snapshots;
  ASSERT_EQ(snapshots.size(), 3u);
  // The newest, then the older one too, then the anchor as well.
  for (auto one = snapshots.rbegin(); one != snapshots.rend(); ++one) {
    one->second.state[one->second.state.size() / 2] ^= 1;
    stand.crash();
    EXPECT_EQ(stand.fold("good").digest(), digest);
    EXPECT_TRUE(stand.shard->quarantined().empty());
  }
  EXPECT_EQ(stand.shard->replay_mismatches(), 3u);
}

// --- Stores --------------------------------------------------------------------------------------

TEST(Stores, AFullDiskRefusesTheBatchAndGoesOn) {
  Stand stand;
  stand.create(small_creation("mail", "ts"));
  const Decided decided = stand.decide("mail");
  const std::uint64_t digest = stand.fold("mail").digest();
  stand.memory->next_commit = MemoryStore::Failure::kFull;
  const std::vector<Request> batch = {Decide{"mail", "", ""},
                                      Stand::reporting(decided, "opened", 1),
                                      Create{small_creation("new", "ucb")}, Decide{"none", "", ""}};
  for (const Answer& answer : stand.shard->process(batch))
    EXPECT_EQ(std::get<Refusal>(answer).kind(), RefusalKind::kFull);
  EXPECT_EQ(stand.fold("mail").digest(), digest);
  EXPECT_EQ(stand.shard->find("new"), nullptr);
  EXPECT_EQ(stand.report(decided, "opened", 1).status, Status::kLearned);
  stand.create(small_creation("new", "ucb"));
}

// Where deadlines are written, and no request is to blame; and in the middle of a batch.
TEST(Stores, AFullDiskWhileDecisionsExpire) {
  for (std::uint64_t room = 0; room < 12; ++room) {
    Stand stand;
    for (const char* name : {"mail", "other"}) {
      stand.create(small_creation(name, "ts"));
      for (int i = 0; i < 5; ++i) stand.decide(name);
    }
    const std::uint64_t digest = stand.fold("mail").digest();
    stand.clock.pass(25 * kHour);
    stand.memory->room = room;
    const bool enough = room >= 11;
    EXPECT_EQ(std::holds_alternative<Refusal>(stand.ask(Decide{"mail", "", ""})), !enough);
    if (!enough) {
      EXPECT_EQ(stand.fold("mail").digest(), digest) << room;
    }
    stand.memory->room.reset();
    stand.clock.pass(25 * kHour);
    stand.decide("mail");
    stand.decide("other");
    EXPECT_EQ(stand.fold("mail").summary().forgotten, enough ? 6u : 5u);
    EXPECT_EQ(stand.fold("other").summary().forgotten, 5u);
    for (const CheckedExperiment& checked : check_log(*stand.log)) EXPECT_EQ(checked.before, "");
  }
}

// Deadlines of many experiments are written in more than one batch.
TEST(Stores, ABatchIsBoundedWhenEverythingExpires) {
  Stand stand;
  stand.options.batch_events = 10;
  for (const char* name : {"a", "b", "c"}) {
    stand.create(small_creation(name, "ucb"));
    for (int i = 0; i < 8; ++i) stand.decide(name);
  }
  stand.clock.pass(25 * kHour);
  std::uint64_t batches = 0;
  for (std::uint64_t events = stand.shard->events(); stand.shard->next_wake(); ++batches) {
    stand.clock.pass(std::max<Time>(*stand.shard->next_wake() - stand.clock.monotonic_now, 0));
    stand.shard->process({});
    stand.shard->tidy();
    EXPECT_LE(stand.shard->events() - events, 10u);
    events = stand.shard->events();
  }
  EXPECT_GE(batches, 3u);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(stand.fold(name).summary().forgotten, 8u);
}

// Another program holds the store: asked again later, all is well.
TEST(Stores, ABusyStoreRefusesTheBatchAndGoesOn) {
  Stand stand;
  stand.create(small_creation("mail", "ts"));
  const std::uint64_t digest = stand.fold("mail").digest();
  stand.memory->next_begin = MemoryStore::Failure::kBusy;
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kStore);
  stand.memory->next_commit = MemoryStore::Failure::kBusy;
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kStore);
  // And while it is undone.
  stand.memory->before_commit = [&] {
    stand.memory->before_commit = nullptr;
    stand.memory->next_begin = MemoryStore::Failure::kBusy;
    stand.memory->next_commit = MemoryStore::Failure::kFull;
  };
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kFull);
  EXPECT_TRUE(stand.shard->next_wake().has_value());
  EXPECT_FALSE(stand.shard->broken());
  stand.shard->process({});
  EXPECT_EQ(stand.fold("mail").digest(), digest);
  stand.decide("mail");
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
}

// What could not be undone is not what is stored: it is not kept at the end, and the next start
// goes on from what is.
TEST(Stores, NothingIsKeptOfWhatWasNotUndone) {
  Stand stand;
  stand.create(small_creation("mail", "ts"));
  for (int i = 0; i < 5; ++i) stand.decide("mail");
  const std::uint64_t digest = stand.fold("mail").digest();
  stand.memory->before_commit = [&] {
    stand.memory->before_commit = nullptr;
    stand.memory->next_begin = MemoryStore::Failure::kBusy;
    stand.memory->next_commit = MemoryStore::Failure::kFull;
  };
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kFull);
  EXPECT_TRUE(stand.shard->behind());
  stand.shard->keep_all();
  EXPECT_LE(stand.memory->experiments[0].snapshots.rbegin()->first, 6u);
  stand.crash();
  EXPECT_EQ(stand.shard->replay_mismatches(), 0u);
  EXPECT_EQ(stand.fold("mail").digest(), digest);
  EXPECT_EQ(stand.decide("mail").seq, 7u);
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
}

// Should there be a snapshot of events that are not, it is passed over, and said.
TEST(Stores, ASnapshotOfWhatIsNotStoredIsPassedOver) {
  Stand stand;
  stand.create(small_creation("mail", "ts"));
  stand.decide("mail");
  const std::uint64_t digest = stand.fold("mail").digest();
  stand.decide("mail");
  auto& stored = stand.memory->experiments[0];
  Snapshot ahead = stand.fold("mail").snapshot();
  stored.snapshots[ahead.seq] = ahead;
  stored.events.pop_back();
  EXPECT_NE(check_log(*stand.log).at(0).trouble, "");
  stand.crash();
  EXPECT_EQ(stand.fold("mail").digest(), digest);
  EXPECT_EQ(stand.shard->replay_mismatches(), 1u);
  EXPECT_EQ(stand.decide("mail").seq, 3u);
}

// A row that is missing, or that there are no events at all: that experiment is damaged, and said
// to be; the others go on, also after the next start.
TEST(Stores, AHoleCostsOneExperiment) {
  for (const bool all : {false, true}) {
    Stand stand;
    stand.create(small_creation("bad", "ucb"));
    stand.create(small_creation("good", "ucb"));
    for (int i = 0; i < 5; ++i) stand.decide("bad");
    auto& bad = stand.memory->experiments[0];
    if (all) bad.events.clear();
    if (all) bad.snapshots.clear();
    if (!all) bad.events.erase(bad.events.begin() + 2);
    for (int start = 0; start < 2; ++start) {
      stand.crash();
      EXPECT_EQ(stand.refused(Decide{"bad", "", ""}), RefusalKind::kQuarantined);
      EXPECT_EQ(stand.shard->quarantined(), std::vector<std::string>{"bad"});
      ASSERT_TRUE(stand.published.contains("bad"));
      EXPECT_EQ(stand.published["bad"]->state, ExperimentState::kQuarantined);
      EXPECT_TRUE(stand.published["bad"]->state_reason.starts_with("damaged: "));
      EXPECT_NE(http::experiment_view(*stand.published["bad"]).find("damaged"), std::string::npos);
      stand.decide("good");
    }
  }
}

TEST(Stores, AFailedSyncIsTheEnd) {
  Stand stand;
  stand.create(small_creation("mail", "ts"));
  stand.memory->next_commit = MemoryStore::Failure::kLasting;
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kStore);
  EXPECT_TRUE(stand.shard->broken());
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kStore);
  stand.crash();
  EXPECT_EQ(stand.decide("mail").seq, 2u);
}

TEST(Stores, BelowTheFloorOfTheDiskReportsStillPass) {
  Stand stand;
  std::uint64_t room = 1'000'000'000;
  stand.options.free_bytes = [&] { return room; };
  stand.create(small_creation("mail", "ucb"));
  const Decided decided = stand.decide("mail", "a key");
  room = 1'000'000;
  stand.clock.pass(kSecond);
  EXPECT_EQ(stand.decide("mail", "a key").decision, decided.decision);  // writes nothing
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kFull);
  EXPECT_EQ(stand.report(decided, "opened", 1).status, Status::kLearned);
  room = 1'000'000'000;
  stand.clock.pass(kSecond);
  stand.decide("mail");
}

// --- Tokens --------------------------------------------------------------------------------------

TEST(Tokens, TheLastRulerStaysAndTheListIsNeverEmptyAgain) {
  Stand stand;
  const Token ruler{"a", "ruler", "", {"admin"}, {}, 0, {}};
  const Token dying{"b", "dying", "", {"admin"}, {}, 0, Time{5}};
  const Token small{"c", "small", "", {"admin"}, {"mail"}, 0, {}};
  for (const Token& token : {ruler, dying, small}) stand.must<Done>(AddToken{token});
  EXPECT_EQ(stand.refused(AddToken{{"d", "ruler", "", {"read"}, {}, 0, {}}}),
            RefusalKind::kConflict);
  EXPECT_EQ(stand.refused(RemoveToken{"a"}), RefusalKind::kConflict);
  // In one batch only one of two may go.
  stand.must<Done>(AddToken{{"e", "second", "", {"admin"}, {}, 0, {}}});
  const std::vector<Request> both = {RemoveToken{"a"}, RemoveToken{"e"}};
  const std::vector<Answer> answers = stand.shard->process(both);
  EXPECT_TRUE(std::holds_alternative<Done>(answers[0]));
  EXPECT_TRUE(std::holds_alternative<Refusal>(answers[1]));
  // Who has the store in his hands may: then nobody gets in, until he makes another.
  stand.log->begin();
  for (const char* hash : {"b", "c", "e"}) stand.log->remove_token(hash);
  stand.log->commit();
  stand.crash();
  ASSERT_EQ(stand.shard->tokens().size(), 1u);
  EXPECT_EQ(stand.shard->tokens()[0].hash, "");
  EXPECT_TRUE(stand.shard->tokens()[0].roles.empty());
  stand.must<Done>(AddToken{ruler});
  ASSERT_EQ(stand.shard->tokens().size(), 1u);
  EXPECT_EQ(stand.shard->tokens()[0].name, "ruler");
}

// --- Clocks --------------------------------------------------------------------------------------

#ifdef NDEBUG
constexpr std::uint32_t kJumpySeeds = 1'000;
#else
constexpr std::uint32_t kJumpySeeds = 100;  // under sanitizers
#endif

// A year ahead, a year back, standing still, and back by a millisecond at a time: decisions expire
// when an hour has passed on the other clock, and times of events never go back. Across a restart
// the calendar is all there is: then it is at least the grace, and at most the hour.
TEST(Clocks, JumpsExpireNothingAndReorderNothing) {
  struct Window {
    Time earliest;
    Time latest;
  };
  const Time year = 365 * 24 * kHour;
  for (std::uint32_t seed = 0; seed < kJumpySeeds; ++seed) {
    Stream luck({5, seed, Purpose::kTest});
    Stand stand;
    Creation creation = small_creation("mail", "ucb");
    creation.facts.settings.deadline = kHour;
    stand.create(creation);
    std::map<std::string, Window> open;
    for (int step = 0; step < 30; ++step) {
      stand.clock.monotonic_now += static_cast<Time>(luck.uniform() * kHour / 4);
      const Time jumps[] = {0, year, -year, -kSecond / 1000, kHour / 4};
      stand.clock.wall_now += jumps[uniform_index(luck, 5)];
      const Time now = stand.clock.monotonic_now;
      if (luck.uniform() < 0.05) {
        stand.crash();
        for (auto& [decision, window] : open) window = {now + 10 * kMinute, now + kHour};
      }
      open[stand.decide("mail").decision] = {now + kHour, now + kHour};
      for (auto one = open.begin(); one != open.end();) {
        const DecisionView view = stand.must<DecisionView>(Look{"mail", one->first});
        const bool expired = view.status == Status::kForgotten;
        ASSERT_TRUE(expired ? now >= one->second.earliest : now < one->second.latest)
            << "seed " << seed << ", " << one->first;
        one = expired ? open.erase(one) : std::next(one);
      }
    }
    Time last = 0;
    for (const Event& event : stand.memory->experiments[0].events) {
      ASSERT_GE(event.time, last);
      last = event.time;
    }
  }
}

// A batch that was undone begins no new run: deadlines stay where they were on its clock, whatever
// the calendar says by then, and those that had passed have passed.
TEST(Clocks, UndoneBatchesMoveNoDeadline) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  creation.facts.settings.deadline = kHour;
  stand.create(creation);
  const Decided first = stand.decide("mail");
  stand.clock.pass(kHour / 2);
  const Decided second = stand.decide("mail");
  stand.clock.wall_now += 365 * 24 * kHour;
  const auto refuse = [&] {
    stand.memory->next_commit = MemoryStore::Failure::kFull;
    EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kFull);
  };
  refuse();
  stand.clock.pass(kHour / 2 - 1);
  EXPECT_EQ(stand.look(first).status, Status::kOpen);
  stand.clock.pass(1);
  refuse();  // and with it that the first one expires
  refuse();
  EXPECT_EQ(stand.look(first).status, Status::kForgotten);
  EXPECT_EQ(stand.look(second).status, Status::kOpen);
  stand.clock.pass(kHour / 2);
  EXPECT_EQ(stand.look(second).status, Status::kForgotten);
}

TEST(Clocks, AfterAStartNothingExpiresBeforeAGrace) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  creation.facts.settings.deadline = kHour;
  stand.create(creation);
  const Decided old = stand.decide("mail");
  stand.clock.pass(48 * kHour);  // nobody was there
  stand.crash();
  stand.shard->process({});
  EXPECT_EQ(stand.look(old).status, Status::kOpen);
  stand.clock.pass(10 * kMinute - 1);
  stand.shard->process({});
  EXPECT_EQ(stand.look(old).status, Status::kOpen);
  stand.clock.pass(1);
  stand.shard->process({});
  EXPECT_EQ(stand.look(old).status, Status::kForgotten);
}

}  // namespace
}  // namespace armature::service::test
