// ts and c-ts against their oracles. Their draws differ in the last bits (base/beta_draws.h and the
// C library), so that two draws or sums within 1e-13 of each other would tell the two apart.
#include "oracle/thompson_oracle.h"

#include "oracle/comparison.h"

namespace armature::oracle {
namespace {

constexpr Round kRounds = 1'500;

Stream luck() { return Stream({kSeed, 0, Purpose::kPolicy}); }

class ThompsonOracles : public testing::TestWithParam<std::string> {
 protected:
  ThompsonOracles()
      : world_(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds),
        know_(knowledge_of(world_.problem)) {}

  World world_;
  Knowledge know_;
};

TEST_P(ThompsonOracles, Thompson) {
  expect_same_decisions("ts", ThompsonOracle(know_, luck()), world_, kRounds);
  expect_same_decisions("ts", ThompsonOracle(know_, luck()), world_, kRounds,
                        {.delay = 9, .lost_every = 5, .reversed = true});
}

TEST_P(ThompsonOracles, CausalThompson) {
  expect_same_decisions("c-ts", CausalThompsonOracle(know_, luck()), world_, kRounds);
  expect_same_decisions("c-ts", CausalThompsonOracle(know_, luck()), world_, kRounds,
                        {.delay = 9, .lost_every = 5, .reversed = true});
}

INSTANTIATE_TEST_SUITE_P(Worlds, ThompsonOracles, testing::ValuesIn(worlds()), test_name);

// Rewards that are fractions are coins; many actions, of which c-ts looks at few after a while.
class LargeThompsonOracles : public testing::TestWithParam<std::string> {};

TEST_P(LargeThompsonOracles, DecideTheSame) {
  constexpr Round kLong = 4'000;
  const World world(InstanceSource(GetParam(), kLong, kSeed).instance(0), kLong);
  const Knowledge know = knowledge_of(world.problem);
  expect_same_decisions("ts", ThompsonOracle(know, luck()), world, kLong / 10);
  expect_same_decisions("c-ts", CausalThompsonOracle(know, luck()), world, kLong);
}

INSTANTIATE_TEST_SUITE_P(Worlds, LargeThompsonOracles,
                         testing::Values("random-benign:actions=1000,contexts=50",
                                         "random-benign:actions=300,contexts=5,concentration=0.1",
                                         "random-benign:actions=500,contexts=3",
                                         "random-benign:actions=400,contexts=30,rank=4"),
                         test_name);

// What was known before: posteriors of any width, far apart, equal, and nearly equal.
template <class Oracle>
void expect_same_after(const std::string& policy_text, const std::vector<Tally>& known,
                       std::uint32_t actions, std::uint32_t contexts) {
  const World world(
      InstanceSource("random-benign:actions=" + std::to_string(actions) +
                         ",contexts=" + std::to_string(contexts) + ",concentration=0.3",
                     kRounds, kSeed)
          .instance(0),
      kRounds);
  const auto policy = make_policy(policy_text, world.problem);
  Oracle oracle(knowledge_of(world.problem), luck());
  Stream stream = luck();
  Environment environment(world.tables, kSeed, 0);
  for (const Tally& tally : known) {
    policy->witness(tally, stream);
    oracle.witness(tally.arm, tally.context, tally.rewards,
                   static_cast<double>(tally.plays) - tally.rewards);
  }
  for (Round t = 1; t <= 300; ++t) {
    const Decision decision = policy->choose(stream);
    ASSERT_EQ(decision.arm, oracle.choose()) << policy_text << ", round " << t;
    const Outcome outcome = environment.play(decision.arm);
    policy->observe(decision, outcome, stream);
    oracle.observe({decision.arm, outcome.context, outcome.reward});
  }
}

TEST(ThompsonOraclesOfTheKnown, DecideTheSame) {
  constexpr std::uint32_t kActions = 120;
  constexpr std::uint32_t kContexts = 20;
  Stream dice({3, 0, Purpose::kTest});
  for (const std::uint64_t plays : {std::uint64_t{2}, std::uint64_t{40}, std::uint64_t{5'000},
                                    std::uint64_t{1'000'000'000'000}})
    for (const double spread : {0.0, 1e-6, 0.01, 0.5}) {
      std::vector<Tally> known;
      for (std::uint32_t i = 0; i < kActions; ++i) {
        const double share = 0.4 + spread * (dice.uniform() - 0.5);
        known.push_back({i, i % kContexts, plays, std::floor(share * static_cast<double>(plays))});
      }
      expect_same_after<ThompsonOracle>("ts", known, kActions, kContexts);
      expect_same_after<CausalThompsonOracle>("c-ts", known, kActions, kContexts);
    }
}

}  // namespace
}  // namespace armature::oracle
