// The life of a decision: every way from open to its end, and every repeat on the way.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "service/stand.h"

namespace armature::service::test {
namespace {

Creation with_silence(const std::string& name) {
  Creation creation = small_creation(name, "ucb");
  creation.facts.settings.silence = Silence{"ignored", 0};
  creation.facts.settings.deadline = kHour;
  return creation;
}

TEST(Life, AnOutcomeInOneCall) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided decided = stand.decide("mail");
  EXPECT_EQ(decided.decision, decision_id("mail", 2));  // the epoch is event 1
  EXPECT_EQ(decided.action, "plain");                   // ties go to the lowest
  EXPECT_EQ(decided.propensity, 1.0);
  EXPECT_EQ(stand.look(decided).status, Status::kOpen);
  EXPECT_EQ(stand.report(decided, "opened", 1).status, Status::kLearned);
  const DecisionView view = stand.look(decided);
  EXPECT_EQ(view.status, Status::kLearned);
  EXPECT_EQ(view.context, "opened");
  EXPECT_EQ(view.reward, 1.0);
  EXPECT_EQ(view.closed, 3u);
  EXPECT_EQ(view.cause, "");
}

TEST(Life, TwoPartsInEitherOrder) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided one = stand.decide("mail");
  EXPECT_EQ(stand.report(one, "opened", std::nullopt).status, Status::kWaiting);
  EXPECT_EQ(stand.look(one).context, "opened");
  EXPECT_EQ(stand.report(one, std::nullopt, 0.5).status, Status::kLearned);
  const Decided two = stand.decide("mail");
  EXPECT_EQ(stand.report(two, std::nullopt, 0.5).status, Status::kWaiting);
  EXPECT_EQ(stand.report(two, "ignored", 0.5).status, Status::kLearned);
  EXPECT_EQ(stand.fold("mail").summary().learned, 2u);
}

TEST(Life, RepeatsAreAnsweredAlikeAndContradictionsRefused) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided decided = stand.decide("mail");
  stand.report(decided, "opened", std::nullopt);
  EXPECT_TRUE(stand.report(decided, "opened", std::nullopt).repeated);
  EXPECT_EQ(stand.refused(Stand::reporting(decided, "ignored", {})), RefusalKind::kConflict);
  stand.report(decided, "opened", 1);
  const Sequence before = stand.fold("mail").last_seq();
  const std::uint64_t digest = stand.fold("mail").digest();
  const Received again = stand.report(decided, "opened", 1);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.status, Status::kLearned);
  EXPECT_TRUE(stand.report(decided, std::nullopt, 1).repeated);
  EXPECT_EQ(stand.refused(Stand::reporting(decided, "opened", 0.5)), RefusalKind::kConflict);
  EXPECT_EQ(stand.refused(Forget{"mail", decided.decision}), RefusalKind::kConflict);
  EXPECT_EQ(stand.fold("mail").last_seq(), before);
  EXPECT_EQ(stand.fold("mail").digest(), digest);
}

TEST(Life, ForgottenThenReportedIsLate) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided decided = stand.decide("mail");
  EXPECT_EQ(stand.must<Received>(Forget{"mail", decided.decision}).status, Status::kForgotten);
  EXPECT_TRUE(stand.must<Received>(Forget{"mail", decided.decision}).repeated);
  EXPECT_EQ(stand.report(decided, std::nullopt, 1).status, Status::kLate);
  EXPECT_TRUE(stand.report(decided, std::nullopt, 1).repeated);
  EXPECT_EQ(stand.report(decided, "opened", std::nullopt).status, Status::kLate);
  EXPECT_EQ(stand.report(decided, std::nullopt, 0).status, Status::kLate);  // heard, too
  const DecisionView view = stand.look(decided);
  EXPECT_EQ(view.status, Status::kLate);
  EXPECT_EQ(view.context, "opened");
  EXPECT_EQ(view.reward, 0.0);
  const Summary summary = stand.fold("mail").summary();
  EXPECT_EQ(summary.late, 1u);
  EXPECT_EQ(summary.forgotten, 0u);
  EXPECT_EQ(summary.learned, 0u);
}

