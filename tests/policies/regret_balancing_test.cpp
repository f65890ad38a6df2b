#include "policies/balancing/regret_balancing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::contains;
using test::Hand;
using test::problem_of;

const std::string kTwoFixed = "base=(fixed:arm=0)+(fixed:arm=1)";

double diagnostic(const Hand& hand, const std::string& name) {
  for (const Diagnostic& entry : hand.policy->diagnostics())
    if (entry.name == name) return entry.value;
  return -1;
}

// One round in which arm 0 pays nothing and arm 1 pays 1.
Arm step(Hand& hand) {
  const Decision decision = hand.choose();
  hand.observe(decision, 0, decision.arm == 1 ? 1 : 0);
  return decision.arm;
}

// T = 100, δ = 1/100, M = 2, c = 0.1: spread(n) = 0.1·sqrt(log(200·log max(n,2))/n).
// spread(1) = 0.1·sqrt(log 138.6) = 0.1·2.2208, spread(2) = 0.1·sqrt(4.9319/2) = 0.1570.
// Learner 0 pays 0 always: after its n-th play its coefficient doubles when d/√n + spread(n) <
// bar, where bar = 1 − spread(n_1), at most 1.
TEST(DoublingBalancing, FirstRoundsByHand) {
  Hand hand("d3rb:c=0.1,dmin=0.5," + kTwoFixed, problem_of({{1}, {1}}, 100));
  // φ = (0, 0): learner 0. Alone, it is its own bar: 0 + 0.5 + 0.222 ≥ 0 − 0.222.
  EXPECT_EQ(step(hand), 0u);
  EXPECT_EQ(step(hand), 1u);  // φ = (0.5, 0)
  EXPECT_EQ(step(hand), 0u);  // φ = (0.5, 0.5). n = 2: 0.3536 + 0.1570 = 0.5106 < 0.7779: doubled
  EXPECT_EQ(diagnostic(hand, "coefficient(fixed)"), 0.5) << "judged at the next choice";
  // φ = (1·√2, 0.5): learner 1 until 0.5·√n_1 > √2, that is n_1 = 9 (0.5·√8 = √2 but for rounding).
  int plays = 0;
  while (step(hand) == 1u) ++plays;
  EXPECT_EQ(diagnostic(hand, "coefficient(fixed:arm=1)"), 0.5);
  EXPECT_NEAR(plays, 7.5, 0.5);
  // n_0 = 3: 1/√3 + 0.1·sqrt(log(200·log 3)/3) = 0.5774 + 0.1341 = 0.7115 < 1 − spread(8 or 9) =
  // 0.916: doubled again.
  hand.choose();
  EXPECT_EQ(diagnostic(hand, "coefficient(fixed)"), 2);
}

// φ starts at dmin and may at most double: (0.5, 0.5).
TEST(EstimatingBalancing, FirstRoundsByHand) {
  Hand hand("ed2rb:c=0.1,dmin=0.5," + kTwoFixed, problem_of({{1}, {1}}, 100));
  // Learner 0: its own bar, 0 − 0.222, is below its mean: d̂ = dmin, φ = 0.5·√1 = 0.5.
  EXPECT_EQ(step(hand), 0u);
  // A tie: learner 0 again, n = 2: φ = 0.5·√2 = 0.7071.
  EXPECT_EQ(step(hand), 0u);
  EXPECT_EQ(step(hand), 1u);  // φ_1 = 0.5
  EXPECT_EQ(step(hand), 1u);  // φ_1 = 0.7071, the tie goes to learner 0:
  // n_0 = 3: bar = 1 − spread(2) = 0.8430, d̂ = √3·(0.8430 − 0 − 0.1341) = 1.2279, d̂·√3 = 2.1268,
  // clipped to 2·0.7071 = 1.4142.
  EXPECT_EQ(step(hand), 0u);
  hand.choose();
  EXPECT_NEAR(diagnostic(hand, "coefficient(fixed)"), 1.2279, 1e-3);
  EXPECT_EQ(hand.field("potentials").substr(0, 8), "[1.41421");
}

// The better learner gets nearly all rounds once coefficients tell them apart.
TEST(RegretBalancing, TheBetterLearnerWins) {
  for (const char* name : {"d3rb", "ed2rb"}) {
    Hand hand(std::string(name) + ":" + kTwoFixed, problem_of({{1}, {1}}, 20'000));
    for (int t = 0; t < 20'000; ++t) step(hand);
    EXPECT_GT(diagnostic(hand, "share(fixed:arm=1)"), 0.9) << name;
    EXPECT_EQ(diagnostic(hand, "coefficient(fixed:arm=1)"), 1) << name;
    EXPECT_GT(diagnostic(hand, "coefficient(fixed)"), 8) << name;
  }
}

// Outcomes go to whose decision they belong to, however late; a forgotten round is given back.
TEST(RegretBalancing, RoutesLateOutcomesByTicket) {
  for (const char* name : {"d3rb", "ed2rb"}) {
    Hand hand(std::string(name) + ":base=ucb+ucb", problem_of({{1}, {1}}, 100));
    std::vector<Decision> sent;
    for (int i = 0; i < 2; ++i) sent.push_back(hand.choose());
    hand.observe(sent[1], 0, 1);
    const bool estimating = std::string(name) == "ed2rb";
    // ED2RB's potentials move with outcomes only, so learner 0 had both rounds.
    EXPECT_EQ(hand.field("observed"), estimating ? "[1, 0]" : "[0, 1]") << name;
    EXPECT_EQ(hand.field("dispatched"), estimating ? "[2, 0]" : "[1, 1]") << name;
    hand.policy->forget(sent[0]);
    EXPECT_EQ(hand.field("dispatched"), estimating ? "[1, 0]" : "[0, 1]") << name;
  }
}

TEST(RegretBalancing, RefusesWhatDoesNotFit) {
  const Problem problem = problem_of({{1}, {1}}, 100);
  const auto said = [&](const std::string& text) {
    return test::refusal([&] { make_policy(text, problem); });
  };
  for (const std::string name : {"d3rb", "ed2rb"}) {
    EXPECT_TRUE(contains(said(name + ":base=ucb"), "2 to 16 policies"));
    EXPECT_TRUE(contains(said(name + ":base=ucb+nothing"), "'nothing'"));
    for (const char* keys : {"dmin=0", "dmin=-1", "c=0", "delta=0", "delta=1", "scale=0"}) {
      const std::string key = std::string(keys).substr(0, std::string(keys).find('='));
      EXPECT_TRUE(contains(said(name + ":" + keys), key)) << keys;
    }
    EXPECT_EQ(said(name + ":base=ts+(ucb:scale=0.5)+round-robin"), "(accepted)");  // any will do
    EXPECT_EQ(said(name + ":base=(d3rb:base=ts+ucb)+ucb"), "(accepted)");          // nested
  }
}

}  // namespace
}  // namespace armature
