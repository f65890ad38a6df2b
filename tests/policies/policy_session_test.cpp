#include "armature/policy_session.h"

#include <gtest/gtest.h>

#include "base/refusal.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::contains;
using test::problem_of;
using test::refusal;

const std::vector<std::vector<double>> kTwoArms{{0.5, 0.5}, {0.25, 0.75}};

TEST(PolicySession, CountsItsRounds) {
  PolicySession session("ucb", problem_of(kTwoArms, 100), 1);
  EXPECT_EQ(session.round(), 0u);
  session.forget(session.choose());
  session.choose();
  EXPECT_EQ(session.round(), 2u);
  EXPECT_EQ(PolicySession::load(session.save(), problem_of(kTwoArms, 100)).round(), 2u);
}

TEST(PolicySession, WhatDoesNotFitIsRefused) {
  EXPECT_TRUE(contains(refusal([] { PolicySession("ubc", problem_of(kTwoArms, 100), 1); }),
                       "did you mean 'ucb'"));
  Problem bare = problem_of(kTwoArms, 100);
  bare.marginals.reset();
  EXPECT_TRUE(contains(refusal([&] { PolicySession("c-ucb", bare, 1); }), "given marginals"));
}

TEST(PolicySession, RefusesAnotherProblem) {
  const std::string saved = PolicySession("ucb", problem_of(kTwoArms, 100), 1).save();
  EXPECT_TRUE(contains(refusal([&] { PolicySession::load(saved, problem_of(kTwoArms, 101)); }),
                       "a state of 'policy ucb, problem"));
  Problem renamed = problem_of(kTwoArms, 100);
  std::swap(renamed.action_names[0], renamed.action_names[1]);
  EXPECT_TRUE(contains(refusal([&] { PolicySession::load(saved, renamed); }),
                       "a state of 'policy ucb, problem"));
}

TEST(PolicySession, RefusesDamageAndOtherStates) {
  const Problem problem = problem_of(kTwoArms, 100);
  const std::string saved = PolicySession("ts", problem, 1).save();
  for (std::size_t i = 0; i < saved.size(); ++i) {
    std::string damaged = saved;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_NE(refusal([&] { PolicySession::load(damaged, problem); }), "(accepted)") << i;
  }
  EXPECT_TRUE(
      contains(refusal([&] { PolicySession::load(make_policy("ts", problem)->save(), problem); }),
               "expected a state of 'session'"));
}

TEST(PolicySession, AbortsOnceMovedFrom) {
  PolicySession session("ucb", problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100), 1);
  const Decision decision = session.choose();
  PolicySession taken = std::move(session);
  EXPECT_DEATH(session.choose(), "moved from");
  EXPECT_DEATH(session.observe(decision, {0, 1}), "moved from");
  EXPECT_DEATH(session.forget(decision), "moved from");
  EXPECT_DEATH(session.policy(), "moved from");
  EXPECT_DEATH(session.save(), "moved from");
  taken.observe(decision, {0, 1});
}

}  // namespace
}  // namespace armature