TEST(Life, SilenceIsForgottenAtTheDeadline) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));  // 24 hours
  const Decided decided = stand.decide("mail");
  stand.report(decided, "opened", std::nullopt);
  stand.clock.pass(24 * kHour - 1);
  stand.shard->process({});
  EXPECT_EQ(stand.look(decided).status, Status::kWaiting);
  EXPECT_EQ(stand.shard->next_wake(), stand.clock.monotonic_now + 1);
  stand.clock.pass(1);
  stand.shard->process({});
  const DecisionView view = stand.look(decided);
  EXPECT_EQ(view.status, Status::kForgotten);
  EXPECT_EQ(view.cause, "deadline");
  EXPECT_EQ(stand.report(decided, "opened", 1).status, Status::kLate);
}

// A part that was acknowledged stays told: said again it is a repeat, and what else comes is kept.
TEST(Life, WhatWasToldBeforeItWasForgottenIsRemembered) {
  for (const bool by_deadline : {true, false}) {
    Stand stand;
    stand.create(small_creation("mail", "ucb"));
    const Decided decided = stand.decide("mail");
    stand.report(decided, "opened", std::nullopt);
    if (by_deadline)
      stand.clock.pass(24 * kHour);
    else
      stand.must<Received>(Forget{"mail", decided.decision});
    stand.shard->process({});
    const Received again = stand.report(decided, "opened", std::nullopt);
    EXPECT_TRUE(again.repeated);
    EXPECT_EQ(again.status, Status::kForgotten);
    EXPECT_EQ(stand.look(decided).context, "opened");
    EXPECT_EQ(stand.fold("mail").summary().late, 0u);
    EXPECT_EQ(stand.report(decided, std::nullopt, 1).status, Status::kLate);
    EXPECT_EQ(stand.look(decided).context, "opened");
    // Whoever says something else after the end is heard: nothing was learned, nothing is undone.
    const Received other = stand.report(decided, "ignored", 0);
    EXPECT_EQ(other.status, Status::kLate);
    EXPECT_FALSE(other.repeated);
    EXPECT_TRUE(stand.report(decided, "ignored", 0).repeated);
    EXPECT_EQ(stand.look(decided).context, "ignored");
    EXPECT_EQ(stand.look(decided).reward, 0.0);
    EXPECT_EQ(stand.fold("mail").summary().late, 1u);
    EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
  }
}

// Silence filled in the other half: it may come late, and so may anything else.
TEST(Life, HalfASilenceMayBeFilledInLater) {
  Stand stand;
  stand.create(with_silence("mail"));
  const Decided context = stand.decide("mail");
  const Decided reward = stand.decide("mail");
  stand.report(context, "opened", std::nullopt);
  stand.report(reward, std::nullopt, 1);
  stand.clock.pass(kHour);
  stand.shard->process({});
  EXPECT_EQ(stand.look(context).cause, "silence");
  EXPECT_EQ(stand.look(reward).cause, "silence");
  EXPECT_TRUE(stand.report(context, "opened", std::nullopt).repeated);
  EXPECT_TRUE(stand.report(context, std::nullopt, 0).repeated);  // as silence had it
  EXPECT_EQ(stand.look(context).status, Status::kLearned);
  EXPECT_EQ(stand.report(context, std::nullopt, 1).status, Status::kLate);
  EXPECT_EQ(stand.look(context).context, "opened");
  EXPECT_EQ(stand.look(context).reward, 1.0);
  EXPECT_EQ(stand.report(reward, "opened", 1).status, Status::kLate);
  EXPECT_EQ(stand.report(reward, std::nullopt, 0).status, Status::kLate);
  EXPECT_EQ(stand.look(reward).reward, 0.0);
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
}

// A part of a late report that happens to be what silence stood for is a part all the same: it is
// acknowledged, so it is kept.
TEST(Life, NoPartOfALateReportIsLost) {
  Stand stand;
  stand.create(with_silence("mail"));  // silence is ignored, 0
  std::vector<Decided> made;
  for (int i = 0; i < 4; ++i) made.push_back(stand.decide("mail"));
  stand.clock.pass(kHour);
  stand.shard->process({});
  const auto expect = [&](const Decided& decided, const char* context, double reward) {
    EXPECT_EQ(stand.look(decided).status, Status::kLate);
    EXPECT_EQ(stand.look(decided).context, context);
    EXPECT_EQ(stand.look(decided).reward, reward);
  };
  EXPECT_TRUE(stand.report(made[0], "ignored", 0).repeated);
  EXPECT_FALSE(stand.report(made[0], "ignored", std::nullopt).repeated);
  expect(made[0], "ignored", 0);
  stand.report(made[0], std::nullopt, 1);
  expect(made[0], "ignored", 1);
  stand.report(made[1], std::nullopt, 1);
  stand.report(made[1], "ignored", std::nullopt);
  expect(made[1], "ignored", 1);
  stand.report(made[2], "opened", std::nullopt);
  EXPECT_FALSE(stand.report(made[2], std::nullopt, 0).repeated);
  expect(made[2], "opened", 0);
  EXPECT_TRUE(stand.report(made[2], std::nullopt, 0).repeated);
  EXPECT_TRUE(stand.report(made[3], "ignored", 0).repeated);  // all of it, just so
  EXPECT_EQ(stand.look(made[3]).status, Status::kLearned);
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
}

