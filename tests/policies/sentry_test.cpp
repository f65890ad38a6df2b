#include <gtest/gtest.h>

#include <cmath>

#include "armature/families.h"
#include "armature/simulate.h"
#include "base/refusal.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::contains;
using test::Hand;
using test::problem_of;

const std::vector<std::vector<double>> kTwoArms{{0.75, 0.25}, {0.25, 0.75}};

Problem without_horizon(const std::vector<std::vector<double>>& marginals) {
  Problem problem = problem_of(marginals, 1);
  problem.horizon.reset();
  return problem;
}

double diagnostic(const Hand& hand, const std::string& name) {
  for (const Diagnostic& entry : hand.policy->diagnostics())
    if (entry.name == name) return entry.value;
  return -1;
}

// |A| = |Z| = 2, T = 8, δ = 1/8: L = log(2·2·8·8) = log 256 for actions and contexts alike.
// w(1) = sqrt(L/2) = 1.6651, w(2) = 1.1774, w(3) = 0.9613, w(4) = 0.8326, w(5) = 0.7447.
// With scale 0.3: w(1) = 0.4995, w(2) = 0.3532, w(3) = 0.2884, w(4) = 0.2498, w(5) = 0.2234.
TEST(Sentry, FirstRoundsByHand) {
  Hand hand("sentry:confidence=paper,scale=0.3,budget=2", problem_of(kTwoArms, 8));
  // Both UCB 0.4995, lcb* = −∞: explore arm 0. It pays 1 in context 0: UCB(0) = 1.4995,
  // lcb* = 0.5005.
  EXPECT_EQ(hand.round(0, 1), 0u);
  // Explore arm 0 again: 0 in context 1. μ̂(0) = 1/2, UCB(0) = 0.8532, LCB(0) = 0.1468, lcb* stays.
  EXPECT_EQ(hand.round(1, 0), 0u);
  // The budget is spent. UCB(1) = 0.4995 < lcb* = 0.5005: arm 1 is no candidate, although
  // C(0) = 0.75·1.4995 + 0.25·0.4995 and C(1) = 0.25·1.4995 + 0.75·0.4995.
  EXPECT_EQ(hand.choose().arm, 0u);
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), 2);
  EXPECT_EQ(diagnostic(hand, "candidates"), 1);
  EXPECT_EQ(diagnostic(hand, "rejected"), 0);
  EXPECT_EQ(diagnostic(hand, "rejection_round"), -1);  // it does not exist
  EXPECT_NEAR(std::stod(hand.field("bar")), 1 - 0.3 * std::sqrt(std::log(256.0) / 2), 1e-12);
}

// |A| = 2, T = 128: 2·128² = 32³, a budget of 32 exactly. No reward is ever seen, so that exploring
// never ends before its budget does.
TEST(Sentry, TheDefaultBudgetIsExact) {
  Hand hand("sentry", problem_of(kTwoArms, 128));
  for (int t = 0; t < 128; ++t) hand.choose();
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), 32);
}

// Without a horizon |A|^{1/3}·t^{2/3} by round t: 2·16² = 8³, 8 explorations in 16 rounds, not 9.
TEST(Sentry, TheFreeAllowanceIsExactWhereItIsWhole) {
  Hand hand("sentry", without_horizon(kTwoArms));
  for (int t = 0; t < 16; ++t) hand.choose();
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), 8);
}

// Where all arms are candidates the causal index decides, up to the cap by UCB.
TEST(Sentry, FollowsTheContextsAmongCandidates) {
  Hand hand("sentry:confidence=paper,budget=1", problem_of(kTwoArms, 8));
  // Round 1 explores arm 0; it pays 0 in context 0: UCB(0) = UCB(1) = 1.6651, lcb* = −1.6651,
  // U(0) = U(1) = 1.6651.
  EXPECT_EQ(hand.round(0, 0), 0u);
  // C(0) = C(1): arm 0, by index. It pays 1 in context 1: U(1) = 2.6651, UCB(0) = 1/2 + 1.1774,
  // C(0) = 0.75·1.6651 + 0.25·2.6651 = 1.9151, C(1) = 0.25·1.6651 + 0.75·2.6651 = 2.4151.
  EXPECT_EQ(hand.round(1, 1), 0u);
  // min(UCB, C): 1.6774 for arm 0, 1.6651 for arm 1, for the cap holds C(1) down. Arm 0 pays 0 in
  // context 0: UCB(0) = 1/3 + 0.9613 = 1.2946.
  EXPECT_EQ(hand.round(0, 0), 0u);
  EXPECT_EQ(hand.choose().arm, 1u);  // 1.2946 < 1.6651
}

