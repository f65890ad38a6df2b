#include "policies/adaptive/learned_marginals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "armature/conformance.h"
#include "armature/policy_session.h"
#include "base/mathematics.h"
#include "base/refusal.h"
#include "policies/small_problems.h"
#include "policies/watching_policies.h"

namespace armature {
namespace {

using test::contains;
using test::Hand;
using test::problem_of;
using test::refusal;

const char* const kText = "learned-marginals:base=test-watcher";

class LearnedMarginalsByHand : public testing::Test {
 protected:
  LearnedMarginalsByHand() { test::register_watching_policies(); }

  // Given marginals that are as wrong as can be: nobody looks at them.
  const Problem problem_ = problem_of({{1, 0}, {1, 0}}, 100);
};

double diagnostic(const AnyPolicy& policy, const std::string& name) {
  for (const Diagnostic& one : policy.diagnostics())
    if (one.name == name) return one.value;
  return std::nan("");
}

// Every action once; then base, built on two outcomes; as 1 < sqrt(3/2) the second sweep comes in
// round 4, when 3 rounds have been played.
TEST_F(LearnedMarginalsByHand, TheFirstRounds) {
  Hand hand(kText, problem_);
  EXPECT_EQ(hand.round(0, 0), 0u);
  EXPECT_EQ(hand.round(1, 1), 1u);
  EXPECT_EQ(diagnostic(*hand.policy, "rebuilds"), 0);
  // ν̂ = (3/4, 1/4) and (1/4, 3/4); context 1 is worth 1 and context 0 nothing.
  EXPECT_EQ(hand.round(1, 1), 1u);  // base's choice
  EXPECT_EQ(diagnostic(*hand.policy, "rebuilds"), 1);
  EXPECT_EQ(diagnostic(*hand.policy, "forced_plays"), 2);
  EXPECT_EQ(hand.round(0, 0), 0u);  // n = (1, 2), 1 < sqrt(3/2): forced
  EXPECT_EQ(diagnostic(*hand.policy, "forced_plays"), 3);
  EXPECT_EQ(hand.round(1, 1), 1u);  // n = (2, 2), 2 ≥ sqrt(4/2); 4 outcomes: base is renewed
  EXPECT_EQ(diagnostic(*hand.policy, "rebuilds"), 2);
}

TEST_F(LearnedMarginalsByHand, ForcedPlaysStayWithinTheirBound) {
  Hand hand(kText, problem_);
  for (int t = 1; t <= 500; ++t) {
    const Decision decision = hand.choose();
    hand.observe(decision, decision.arm, decision.arm);  // action 1 is always better
    ASSERT_LE(diagnostic(*hand.policy, "forced_plays"), 2 + std::sqrt(2.0 * t)) << t;
  }
  // And action 0 was still tried often enough: sqrt(500/2) times.
  EXPECT_EQ(diagnostic(*hand.policy, "forced_plays"), 16 + 1);
  EXPECT_EQ(diagnostic(*hand.policy, "rebuilds"), 8);  // at 2, 4, …, 256 outcomes
}

TEST_F(LearnedMarginalsByHand, BaseIsToldHowFarOffItsMarginalsMayBe) {
  Hand hand("learned-marginals:base=test-watcher,delta=0.1,prior=2", problem_);
  for (int i = 0; i < 400; ++i) hand.policy->witness(0, {0, 1}, hand.stream);
  for (int i = 0; i < 200; ++i) hand.policy->witness(1, {1, 1}, hand.stream);
  hand.choose();
  const double n = 200;
  const double expected =
      std::sqrt(2 * (2 * portable::log(2) + portable::log(2 * n * (n + 1) / 0.1)) / n) +
      4 / (n + 2);
  EXPECT_NEAR(diagnostic(*hand.policy, "learned_epsilon"), expected, 1e-15);
  EXPECT_LT(expected, 0.45);
}

TEST_F(LearnedMarginalsByHand, ActionsNeverSeenMayBeAnything) {
  Hand hand(kText, problem_);
  for (int i = 0; i < 4; ++i) hand.policy->witness(0, {0, 1}, hand.stream);
  EXPECT_EQ(hand.choose().arm, 1u);  // forced, though there is a base by now
  EXPECT_EQ(diagnostic(*hand.policy, "rebuilds"), 2);
  EXPECT_EQ(diagnostic(*hand.policy, "learned_epsilon"), 2);
}

// In flight, action 0 counts as played; given up, it is owed again.
TEST_F(LearnedMarginalsByHand, PlaysInFlightCount) {
  Hand hand(kText, problem_);
  const Decision first = hand.choose();
  EXPECT_EQ(first.arm, 0u);
  EXPECT_EQ(hand.choose().arm, 1u);
  EXPECT_EQ(hand.choose().arm, 0u);  // no base yet: round and round
  const Decision fourth = hand.choose();
  EXPECT_EQ(fourth.arm, 1u);
  hand.policy->forget(first);
  EXPECT_EQ(hand.choose().arm, 0u);
  hand.observe(fourth, 0, 1);
}

// What an earlier base or nobody chose, base witnesses.
TEST_F(LearnedMarginalsByHand, LateOutcomesReachTheNewBase) {
  Hand hand(kText, problem_);
  hand.round(0, 0);
  hand.round(1, 1);
  const Decision by_the_first_base = hand.choose();
  EXPECT_EQ(by_the_first_base.arm, 1u);
  const Decision forced = hand.choose();
  EXPECT_EQ(forced.arm, 0u);
  hand.observe(forced, 0, 0);
  hand.policy->witness(0, {0, 0}, hand.stream);
  const Decision by_the_second_base = hand.choose();
  EXPECT_EQ(diagnostic(*hand.policy, "rebuilds"), 2);
  EXPECT_EQ(by_the_second_base.arm, 1u);
  hand.observe(by_the_first_base, 1, 1);
  hand.observe(by_the_second_base, 1, 1);
  hand.policy->witness(1, {1, 1}, hand.stream);
  hand.policy->witness(1, {1, 1}, hand.stream);
  EXPECT_EQ(hand.field("evidence_plays"), "[3, 5]");
  EXPECT_EQ(hand.choose().arm, 1u);
}

TEST_F(LearnedMarginalsByHand, ProbabilitiesAreThoseOfTheNextChoice) {
  Hand hand(kText, problem_);
  for (int t = 0; t < 60; ++t) {
    std::vector<double> probabilities(2);
    const std::uint64_t before = hand.policy->digest();
    ASSERT_TRUE(hand.policy->probabilities(probabilities));
    EXPECT_EQ(hand.policy->digest(), before);
    const Decision decision = hand.choose();
    EXPECT_EQ(probabilities[decision.arm], 1) << t;
    EXPECT_EQ(probabilities[1 - decision.arm], 0) << t;
    hand.observe(decision, static_cast<Context>(t % 2), decision.arm);
  }
}

TEST_F(LearnedMarginalsByHand, ACopyGoesItsOwnWay) {
  Hand hand(kText, problem_);
  for (int t = 0; t < 10; ++t) hand.round(static_cast<Context>(t % 2), t % 2);
  const auto copy = hand.policy->clone();
  ASSERT_NE(copy, nullptr);
  const std::uint64_t before = copy->digest();
  EXPECT_EQ(before, hand.policy->digest());
  for (int t = 0; t < 10; ++t) hand.round(0, 1);
  EXPECT_EQ(copy->digest(), before);
}

// A coin is tossed once: what is taught to each new base is what came up.
TEST_F(LearnedMarginalsByHand, CoinsAreTossedOnce) {
  Hand hand("learned-marginals:base=test-coiner", problem_);
  for (int t = 0; t < 70; ++t) hand.round(0, 0.5);
  EXPECT_EQ(hand.field("evidence_whole"), "true");
  const std::uint64_t drawn = hand.stream.position();
  hand.policy->witness(Tally{0, 0, 60, 30}, hand.stream);
  hand.policy->witness(Tally{0, 1, 0, 0}, hand.stream);  // nothing is nothing
  hand.choose();  // a new base, and one draw of its own at most
  EXPECT_LE(hand.stream.position(), drawn + 2);
  EXPECT_DEATH(hand.policy->witness(Tally{0, 0, 2, 0.5}, hand.stream), "tosses coins");
}

TEST_F(LearnedMarginalsByHand, GivenMarginalsAreIgnored) {
  Problem bare = problem_;
  bare.marginals.reset();
  Hand told(kText, problem_);
  Hand untold(kText, bare);
  for (int t = 0; t < 50; ++t)
    ASSERT_EQ(told.round(static_cast<Context>(t % 2), t % 2),
              untold.round(static_cast<Context>(t % 2), t % 2));
  EXPECT_EQ(told.policy->digest(), untold.policy->digest());
}

TEST_F(LearnedMarginalsByHand, WhatDoesNotFitIsRefused) {
  EXPECT_TRUE(contains(refusal([&] { Hand("learned-marginals:base=pe", problem_); }),
                       "cannot learn from others' decisions"));
  EXPECT_TRUE(
      contains(refusal([&] { Hand("learned-marginals:base=ucb+ucb", problem_); }), "one policy"));
  EXPECT_TRUE(contains(refusal([&] { Hand("learned-marginals:base=floor", problem_); }),
                       "a floor goes around all of it"));
  EXPECT_TRUE(contains(refusal([&] { Hand("learned-marginals:base=ubc", problem_); }),
                       "did you mean 'ucb'"));
  EXPECT_TRUE(contains(refusal([&] { Hand("learned-marginals:prior=0", problem_); }), "prior"));
  EXPECT_EQ(Hand("learned-marginals:base=(test-watcher:epsilon=1/2)", problem_).policy->text(),
            "learned-marginals:base=(test-watcher:epsilon=0.5)");
}

TEST_F(LearnedMarginalsByHand, SavedItGoesOnWithTheSameBase) {
  PolicySession session(kText, problem_, 3);
  for (int t = 0; t < 21; ++t)
    session.observe(session.choose(), {static_cast<Context>(t % 2), t % 2 * 1.0});
  const Decision waiting = session.choose();
  PolicySession loaded = PolicySession::load(session.save(), problem_);
  for (int t = 0; t < 40; ++t) {
    if (t == 20) {
      session.observe(waiting, {1, 1});
      loaded.observe(waiting, {1, 1});
    }
    const Decision one = session.choose();
    const Decision other = loaded.choose();
    ASSERT_EQ(one.arm, other.arm);
    session.observe(one, {static_cast<Context>(t % 2), 0.25});
    loaded.observe(other, {static_cast<Context>(t % 2), 0.25});
  }
  EXPECT_EQ(session.save(), loaded.save());
}

class LearnedMarginalsOver : public testing::TestWithParam<const char*> {};

TEST_P(LearnedMarginalsOver, ObeysEveryLaw) {
  test::register_watching_policies();
  const Problem problem = problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100);
  if (!make_policy(GetParam(), problem)->witness_obstacle().empty()) GTEST_SKIP();
  const std::string text = std::string("learned-marginals:base=(") + GetParam() + ")";
  for (const ConformanceFailure& failure : check_conformance(text))
    ADD_FAILURE() << failure.law << ": " << failure.detail;
}

INSTANTIATE_TEST_SUITE_P(Bases, LearnedMarginalsOver,
                         testing::Values("test-watcher", "test-coiner", "ucb", "c-ucb", "sentry",
                                         "sentry:proposal=cl-ucb", "ts", "c-ts", "cl-ucb"));

}  // namespace
}  // namespace armature