TEST(Life, DelaysAreThoseOfTheFirstReport) {
  Stand stand;
  stand.create(with_silence("mail"));
  const Decided told = stand.decide("mail");
  stand.decide("mail");  // nobody ever reports on this one
  stand.clock.pass(3 * kSecond);
  stand.report(told, std::nullopt, 1);
  stand.clock.pass(kMinute);
  stand.report(told, "opened", std::nullopt);
  stand.clock.pass(kHour);
  stand.shard->process({});
  const Summary summary = stand.fold("mail").summary();
  EXPECT_EQ(summary.learned, 2u);
  for (std::size_t i = 0; i < kDelayBuckets; ++i)
    EXPECT_EQ(summary.delays[i], i == 2 ? 1u : 0u) << i;  // from 2 to 4 seconds
}

TEST(Life, WithARuleForSilenceEverythingIsLearnedAtTheDeadline) {
  Stand stand;
  stand.create(with_silence("mail"));
  const Decided told = stand.decide("mail");
  const Decided half = stand.decide("mail");
  const Decided silent = stand.decide("mail");
  EXPECT_EQ(stand.report(told, "opened", 1).status, Status::kWaiting);
  EXPECT_EQ(stand.report(half, "opened", std::nullopt).status, Status::kWaiting);
  EXPECT_EQ(stand.fold("mail").summary().learned, 0u);
  stand.clock.pass(kHour);
  stand.shard->process({});
  EXPECT_EQ(stand.fold("mail").summary().learned, 3u);
  EXPECT_EQ(stand.look(told).cause, "deadline");
  EXPECT_EQ(stand.look(half).cause, "silence");
  EXPECT_EQ(stand.look(half).context, "opened");
  EXPECT_EQ(stand.look(half).reward, 0.0);
  EXPECT_EQ(stand.look(silent).context, "ignored");
  // What was told is told; what stood for silence is not contradicted by a late report.
  EXPECT_EQ(stand.refused(Stand::reporting(told, "opened", 0)), RefusalKind::kConflict);
  EXPECT_TRUE(stand.report(silent, "ignored", 0).repeated);
  EXPECT_EQ(stand.report(silent, "opened", 1).status, Status::kLate);
  const Summary summary = stand.fold("mail").summary();
  EXPECT_EQ(summary.learned, 2u);
  EXPECT_EQ(summary.late, 1u);
  EXPECT_EQ(summary.actions[0].outcomes.learned + summary.actions[1].outcomes.learned +
                summary.actions[2].outcomes.learned,
            3u);  // learned it was
}

TEST(Life, ARewardAloneWhereContextsAreOptional) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  creation.facts.settings.contexts_optional = true;
  stand.create(creation);
  const Decided decided = stand.decide("mail");
  EXPECT_EQ(stand.report(decided, std::nullopt, 1).status, Status::kLearned);
  EXPECT_EQ(stand.look(decided).context, std::nullopt);
  EXPECT_EQ(stand.refused(Stand::reporting(decided, "opened", 1)), RefusalKind::kConflict);
}

