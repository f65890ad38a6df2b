// Changing a live experiment: epochs, amendments, shadows.
#include <gtest/gtest.h>

#include "service/stand.h"

namespace armature::service::test {
namespace {

Problem wider() {
  Problem problem = small_creation("x", "ucb").problem;
  problem.action_names = {"coupon", "visit", "call"};  // plain is gone, visit is new
  return problem;
}

OpenEpoch epoch(const std::string& policy, Start start) {
  return {"mail", std::nullopt, policy, start, 0, "because"};
}

TEST(Epochs, TeachTheNewPolicyByName) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  for (int i = 0; i < 60; ++i) {
    const Decided decided = stand.decide("mail");
    stand.report(decided, "opened", decided.action == "call" ? 1 : 0);
  }
  OpenEpoch request = epoch("ucb", Start::kReplay);
  request.problem = wider();
  EXPECT_EQ(stand.must<Done>(request).seq, 122u);  // 1 + 60 + 60, and this one
  const Summary summary = stand.fold("mail").summary();
  EXPECT_EQ(summary.epoch, 2u);
  EXPECT_EQ(summary.rounds, 0u);
  ASSERT_EQ(summary.actions.size(), 4u);
  EXPECT_EQ(summary.actions[0].name, "plain");
  EXPECT_FALSE(summary.actions[0].present);
  EXPECT_EQ(summary.actions[3].name, "visit");
  // A policy that has witnessed the same, in the new words.
  Stream luck({7, 2, Purpose::kPolicy});
  auto expected = make_policy("ucb", wider());
  for (const Event& event : stand.memory->experiments[0].events)
    if (event.kind == EventKind::kLearned && *event.action != 0)
      expected->witness(*event.action == 1 ? 0 : 2, {*event.context, *event.reward}, luck);
  for (int i = 0; i < 20; ++i) {
    const Decision chosen = expected->choose(luck);
    const Decided decided = stand.decide("mail");
    EXPECT_EQ(decided.action, wider().action_names[chosen.arm]);
    expected->observe(chosen, {1, 0.5}, luck);
    stand.report(decided, "opened", 0.5);
  }
  const std::uint64_t digest = stand.fold("mail").digest();
  stand.crash();
  EXPECT_EQ(stand.fold("mail").digest(), digest);
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
}

// Decided before, reported after: witnessed by the new policy if it has the action, in the words of
// then; in any case in the record.
TEST(Epochs, OpenDecisionsAreHeardInTheNextOne) {
  Stand stand;
  stand.create(small_creation("mail", "round-robin"));
  const Decided plain = stand.decide("mail");
  const Decided coupon = stand.decide("mail");
  ASSERT_EQ(plain.action, "plain");
  ASSERT_EQ(coupon.action, "coupon");
  OpenEpoch request = epoch("ucb", Start::kReplay);
  request.problem = wider();
  stand.must<Done>(request);
  EXPECT_EQ(stand.report(plain, "opened", 1).status, Status::kLearned);
  EXPECT_EQ(stand.report(coupon, "opened", 1).status, Status::kLearned);
  EXPECT_EQ(stand.look(coupon).action, "coupon");
  EXPECT_EQ(stand.look(coupon).epoch, 1u);
  EXPECT_EQ(stand.decide("mail").action, "coupon");  // it alone has a reward, and index 0
  const Summary summary = stand.fold("mail").summary();
  EXPECT_EQ(summary.actions[0].outcomes.rewards, 1);
  EXPECT_EQ(summary.actions[1].outcomes.rewards, 1);
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
}

TEST(Epochs, BeginFreshOrSinceAnEvent) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  for (int i = 0; i < 20; ++i) stand.report(stand.decide("mail"), "opened", 1);
  const Sequence since = stand.fold("mail").last_seq() + 1;
  for (int i = 0; i < 5; ++i) stand.report(stand.decide("mail"), "opened", 0);
  stand.must<Done>(epoch("ucb", Start::kFresh));
  EXPECT_EQ(stand.decide("mail").action, "plain");  // knows nothing
  OpenEpoch later = epoch("ucb", Start::kSince);
  later.since = since;
  stand.must<Done>(later);
  EXPECT_EQ(stand.decide("mail").action, "coupon");  // knows five times nothing of plain
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
  later.since = 10'000;
  EXPECT_EQ(stand.refused(later), RefusalKind::kField);
}

