// Every decision of a registered policy against a slow re-implementation that recomputes everything
// in every round from the full history. Same arm in every round, on every family.
#include <fmt/format.h>

#include "oracle/c_ucb_oracle.h"
#include "oracle/comparison.h"
#include "oracle/hac_ucb_oracle.h"
#include "oracle/ucb_oracle.h"

namespace armature::oracle {
namespace {

constexpr Round kRounds = 3000;

class Oracle : public testing::TestWithParam<std::string> {
 protected:
  Oracle()
      : world_(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds),
        knowledge_(knowledge_of(world_.problem)) {}

  World world_;
  Knowledge knowledge_;
};

TEST_P(Oracle, Ucb) {
  expect_same_decisions("ucb", UcbOracle(knowledge_, {}), world_, kRounds);
  expect_same_decisions("ucb:scale=0.5", UcbOracle(knowledge_, {false, 0.5}), world_, kRounds);
  expect_same_decisions("ucb:confidence=bilodeau", UcbOracle(knowledge_, {true, 1}), world_,
                        kRounds);
  expect_same_decisions("ucb:confidence=bilodeau,scale=0.1", UcbOracle(knowledge_, {true, 0.1}),
                        world_, kRounds);
}

TEST_P(Oracle, UcbWithLateFeedback) {
  expect_same_decisions("ucb:scale=0.5", UcbOracle(knowledge_, {false, 0.5}), world_, kRounds,
                        {.delay = 17});
  expect_same_decisions("ucb:scale=0.2", UcbOracle(knowledge_, {false, 0.2}), world_, kRounds,
                        {.delay = 9, .lost_every = 5, .reversed = true});
  expect_same_decisions("ucb:scale=0.5,inflight=ignore", UcbOracle(knowledge_, {false, 0.5, true}),
                        world_, kRounds, {.delay = 17});
}

TEST_P(Oracle, CausalUcb) {
  expect_same_decisions("c-ucb", CausalUcbOracle(knowledge_, {}), world_, kRounds);
  expect_same_decisions("c-ucb:scale=0.5", CausalUcbOracle(knowledge_, {false, 0.5}), world_,
                        kRounds);
  expect_same_decisions("c-ucb:confidence=bilodeau", CausalUcbOracle(knowledge_, {true, 1}), world_,
                        kRounds);
  expect_same_decisions("c-ucb:confidence=bilodeau,scale=0.1",
                        CausalUcbOracle(knowledge_, {true, 0.1}), world_, kRounds);
}

TEST_P(Oracle, CausalUcbWithLateFeedback) {
  expect_same_decisions("c-ucb:scale=0.5", CausalUcbOracle(knowledge_, {false, 0.5}), world_,
                        kRounds, {.delay = 17});
  expect_same_decisions("c-ucb:scale=0.2", CausalUcbOracle(knowledge_, {false, 0.2}), world_,
                        kRounds, {.delay = 9, .lost_every = 5, .reversed = true});
  expect_same_decisions("c-ucb:scale=0.5,inflight=ignore",
                        CausalUcbOracle(knowledge_, {false, 0.5, true}), world_, kRounds,
                        {.delay = 17});
}

TEST_P(Oracle, HacUcb) {
  using Variant = HacUcbOracle::Variant;
  expect_same_decisions("hac-ucb", HacUcbOracle(knowledge_, Variant::kCode, 1), world_, kRounds);
  expect_same_decisions("hac-ucb:scale=0.5", HacUcbOracle(knowledge_, Variant::kCode, 0.5), world_,
                        kRounds);
}

TEST_P(Oracle, HacUcbWithLateFeedback) {
  using Variant = HacUcbOracle::Variant;
  for (const double scale : {1.0, 0.3})
    expect_same_decisions(fmt::format("hac-ucb:scale={}", scale),
                          HacUcbOracle(knowledge_, Variant::kCode, scale), world_, kRounds,
                          {.delay = 17});
}

TEST_P(Oracle, HacUcbAsInThePaper) {
  using Variant = HacUcbOracle::Variant;
  expect_same_decisions("hac-ucb:variant=paper", HacUcbOracle(knowledge_, Variant::kPaper, 1),
                        world_, kRounds);
  expect_same_decisions("hac-ucb:variant=paper,scale=0.5",
                        HacUcbOracle(knowledge_, Variant::kPaper, 0.5), world_, kRounds);
}

INSTANTIATE_TEST_SUITE_P(Worlds, Oracle, testing::ValuesIn(worlds()), test_name);

// With the paper's allowance of 2T^{-1/4}·sqrt(|A||Z| log T) no default family is far enough off
// for its marginals to be replaced. Here they are: two actions told to lead to the other's context.
TEST(OracleOnWrongMarginals, HacUcbReplacesThem) {
  constexpr Round kHorizon = 100'000;  // allowed: 0.1125·sqrt(4·11.51) = 0.763 < 2·0.8
  Matrix truth(2, 2);
  truth(0, 0) = truth(1, 1) = 0.9;
  truth(0, 1) = truth(1, 0) = 0.1;
  Matrix told(2, 2);
  told(0, 0) = told(1, 1) = 0.1;
  told(0, 1) = told(1, 0) = 0.9;
  Instance::Parts parts =
      Instance::benign("swapped", truth, {RewardLaw::bernoulli(0.3), RewardLaw::bernoulli(0.6)});
  Problem given;
  given.action_names = numbered_names('a', 2);
  given.context_names = numbered_names('z', 2);
  given.marginals = std::make_shared<const Matrix>(told);
  parts.given = given;
  const World world(std::make_shared<const Instance>(std::move(parts)), kHorizon);
  const Knowledge knowledge = knowledge_of(world.problem);
  using Variant = HacUcbOracle::Variant;
  for (const auto& [text, scale] :
       {std::pair("hac-ucb:variant=paper", 1.0), std::pair("hac-ucb:variant=paper,scale=0.1", 0.1)})
    expect_same_decisions(text, HacUcbOracle(knowledge, Variant::kPaper, scale), world, kRounds);
}

}  // namespace
}  // namespace armature::oracle
