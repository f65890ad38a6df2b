#include "armature/policy_session.h"

#include <gtest/gtest.h>

#include "base/refusal.h"
#include "policies/small_problems.h"
#include "policies/watching_policies.h"

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

TEST(PolicySession, KeepsEvidenceOfWhatItHears) {
  test::register_watching_policies();
  const Problem problem = problem_of(kTwoArms, 100);
  PolicySession session("test-watcher", problem, 1);
  const Decision decision = session.choose();
  session.observe(decision, {1, 0.5});
  session.witness(1, {0, 1.0});
  session.forget(session.choose());
  EXPECT_EQ(session.evidence().outcomes(), 2u);
  EXPECT_EQ(session.evidence().rewards(decision.arm, 1), 0.5);
  EXPECT_EQ(session.evidence().plays(1, 0), 1u);
  EXPECT_EQ(session.round(), 2u);  // what others did is no round of its own
  const PolicySession loaded = PolicySession::load(session.save(), problem);
  EXPECT_EQ(loaded.evidence(), session.evidence());
  EXPECT_EQ(loaded.save(), session.save());
}

TEST(PolicySession, AWitnessThatCannotIsLeftAsItWas) {
  PolicySession session("pe", problem_of(kTwoArms, 100), 1);
  const std::string before = session.save();
  EXPECT_TRUE(contains(refusal([&] { session.witness(0, {0, 1.0}); }), "replay"));
  EXPECT_EQ(session.save(), before);
}

TEST(PolicySession, SaysHowProbableItsChoicesAre) {
  test::register_watching_policies();
  const Problem problem = problem_of(kTwoArms, 100);
  PolicySession sure("test-watcher", problem, 1);
  sure.witness(0, {1, 0.0});  // context 1 is worth nothing: arm 0 has less of it
  EXPECT_EQ(sure.probabilities(), (std::vector<double>{1, 0}));
  PolicySession unsure("test-coiner", problem, 1);
  EXPECT_EQ(unsure.probabilities(), std::nullopt);
  const std::string before = unsure.save();
  const ProbabilityEstimate estimate = unsure.estimate_probabilities(4096);
  EXPECT_EQ(unsure.save(), before);
  EXPECT_EQ(unsure.estimate_probabilities(4096).probabilities, estimate.probabilities);
  // Five standard errors of a fair coin: a false alarm once in 1.7 million seeds.
  EXPECT_NEAR(estimate.probabilities[0], 0.5, 5 * estimate.error);
  unsure.forget(unsure.choose());
  EXPECT_NE(unsure.estimate_probabilities(4096).probabilities, estimate.probabilities);
  EXPECT_NE(PolicySession("test-coiner", problem, 1, 1).estimate_probabilities(4096).probabilities,
            estimate.probabilities);
}

TEST(PolicySession, ExtendsIntoAnotherProblem) {
  test::register_watching_policies();
  const Problem problem = problem_of(kTwoArms, 100);
  PolicySession session("test-watcher", problem, 1);
  for (int i = 0; i < 5; ++i) session.observe(session.choose(), {0, 1.0});
  session.witness(1, {1, 0.0});
  const Decision late = session.choose();
  Problem wider = problem_of({{0.25, 0.75}, {0.5, 0.5}, {0.5, 0.5}}, 1000);
  wider.action_names = {"new", "a1", "a0"};

  PolicySession next = session.extend("test-watcher", wider);
  EXPECT_EQ(next.round(), 0u);
  EXPECT_EQ(next.outstanding(), 0u);
  EXPECT_EQ(next.evidence(), session.evidence().renamed(problem, wider));
  EXPECT_EQ(next.save(), session.extend("test-watcher", wider).save());  // the same every time
  // What a session that watched it all has learned, with luck that is nobody else's.
  PolicySession watched("test-watcher", wider, 1, 1);
  for (const Tally& tally : next.evidence().tallies())
    for (std::uint64_t i = 0; i < tally.plays; ++i)
      watched.witness(tally.arm, {tally.context, tally.rewards > 0 ? 1.0 : 0.0});
  EXPECT_EQ(watched.policy().digest(), next.policy().digest());
  EXPECT_NE(watched.save(), next.save());
  // A late outcome is told to both.
  session.observe(late, {0, 1.0});
  next.witness(2 - late.arm, {0, 1.0});
  EXPECT_EQ(next.evidence(), session.evidence().renamed(problem, wider));
  // And on, to another policy.
  EXPECT_EQ(next.extend("test-coiner", problem).evidence().outcomes(), 7u);
  EXPECT_TRUE(contains(refusal([&] { next.extend("pe", problem); }), "replay"));
}

TEST(PolicySession, AbortsOnceMovedFrom) {
  PolicySession session("ucb", problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100), 1);
  const Decision decision = session.choose();
  PolicySession taken = std::move(session);
  EXPECT_DEATH(session.choose(), "moved from");
  EXPECT_DEATH(session.observe(decision, {0, 1}), "moved from");
  EXPECT_DEATH(session.forget(decision), "moved from");
  EXPECT_DEATH(session.policy(), "moved from");
  EXPECT_DEATH(session.witness(0, {0, 1}), "moved from");
  EXPECT_DEATH(session.probabilities(), "moved from");
  EXPECT_DEATH(session.extend("ucb", problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100)), "moved from");
  EXPECT_DEATH(session.save(), "moved from");
  taken.observe(decision, {0, 1});
}

}  // namespace
}  // namespace armature