TEST(Epochs, WhatDoesNotFitIsRefusedAndChangesNothing) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  creation.facts.settings.fallback = "plain";
  stand.create(creation);
  stand.report(stand.decide("mail"), "opened", 1);
  const std::uint64_t digest = stand.fold("mail").digest();
  EXPECT_EQ(stand.refused(epoch("no-such-policy", Start::kReplay)), RefusalKind::kField);
  EXPECT_EQ(stand.refused(epoch("pe", Start::kReplay)), RefusalKind::kField);  // no marginals
  OpenEpoch request = epoch("ucb", Start::kReplay);
  request.problem = wider();  // without the fallback
  EXPECT_EQ(stand.refused(request), RefusalKind::kField);
  request.problem = small_creation("x", "ucb").problem;
  request.problem->context_names = {"ignored", "clicked"};  // 'opened' was seen
  EXPECT_EQ(stand.refused(request), RefusalKind::kField);
  EXPECT_EQ(stand.fold("mail").digest(), digest);
  EXPECT_EQ(stand.fold("mail").epoch().number, 1u);
}

TEST(Amendments, TakeEffectInTheNextEpoch) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  std::vector<Decided> made;
  for (int i = 0; i < 3; ++i) {
    made.push_back(stand.decide("mail"));
    stand.report(made.back(), "opened", 1);
  }
  const Decided open = stand.decide("mail");
  EXPECT_EQ(stand.refused(Amend{"mail", open.decision, {}, {}, ""}), RefusalKind::kState);
  stand.must<Received>(Amend{"mail", made[0].decision, {}, 0.25, "typing mistake"});
  stand.must<Received>(Amend{"mail", made[1].decision, {}, {}, "a robot"});
  EXPECT_EQ(stand.fold("mail").summary().amended, 2u);
  EXPECT_EQ(stand.look(made[0]).reward, 1.0);  // what was learned was learned
  stand.must<Done>(epoch("ucb", Start::kReplay));
  EXPECT_EQ(stand.fold("mail").summary().amended, 0u);

  Stream luck({7, 2, Purpose::kPolicy});
  auto expected = make_policy("ucb", small_creation("x", "ucb").problem);
  const auto number = [](const Decided& decided) { return decided.action_number; };
  expected->witness(number(made[0]), {1, 0.25}, luck);
  expected->witness(number(made[2]), {1, 1}, luck);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(stand.decide("mail").action_number, expected->choose(luck).arm);
  stand.crash();
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
}

// What is told of one half stays when the other is corrected, and a repeat changes nothing.
TEST(Amendments, AddUp) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided decided = stand.decide("mail");
  stand.report(decided, "opened", 1);
  const auto amend = [&](std::optional<Named> context, std::optional<double> reward) {
    return stand.must<Received>(Amend{"mail", decided.decision, std::move(context), reward, ""});
  };
  EXPECT_TRUE(amend({}, 1).repeated);  // that is what was learned
  EXPECT_FALSE(amend({}, 0.25).repeated);
  EXPECT_FALSE(amend(Named("ignored"), {}).repeated);
  const Sequence last = stand.fold("mail").last_seq();
  EXPECT_TRUE(amend({}, 0.25).repeated);
  EXPECT_TRUE(amend(Named("ignored"), 0.25).repeated);
  EXPECT_EQ(stand.fold("mail").last_seq(), last);
  EXPECT_EQ(*stand.fold("mail").find_amendment(decided.seq), (Amendment{0, 0.25}));
  EXPECT_FALSE(amend({}, {}).repeated);  // withdrawn…
  EXPECT_TRUE(amend({}, {}).repeated);
  EXPECT_FALSE(amend({}, 0.5).repeated);  // …and back, as it was learned but for this
  EXPECT_EQ(*stand.fold("mail").find_amendment(decided.seq), (Amendment{1, 0.5}));
}

