// The policies that look only at what may have changed the decision, where there is much that they
// do not look at: many actions and contexts, and worlds where many rows are near the top or hac-ucb
// is near its switch.
#include <fmt/format.h>

#include "oracle/c_ucb_2_oracle.h"
#include "oracle/comparison.h"
#include "oracle/corral_oracle.h"
#include "oracle/hac_ucb_oracle.h"
#include "policies/troublesome_matrix.h"

namespace armature::oracle {
namespace {

using Variant = HacUcbOracle::Variant;

// Copies of rows, rows that differ in the last bits, spikes; or every context worth the same.
std::shared_ptr<const Instance> near_ties(std::uint32_t actions, std::uint32_t contexts,
                                          bool equal) {
  Stream stream({kSeed, 0, Purpose::kTest});
  const Matrix marginals = test::troublesome_matrix(actions, contexts, stream);
  std::vector<RewardLaw> laws;
  for (Context z = 0; z < contexts; ++z)
    laws.push_back(RewardLaw::bernoulli(equal ? 0.5 : stream.uniform()));
  return std::make_shared<const Instance>(Instance::benign("near ties", marginals, laws));
}

std::shared_ptr<const Instance> instance_of(const std::string& text, Round horizon) {
  if (text == "near-ties") return near_ties(200, 12, false);
  if (text == "all-equal") return near_ties(200, 12, true);
  return InstanceSource(text, horizon, kSeed).instance(0);
}

class LargeWorldsOracle : public testing::TestWithParam<std::string> {
 protected:
  static constexpr Round kRounds = 4000;
  LargeWorldsOracle()
      : world_(instance_of(GetParam(), kRounds), kRounds), know_(knowledge_of(world_.problem)) {}

  World world_;
  Knowledge know_;
};

TEST_P(LargeWorldsOracle, HacUcb) {
  for (const double scale : {1.0, 0.3})
    expect_same_decisions(fmt::format("hac-ucb:scale={}", scale),
                          HacUcbOracle(know_, Variant::kCode, scale), world_, kRounds);
  expect_same_decisions("hac-ucb:variant=paper,scale=0.4",
                        HacUcbOracle(know_, Variant::kPaper, 0.4), world_, kRounds);
}

TEST_P(LargeWorldsOracle, CausalUcb2) {
  // A bonus that decides, one that matters, and one that only breaks ties.
  for (const double scale : {1.0, 0.01, 0.00001})
    expect_same_decisions(fmt::format("c-ucb-2:scale={}", scale), CausalUcb2Oracle(know_, scale),
                          world_, kRounds);
}

// Its oracle's weights differ in the last bits, and with them ties of rows that differ in those
// (corral_test.cpp has such rows).
TEST_P(LargeWorldsOracle, Corral) {
  if (GetParam() == "near-ties" || GetParam() == "all-equal") return;
  const Stream stream({kSeed, 0, Purpose::kPolicy});
  expect_same_decisions("corral", CorralOracle(know_, false, stream), world_, kRounds);
  expect_same_decisions("corral:variant=published", CorralOracle(know_, true, stream), world_,
                        kRounds);
}

INSTANTIATE_TEST_SUITE_P(Worlds, LargeWorldsOracle,
                         testing::Values("random-benign:actions=100,contexts=10",
                                         "random-benign:actions=200,contexts=30,rank=3",
                                         "semi-benign:actions=100,contexts=10,shift=0.3",
                                         "pareto-confounded:actions=100,contexts=10,gap=0.06",
                                         "hidden-arm:actions=150,contexts=6", "near-ties",
                                         "all-equal"),
                         test_name);

// As large as the ladder's last rung.
TEST(OracleOnTheLargest, AllThree) {
  constexpr Round kRounds = 2500;
  const World world(instance_of("random-benign:actions=1000,contexts=50", kRounds), kRounds);
  const Knowledge know = knowledge_of(world.problem);
  for (const double scale : {1.0, 0.2})
    expect_same_decisions(fmt::format("hac-ucb:scale={}", scale),
                          HacUcbOracle(know, Variant::kCode, scale), world, kRounds);
  for (const double scale : {1.0, 0.001})
    expect_same_decisions(fmt::format("c-ucb-2:scale={}", scale), CausalUcb2Oracle(know, scale),
                          world, kRounds);
  expect_same_decisions("corral", CorralOracle(know, false, Stream({kSeed, 0, Purpose::kPolicy})),
                        world, kRounds);
}

// The comparison above is worth something only if the test bites: in some of these worlds hac-ucb
// switches, long after its sweeps, and in some it does not.
TEST(LargeWorlds, ShowASwitchAndNone) {
  constexpr Round kRounds = 4000;
  const auto switch_round = [](const std::string& family, const std::string& text) {
    const World world(instance_of(family, kRounds), kRounds);
    const auto policy = make_policy(text, world.problem);
    Environment environment(world.tables, kSeed, 0);
    Stream stream({kSeed, 0, Purpose::kPolicy});
    std::vector<std::uint64_t> pulls(world.problem.actions());
    policy->play(environment, kRounds, stream, pulls);
    for (const Diagnostic& entry : policy->diagnostics())
      if (entry.name == "switch_round") return entry.value;
    return 0.0;
  };
  EXPECT_GT(switch_round("semi-benign:actions=100,contexts=10,shift=0.3", "hac-ucb:scale=0.3"),
            250);
  EXPECT_GT(switch_round("random-benign:actions=100,contexts=10", "hac-ucb:scale=0.3"), 250);
  EXPECT_EQ(switch_round("random-benign:actions=100,contexts=10", "hac-ucb"), 0);
}

class CausalUcb2InWorlds : public testing::TestWithParam<std::string> {};

TEST_P(CausalUcb2InWorlds, DecidesAsItsOracle) {
  constexpr Round kRounds = 3000;
  const World world(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds);
  const Knowledge know = knowledge_of(world.problem);
  expect_same_decisions("c-ucb-2", CausalUcb2Oracle(know, 1), world, kRounds);
  expect_same_decisions("c-ucb-2:scale=0.001", CausalUcb2Oracle(know, 0.001), world, kRounds);
  expect_same_decisions("c-ucb-2:scale=0.1", CausalUcb2Oracle(know, 0.1), world, kRounds,
                        {.delay = 9, .lost_every = 5, .reversed = true});
}

INSTANTIATE_TEST_SUITE_P(Worlds, CausalUcb2InWorlds, testing::ValuesIn(worlds()), test_name);

}  // namespace
}  // namespace armature::oracle
