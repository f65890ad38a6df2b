#include "policies/balancing/dynamic_balancing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "armature/families.h"
#include "armature/lab.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

Problem problem_of(const std::string& family, Round horizon) {
  return InstanceSource(family, horizon, 1).instance(0)->problem(horizon);
}

double diagnostic(const AnyPolicy& policy, const std::string& name) {
  for (const Diagnostic& entry : policy.diagnostics())
    if (entry.name == name) return entry.value;
  return -1;
}

std::string refusal_of(const std::string& text, Round horizon = 1000) {
  try {
    make_policy(text, problem_of("hidden-arm", horizon));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DynamicBalancing, RefusesWhatDoesNotFit) {
  EXPECT_NE(refusal_of("db:dial=1.5").find("dial: got 1.5, expected a number in [0,1]"),
            std::string::npos);
  // sqrt(|A|T) = sqrt(20·1000) = 141.42…
  EXPECT_NE(refusal_of("db:R2=100").find("[141.421, 1000]"), std::string::npos)
      << refusal_of("db:R2=100");
  EXPECT_NE(refusal_of("db:R2=1001").find("R2: got 1001"), std::string::npos);
  EXPECT_NE(refusal_of("db:R2=500,dial=0.5").find("at most one of them"), std::string::npos);
  EXPECT_NE(refusal_of("db:base=ts+ucb").find("'ts', for which no coefficient is proved"),
            std::string::npos);
  EXPECT_NE(refusal_of("db:base=(ucb:confidence=bilodeau)+ucb").find("no coefficient is proved"),
            std::string::npos);
  EXPECT_NE(refusal_of("db:base=ucb").find("2 to 16 policies"), std::string::npos);
  EXPECT_NE(refusal_of("db:base=ucb+nothing").find("'nothing'"), std::string::npos);
  EXPECT_NE(refusal_of("db:base=db+ucb").find("no coefficient is proved"), std::string::npos);
  EXPECT_NE(refusal_of("db:d=60").find("2 numbers, one per learner"), std::string::npos);
  EXPECT_NE(refusal_of("db:d=60+-1").find("positive numbers"), std::string::npos);
  EXPECT_NE(refusal_of("db:delta=0").find("delta: got 0"), std::string::npos);
  EXPECT_NE(refusal_of("db:Z=1+2+3").find("2 numbers"), std::string::npos);
}

TEST(DynamicBalancing, ExtremesAreRefusedOrPlayed) {
  EXPECT_NE(refusal_of("db:scale=1e-120").find("scale: got"), std::string::npos);
  EXPECT_NE(refusal_of("db:d=1e-120+1").find("positive numbers"), std::string::npos);
  EXPECT_NE(refusal_of("db:base=uniform+fixed,d=1+1,delta=1e-320").find("delta: got"),
            std::string::npos);
  EXPECT_EQ(refusal_of("db:d=1e+20+30"), "accepted");
}

TEST(DynamicBalancing, OnePolicyHasOneSpelling) {
  EXPECT_EQ(canonical_policy("db:base=c-ucb:scale=0.5+ucb"),
            canonical_policy("db:base=(c-ucb:scale=0.50)+(ucb)"));
  EXPECT_EQ(canonical_policy("db:base=(c-ucb)+ucb:scale=1"), "db");
  EXPECT_EQ(canonical_policy("db:d=6e1+40.0"), "db:d=60+40");
}

// Half of the outcomes lost: every round was still somebody's.
TEST(Balancing, SharesAddUpWhateverIsLost) {
  Simulation simulation;
  simulation.instance = "hidden-arm";
  simulation.policies = {"db", "d3rb", "ed2rb"};
  simulation.horizon = 2000;
  simulation.replications = 2;
  simulation.feedback.loss = 0.5;
  for (const CellSummary& summary : simulate(simulation).cells) {
    double shares = 0;
    for (const DiagnosticSummary& entry : summary.diagnostics)
      if (entry.name.starts_with("share(")) shares += entry.mean;
    EXPECT_NEAR(shares, 1, 1e-12) << summary.cell.policy;
  }
}

TEST(DynamicBalancing, AnyPolicyCanBeABaseLearnerOnceItsCoefficientIsGiven) {
  EXPECT_EQ(refusal_of("db:base=ts+ucb,d=30+70"), "accepted");
  EXPECT_EQ(refusal_of("db:base=(db:base=pe+ucb)+ucb,d=50+70"), "accepted");  // nested
  EXPECT_EQ(refusal_of("db:base=c-ucb+pe+ucb"), "accepted");
}

// An unplayed learner has used nothing and goes first; then v_1·d_1·sqrt(n_1) against
// v_2·d_2·sqrt(n_2).
TEST(DynamicBalancing, GivesTheRoundToWhoUsedLeast) {
  // d = (4, 1), Z = (1, 1): v_i·d_i = sqrt(Z_i/d_i) = (1/2, 1). Learner 2 is played when
  // sqrt(n_2) < sqrt(n_1)/2: the shares tend to 4 : 1.
  const auto policy = make_policy("db:base=(fixed:arm=0)+(fixed:arm=1),d=4+1,Z=1+1",
                                  problem_of("hidden-arm", 1000));
  Stream stream({1, 0, Purpose::kPolicy});
  std::vector<Arm> arms;
  for (int i = 0; i < 10; ++i) {
    const Decision decision = policy->choose(stream);
    arms.push_back(decision.arm);
    policy->observe(decision, {0, 0.5}, stream);
  }
  // n: (1,0) → learner 2; (1,1): 0.5 < 1 → 1; (2,1) .71; (3,1) .87; (4,1): 1 = 1, a tie: learner 1;
  // (5,1) → 2.
  EXPECT_EQ(arms, (std::vector<Arm>{0, 1, 0, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(DynamicBalancing, TurnsTheDialThreeWays) {
  // |A| = 20, T = 2000: sqrt(|A|T) = 200, T/200 = 10. dial = 0.5 is R2 = 200·sqrt(10), Z2 =
  // sqrt(10).
  const auto digest_after = [](const std::string& text) {
    const World world(InstanceSource("hidden-arm", 2000, 1).instance(0), 2000);
    const auto policy = make_policy(text, world.problem);
    Environment environment(world.tables, 1, 0);
    Stream stream({1, 0, Purpose::kPolicy});
    std::vector<std::uint64_t> pulls(20);
    policy->play(environment, 2000, stream, pulls);
    return policy->digest();
  };
  const std::uint64_t by_dial = digest_after("db:dial=0.5");
  EXPECT_EQ(by_dial, digest_after("db:Z2=3.1622776601683795"));
  EXPECT_EQ(by_dial, digest_after("db:R2=632.4555320336759"));
  EXPECT_EQ(by_dial, digest_after("db:Z=1+3.1622776601683795"));
  EXPECT_NE(by_dial, digest_after("db:dial=0.9"));
  // The default is the corner sqrt(|A|/|Z|) = sqrt(10), capped at T/sqrt(|A|T) = 10.
  EXPECT_EQ(by_dial, digest_after("db"));
}

// Only the chosen learner is told, and by its own ticket, however late.
TEST(DynamicBalancing, RoutesLateOutcomesByTicket) {
  const auto policy = make_policy("db:base=ucb+ucb,d=1+1,Z=1+1", problem_of("hidden-arm", 1000));
  Stream stream({1, 0, Purpose::kPolicy});
  const Decision first = policy->choose(stream);   // learner 1, arm 0
  const Decision second = policy->choose(stream);  // learner 2, arm 0
  EXPECT_EQ(first.arm, second.arm);
  EXPECT_NE(first.ticket, second.ticket);
  policy->observe(second, {0, 1.0}, stream);
  const std::string dump = policy->dump();
  EXPECT_NE(dump.find("observed = [0, 1]"), std::string::npos) << dump;
  EXPECT_NE(dump.find("reward_sums = [0, 1]"), std::string::npos) << dump;
  policy->forget(first);
  EXPECT_NE(policy->dump().find("dispatched = [0, 1]"), std::string::npos);
  EXPECT_EQ(policy->choose(stream).ticket & 0xFF, 0u);  // learner 1 gets its round back
}

TEST(DynamicBalancing, NamesItsLearnersApart) {
  const auto policy = make_policy("db:base=ucb+ucb", problem_of("hidden-arm", 1000));
  EXPECT_EQ(diagnostic(*policy, "share(ucb)"), 0);
  EXPECT_EQ(diagnostic(*policy, "share(ucb#2)"), 0);
}

double diagnostic_of(const CellSummary& summary, const std::string& name) {
  for (const DiagnosticSummary& entry : summary.diagnostics)
    if (entry.name == name) return entry.mean;
  return -1;
}

// A learner that always loses is switched off once its promise is broken for certain.
TEST(DynamicBalancing, SwitchesOffALearnerThatBreaksItsPromise) {
  Simulation simulation;
  simulation.instance = "hidden-arm:actions=2,gap=0.5";
  simulation.policies = {"db:base=(fixed:arm=0)+(fixed:arm=1),d=2+2,Z=1+1"};
  simulation.horizon = 20'000;
  simulation.replications = 2;
  const CellSummary summary = simulate(simulation).cells[0];
  EXPECT_GT(diagnostic_of(summary, "inactive_share(fixed)"), 0.5);
  EXPECT_EQ(diagnostic_of(summary, "deactivations(fixed:arm=1)"), 0);
  EXPECT_GT(diagnostic_of(summary, "share(fixed:arm=1)"), 0.75);
}

// Others' decisions teach its learners; n_i and U_i are of its own.
TEST(Balancing, LearnersWitness) {
  for (const char* text : {"db:base=ts+c-ts,d=1+1", "d3rb:base=ts+c-ts", "ed2rb:base=ts+c-ts"}) {
    test::Hand hand(text, test::problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100));
    EXPECT_EQ(hand.policy->witness_obstacle(), "") << text;
    hand.policy->witness({1, 0, 5, 2}, hand.stream);
    const std::string dump = hand.policy->dump();
    EXPECT_EQ(hand.field("observed"), "[0, 0]") << text;
    EXPECT_EQ(hand.field("reward_sums"), "[0, 0]") << text;
    EXPECT_NE(dump.find("successes = [0, 2]"), std::string::npos) << dump;  // ts, by action
    EXPECT_NE(dump.find("successes = [2, 0]"), std::string::npos) << dump;  // c-ts, by context
  }
  test::Hand mixed("db:base=ts+pe,d=1+1", test::problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100));
  EXPECT_EQ(mixed.policy->witness_obstacle(), replay_instead() + " (because of its learner pe)");
}

// Those of the learner whose turn it is, after a test that is due.
TEST(Balancing, ProbabilitiesAreTheNextLearners) {
  for (const char* text : {"db:base=(fixed:arm=1)+ts,d=1+1", "d3rb:base=(fixed:arm=1)+ts",
                           "ed2rb:base=(fixed:arm=1)+ts"}) {
    test::Hand hand(text, test::problem_of({{0.5, 0.5}, {0.25, 0.75}}, 1000));
    std::vector<double> stated(2);
    int known = 0, unknown = 0;
    for (int t = 0; t < 200; ++t) {
      const bool fixed = hand.policy->probabilities(stated);
      const Decision decision = hand.choose();
      ASSERT_EQ(fixed, decision.ticket % 256 == 0) << text << ", round " << t;
      if (fixed) {
        EXPECT_EQ(stated, (std::vector<double>{0, 1}));
      }
      ++(fixed ? known : unknown);
      hand.observe(decision, 0, decision.arm == 1 ? 1 : 0);
    }
    EXPECT_GT(known, 10) << text;
    EXPECT_GT(unknown, 10) << text;
  }
}

}  // namespace
}  // namespace armature