// Actions and contexts of the past are in the record: their number is limited with them.
TEST(Epochs, AllCellsThereEverWereAreLimited) {
  Stand stand;
  stand.options.most_cells = 12;
  stand.create(small_creation("mail", "ucb"));  // 3 × 2
  OpenEpoch request = epoch("ucb", Start::kReplay);
  request.problem = wider();  // one more action: 4 × 2
  stand.must<Done>(request);
  request.problem->context_names = {"ignored", "opened", "clicked"};  // 4 × 3
  stand.must<Done>(request);
  request.problem = small_creation("mail", "ucb").problem;
  request.problem->context_names = {"ignored", "opened", "bought"};  // 9 now, but 4 × 4 ever
  EXPECT_EQ(stand.refused(request), RefusalKind::kField);
  request.problem->context_names = {"ignored", "clicked"};
  stand.must<Done>(request);
}

TEST(Epochs, ASnapshotThatIsTooLargeIsLeftOut) {
  Stand stand;
  stand.options.snapshot_events = 10;
  stand.options.largest_snapshot = 10;
  stand.create(small_creation("mail", "ucb"));
  for (int i = 0; i < 30; ++i) stand.report(stand.decide("mail"), "opened", 1);
  EXPECT_TRUE(stand.log->snapshots(1).empty());
  const std::uint64_t digest = stand.fold("mail").digest();
  stand.options.largest_snapshot = 100'000;
  stand.crash();
  EXPECT_EQ(stand.fold("mail").digest(), digest);
}

// --- Aside ---------------------------------------------------------------------------------------

// Taught aside, with more coming in between, or by the one who writes: the same to the last bit.
TEST(Prepared, IsAsIfTaughtByTheWriter) {
  for (const char* policy : {"ts", "sentry", "cl-ucb"})
    for (const bool meanwhile_amended : {false, true}) {
      Stand aside;
      Stand writer;
      for (Stand* stand : {&aside, &writer}) stand->create(rich_creation("uniform"));
      Decided first;
      const auto live = [&](int rounds) {
        for (Stand* stand : {&aside, &writer})
          for (int i = 0; i < rounds; ++i) {
            const Decided decided = stand->decide("mail");
            if (first.decision.empty()) first = decided;
            stand->report(decided, i % 3 == 0 ? "opened" : "ignored", i % 7 / 7.0);
          }
      };
      const auto both = [&](const Request& request) {
        Request prepared = request;
        prepare(prepared, *aside.log->reader());
        live(25);
        if (meanwhile_amended)
          for (Stand* stand : {&aside, &writer})
            stand->ask(Amend{"mail", first.decision, {}, 0.125, ""});
        const auto* opens = std::get_if<OpenEpoch>(&prepared);
        const std::shared_ptr<Taught> taught =
            opens != nullptr ? opens->taught : std::get<AddShadow>(prepared).taught;
        ASSERT_NE(taught, nullptr);
        EXPECT_EQ(aside.must<Done>(prepared).seq, writer.must<Done>(request).seq);
        // Used up, unless it was no longer right.
        EXPECT_EQ(taught->shadows.empty(), !meanwhile_amended);
        EXPECT_EQ(aside.fold("mail").digest(), writer.fold("mail").digest());
        first = {};
      };
      live(50);
      both(AddShadow{"mail", policy});
      both(epoch(policy, Start::kReplay));
      OpenEpoch since = epoch("ucb", Start::kSince);
      since.since = 60;
      both(since);
      live(20);
      EXPECT_EQ(aside.fold("mail").digest(), writer.fold("mail").digest()) << policy;
      EXPECT_EQ(check_log(*aside.log).at(0).trouble, "");
    }
}

