#include "policies/balancing/corral.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/corral_oracle.h"
#include "policies/small_problems.h"
#include "policies/troublesome_matrix.h"

namespace armature {
namespace {

using test::Hand;
using test::problem_of;

const std::vector<std::vector<double>> kTwoArms{{0.5, 0.5}, {0.25, 0.75}};

double number(const Hand& hand, const std::string& field) { return std::stod(hand.field(field)); }

// The step in closed form: 1/p' = 1/p + η(ℓ − λ) for both, summing to 1. Compared with bisection
// for λ in long double, over many steps of random rewards.
TEST(Corral, ClosedFormStepsEqualBisection) {
  for (const Round horizon : {10, 1000, 1'000'000}) {
    Hand hand("corral", problem_of(kTwoArms, horizon));
    Stream rewards({3, 0, Purpose::kTest});
    EXPECT_EQ(number(hand, "probability"), 0.5);
    for (int t = 0; t < 500; ++t) {
      const std::uint64_t causal_before = std::stoull(hand.field("causal_rounds"));
      const Decision decision = hand.choose();
      // What this decision was drawn with.
      const double p_before = number(hand, "probability");
      const double rate = number(hand, "rate");
      const double smoothed = number(hand, "smoothed");
      const bool causal = std::stoull(hand.field("causal_rounds")) > causal_before;
      const double reward = uniform_index(rewards, 5) / 4.0;
      hand.observe(decision, uniform_index(rewards, 2), reward);
      // The outcome is worked in at the next choice; look at it on a copy, so that the original's
      // coins stay in step.
      Hand copy("corral", problem_of(kTwoArms, horizon));
      copy.policy->load(hand.policy->save());
      copy.choose();
      const double loss = (1 - reward) / (causal ? smoothed : 1 - smoothed);
      const auto expected = static_cast<double>(
          oracle::log_barrier_step(p_before, rate, causal ? loss : 0, causal ? 0 : loss));
      const double p = number(copy, "probability");
      ASSERT_NEAR(p, expected, 1e-14) << "T " << horizon << ", round " << t;
      ASSERT_GT(p, 0);
      ASSERT_LT(p, 1);
      ASSERT_DOUBLE_EQ(number(copy, "smoothed"), (1 - 1.0 / static_cast<double>(horizon)) * p +
                                                     0.5 / static_cast<double>(horizon));
    }
  }
}

TEST(LogBarrierStep, BisectionSumsToOne) {
  for (const double p : {0.001, 0.3, 0.5, 0.9})
    for (const double loss : {0.1, 1.0, 50.0}) {
      const long double first = oracle::log_barrier_step(p, 0.1, loss, 0);
      const long double second = oracle::log_barrier_step(1 - p, 0.1, 0, loss);
      EXPECT_NEAR(static_cast<double>(first + second), 1, 1e-15);
      EXPECT_LT(first, p);  // who lost is drawn less
    }
}

// T = 100: γ = 0.01, log T = 4.60517, η = 1/(240·sqrt(200)·4.60517^1.5) = 1/(240·14.1421·9.88257)
// = 2.98130e-5, β = exp(1/4.60517) = 1.24250.
TEST(Corral, StartsAsTheSpecSays) {
  Hand hand("corral", problem_of(kTwoArms, 100));
  EXPECT_NEAR(number(hand, "rate"), 2.98130e-5, 1e-9);
  EXPECT_EQ(number(hand, "smoothed"), 0.5);
  EXPECT_EQ(number(hand, "causal_range"), 4);
  EXPECT_EQ(number(hand, "action_range"), 4);
}

// As published p̄ = (1−γ)p·γ/2: after one outcome 0.99·0.5·0.005 = 0.002475, so C-UCB is hardly ever
// drawn again, its ρ jumps to 2/0.002475 = 808, and the learning rate grows once.
TEST(Corral, PublishedSmoothingMultipliesWhereItMustAdd) {
  Hand hand("corral:variant=published", problem_of(kTwoArms, 100));
  hand.round(0, 1);  // no loss: p stays 1/2
  hand.choose();
  EXPECT_NEAR(number(hand, "smoothed"), 0.002475, 1e-12);
  EXPECT_NEAR(number(hand, "causal_range"), 2 / 0.002475, 1e-6);
  EXPECT_EQ(number(hand, "action_range"), 4);
  EXPECT_NEAR(number(hand, "rate"), 2.98130e-5 * 1.24250, 1e-9);
}

// Outcomes are worked in in the order of the decisions, whatever the order they come in.
TEST(Corral, OrderOfOutcomesLeavesNoTrace) {
  Hand forward("corral", problem_of(kTwoArms, 1000));
  Hand backward("corral", problem_of(kTwoArms, 1000));
  for (int block = 0; block < 50; ++block) {
    std::vector<Decision> sent;
    for (int i = 0; i < 6; ++i) {
      sent.push_back(forward.choose());
      ASSERT_EQ(backward.choose().arm, sent.back().arm);
    }
    const auto reward = [&](std::size_t i) { return static_cast<double>((block + i) % 3) / 2; };
    for (std::size_t i = 0; i < 6; ++i) forward.observe(sent[i], i % 2, reward(i));
    for (std::size_t i = 6; i-- > 0;) backward.observe(sent[i], i % 2, reward(i));
    ASSERT_EQ(forward.policy->digest(), backward.policy->digest()) << block;
  }
}

TEST(Corral, ForgottenDecisionsTeachNothing) {
  Hand hand("corral", problem_of(kTwoArms, 1000));
  for (int i = 0; i < 5; ++i) hand.policy->forget(hand.choose());
  hand.choose();
  EXPECT_EQ(number(hand, "probability"), 0.5);
  EXPECT_EQ(hand.field("plays"), "[0, 0]");
  EXPECT_EQ(hand.field("visits"), "[0, 0]");
}

// A hundredth of the outcomes is lost and said to be: what is outstanding stays what was sent out
// in the last rounds.
TEST(Corral, WhatIsForgottenIsNotKept) {
  Hand hand("corral", problem_of(kTwoArms, 100'000));
  std::vector<Decision> waiting;
  std::size_t after_warm_up = 0;
  for (int t = 0; t < 5000; ++t) {
    waiting.push_back(hand.choose());
    if (waiting.size() <= 10) continue;
    const Decision late = waiting.front();
    waiting.erase(waiting.begin());
    if (t % 100 == 0)
      hand.policy->forget(late);
    else
      hand.observe(late, 0, t % 2);
    if (t == 501) after_warm_up = hand.policy->save().size();
  }
  EXPECT_EQ(hand.policy->save().size(), after_warm_up);
}

// By hand: both learners alike at first, so that with p̄ = 1/2 each half goes to the lowest arm; and
// with outcomes due the state stays while the probabilities follow them.
TEST(Corral, StatesItsProbabilities) {
  Hand hand("corral", problem_of(kTwoArms, 1000));
  std::vector<double> stated(2);
  ASSERT_TRUE(hand.policy->probabilities(stated));
  EXPECT_EQ(stated, (std::vector<double>{1, 0}));
  for (int t = 0; t < 20; ++t) {
    const Decision decision = hand.choose();
    hand.observe(decision, decision.arm, decision.arm);
    hand.policy->probabilities(stated);
    Hand next("corral", problem_of(kTwoArms, 1000));
    next.policy->load(hand.policy->save());
    next.choose();  // works in what is due
    const double smoothed = number(next, "smoothed");
    EXPECT_TRUE(stated[0] == smoothed || stated[0] == 1 - smoothed || stated[0] == 0 ||
                stated[0] == 1)
        << stated[0];
    EXPECT_DOUBLE_EQ(stated[0] + stated[1], 1);
  }
}

// Probabilities are stated by every index of both learners, choices made by a look at a few: the
// learner that was drawn plays what it was stated to. Copies of rows and rows that differ in their
// last bits, rewards of a few values, and rounds without an outcome in between.
TEST(Corral, ChoosesAsTheFormulasDo) {
  for (const char* text : {"corral", "corral:variant=published"})
    for (const std::uint32_t actions : {3u, 40u, 300u}) {
      constexpr std::uint32_t kContexts = 12;
      Stream luck({actions, 0, Purpose::kTest});
      Problem problem = problem_of(std::vector<std::vector<double>>(
                                       actions, std::vector<double>(kContexts, 1.0 / kContexts)),
                                   100'000);
      problem.marginals =
          std::make_shared<const Matrix>(test::troublesome_matrix(actions, kContexts, luck));
      Hand hand(text, problem);
      std::vector<double> stated(actions);
      for (int t = 1; t <= 3000; ++t) {
        ASSERT_TRUE(hand.policy->probabilities(stated));
        const Insights told = hand.policy->explain();
        const std::vector<double>& share = told[0].values;
        const double causal_before = told[2].values[0];
        const Decision decision = hand.choose();
        const bool causal = hand.policy->explain()[2].values[0] > causal_before;
        const double alone = share[causal ? 0 : 1];
        const double both = 0.0 + share[0] + share[1];
        ASSERT_TRUE(stated[decision.arm] == alone || stated[decision.arm] == both)
            << text << ", " << actions << " actions, round " << t;
        if (bernoulli(luck, 0.05))
          hand.policy->forget(decision);
        else
          hand.observe(decision, uniform_index(luck, kContexts), uniform_index(luck, 3) / 2.0);
      }
    }
}

}  // namespace
}  // namespace armature