TEST(Life, BadInputChangesNothing) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  stand.create(small_creation("post", "ucb"));
  const Decided decided = stand.decide("mail");
  const Decided elsewhere = stand.decide("post");
  const std::uint64_t digest = stand.fold("mail").digest();
  const auto refused = [&](const Report& report) { return stand.refused(report); };
  Report report{"mail", decided.decision, {}, {}};
  EXPECT_EQ(refused(report), RefusalKind::kField);
  for (const double reward : {-0.1, 1.0000001, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()}) {
    report.reward = reward;
    EXPECT_EQ(refused(report), RefusalKind::kField) << reward;
  }
  report.reward = 1;
  report.context = Named("opend");
  EXPECT_EQ(refused(report), RefusalKind::kField);
  report.context = Named(std::uint64_t{2});
  EXPECT_EQ(refused(report), RefusalKind::kField);
  report.context = Named(std::uint64_t{1});
  report.decision = decision_id("mail", 99);
  EXPECT_EQ(refused(report), RefusalKind::kNoDecision);
  report.decision = decision_id("mail", 1);  // an event, but no decision
  EXPECT_EQ(refused(report), RefusalKind::kNoDecision);
  report.decision = elsewhere.decision;
  EXPECT_EQ(refused(report), RefusalKind::kElsewhere);
  report.decision = decided.decision + "0";
  EXPECT_EQ(refused(report), RefusalKind::kMistyped);
  EXPECT_EQ(stand.refused(Decide{"male", "", ""}), RefusalKind::kNoExperiment);
  EXPECT_EQ(stand.refused(Decide{"mail", std::string(129, 'k'), ""}), RefusalKind::kField);
  EXPECT_EQ(stand.fold("mail").digest(), digest);
}

TEST(Life, MinusZeroIsZero) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided decided = stand.decide("mail");
  stand.report(decided, "opened", -0.0);
  EXPECT_FALSE(std::signbit(*stand.look(decided).reward));
}

TEST(Life, TooManyOpenDecisionsAreRefused) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  creation.facts.settings.most_open = 2;
  stand.create(creation);
  const Decided one = stand.decide("mail");
  stand.decide("mail");
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kTooManyOpen);
  stand.report(one, "opened", 1);
  stand.decide("mail");
}

// --- Keys ----------------------------------------------------------------------------------------

TEST(Keys, TheSameKeyIsTheSameDecision) {
  Stand stand;
  stand.create(small_creation("mail", "ts"));
  const Decided first = stand.decide("mail", "visitor-1");
  const Decided other = stand.decide("mail", "visitor-2");
  EXPECT_NE(first.decision, other.decision);
  for (const bool crash : {false, true}) {
    if (crash) stand.crash();
    const Decided again = stand.decide("mail", "visitor-1");
    EXPECT_TRUE(again.repeated);
    EXPECT_EQ(again.decision, first.decision);
    EXPECT_EQ(again.action, first.action);
    EXPECT_EQ(stand.refused(Decide{"mail", "visitor-1", "something else"}),
              RefusalKind::kKeyReused);
  }
  EXPECT_EQ(stand.fold("mail").summary().decisions, 2u);
}