// What was prepared for something else is not used, and what cannot be is refused by the writer.
// A choice that cannot be is a mistake, however long the log; and what was prepared is gone on
// with.
TEST(Prepared, TellsMistakesAndGoesOn) {
  Stand stand;
  stand.create(rich_creation("ucb"));
  for (int i = 0; i < 50; ++i) stand.report(stand.decide("mail"), "opened", 1);
  const auto refused = [&](Request request) {
    try {
      prepare(request, *stand.log->reader());
    } catch (const Refusal& refusal) {
      return refusal.kind() == RefusalKind::kField;
    }
    return false;
  };
  EXPECT_TRUE(refused(OpenEpoch{"mail", {}, "corral", Start::kReplay, 0, ""}));
  EXPECT_TRUE(refused(OpenEpoch{"mail", {}, "nothing", Start::kReplay, 0, ""}));
  EXPECT_TRUE(refused(AddShadow{"mail", "nothing"}));
  Request request = OpenEpoch{"mail", {}, "ts", Start::kReplay, 0, ""};
  prepare(request, *stand.log->reader());
  for (int i = 0; i < 5; ++i) stand.report(stand.decide("mail"), "opened", 1);
  std::uint64_t lessons = 0;
  stand.memory->on_walk = [&](const Event& event) { lessons += event.seq <= 100 ? 1 : 0; };
  prepare(request, *stand.log->reader());
  stand.memory->on_walk = nullptr;
  // Only recovery has walked over the first hundred, once: from its snapshot, the creation.
  EXPECT_EQ(lessons, 99u);
  EXPECT_EQ(std::get<OpenEpoch>(request).taught->up_to, 111u);
  stand.must<Done>(request);
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
}

