// Sentry, Corral, D3RB and ED2RB against their oracles, for 20,000 rounds on every family.
#include "oracle/c_ucb_oracle.h"
#include "oracle/comparison.h"
#include "oracle/corral_oracle.h"
#include "oracle/d3rb_oracle.h"
#include "oracle/sentry_oracle.h"
#include "oracle/ucb_oracle.h"

namespace armature::oracle {
namespace {

constexpr Round kRounds = 20'000;

class RivalsOracle : public testing::TestWithParam<std::string> {
 protected:
  using Schedule = SentryOracle::Schedule;

  RivalsOracle()
      : world_(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds),
        know_(knowledge_of(world_.problem)) {}

  void expect_sentry(const std::string& text, const SentryOracle::Options& options) const {
    expect_same_decisions(text, SentryOracle(know_, options), world_, kRounds);
  }
  std::vector<Learner> learners(double scale) const {
    return {learner(std::make_shared<CausalUcbOracle>(know_, Widths{false, scale}), 0, 0),
            learner(std::make_shared<UcbOracle>(know_, Widths{false, scale}), 0, 0)};
  }

  World world_;
  Knowledge know_;
};

TEST_P(RivalsOracle, SentryExploresFirst) {
  expect_sentry("sentry", {});
  expect_sentry("sentry:confidence=paper", {.paper = true});
  // A small scale makes the screen and the test bite within these rounds.
  expect_sentry("sentry:scale=0.3", {.scale = 0.3});
  expect_sentry("sentry:confidence=paper,scale=0.3", {.paper = true, .scale = 0.3});
  expect_sentry("sentry:scale=0.1,budget=500", {.scale = 0.1, .budget = 500});
}

TEST_P(RivalsOracle, SentrySpreadsItsExploration) {
  const auto schedule = Schedule::kSpread;
  expect_sentry("sentry:schedule=spread", {.schedule = schedule});
  expect_sentry("sentry:schedule=spread,scale=0.3", {.schedule = schedule, .scale = 0.3});
  expect_sentry("sentry:schedule=spread,confidence=paper,scale=0.3,share=0.37",
                {.schedule = schedule, .paper = true, .scale = 0.3, .share = 0.37});
}

TEST_P(RivalsOracle, SentryWithItsOtherParameters) {
  expect_sentry("sentry:tau=0.05,scale=0.3", {.scale = 0.3, .tau = 0.05});
  // A small budget: while exploring, a rejection changes nothing yet.
  expect_sentry("sentry:epsilon=0.1,scale=0.3,budget=100",
                {.scale = 0.3, .epsilon = 0.1, .budget = 100});
  expect_sentry("sentry:rejection=off,scale=0.3", {.scale = 0.3, .rejection = false});
  // R1 = 2000 at |A| = 20, L near 24: E = 4e6/(160·24) = 1000.
  expect_sentry("sentry:R1=2000,confidence=paper,scale=0.3",
                {.paper = true, .scale = 0.3, .R1 = 2000});
  expect_sentry("sentry:R1=1000,schedule=spread", {.schedule = Schedule::kSpread, .R1 = 1000});
}

TEST_P(RivalsOracle, SentryWithoutAHorizon) {
  World free = world_;
  free.problem.horizon.reset();
  for (const double scale : {1.0, 0.3})
    expect_same_decisions("sentry:scale=" + std::to_string(scale),
                          SentryOracle(know_, {.schedule = Schedule::kFree, .scale = scale}), free,
                          kRounds);
  // With a horizon that it may not use.
  expect_sentry("sentry:schedule=free,confidence=paper,scale=0.3,rejection=off",
                {.schedule = Schedule::kFree, .paper = true, .scale = 0.3, .rejection = false});
}

// One outcome a round, 17 rounds late: e counts explorations as they are sent out, the tests run as
// outcomes come in.
TEST_P(RivalsOracle, SentryWithLateFeedback) {
  expect_same_decisions("sentry:scale=0.3", SentryOracle(know_, {.scale = 0.3}), world_, kRounds,
                        {.delay = 17});
  expect_same_decisions("sentry:scale=0.3,schedule=spread",
                        SentryOracle(know_, {.schedule = Schedule::kSpread, .scale = 0.3}), world_,
                        kRounds, {.delay = 5});
  // Longer than the exploration: all of it is sent out before the first outcome.
  expect_same_decisions("sentry:scale=0.3,budget=300",
                        SentryOracle(know_, {.scale = 0.3, .budget = 300}), world_, kRounds / 4,
                        {.delay = 400});
  expect_same_decisions("sentry:scale=0.3,inflight=ignore",
                        SentryOracle(know_, {.scale = 0.3, .ignore_flights = true}), world_,
                        kRounds / 4, {.delay = 17});
}

TEST_P(RivalsOracle, Corral) {
  for (const bool published : {false, true})
    expect_same_decisions(published ? "corral:variant=published" : "corral",
                          CorralOracle(know_, published, Stream({kSeed, 0, Purpose::kPolicy})),
                          world_, kRounds);
}

TEST_P(RivalsOracle, RegretBalancing) {
  for (const bool estimating : {false, true}) {
    const std::string name = estimating ? "ed2rb" : "d3rb";
    expect_same_decisions(name, RegretBalancingOracle(know_, learners(1), {estimating, 1, 1}),
                          world_, kRounds);
    // Narrow widths and small coefficients: the learners are told apart within these rounds.
    expect_same_decisions(name + ":c=0.1,dmin=0.05,scale=0.3",
                          RegretBalancingOracle(know_, learners(0.3), {estimating, 0.05, 0.1}),
                          world_, kRounds);
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, RivalsOracle, testing::ValuesIn(worlds()), test_name);

// The comparison above is worth something only if the rules bite: somewhere in these worlds
// benignness is rejected, and somewhere it is not.
TEST(RivalsOracleWorlds, ShowBothVerdicts) {
  const auto verdict = [](const std::string& family, const std::string& text) {
    const World world(InstanceSource(family, kRounds, kSeed).instance(0), kRounds);
    const auto policy = make_policy(text, world.problem);
    Environment environment(world.tables, kSeed, 0);
    Stream stream({kSeed, 0, Purpose::kPolicy});
    std::vector<std::uint64_t> pulls(world.problem.actions());
    policy->play(environment, kRounds, stream, pulls);
    for (const Diagnostic& entry : policy->diagnostics())
      if (entry.name == "rejected") return entry.value;
    return -1.0;
  };
  EXPECT_EQ(verdict("pareto-confounded:actions=50,contexts=7,gap=0.06", "sentry:scale=0.3"), 1);
  EXPECT_EQ(verdict("random-benign", "sentry"), 0);
}

}  // namespace
}  // namespace armature::oracle