// By hand: 100,000 keys are always known; older ones go after ten minutes, when new ones come.
TEST(Keys, GoWhenTheyAreOldAndMany) {
  RecentKeys keys;
  const auto hash = [](std::uint64_t i) { return key_hash(std::to_string(i), ""); };
  Time time = 0;
  for (std::uint64_t i = 1; i <= RecentKeys::kLeast + 10; ++i) keys.add(hash(i), i, time);
  EXPECT_EQ(keys.find(hash(1)).seq, 1u);  // many, but not old
  time += RecentKeys::kWindow + 1;
  keys.add(hash(1), 500'000, time);  // comes anew
  EXPECT_EQ(keys.size(), RecentKeys::kLeast);
  EXPECT_EQ(keys.find(hash(1)).seq, 500'000u);
  EXPECT_EQ(keys.find(hash(11)).seq, 0u);
  EXPECT_EQ(keys.find(hash(12)).seq, 12u);
}

// Read backwards from a log they are the same ones.
TEST(Keys, AreTheSameReadBackwards) {
  const auto hash = [](std::uint64_t i) { return key_hash(std::to_string(i % 150'000), ""); };
  const auto time = [](std::uint64_t i) { return static_cast<Time>(i) * kSecond / 100; };
  RecentKeys forwards;
  for (std::uint64_t i = 1; i <= 220'000; ++i) forwards.add(hash(i), i, time(i));
  RecentKeys backwards;
  std::uint64_t read = 0;
  for (std::uint64_t i = 220'000; backwards.add_older(hash(i), i, time(i)); --i) ++read;
  EXPECT_EQ(read, 100'000u);  // ten minutes are 60,000
  EXPECT_EQ(backwards.size(), forwards.size());
  for (std::uint64_t i = 0; i < 150'000; ++i)
    ASSERT_EQ(backwards.find(hash(i)).seq, forwards.find(hash(i)).seq) << i;
}

// --- States --------------------------------------------------------------------------------------

TEST(States, PausedAnswersTheFallback) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  creation.facts.settings.fallback = "call";
  stand.create(creation);
  const Decided before = stand.decide("mail");
  stand.must<Done>(Pause{"mail", "the shop is closed"});
  EXPECT_EQ(stand.must<Done>(Pause{"mail", ""}).seq, 0u);
  const Decided fallback = stand.decide("mail", "k");
  EXPECT_TRUE(fallback.fallback);
  EXPECT_EQ(fallback.action, "call");
  EXPECT_EQ(fallback.propensity, 1.0);
  EXPECT_TRUE(stand.decide("mail", "k").fallback);
  EXPECT_EQ(stand.report(before, "opened", 1).status, Status::kLearned);
  EXPECT_EQ(stand.report(fallback, "opened", 1).status, Status::kLearned);
  EXPECT_EQ(stand.fold("mail").summary().state_reason, "the shop is closed");
  stand.must<Done>(Resume{"mail", ""});
  EXPECT_FALSE(stand.decide("mail").fallback);
}

TEST(States, PausedWithoutAFallbackRefuses) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  stand.must<Done>(Pause{"mail", ""});
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kPaused);
}

// Without outcomes ucb begins with the lowest; after four of nothing it tries another.
TEST(States, WhatTheFallbackBroughtIsLearned) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  creation.facts.settings.fallback = "plain";
  stand.create(creation);
  stand.must<Done>(Pause{"mail", ""});
  for (int i = 0; i < 4; ++i) stand.report(stand.decide("mail"), "opened", 0);
  stand.must<Done>(Resume{"mail", ""});
  EXPECT_EQ(stand.decide("mail").action, "coupon");
}

TEST(States, FinishedDecidesNoMoreButListens) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided decided = stand.decide("mail", "k");
  stand.must<Done>(Finish{"mail", "it won"});
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kState);
  EXPECT_TRUE(stand.decide("mail", "k").repeated);
  EXPECT_EQ(stand.report(decided, "opened", 1).status, Status::kLearned);
  EXPECT_EQ(stand.refused(Resume{"mail", ""}), RefusalKind::kState);
  EXPECT_EQ(stand.refused(OpenEpoch{"mail", {}, {}, Start::kFresh, 0, ""}), RefusalKind::kState);
}

TEST(States, TheHorizonIsSaidOrKept) {
  Stand stand;
  Creation creation = small_creation("goes-on", "ucb");
  creation.problem.horizon = 2;
  stand.create(creation);
  creation.facts.name = "stops";
  creation.facts.settings.stop_at_horizon = true;
  stand.create(creation);
  for (const char* name : {"goes-on", "stops"}) {
    EXPECT_FALSE(stand.decide(name).beyond_horizon);
    EXPECT_FALSE(stand.decide(name).beyond_horizon);
  }
  EXPECT_TRUE(stand.decide("goes-on", "k").beyond_horizon);
  EXPECT_TRUE(stand.decide("goes-on", "k").beyond_horizon);
  EXPECT_EQ(stand.refused(Decide{"stops", "", ""}), RefusalKind::kState);
}

// A reward alone teaches nothing to who goes by contexts.
TEST(States, ContextsAreOptionalForThoseWhoIgnoreThem) {
  Stand stand;
  for (const char* policy :
       {"ucb", "ts", "kl-ucb", "moss", "exp3", "uniform", "pe", "floor:base=ucb"}) {
    Creation creation = rich_creation(policy);
    creation.facts.name = std::string("ignores-") + std::to_string(stand.published.size());
    creation.facts.settings.contexts_optional = true;
    stand.create(creation);
  }
  for (const char* policy : {"sentry", "warden", "c-ucb", "c-ts", "hac-ucb", "learned-marginals",
                             "corral", "db", "floor:base=sentry"}) {
    Creation creation = rich_creation(policy);
    creation.facts.settings.contexts_optional = true;
    EXPECT_EQ(stand.refused(Create{creation}), RefusalKind::kField) << policy;
    creation.facts.settings.contexts_optional = false;
    creation.facts.name = std::string("needs-") + std::to_string(stand.published.size());
    stand.create(creation);
  }
  EXPECT_EQ(stand.refused(OpenEpoch{"ignores-0", {}, "sentry", Start::kReplay, 0, ""}),
            RefusalKind::kField);
  EXPECT_EQ(stand.refused(AddShadow{"ignores-0", "sentry"}), RefusalKind::kField);
  // What came without a context goes into any problem.
  const Decided before = stand.decide("ignores-0");
  EXPECT_EQ(stand.report(before, std::nullopt, 1).status, Status::kLearned);
  const Decided after = stand.decide("ignores-0");
  OpenEpoch request{"ignores-0", rich_creation("ucb").problem, {}, Start::kReplay, 0, ""};
  request.problem->context_names = {"other", "names"};
  stand.must<Done>(request);
  EXPECT_EQ(stand.report(after, std::nullopt, 1).status, Status::kLearned);
  EXPECT_EQ(stand.fold("ignores-0").session()->evidence().outcomes(), 2u);
}

// Somebody else decides and tells; a shadow says what it would have done, and takes over in the
// end.
TEST(External, IsToldAndWatched) {
  Stand stand;
  Creation creation = rich_creation("external");
  stand.create(creation);
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kField);
  EXPECT_EQ(stand.refused(Decide{"mail", "", "", Named(std::string("fax"))}), RefusalKind::kField);
  EXPECT_EQ(stand.refused(Decide{"mail", "", "", Named(std::uint64_t{1}), 0.0}),
            RefusalKind::kField);
  stand.must<Done>(AddShadow{"mail", "ucb"});
  const Decide told{"mail", "a", "", Named(std::string("call")), 0.5};
  const Decided first = stand.must<Decided>(told);
  EXPECT_EQ(first.action, "call");
  EXPECT_EQ(first.propensity, 0.5);
  EXPECT_TRUE(stand.must<Decided>(told).repeated);
  EXPECT_EQ(stand.refused(Decide{"mail", "a", "", Named(std::string("plain")), 0.5}),
            RefusalKind::kKeyReused);
  stand.report(first, "opened", 1);
  for (int i = 0; i < 30; ++i) {
    const Decide next{"mail", "", "", Named(std::uint64_t{static_cast<unsigned>(i) % 3})};
    const Decided decided = stand.must<Decided>(next);
    EXPECT_FALSE(decided.propensity.has_value());
    stand.report(decided, "opened", i % 3 == 2 ? 1 : 0);
  }
  EXPECT_EQ(stand.fold("mail").summary().shadows.at(0).asked, 31u);
  EXPECT_EQ(stand.fold("mail").summary().learned, 31u);
  stand.must<Done>(Pause{"mail", ""});
  EXPECT_TRUE(stand.must<Decided>(told).repeated);
  // What was done elsewhere is not recorded as something else.
  EXPECT_EQ(stand.refused(Decide{"mail", "", "", Named(std::string("call"))}),
            RefusalKind::kPaused);
  stand.must<Done>(Resume{"mail", ""});
  const std::uint64_t digest = stand.fold("mail").digest();
  stand.crash();
  EXPECT_EQ(stand.fold("mail").digest(), digest);
  stand.must<Done>(OpenEpoch{"mail", {}, "ucb", Start::kReplay, 0, "it knows enough"});
  EXPECT_EQ(stand.decide("mail").action, "call");
  EXPECT_TRUE(stand.must<Decided>(told).repeated);
  EXPECT_EQ(stand.refused(Decide{"mail", "", "", Named(std::string("call"))}), RefusalKind::kField);
  EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
  EXPECT_EQ(stand.shard->replay_mismatches(), 0u);
  creation.facts.name = "floored";
  creation.facts.settings.floor = 0.1;
  EXPECT_EQ(stand.refused(Create{creation}), RefusalKind::kField);
  creation.facts.settings.floor = 0;
  creation.facts.settings.stop_at_horizon = true;
  EXPECT_EQ(stand.refused(Create{creation}), RefusalKind::kField);
}

TEST(States, CreatingTwiceIsARepeatOrAConflict) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  stand.create(creation);
  stand.clock.pass(kHour);
  EXPECT_TRUE(stand.must<Created>(Create{creation}).repeated);
  creation.facts.seed = 8;
  EXPECT_EQ(stand.refused(Create{creation}), RefusalKind::kConflict);
}

}  // namespace
}  // namespace armature::service::test