// Everybody waits for who writes: what would take it long is done aside, or not at all.
TEST(Prepared, IsAskedForWhereThereIsMuchToLearn) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  std::vector<Request> decides(30'000, Decide{"mail", "", ""});
  std::vector<Request> reports;
  for (const Answer& answer : stand.shard->process(decides))
    reports.push_back(Stand::reporting(std::get<Decided>(answer), "opened", 1));
  stand.shard->process(reports);
  const OpenEpoch epoch{"mail", {}, "ts", Start::kReplay, 0, ""};
  EXPECT_EQ(stand.refused(epoch), RefusalKind::kUnprepared);
  EXPECT_EQ(stand.refused(AddShadow{"mail", "ts"}), RefusalKind::kUnprepared);
  Request prepared = epoch;
  prepare(prepared, *stand.log->reader());
  stand.report(stand.decide("mail"), "opened", 1);  // a few more are no matter
  stand.must<Done>(prepared);
  Request shadow = AddShadow{"mail", "ucb"};
  prepare(shadow, *stand.log->reader());
  stand.must<Done>(shadow);
  EXPECT_EQ(stand.refused(prepared), RefusalKind::kUnprepared);  // for another epoch than now
  // A shadow learns all of it, whatever the policy begins with.
  const OpenEpoch since{"mail", {}, "ucb", Start::kSince, 60'000, ""};
  EXPECT_EQ(stand.refused(since), RefusalKind::kUnprepared);
  stand.must<Done>(RemoveShadow{"mail", "ucb"});
  stand.must<Done>(since);
}

TEST(Prepared, ForSomethingElseIsLeftAlone) {
  Stand stand;
  stand.create(rich_creation("ucb"));
  stand.report(stand.decide("mail"), "opened", 1);
  Request wrong = epoch("no-such-policy", Start::kReplay);
  EXPECT_THROW(prepare(wrong, *stand.log->reader()), Refusal);
  EXPECT_EQ(std::get<OpenEpoch>(wrong).taught, nullptr);
  EXPECT_EQ(stand.refused(wrong), RefusalKind::kField);

  Request request = epoch("ts", Start::kReplay);
  prepare(request, *stand.log->reader());
  std::get<OpenEpoch>(request).policy = "kl-ucb";
  stand.must<Done>(request);
  EXPECT_EQ(stand.fold("mail").session()->policy().text(), "kl-ucb");
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
}

TEST(Shadows, WatchWithoutTouching) {
  Stand alone;
  Stand watched;
  for (Stand* stand : {&alone, &watched}) stand->create(rich_creation("uniform"));
  for (int i = 0; i < 40; ++i)
    for (Stand* stand : {&alone, &watched})
      stand->report(stand->decide("mail"), "opened", i % 2 == 0 ? 1 : 0);
  EXPECT_EQ(watched.must<Done>(AddShadow{"mail", "ucb"}).text, "ucb");
  EXPECT_EQ(watched.must<Done>(AddShadow{"mail", "ucb"}).seq, 0u);  // is there
  watched.must<Done>(AddShadow{"mail", "pe"});                      // cannot witness
  EXPECT_EQ(watched.refused(AddShadow{"mail", "usb"}), RefusalKind::kField);
  for (int i = 0; i < 200; ++i) {
    const Decided one = alone.decide("mail");
    const Decided two = watched.decide("mail");
    ASSERT_EQ(one.action, two.action);
    alone.report(one, "ignored", one.action == "call" ? 1 : 0);
    watched.report(two, "ignored", one.action == "call" ? 1 : 0);
  }
  const Summary summary = watched.fold("mail").summary();
  ASSERT_EQ(summary.shadows.size(), 2u);
  EXPECT_EQ(summary.shadows[0].policy, "ucb");
  EXPECT_EQ(summary.shadows[0].asked, 200u);
  EXPECT_GT(summary.shadows[0].agreed, 0u);
  EXPECT_LT(summary.shadows[0].agreed, 200u);
  const std::uint64_t digest = watched.fold("mail").digest();
  watched.crash();
  EXPECT_EQ(watched.fold("mail").digest(), digest);
  watched.must<Done>(epoch("ts", Start::kReplay));
  EXPECT_EQ(watched.fold("mail").summary().shadows.size(), 2u);
  watched.must<Done>(RemoveShadow{"mail", "ucb"});
  EXPECT_EQ(watched.fold("mail").summary().shadows.size(), 1u);
  EXPECT_EQ(check_log(*watched.log).at(0).trouble, "");
}

// A store that cannot be read is no fault of a shadow: it is not dropped for that.
TEST(Shadows, AreNotBlamedForTheStore) {
  struct Reader final : MemoryReader {
    using MemoryReader::MemoryReader;
    void walk(ExperimentId id, Sequence from, Sequence before, const Visit& visit) override {
      if (busy) throw StoreFailure(StoreFailure::Cause::kBusy, {"memory", "walk", "busy", "idle"});
      MemoryReader::walk(id, from, before, visit);
    }
    bool busy = false;
  };
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  stand.report(stand.decide("mail"), "opened", 1);
  stand.must<Done>(AddShadow{"mail", "ts"});
  Reader reader(stand.memory);
  Fold fold(stand.fold("mail").facts(), reader, 1);
  for (const Event& event : stand.memory->experiments[0].events) fold.replay(event);
  Epoch next = fold.epoch();
  next.number = 2;
  EXPECT_EQ(fold.taught_epoch(next).shadows.at(0).failure(), "");
  reader.busy = true;
  EXPECT_THROW(fold.taught_epoch(next), StoreFailure);
}

// --- Policies that fail --------------------------------------------------------------------------

// Fails a check of its own once it has had five outcomes, where it is told to; and cannot even be
// made while it is `gone`, as after an upgrade to a build that does not have it.
struct Frail {
  static bool gone;

  static PolicyFacts facts() {
    return {.name = "frail",
            .summary = "fails a check",
            .text = "For tests of who survives it.",
            .section = "",
            .parameters = {Parameter::choice("at", {"never", "observe", "state", "diagnostics"})
                               .help("what fails", "")}};
  }
  Frail(const Problem&, const Arguments& arguments) : at(arguments.word("at")) {
    if (gone) throw Error({"", "policy", "frail", "one that is there"});
  }
  Decision choose(Stream&) { return {0, 0}; }
  void observe(Decision, Outcome, Stream&) {
    ++outcomes;
    check("observe");
  }
  void witness(const Tally& tally, Stream&) {
    outcomes += tally.plays;
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
  void check(const std::string& here) const { ARMATURE_CHECK(at != here || outcomes < 5, "frail"); }

  std::string at;
  std::uint64_t outcomes = 0;
};
bool Frail::gone = false;

class FrailTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_policy(policy_entry<Frail>()); }
  void SetUp() override { stand.options.snapshot_events = 8; }
  void TearDown() override { Frail::gone = false; }
  void live(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      stand.clock.pass(kSecond);
      stand.report(stand.decide("mail"), "opened", 0.5);
    }
  }

  Stand stand;
};