// The causal index decides where no cap holds it down: both arms have UCB 0.5 + w(2), and what
// the contexts say is lower.
TEST(Sentry, TheCausalIndexDecidesBelowTheCaps) {
  Hand hand("sentry:confidence=paper,scale=0.3,budget=1,rejection=off", problem_of(kTwoArms, 8));
  hand.witness(0, 0, 0);  // context 0 pays nothing, context 1 pays 1/2, whatever the arm
  hand.witness(0, 1, 1);
  hand.witness(1, 0, 0);
  hand.witness(1, 1, 1);
  for (int i = 0; i < 8; ++i) hand.witness(static_cast<Arm>(i % 2), 1, i % 4 < 2 ? 0 : 1);
  // Each arm has 1 + 2 of 6, n(0) = 2 with sum 0, n(1) = 10 with sum 6: UCB = 1/2 + w(6) =
  // 0.5 + 0.2039. U(0) = 0.3532, U(1) = 0.6 + 0.1580 = 0.7580: C(0) = 0.75·0.3532 + 0.25·0.7580 =
  // 0.4544, C(1) = 0.25·0.3532 + 0.75·0.7580 = 0.6568, both below the caps.
  EXPECT_EQ(hand.choose().arm, 0u);  // the one round of exploration
  EXPECT_EQ(hand.choose().arm, 1u);
}

// An exploration that would change nothing is not made: max UCB ≤ lcb* + τ.
TEST(Sentry, ToleranceEndsExploration) {
  for (const double tau : {0.0, 1.0}) {
    Hand hand("sentry:confidence=paper,scale=0.3,budget=8,tau=" + std::to_string(tau),
              problem_of(kTwoArms, 8));
    hand.round(0, 1);  // lcb* = 0.5005, max UCB = 1.4995: the difference is 0.999 ≤ 1
    hand.choose();
    EXPECT_EQ(diagnostic(hand, "exploration_rounds"), tau == 0 ? 2 : 1);
  }
}

// Arm 0 pays 1 and arm 1 pays 0, in whatever context: contexts say 1/2 for both.
TEST(Sentry, RejectsWhenActionsContradictTheContexts) {
  Hand hand("sentry:confidence=paper,scale=0.3,budget=100", problem_of({{1}, {1}}, 100));
  // T = 100, δ = 1/100: L_A = log(2·2·10⁴) = 10.5966, L_Z = log(2·10⁴) = 9.9035. After n rewards of
  // 1 on arm 0 and n of 0 on arm 1: μ̂(0) = 1, μ̂(z) = 1/2, and the test of arm 1 fires at
  // 1/2 > 0.3·(sqrt(L_A/(2n)) + sqrt(L_Z/(4n))) = 0.3·(2.3018 + 1.5735)/√n = 1.1626/√n, that is
  // n > 5.406.
  for (int n = 1; n <= 6; ++n) {
    hand.witness(0, 0, 1);
    hand.witness(1, 0, 0);
    hand.choose();
    EXPECT_EQ(diagnostic(hand, "rejected"), n == 6 ? 1 : 0) << n;
  }
  EXPECT_EQ(diagnostic(hand, "rejection_round"), 5);   // five rounds were chosen before
  EXPECT_EQ(diagnostic(hand, "rejection_action"), 0);  // both contradict; the lower index is named
  const double explored = diagnostic(hand, "exploration_rounds");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(hand.round(0, 1), 0u);
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), explored);  // ucb for good
}

TEST(Sentry, EpsilonAndRejectionOffHoldTheTestBack) {
  for (const char* extra : {"epsilon=1", "rejection=off"}) {  // 1/2 > … + ε/2 = 1/2 never holds
    Hand hand(std::string("sentry:confidence=paper,scale=0.3,budget=100,") + extra,
              problem_of({{1}, {1}}, 100));
    for (int n = 1; n <= 40; ++n) {
      hand.witness(0, 0, 1);
      hand.witness(1, 0, 0);
      hand.choose();
    }
    EXPECT_EQ(diagnostic(hand, "rejected"), 0) << extra;
  }
}

