// Warden against its oracle, for 20,000 rounds on every family.
#include "oracle/warden_oracle.h"

#include "oracle/comparison.h"

namespace armature::oracle {
namespace {

constexpr Round kRounds = 20'000;

class WardenDecisions : public testing::TestWithParam<std::string> {
 protected:
  WardenDecisions()
      : world_(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds),
        know_(knowledge_of(world_.problem)) {}

  void expect_same(const std::string& text, const WardenOracle::Options& options,
                   Round rounds = kRounds, const Lateness& lateness = {}) const {
    expect_same_decisions(text, WardenOracle(know_, options), world_, rounds, lateness);
  }

  World world_;
  Knowledge know_;
};

TEST_P(WardenDecisions, AsTheyAre) {
  expect_same("warden", {});
  expect_same("warden:test=none", {.causal_test = false, .stratified_test = false});
}

TEST_P(WardenDecisions, WithOtherDials) {
  expect_same("warden:r=0.3", {.r = 0.3});
  expect_same("warden:r=12,test=none", {.r = 12, .causal_test = false, .stratified_test = false});
  // r = 5 at |A| = 20, and near 1.8.
  expect_same("warden:R1=100", {.R1 = 100});
  expect_same("warden:R2=500", {.R2 = 500});
}

TEST_P(WardenDecisions, WithOtherPatience) {
  expect_same("warden:patience=inf", {.patience = std::numeric_limits<double>::infinity()});
  expect_same("warden:patience=0.7", {.patience = 0.7});
  expect_same("warden:patience=0,r=3", {.r = 3, .patience = 0});
}

// A large δ makes the screen and the tests bite within these rounds.
TEST_P(WardenDecisions, AtOtherLevels) {
  expect_same("warden:delta=0.95", {.delta = 0.95});
  expect_same("warden:delta=0.95,test=none,r=4",
              {.r = 4, .delta = 0.95, .causal_test = false, .stratified_test = false});
  expect_same("warden:delta=0.9,epsilon=0.1,test=causal",
              {.delta = 0.9, .epsilon = 0.1, .stratified_test = false});
  expect_same("warden:test=stratified,delta=1e-4,r=2",
              {.r = 2, .delta = 1e-4, .causal_test = false});
}

TEST_P(WardenDecisions, WithoutAHorizon) {
  World free = world_;
  free.problem.horizon.reset();
  expect_same_decisions("warden", WardenOracle(know_, {.free = true}), free, kRounds);
  // With a horizon that it may not use.
  expect_same("warden:schedule=free,R2=500", {.R2 = 500, .free = true});
  expect_same("warden:schedule=free,test=none,patience=2",
              {.patience = 2, .free = true, .causal_test = false, .stratified_test = false});
}

TEST_P(WardenDecisions, WithLateFeedback) {
  expect_same("warden", {}, kRounds, {.delay = 17});
  expect_same("warden:inflight=ignore,r=4", {.r = 4, .ignore_flights = true}, kRounds / 4,
              {.delay = 17});
  expect_same("warden:schedule=free", {.free = true}, kRounds / 4, {.delay = 5});
}

// Batches, newest first: what comes together is judged together.
TEST_P(WardenDecisions, InBatches) {
  expect_same("warden:r=4", {.r = 4}, kRounds / 2, {.delay = 40, .reversed = true});
  expect_same("warden:delta=0.95", {.delta = 0.95}, kRounds / 4, {.delay = 400, .reversed = true});
}

INSTANTIATE_TEST_SUITE_P(Worlds, WardenDecisions, testing::ValuesIn(worlds()), test_name);

// The comparison above is worth something only if the rules bite: somewhere in these worlds warden
// watches, runs out of patience, and either test rejects; and somewhere it does not.
TEST(WardenDecisionsBite, InTheseWorlds) {
  const auto diagnostic = [](const std::string& family, const std::string& text,
                             const std::string& name) {
    const World world(InstanceSource(family, kRounds, kSeed).instance(0), kRounds);
    const auto policy = make_policy(text, world.problem);
    Environment environment(world.tables, kSeed, 0);
    Stream stream({kSeed, 0, Purpose::kPolicy});
    std::vector<std::uint64_t> pulls(world.problem.actions());
    policy->play(environment, kRounds, stream, pulls);
    for (const Diagnostic& entry : policy->diagnostics())
      if (entry.name == name) return entry.value;
    return -1.0;
  };
  EXPECT_EQ(diagnostic("random-benign", "warden", "rejected"), 0);
  EXPECT_GT(diagnostic("random-benign", "warden", "watch_rounds"), 20);
  EXPECT_EQ(diagnostic("random-benign", "warden:patience=0.7,r=2", "watch_rounds"), 56);
  EXPECT_EQ(diagnostic("bilodeau-confounded", "warden:test=stratified", "rejected"), 1);
  EXPECT_EQ(diagnostic("random-benign:actions=30,epsilon=0.2,perturbation=adversarial",
                       "warden:test=causal,delta=0.95", "rejected"),
            1);
  EXPECT_LT(diagnostic("bilodeau-confounded", "warden:test=none,delta=0.95,r=12", "candidates"),
            20);
}

}  // namespace
}  // namespace armature::oracle