// A policy that fails while it is taught is refused, as often as it is asked for: the one at work
// has done nothing wrong.
TEST_F(FrailTest, ANewPolicyThatFailsHarmsNobody) {
  const ThrowingChecks checks;
  stand.create(small_creation("mail", "ucb"));
  live(6);
  const std::uint64_t digest = stand.fold("mail").digest();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(stand.refused(OpenEpoch{"mail", {}, "frail:at=observe", Start::kReplay, 0, ""}),
              RefusalKind::kField);
    EXPECT_EQ(stand.refused(AddShadow{"mail", "frail:at=observe"}), RefusalKind::kField);
  }
  EXPECT_TRUE(stand.shard->quarantined().empty());
  EXPECT_EQ(stand.fold("mail").digest(), digest);
}

// It is gone for good and says why; the policy that decides does not notice, nor does a replay.
TEST_F(FrailTest, AShadowFailsAlone) {
  const ThrowingChecks checks;
  for (const char* at : {"observe", "state", "diagnostics"}) {
    Stand own;
    own.options.snapshot_events = 8;
    own.create(small_creation("mail", "ucb"));
    own.must<Done>(AddShadow{"mail", std::string("frail:at=") + at});
    own.must<Done>(AddShadow{"mail", "ts"});
    for (int i = 0; i < 20; ++i) {
      own.clock.pass(kSecond);
      own.report(own.decide("mail"), "opened", 0.5);
    }
    EXPECT_TRUE(own.shard->quarantined().empty()) << at;
    EXPECT_EQ(own.fold("mail").session()->evidence().outcomes(), 20u);
    const auto shadows = own.published.at("mail")->shadows;
    ASSERT_EQ(shadows.size(), 2u);
    // Who cannot be saved says so when it comes back from a snapshot.
    EXPECT_EQ(shadows[0].failure.empty(), std::string(at) == "state") << at;
    EXPECT_EQ(shadows[1].failure, "");
    const std::uint64_t digest = own.fold("mail").digest();
    EXPECT_EQ(check_log(*own.log).at(0).trouble, "") << at;
    own.crash();
    EXPECT_EQ(own.fold("mail").digest(), digest) << at;
    EXPECT_EQ(own.shard->replay_mismatches(), 0u) << at;
    EXPECT_NE(own.fold("mail").summary().shadows[0].failure, "") << at;
  }
}

TEST_F(FrailTest, AShadowThatNoLongerLoadsVoidsNoSnapshot) {
  stand.create(small_creation("mail", "ucb"));
  stand.must<Done>(AddShadow{"mail", "frail"});
  live(20);
  Frail::gone = true;
  stand.crash();
  EXPECT_EQ(stand.shard->replay_mismatches(), 0u);
  EXPECT_TRUE(stand.shard->quarantined().empty());
  EXPECT_EQ(stand.fold("mail").session()->evidence().outcomes(), 20u);
  EXPECT_NE(stand.fold("mail").summary().shadows.at(0).failure, "");
  live(5);
  // Not even when there is nothing but the log.
  stand.memory->experiments[0].snapshots.clear();
  stand.crash();
  EXPECT_TRUE(stand.shard->quarantined().empty());
  EXPECT_EQ(stand.fold("mail").session()->evidence().outcomes(), 25u);
}

