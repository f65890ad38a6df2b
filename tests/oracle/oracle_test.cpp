// Every decision of a registered policy against a slow re-implementation that recomputes everything
// in every round from the full history. Same arm in every round, on every family.
#include <gtest/gtest.h>

#include <deque>

#include "armature/families.h"
#include "armature/simulate.h"
#include "oracle/c_ucb_oracle.h"
#include "oracle/hac_ucb_oracle.h"
#include "oracle/ucb_oracle.h"

namespace armature {
namespace {

constexpr Round kRounds = 3000;
constexpr std::uint64_t kSeed = 11;

oracle::Knowledge knowledge_of(const Problem& problem) {
  oracle::Knowledge knowledge{
      problem.actions(), problem.contexts(), static_cast<double>(problem.horizon.value()), {}};
  for (Arm a = 0; a < problem.actions(); ++a) {
    const auto row = problem.marginals->row(a);
    knowledge.marginals.emplace_back(row.begin(), row.end());
  }
  return knowledge;
}

// The arm sequences agree; outcomes reach both `delay` rounds late, and every `lost`-th one never.
struct Lateness {
  std::size_t delay = 0;
  Round lost_every = 0;   // 0: none
  bool reversed = false;  // whatever is waiting is handed over newest first, in batches of `delay`
};

template <class Oracle>
void expect_same_decisions(const std::string& policy_text, Oracle oracle, const World& world,
                           const Lateness& lateness) {
  const auto policy = make_policy(policy_text, world.problem);
  Environment environment(world.tables, kSeed, 0);
  Stream stream({kSeed, 0, Purpose::kPolicy});
  std::deque<std::pair<Decision, Outcome>> waiting;
  Round handed_over = 0;
  const auto hand_over = [&](const std::pair<Decision, Outcome>& letter) {
    ++handed_over;
    if (lateness.lost_every != 0 && handed_over % lateness.lost_every == 0) {
      policy->forget(letter.first);
      return;
    }
    policy->observe(letter.first, letter.second, stream);
    oracle.observe({letter.first.arm, letter.second.context, letter.second.reward});
  };
  for (Round t = 1; t <= kRounds; ++t) {
    const Decision decision = policy->choose(stream);
    ASSERT_EQ(decision.arm, oracle.choose()) << policy_text << ", round " << t;
    waiting.emplace_back(decision, environment.play(decision.arm));
    if (lateness.reversed) {
      if (waiting.size() <= lateness.delay) continue;
      for (; !waiting.empty(); waiting.pop_back()) hand_over(waiting.back());
    } else {
      for (; waiting.size() > lateness.delay; waiting.pop_front()) hand_over(waiting.front());
    }
  }
}

// All families with their defaults, and the shapes the defaults do not reach: many actions and
// contexts, wrong marginals, low rank, copies of rows.
std::vector<std::string> worlds() {
  std::vector<std::string> texts;
  for (const Family& family : families()) texts.push_back(family.name);
  for (const char* text :
       {"random-benign:actions=200,contexts=20", "random-benign:actions=30,epsilon=0.2",
        "random-benign:actions=30,epsilon=0.2,perturbation=adversarial",
        "random-benign:contexts=8,rank=3", "random-benign:contexts=1,actions=5",
        "random-benign:actions=1", "random-benign:contexts=10,concentration=0.05",
        "semi-benign:actions=60,contexts=12,shift=0.6", "semi-benign:contexts=6,rank=2",
        "pareto-confounded:actions=50,contexts=7,gap=0.06", "pe-trap:actions=12,place=first",
        "hidden-arm:actions=40,contexts=6", "bilodeau-confounded:actions=5"})
    texts.emplace_back(text);
  return texts;
}

class Oracle : public testing::TestWithParam<std::string> {
 protected:
  Oracle()
      : world_(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds),
        knowledge_(knowledge_of(world_.problem)) {}

  World world_;
  oracle::Knowledge knowledge_;
};

TEST_P(Oracle, Ucb) {
  using oracle::UcbOracle;
  expect_same_decisions("ucb", UcbOracle(knowledge_, {}), world_, {});
  expect_same_decisions("ucb:scale=0.5", UcbOracle(knowledge_, {false, 0.5}), world_, {});
  expect_same_decisions("ucb:confidence=bilodeau", UcbOracle(knowledge_, {true, 1}), world_, {});
  expect_same_decisions("ucb:confidence=bilodeau,scale=0.1", UcbOracle(knowledge_, {true, 0.1}),
                        world_, {});
}

TEST_P(Oracle, UcbWithLateFeedback) {
  using oracle::UcbOracle;
  expect_same_decisions("ucb:scale=0.5", UcbOracle(knowledge_, {false, 0.5}), world_,
                        {.delay = 17});
  expect_same_decisions("ucb:scale=0.2", UcbOracle(knowledge_, {false, 0.2}), world_,
                        {.delay = 9, .lost_every = 5, .reversed = true});
}

TEST_P(Oracle, CausalUcb) {
  using oracle::CausalUcbOracle;
  expect_same_decisions("c-ucb", CausalUcbOracle(knowledge_, {}), world_, {});
  expect_same_decisions("c-ucb:scale=0.5", CausalUcbOracle(knowledge_, {false, 0.5}), world_, {});
  expect_same_decisions("c-ucb:confidence=bilodeau", CausalUcbOracle(knowledge_, {true, 1}), world_,
                        {});
  expect_same_decisions("c-ucb:confidence=bilodeau,scale=0.1",
                        CausalUcbOracle(knowledge_, {true, 0.1}), world_, {});
}

TEST_P(Oracle, CausalUcbWithLateFeedback) {
  using oracle::CausalUcbOracle;
  expect_same_decisions("c-ucb:scale=0.5", CausalUcbOracle(knowledge_, {false, 0.5}), world_,
                        {.delay = 17});
  expect_same_decisions("c-ucb:scale=0.2", CausalUcbOracle(knowledge_, {false, 0.2}), world_,
                        {.delay = 9, .lost_every = 5, .reversed = true});
}

TEST_P(Oracle, HacUcb) {
  using oracle::HacUcbOracle;
  using Variant = HacUcbOracle::Variant;
  expect_same_decisions("hac-ucb", HacUcbOracle(knowledge_, Variant::kCode, 1), world_, {});
  expect_same_decisions("hac-ucb:scale=0.5", HacUcbOracle(knowledge_, Variant::kCode, 0.5), world_,
                        {});
}

TEST_P(Oracle, HacUcbAsInThePaper) {
  using oracle::HacUcbOracle;
  using Variant = HacUcbOracle::Variant;
  expect_same_decisions("hac-ucb:variant=paper", HacUcbOracle(knowledge_, Variant::kPaper, 1),
                        world_, {});
  expect_same_decisions("hac-ucb:variant=paper,scale=0.5",
                        HacUcbOracle(knowledge_, Variant::kPaper, 0.5), world_, {});
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
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
  const oracle::Knowledge knowledge = knowledge_of(world.problem);
  using Variant = oracle::HacUcbOracle::Variant;
  for (const auto& [text, scale] :
       {std::pair("hac-ucb:variant=paper", 1.0), std::pair("hac-ucb:variant=paper,scale=0.1", 0.1)})
    expect_same_decisions(text, oracle::HacUcbOracle(knowledge, Variant::kPaper, scale), world, {});
}

}  // namespace
}  // namespace armature
