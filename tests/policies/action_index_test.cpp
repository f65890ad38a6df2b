// moss, kl-ucb and c-ucb-2: first rounds by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "base/kl.h"
#include "base/refusal.h"
#include "policies/index/kl_ucb.h"
#include "policies/index/moss.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::contains;
using test::Hand;
using test::problem_of;

const std::vector<std::vector<double>> kTwoArms{{0.5, 0.5}, {0.5, 0.5}};

template <class Index>
Index index_of(const std::string& text, const Problem& problem) {
  return Index(problem, Arguments("policy test", TextForm::parse(text), Index::facts().parameters));
}

// |A| = 2, T = 16: T/|A| = 8. w(n) = sqrt(max(0, log(8/n))/(2n)):
// w(1) = sqrt(2.0794/2) = 1.0197, w(2) = sqrt(1.3863/4) = 0.5887, w(3) = sqrt(0.9808/6) = 0.4043,
// w(4) = sqrt(0.6931/8) = 0.2944, w(8) = 0, and nothing beyond.
TEST(Moss, IndexByHand) {
  const auto index = index_of<MossIndex>("test", problem_of(kTwoArms, 16));
  EXPECT_NEAR(index(0, 1), 1.0197, 1e-4);
  EXPECT_NEAR(index(0.5, 2), 0.5 + 0.5887, 1e-4);
  EXPECT_NEAR(index(0.25, 4), 0.25 + 0.2944, 1e-4);
  EXPECT_EQ(index(0.25, 8), 0.25);
  EXPECT_EQ(index(0.25, 100), 0.25);
  EXPECT_DOUBLE_EQ(index_of<MossIndex>("test:scale=0.5", problem_of(kTwoArms, 16))(0, 2),
                   0.5 * std::sqrt(std::log(4.0) / 4));
}

TEST(Moss, FirstRoundsByHand) {
  Hand hand("moss", problem_of(kTwoArms, 16));
  EXPECT_EQ(hand.round(0, 1), 0u);  // 1.0197 both. Then 1 + 1.0197
  EXPECT_EQ(hand.round(0, 0), 0u);  // then 1/2 + 0.5887 = 1.0887 > 1.0197
  EXPECT_EQ(hand.round(0, 0), 0u);  // then 1/3 + 0.4043 = 0.7376 < 1.0197
  EXPECT_EQ(hand.round(0, 0), 1u);  // a sample of 0 leaves arm 1 at 1.0197
  EXPECT_EQ(hand.round(0, 0), 1u);  // then 0.5887
  EXPECT_EQ(hand.choose().arm, 0u);
  EXPECT_EQ(hand.field("plays"), "[3, 2]");
}

// T = 16: log 16 + 3·log log 16 = 2.7726 + 3·1.0198 = 5.8319.
TEST(KlUcb, IndexByHand) {
  const auto index = index_of<KlUcbIndex>("test", problem_of(kTwoArms, 16));
  // kl(0,u) = −log(1−u) ≤ 5.8319/n: n = 1: 1 − exp(−5.8319) = 0.99707, n = 4: 1 − exp(−1.45797) =
  // 0.76729.
  EXPECT_NEAR(index(0, 1), 0.99707, 1e-5);
  EXPECT_NEAR(index(0, 4), 0.76729, 1e-5);
  EXPECT_EQ(index(1, 3), 1);
  const double u = index(0.5, 10);
  EXPECT_NEAR(10 * bernoulli_kl(0.5, u), std::log(16.0) + 3 * std::log(std::log(16.0)), 1e-9);
  EXPECT_GT(u, 0.5);
}

// log log max(T,3): without the floor T = 1 would have log log 1 = −∞. Here it is log 1 +
// 3·log log 3 = 0.28215.
TEST(KlUcb, ShortHorizonsAreDefined) {
  for (const Round horizon : {1, 2})
    EXPECT_NEAR(index_of<KlUcbIndex>("test", problem_of(kTwoArms, horizon))(0, 1),
                1 - std::exp(-std::log(double(horizon)) - 3 * std::log(std::log(3.0))), 1e-12);
}

TEST(KlUcb, FirstRoundsByHand) {
  Hand hand("kl-ucb", problem_of(kTwoArms, 16));
  EXPECT_EQ(hand.round(0, 0), 0u);  // 0.99707 both, and still after one 0
  EXPECT_EQ(hand.round(0, 0), 0u);  // then 1 − exp(−2.916) = 0.9459
  EXPECT_EQ(hand.round(0, 1), 1u);  // then 1
  EXPECT_EQ(hand.round(0, 1), 1u);
  EXPECT_EQ(hand.choose().arm, 1u);
}

// T = 4, |Z| = 2. Column 0: entries 1, 0.5, so min_b max(ν̃_b(0), 1/4) = 0.5; column 1: 0, 0.5, so
// 1/4. Reach: arm 0: 1/0.5 = 2 (its ν̃(1) = 0 counts 0); arm 1: 0.5/0.5 + 0.5/0.25 = 3.
// t = 1: bonus sqrt(log 2/2) = 0.5887, t = 2: sqrt(log 8/4) = 0.7210, t = 3: sqrt(log 18/6) =
// 0.6941.
TEST(CausalUcb2, FirstRoundsByHand) {
  Hand hand("c-ucb-2", problem_of({{1, 0}, {0.5, 0.5}}, 4));
  EXPECT_EQ(hand.round(0, 1), 1u);  // 2·0.5887 against 3·0.5887
  // μ̂ = (1, 0): arm 0: 1 + 2·0.7210 = 2.4420; arm 1: 0.5 + 3·0.7210 = 2.6631
  EXPECT_EQ(hand.round(0, 1), 1u);
  // arm 0: 1 + 2·0.6941 = 2.3881; arm 1: 0.5 + 3·0.6941 = 2.5822
  EXPECT_EQ(hand.round(1, 0), 1u);
  // t = 4: sqrt(log 32/8) = 0.6582: arm 0: 2.3164, arm 1: 2.4746
  EXPECT_EQ(hand.choose().arm, 1u);
  // With half the bonus arm 0 wins in round 2: 1 + 0.7210 against 0.5 + 1.0815.
  Hand half("c-ucb-2:scale=0.5", problem_of({{1, 0}, {0.5, 0.5}}, 4));
  EXPECT_EQ(half.round(0, 1), 1u);
  EXPECT_EQ(half.choose().arm, 0u);
}

TEST(Rivals, NeedWhatTheySayTheyNeed) {
  Problem problem = problem_of(kTwoArms, 16);
  problem.horizon.reset();
  for (const char* text : {"moss", "kl-ucb", "c-ucb-2", "cl-ucb", "corral", "d3rb", "ed2rb"})
    EXPECT_TRUE(contains(test::refusal([&] { make_policy(text, problem); }), "horizon")) << text;
  problem = problem_of(kTwoArms, 16);
  problem.marginals = nullptr;
  for (const char* text : {"c-ucb-2", "cl-ucb", "cl-ts", "corral", "sentry"})
    EXPECT_TRUE(contains(test::refusal([&] { make_policy(text, problem); }), "marginals")) << text;
  for (const char* text : {"moss", "kl-ucb"})
    EXPECT_EQ(Hand(text, problem).round(0, 1), 0u) << text;
}

}  // namespace
}  // namespace armature