// Quarantine does not need what is broken: the fallback is answered and reports are kept, whether
// there are snapshots or not, with epochs in the log that were taught.
TEST_F(FrailTest, QuarantineNeedsNoPolicy) {
  for (const bool with_snapshots : {true, false}) {
    Stand own;
    own.options.snapshot_events = 8;
    Creation creation = small_creation("mail", "frail");
    creation.facts.settings.fallback = "call";
    own.create(creation);
    for (int i = 0; i < 5; ++i) own.report(own.decide("mail"), "opened", 1);
    own.must<Done>(OpenEpoch{"mail", {}, {}, Start::kReplay, 0, ""});
    for (int i = 0; i < 5; ++i) own.report(own.decide("mail"), "opened", 1);
    const Decided open = own.decide("mail");
    // With snapshots it begins there, and what was before could not even be read.
    auto& stored = own.memory->experiments[0];
    if (with_snapshots)
      stored.events[1].action = 99;
    else
      stored.snapshots.clear();
    Frail::gone = true;
    own.crash();
    ASSERT_NE(own.shard->find("mail"), nullptr) << with_snapshots;
    EXPECT_EQ(own.shard->quarantined(), std::vector<std::string>{"mail"});
    EXPECT_TRUE(own.decide("mail").fallback);
    EXPECT_EQ(own.report(open, "opened", 1).status, Status::kLearned);
    EXPECT_EQ(own.fold("mail").summary().learned, 11u);
    own.crash();
    EXPECT_TRUE(own.decide("mail").fallback);
    own.must<Done>(OpenEpoch{"mail", {}, "ucb", Start::kReplay, 0, "another policy"});
    EXPECT_FALSE(own.decide("mail").fallback);
    EXPECT_EQ(own.fold("mail").session()->evidence().outcomes(), 11u);
    Frail::gone = false;
  }
}

// Whoever was paused is paused when quarantine ends; whoever had finished decides no more.
TEST_F(FrailTest, PausedAndFinishedSurviveQuarantine) {
  for (const bool finished : {false, true}) {
    Stand own;
    Creation creation = small_creation("mail", "frail");
    creation.facts.settings.fallback = "call";
    own.create(creation);
    const Decided decided = own.decide("mail");
    if (finished)
      own.must<Done>(Finish{"mail", "it won"});
    else
      own.must<Done>(Pause{"mail", "for lunch"});
    Frail::gone = true;
    own.crash();
    Frail::gone = false;
    own.crash();
    EXPECT_FALSE(own.fold("mail").has_policy());
    EXPECT_EQ(own.report(decided, "opened", 1).status, Status::kLearned);
    const OpenEpoch next{"mail", {}, "ucb", Start::kReplay, 0, ""};
    if (finished) {
      EXPECT_EQ(own.fold("mail").state(), ExperimentState::kFinished);
      EXPECT_EQ(own.fold("mail").state_reason(), "it won");
      EXPECT_EQ(own.refused(Decide{"mail", "", ""}), RefusalKind::kState);
      EXPECT_EQ(own.refused(next), RefusalKind::kState);
    } else {
      EXPECT_EQ(own.fold("mail").state(), ExperimentState::kQuarantined);
      EXPECT_TRUE(own.decide("mail").fallback);
      own.must<Done>(next);
      EXPECT_EQ(own.fold("mail").state(), ExperimentState::kPaused);
      EXPECT_EQ(own.fold("mail").state_reason(), "for lunch");
      EXPECT_TRUE(own.decide("mail").fallback);
      own.must<Done>(Resume{"mail", ""});
      EXPECT_FALSE(own.decide("mail").fallback);
    }
    EXPECT_EQ(check_log(*own.log).at(0).trouble, "");
  }
}

}  // namespace
}  // namespace armature::service::test
