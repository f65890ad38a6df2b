// The fold is a function of events: replayed it is the same to the last bit, from the beginning or
// from any snapshot, and what does not replay is noticed.
#include "service/fold.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "service/replay_check.h"
#include "service/stand.h"

namespace armature::service::test {
namespace {

// A stretch of life with all there is in it, out of order and forgotten in part.
void live(Stand& stand, const std::string& name, int steps, std::uint32_t luck_number) {
  Stream luck({11, luck_number, Purpose::kTest});
  std::vector<Decided> open;
  for (int i = 0; i < steps; ++i) {
    stand.clock.pass(kSecond);
    if (open.size() < 5 || luck.uniform() < 0.4) {
      const Answer answer = stand.ask(
          Decide{name, luck.uniform() < 0.5 ? fmt::format("{}-{}", luck_number, i) : "", ""});
      if (const auto* decided = std::get_if<Decided>(&answer)) open.push_back(*decided);
      continue;
    }
    const std::size_t pick = uniform_index(luck, static_cast<std::uint32_t>(open.size()));
    const Decided decided = open[pick];
    const std::string context = luck.uniform() < 0.5 ? "opened" : "ignored";
    const double dice = luck.uniform();
    if (dice < 0.1) {
      stand.must<Received>(Forget{name, decided.decision});
    } else if (dice < 0.3) {
      stand.report(decided, context, std::nullopt);
      stand.report(decided, std::nullopt, luck.uniform());
    } else {
      stand.report(decided, context, luck.uniform());
    }
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(pick));
  }
}

std::uint64_t replayed_digest(Stand& stand, const std::string& name, Sequence from) {
  LogReader& log = *stand.log;
  const StoredExperiment stored = log.experiments().at(0);
  EXPECT_EQ(stored.facts.name, name);
  Fold fold = from == 0
                  ? Fold(stored.facts, log, stored.id)
                  : Fold::load(stored.facts, log, stored.id, log.snapshot(stored.id, from).value());
  log.walk(stored.id, fold.last_seq() + 1, 1'000'000,
           [&](const Event& event) { fold.replay(event); });
  return fold.digest();
}

class EveryPolicy : public testing::TestWithParam<std::string> {};

TEST_P(EveryPolicy, ReplaysFromTheBeginningAndFromEverySnapshot) {
  Stand stand;
  stand.options.snapshot_events = 50;
  stand.create(rich_creation(GetParam()));
  live(stand, "mail", 400, 1);
  stand.must<Done>(Pause{"mail", ""});
  live(stand, "mail", 20, 2);
  stand.must<Done>(Resume{"mail", ""});
  live(stand, "mail", 100, 3);
  const std::uint64_t digest = stand.fold("mail").digest();
  EXPECT_EQ(replayed_digest(stand, "mail", 0), digest);
  const std::vector<Sequence> snapshots = stand.log->snapshots(1);
  EXPECT_EQ(snapshots.size(), 3u);  // the anchor and the two newest
  for (const Sequence seq : snapshots) EXPECT_EQ(replayed_digest(stand, "mail", seq), digest);
  stand.crash();
  EXPECT_EQ(stand.fold("mail").digest(), digest);
  EXPECT_EQ(stand.shard->replay_mismatches(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Fold, EveryPolicy,
                         testing::Values("ucb", "c-ucb", "sentry", "warden", "ts", "c-ts", "cl-ts",
                                         "pe", "corral", "db", "exp3", "floor:base=ts", "moss",
                                         "hac-ucb", "learned-marginals", "d3rb"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

TEST(Fold, AMadeUpDecisionIsNoticed) {
  for (const char* field : {"action", "ticket", "position", "propensity", "time", "seq"}) {
    Stand stand;
    stand.create(small_creation("mail", "ts"));
    live(stand, "mail", 30, 1);
    auto& events = stand.memory->experiments[0].events;
    const auto made = std::find_if(events.begin() + 10, events.end(), [](const Event& event) {
      return event.kind == EventKind::kDecided;
    });
    const std::string name = field;
    if (name == "action") made->action = (*made->action + 1) % 3;
    if (name == "ticket") made->ticket = *made->ticket + 1;
    if (name == "position") made->position = *made->position + 1;
    if (name == "propensity") made->propensity = 0.123;
    if (name == "time") made->time = 1;
    if (name == "seq") made->seq += 1;
    try {
      replayed_digest(stand, "mail", 0);
      ADD_FAILURE() << name << " went unnoticed";
    } catch (const ReplayMismatch& mismatch) {
      EXPECT_NE(std::string(mismatch.what()).find(name), std::string::npos) << mismatch.what();
    }
  }
}

// Every byte, flipped: refused, or (where nothing depends on it) never. States are little, so all
// of them are tried.
TEST(Fold, ADamagedSnapshotIsRefused) {
  Stand stand;
  stand.options.snapshot_events = 20;
  stand.create(rich_creation("sentry"));
  live(stand, "mail", 60, 1);
  const Sequence seq = stand.log->snapshots(1).front();
  const Snapshot good = stand.log->snapshot(1, seq).value();
  const ExperimentFacts facts = stand.log->experiments().at(0).facts;
  for (std::size_t at = 0; at < good.state.size(); ++at) {
    Snapshot bad = good;
    bad.state[at] = static_cast<char>(bad.state[at] ^ 0x10);
    EXPECT_THROW(Fold::load(facts, *stand.log, 1, bad), Error) << "byte " << at;
  }
  Snapshot torn = good;
  torn.state.resize(torn.state.size() / 2);
  EXPECT_THROW(Fold::load(facts, *stand.log, 1, torn), Error);
  Snapshot other = good;
  other.digest ^= 1;
  EXPECT_THROW(Fold::load(facts, *stand.log, 1, other), Error);
}

TEST(Fold, StatusesAddUpToDecisions) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  live(stand, "mail", 300, 4);
  const Summary summary = stand.fold("mail").summary();
  EXPECT_EQ(summary.decisions,
            summary.open + summary.waiting + summary.learned + summary.forgotten + summary.late);
  std::uint64_t decided = 0;
  std::uint64_t shown = 0;
  for (const ActionSummary& action : summary.actions) decided += action.decided;
  for (const Stretch& stretch : summary.history) shown += stretch.decided;
  EXPECT_EQ(decided, summary.decisions);
  EXPECT_EQ(shown, summary.decisions);
}

// While the service runs: between any two snapshots the log gives the one from the other.
TEST(ReplayCheck, FindsWhatTheLogDoesNotGive) {
  Stand stand;
  stand.options.snapshot_events = 20;
  stand.create(rich_creation("sentry"));
  ReplayCheck check(stand.log->reader());
  const auto never = [] { return false; };
  const auto all = [](ExperimentId) { return true; };
  for (std::uint32_t i = 0; i < 5; ++i) {
    live(stand, "mail", 50, i);
    EXPECT_TRUE(check.pass(never, all).empty());
  }
  live(stand, "mail", 50, 5);
  auto& stored = stand.memory->experiments[0];
  EXPECT_TRUE(check.pass([] { return true; }, all).empty());  // stopped before it began
  stored.snapshots.rbegin()->second.digest ^= 1;
  ASSERT_EQ(check.pass(never, all).size(), 1u);
  EXPECT_TRUE(check.pass(never, all).empty());  // said once
  live(stand, "mail", 100, 6);
  const Sequence newest = stored.snapshots.rbegin()->first;
  const Sequence before = std::next(stored.snapshots.rbegin())->first;
  for (Sequence seq = before + 1; seq <= newest; ++seq)
    if (Event& event = stored.events[seq - 1]; event.kind == EventKind::kDecided)
      event.action = (*event.action + 1) % 3;
  const std::vector<std::string> told = check.pass(never, all);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("'mail': "), std::string::npos) << told[0];
}

// --- Floors --------------------------------------------------------------------------------------

// Of a deterministic policy: its action has 1 − ε + ε/3, the others ε/3. Of Thompson sampling the
// same, given what it chose. That actions come about as often as they say: over 6,000 decisions,
// each with a chance of ε·2/3 = 0.2 to be another than the policy's, within 6 standard deviations
// (false alarm below 2e-9).
TEST(Floors, PropensitiesAreThoseUsed) {
  for (const char* policy : {"ucb", "ts"}) {
    Stand stand;
    Creation creation = small_creation("mail", policy);
    creation.facts.settings.floor = 0.3;
    stand.create(creation);
    EXPECT_EQ(stand.fold("mail").epoch().policy,
              fmt::format("floor:base={},probability=0.3", policy));
    const int rounds = 6'000;
    int others = 0;
    for (int i = 0; i < rounds; ++i) {
      const Decided decided = stand.decide("mail");
      const bool own = decided.propensity > 0.5;
      EXPECT_NEAR(*decided.propensity, own ? 0.8 : 0.1, 1e-12);
      others += own ? 0 : 1;
      stand.report(decided, "opened", decided.action == "call" ? 1 : 0);
    }
    EXPECT_NEAR(others, 0.2 * rounds, 6 * std::sqrt(rounds * 0.2 * 0.8)) << policy;
  }
}

TEST(Floors, WithoutOneThompsonSamplingHasNoPropensity) {
  Stand stand;
  stand.create(small_creation("mail", "ts"));
  EXPECT_EQ(stand.decide("mail").propensity, std::nullopt);
}

// --- Propensities by replay ----------------------------------------------------------------------

// Whatever has been decided since, the probabilities of a decision are those of the moment before
// it: the estimate is that of a fold that has seen no more.
TEST(Propensities, AreFoundByReplay) {
  Stand stand;
  stand.options.snapshot_events = 30;
  stand.create(small_creation("mail", "ts"));
  live(stand, "mail", 40, 1);
  const ProbabilityEstimate then = stand.fold("mail").session()->estimate_probabilities(2'000);
  const Decided decided = stand.decide("mail");
  live(stand, "mail", 60, 2);
  const ExperimentFacts facts = stand.fold("mail").facts();
  const ProbabilityEstimate found =
      replayed_probabilities(facts, *stand.log, 1, decided.seq, 2'000);
  EXPECT_EQ(found.probabilities, then.probabilities);
  EXPECT_EQ(found.error, then.error);
  EXPECT_THROW(replayed_probabilities(facts, *stand.log, 1, 1, 10), Refusal);       // an epoch
  EXPECT_THROW(replayed_probabilities(facts, *stand.log, 1, 10'000, 10), Refusal);  // nothing
}

}  // namespace
}  // namespace armature::service::test
