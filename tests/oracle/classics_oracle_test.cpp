// epsilon-greedy, exp3, bayes-ucb and etc against their oracles on every family.
#include "oracle/classics_oracle.h"

#include "oracle/comparison.h"

namespace armature::oracle {
namespace {

constexpr Round kRounds = 1'000;

class ClassicsOracle : public testing::TestWithParam<std::string> {
 protected:
  ClassicsOracle()
      : world_(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds),
        know_(knowledge_of(world_.problem)) {}

  Stream coins() const { return Stream({kSeed, 0, Purpose::kPolicy}); }

  World world_;
  Knowledge know_;
};

TEST_P(ClassicsOracle, EpsilonGreedy) {
  expect_same_decisions("epsilon-greedy", EpsilonGreedyOracle(know_, -1, 5, coins()), world_,
                        kRounds);
  expect_same_decisions("epsilon-greedy:c=0.5", EpsilonGreedyOracle(know_, -1, 0.5, coins()),
                        world_, kRounds);
  expect_same_decisions("epsilon-greedy:epsilon=0.1", EpsilonGreedyOracle(know_, 0.1, 0, coins()),
                        world_, kRounds);
  expect_same_decisions("epsilon-greedy:epsilon=0", EpsilonGreedyOracle(know_, 0, 0, coins()),
                        world_, kRounds);
}

TEST_P(ClassicsOracle, EpsilonGreedyWithLateFeedback) {
  expect_same_decisions("epsilon-greedy:c=0.5", EpsilonGreedyOracle(know_, -1, 0.5, coins()),
                        world_, kRounds, {.delay = 17});
  expect_same_decisions("epsilon-greedy:c=0.5", EpsilonGreedyOracle(know_, -1, 0.5, coins()),
                        world_, kRounds, {.delay = 9, .lost_every = 5, .reversed = true});
}

// A draw within rounding of a cell's edge, 1e-14 or so, would tell the two forms apart.
TEST_P(ClassicsOracle, Exp3) {
  expect_same_decisions("exp3", Exp3Oracle(know_, false, coins()), world_, kRounds);
  expect_same_decisions("exp3:variant=ix", Exp3Oracle(know_, true, coins()), world_, kRounds);
}

TEST_P(ClassicsOracle, BayesUcb) {
  if (GetParam().starts_with("pe-trap"))
    GTEST_SKIP() << "its rewards are fractions, and the oracle counts whole successes";
  expect_same_decisions("bayes-ucb", BayesUcbOracle(know_, 0), world_, 300);
  expect_same_decisions("bayes-ucb:c=5", BayesUcbOracle(know_, 5), world_, 300);
}

TEST_P(ClassicsOracle, ExploreThenCommit) {
  const double each = std::ceil(std::pow(know_.horizon / know_.actions, 2.0 / 3) *
                                std::pow(std::log(know_.horizon), 1.0 / 3));
  const double most = std::max(1.0, std::floor(know_.horizon / know_.actions));
  expect_same_decisions(
      "etc", ExploreThenCommitOracle(know_, static_cast<std::uint64_t>(std::min(each, most))),
      world_, kRounds);
  expect_same_decisions("etc:m=3", ExploreThenCommitOracle(know_, 3), world_, kRounds);
  expect_same_decisions("etc:m=3", ExploreThenCommitOracle(know_, 3), world_, kRounds,
                        {.delay = 17});
}

INSTANTIATE_TEST_SUITE_P(Worlds, ClassicsOracle, testing::ValuesIn(worlds()), test_name);

}  // namespace
}  // namespace armature::oracle