// E(t) = E·t/T: one exploration is due when E·t/T passes the next integer.
TEST(Sentry, SpreadSchedulePacesExploration) {
  Hand hand("sentry:schedule=spread,budget=4", problem_of(kTwoArms, 16));
  std::vector<double> explored;
  for (int t = 1; t <= 16; ++t) {
    hand.round(0, 0.5);
    explored.push_back(diagnostic(hand, "exploration_rounds"));
  }
  // E(t) = t/4: e < t/4 at t = 1 (0 < 1/4), 5 (1 < 5/4), 9, 13.
  EXPECT_EQ(explored, (std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4}));
}

// Without a horizon E(t) = |A|^{1/3}·t^{2/3}; with |A| = 8 it is 2t^{2/3} ≥ t up to t = 8:
// e = t − 1 < 2t^{2/3} up to t with t − 1 < 2t^{2/3}. At t = 10, 9 < 2·4.64 = 9.28; at t = 11,
// 10 ≥ 2·4.946 = 9.89.
TEST(Sentry, FreeScheduleNeedsNoHorizon) {
  const std::vector<std::vector<double>> eight(8, {0.5, 0.5});
  Hand hand("sentry", without_horizon(eight));
  for (int t = 1; t <= 10; ++t) hand.round(0, 0.5);
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), 10);
  hand.round(0, 0.5);
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), 10);
  Hand told("sentry:schedule=free", problem_of(eight, 1000));
  for (int t = 1; t <= 11; ++t) told.round(0, 0.5);
  EXPECT_EQ(diagnostic(told, "exploration_rounds"), 10);
}

TEST(Sentry, BudgetsByAllFourWays) {
  const auto explored = [](const std::string& keys) {
    Hand hand("sentry" + keys, problem_of(kTwoArms, 1000));
    for (int t = 0; t < 1000; ++t) hand.choose();  // no outcomes: every exploration is worth it
    return diagnostic(hand, "exploration_rounds");
  };
  // Default: ceil(2^{1/3}·1000^{2/3}) = ceil(125.99) = 126.
  EXPECT_EQ(explored(""), 126);
  EXPECT_EQ(explored(":budget=7"), 7);
  EXPECT_EQ(explored(":budget=1e9"), 1000);  // capped to T
  EXPECT_EQ(explored(":share=0.25"), 250);
  EXPECT_EQ(explored(":share=1"), 1000);
  EXPECT_EQ(explored(":share=1e-6"), 1);  // at least one round
  // paper: L_A = log(2·2·10⁶) = 15.2018, R1 = 100: E = 10⁴/(16·15.2018) = 41.11, so 42 rounds have
  // e < E. anytime: Λ = 1.445·(log log 2000 + 0.72·log(10.4·2/0.05)) = 1.445·(2.02823 +
  // 4.34221) = 9.20529, E = 67.90, 68 rounds.
  EXPECT_EQ(explored(":R1=100,confidence=paper"), 42);
  EXPECT_EQ(explored(":R1=100"), 68);
  EXPECT_EQ(explored(":R1=100,scale=0.5"), 68);  // L is the log term, whatever the scale
}

std::string refusal_of(const std::string& keys, const Problem& problem) {
  return test::refusal([&] { make_policy("sentry:" + keys, problem); });
}

TEST(Sentry, RefusesContradictoryBudgets) {
  const Problem problem = problem_of(kTwoArms, 100);
  for (const char* keys :
       {"budget=5,share=0.1", "budget=5,R1=9", "share=0.1,R1=9", "budget=5,share=0.1,R1=9"})
    EXPECT_TRUE(contains(refusal_of(keys, problem), "budget, share and R1")) << keys;
  EXPECT_TRUE(contains(refusal_of("schedule=free,budget=5", problem), "free with a budget"));
  EXPECT_TRUE(contains(refusal_of("schedule=free,share=0.5", problem), "free with a budget"));
}

TEST(Sentry, RefusesWhatNeedsAHorizonWithoutOne) {
  const Problem problem = without_horizon(kTwoArms);
  for (const char* keys :
       {"share=0.1", "R1=10", "schedule=spread", "schedule=first", "schedule=spread,budget=10",
        "confidence=paper", "confidence=bilodeau", "proposal=cl-ucb"})
    EXPECT_TRUE(contains(refusal_of(keys, problem), "horizon")) << refusal_of(keys, problem);
  EXPECT_EQ(refusal_of("budget=10", problem), "(accepted)");
  EXPECT_EQ(refusal_of("schedule=first,budget=10", problem), "(accepted)");
  EXPECT_EQ(refusal_of("confidence=anytime-kl", problem), "(accepted)");
}

TEST(Sentry, RefusesNumbersOutOfRange) {
  const Problem problem = problem_of(kTwoArms, 100);
  for (const char* keys : {"share=0", "share=-0.1", "share=1.1", "tau=-0.1", "epsilon=-0.1",
                           "budget=0", "budget=-3", "R1=0", "R1=-1", "scale=0", "delta=0",
                           "delta=1", "schedule=later", "proposal=ucb", "rejection=maybe"}) {
    const std::string key = std::string(keys).substr(0, std::string(keys).find('='));
    EXPECT_TRUE(contains(refusal_of(keys, problem), key)) << keys << refusal_of(keys, problem);
  }
  EXPECT_EQ(refusal_of("share=1", problem), "(accepted)");
}

TEST(Sentry, NeedsMarginals) {
  Problem problem = problem_of(kTwoArms, 100);
  problem.marginals = nullptr;
  EXPECT_TRUE(contains(refusal_of("tau=0", problem), "marginals"));
}

// e counts explorations as sent out: while nothing comes back the budget is spent all the same. A
// lost one is made up for; a lost round that was none is not.
TEST(Sentry, LateFeedbackAndForgottenExplorations) {
  Hand hand("sentry:budget=3", problem_of(kTwoArms, 100));
  std::vector<Decision> sent;
  for (int t = 0; t < 5; ++t) sent.push_back(hand.choose());
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), 3);
  EXPECT_EQ(hand.field("plays"), "[0, 0]");
  hand.policy->forget(sent[4]);
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), 3);
  hand.policy->forget(sent[1]);
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), 2);
  hand.choose();
  hand.choose();
  EXPECT_EQ(diagnostic(hand, "exploration_rounds"), 3);
  hand.observe(sent[0], 1, 1);
  EXPECT_EQ(hand.field("plays"), "[1, 0]");
  EXPECT_EQ(hand.field("visits"), "[0, 1]");
}

// Off the good event every UCB can be below lcb*: play argmax UCB then.
TEST(Sentry, WithoutACandidateItPlaysTheLargestUpperBound) {
  Hand hand("sentry:confidence=paper,scale=0.05,budget=1,rejection=off", problem_of(kTwoArms, 100));
  for (int i = 0; i < 20; ++i) hand.witness(0, 0, 1);
  hand.choose();  // lcb* = 1 − w(20), close to 1
  for (int i = 0; i < 200; ++i) hand.witness(0, 0, 0);
  for (int i = 0; i < 9; ++i) hand.witness(1, 1, i % 3 == 0 ? 1 : 0);
  // μ̂(0) = 20/220 = 0.0909, μ̂(1) = 1/3; L = log(4·10⁴) = 10.6, w(9) = 0.05·0.767 = 0.038.
  EXPECT_EQ(hand.choose().arm, 1u);
  EXPECT_EQ(diagnostic(hand, "candidates"), 0);
}

// Arms with the same marginals are told apart by their own rewards.
TEST(Sentry, ArmsWithTheSameRowAreCappedOneByOne) {
  const Problem problem = problem_of({{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}}, 100);
  Hand hand("sentry:confidence=paper,scale=0.3,budget=1,rejection=off", problem);
  hand.choose();
  for (int i = 0; i < 40; ++i)
    for (const Arm a : {0u, 1u, 2u}) hand.witness(a, i % 2, a == 1 ? 1 : 0);
  // lcb* is near 1 − 0.3·0.37; arms 0 and 2 have UCB 0.3·0.37: only arm 1 is left.
  EXPECT_EQ(hand.choose().arm, 1u);
  EXPECT_EQ(diagnostic(hand, "candidates"), 1);
}

}  // namespace
}  // namespace armature
