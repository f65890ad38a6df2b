// The verdict code on planted data: a straight line must be called linear, a root must not.
#include <gtest/gtest.h>

#include <cmath>

#include "armature/error.h"
#include "armature/random.h"
#include "base/refusal.h"
#include "support/study_results.h"

namespace armature {
namespace {

using test::contains;
using test::MadeStudy;

constexpr const char* kHolds = "holds";
constexpr const char* kUnclear = "does not show at these horizons";
constexpr const char* kContradicted = "contradicted";

// Policy 0 is linear in its worst world and a root in the benign one; policy 1 is a root
// everywhere.
MadeStudy two_policies() {
  MadeStudy made;
  made.instances = {{"benign", "pareto-benign"}, {"hidden", "hidden-arm", false}};
  made.policies = {{"trusting", "c-ucb"}, {"wary", "ucb"}};
  made.horizons = {1000, 10'000, 100'000, 1'000'000};
  made.mean = [](std::size_t instance, std::size_t policy, double round) {
    return policy == 0 && instance == 1 ? 0.2 * round : 2 * std::sqrt(round);
  };
  made.relative_deviation = 0.01;
  return made;
}

VerdictRule slope(const std::string& policy, const std::string& instance, double low, double high) {
  VerdictRule rule;
  rule.name = "a question";
  rule.rule = "slope";
  rule.policy = policy;
  rule.instance = instance;
  rule.x = "horizon";
  rule.quantity = "regret";
  rule.low = low;
  rule.high = high;
  return rule;
}

Verdict verdict_on(const MadeStudy& made, const VerdictRule& rule) {
  StudyResult result = test::made_result(made);
  result.plan.study.verdicts = {rule};
  return judge(result).at(0);
}

TEST(Verdict, AStraightLineIsLinearAndARootIsNot) {
  const MadeStudy made = two_policies();
  EXPECT_EQ(verdict_on(made, slope("trusting", "hidden", 0.95, 1.05)).outcome, kHolds);
  EXPECT_EQ(verdict_on(made, slope("wary", "hidden", 0.95, 1.05)).outcome, kContradicted);
  EXPECT_EQ(verdict_on(made, slope("wary", "hidden", 0.45, 0.55)).outcome, kHolds);
  EXPECT_EQ(verdict_on(made, slope("trusting", "hidden", 0.45, 0.55)).outcome, kContradicted);
}

TEST(Verdict, EverywhereMeansTheWorstPlace) {
  const Verdict verdict = verdict_on(two_policies(), slope("trusting", "", 0.45, 0.55));
  EXPECT_EQ(verdict.outcome, kContradicted);
  EXPECT_NEAR(*verdict.value, 1, 0.01);
  EXPECT_TRUE(contains(verdict.because, "the worst of 2")) << verdict.because;
}

// Growth that changes its law half way: the interval is wide and the answer is neither.
TEST(Verdict, ABentCurveDoesNotShow) {
  MadeStudy made = two_policies();
  made.mean = [](std::size_t, std::size_t, double round) {
    return round < 50'000 ? std::sqrt(round) : round / 300;
  };
  EXPECT_EQ(verdict_on(made, slope("wary", "hidden", 0.45, 0.55)).outcome, kUnclear);
  VerdictRule early = slope("wary", "hidden", 0.45, 0.55);
  early.until = 10'000;
  EXPECT_TRUE(contains(verdict_on(made, early).because, "fewer than three points"));
}

TEST(Verdict, RatiosOnTheSameInstanceAndHorizon) {
  VerdictRule rule = slope("wary", "hidden", 0, 0.5);
  rule.rule = "ratio";
  rule.against = "trusting";
  rule.from = 1e5;  // 2√T/(0.2T) = 10/√T: 0.03 at 10^5
  const Verdict verdict = verdict_on(two_policies(), rule);
  EXPECT_EQ(verdict.outcome, kHolds) << verdict.because;
  EXPECT_LT(*verdict.low, *verdict.value);
  rule.low = 0.5;
  rule.high = 1;
  EXPECT_EQ(verdict_on(two_policies(), rule).outcome, kContradicted);
}

// ucb's bound at (20, 10^4): sqrt(8·20·log(2·20·10^8)·t) is about 60√t: 2√t is far below, 100√t is
// above it.
TEST(Verdict, BoundsAreComparedWithTheLargestReplication) {
  VerdictRule rule = slope("wary", "", 0, 0);
  rule.rule = "bound";
  rule.bound = "ucb";
  MadeStudy made = two_policies();
  EXPECT_EQ(verdict_on(made, rule).outcome, kHolds);
  made.mean = [](std::size_t, std::size_t, double round) { return 100 * std::sqrt(round); };
  EXPECT_EQ(verdict_on(made, rule).outcome, kContradicted);
}

// R₁ = 2√T and R₂ = 0.2T: R₁R₂ = 0.4·T^1.5, and 4T for the other.
TEST(Verdict, TheExponentOfTheProduct) {
  VerdictRule rule = slope("trusting", "", 1.45, 1.55);
  rule.rule = "plane";
  rule.x = "size";
  EXPECT_EQ(verdict_on(two_policies(), rule).outcome, kHolds);
  rule.policy = "wary";
  EXPECT_EQ(verdict_on(two_policies(), rule).outcome, kContradicted);
  rule.rule = "product";  // 4T/(20T) = 0.2
  rule.low = 0.15;
  rule.high = 0.25;
  const Verdict verdict = verdict_on(two_policies(), rule);
  EXPECT_EQ(verdict.outcome, kHolds) << verdict.because;
  EXPECT_NEAR(*verdict.value, 0.2, 1e-9);
}

// Four ratios 10/√T from 0.3 down: all below ½, and the nearest to it is told.
TEST(Verdict, TheWorstOfManyGoodAnswersIsTheOneNearestToItsMargin) {
  VerdictRule rule = slope("wary", "hidden", 0, 0.5);
  rule.rule = "ratio";
  rule.against = "trusting";
  rule.low = std::nullopt;
  const Verdict verdict = verdict_on(two_policies(), rule);
  EXPECT_EQ(verdict.outcome, kHolds) << verdict.because;
  EXPECT_NEAR(*verdict.value, 10 / std::sqrt(1000.0), 1e-9);
}

TEST(Verdict, NobodyOfThatNameIsNoAnswer) {
  const Verdict verdict = verdict_on(two_policies(), slope("nobody", "", 0, 1));
  EXPECT_EQ(verdict.outcome, kUnclear);
  EXPECT_TRUE(contains(verdict.because, "no cell fits")) << verdict.because;
}

// What the figure draws against a policy's own epsilon, the verdict fits against it too.
TEST(Verdict, AParameterOfThePolicyIsAnX) {
  MadeStudy made = two_policies();
  made.policies.clear();
  for (const char* epsilon : {"0.01", "0.1", "1"})
    made.policies.push_back({"sentry", "sentry", {{"epsilon", epsilon}}});
  made.mean = [](std::size_t, std::size_t policy, double) {
    return std::pow(10.0, static_cast<double>(policy));
  };
  VerdictRule rule = slope("sentry", "benign", 0.9, 1.1);
  rule.x = "epsilon";
  EXPECT_EQ(verdict_on(made, rule).outcome, kHolds);
}

// Labels may hold what a name is never cut at.
TEST(Verdict, LabelsAreNotCutUp) {
  MadeStudy made = two_policies();
  made.policies = {{"wary", "ucb"}, {"wary (more)", "ucb"}};
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return policy == 1 ? 0.2 * round : 2 * std::sqrt(round);
  };
  EXPECT_EQ(verdict_on(made, slope("wary", "", 0.45, 0.55)).outcome, kHolds);
  EXPECT_EQ(verdict_on(made, slope("wary (more)", "", 0.95, 1.05)).outcome, kHolds);
}

// Theorems are about prompt outcomes: late ones contradict nothing.
TEST(Verdict, ABoundIsSilentOnLateOutcomes) {
  StudyResult result = test::made_result(two_policies());
  VerdictRule rule;
  rule.name = "below its bound";
  rule.rule = "bound";
  rule.policy = "wary";
  rule.bound = "ucb";
  result.plan.study.verdicts = {rule};
  EXPECT_EQ(judge(result).at(0).outcome, kHolds);
  for (CellSummary& summary : result.cells)
    summary.cell.feedback = Feedback::parse_delay("fixed:100");
  const Verdict late = judge(result).at(0);
  EXPECT_EQ(late.outcome, kUnclear);
  EXPECT_TRUE(contains(late.because, "outcomes are not prompt (delay=fixed:100)")) << late.because;
}

// One world at delays 0, 100 and 1000, with these regrets; errors of 1% in 100 replications.
StudyResult late_study(const std::vector<double>& regrets) {
  MadeStudy made;
  made.instances = {{"world", "hidden-arm"}, {"world", "hidden-arm"}, {"world", "hidden-arm"}};
  made.policies = {{"wary", "ucb"}};
  made.mean = [&](std::size_t instance, std::size_t, double round) {
    return regrets[instance] * round / 10'000;
  };
  made.relative_deviation = 0.1;
  StudyResult result = test::made_result(made);
  const char* delays[] = {"none", "fixed:100", "fixed:1000"};
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    result.cells[i].cell.feedback = Feedback::parse_delay(delays[i]);
    result.cells[i].cell.instance_name.conditions = {{"delay", delays[i]}};
  }
  return result;
}

Verdict delay_verdict(const std::vector<double>& regrets, std::optional<double> high,
                      const std::string& formula = "") {
  StudyResult result = late_study(regrets);
  VerdictRule rule = slope("wary", "world", 0, 0);
  rule.rule = "delay-slope";
  rule.low.reset();
  rule.high = high;
  rule.high_formula = formula;
  result.plan.study.verdicts = {rule};
  return judge(result).at(0);
}

// 1000, 1100 and 3000: 1 and 2 per round of delay, ± 1.96·sqrt(10² + 11²)/100 = 0.291 and
// ± 1.96·sqrt(10² + 30²)/1000 = 0.0620.
TEST(Verdict, WhatARoundOfDelayCosts) {
  const std::vector<double> regrets = {1000, 1100, 3000};
  const Verdict holds = delay_verdict(regrets, 3);
  EXPECT_EQ(holds.outcome, kHolds) << holds.because;
  EXPECT_NEAR(*holds.value, 2, 1e-9);  // the one nearest to its margin
  EXPECT_NEAR(*holds.high, 2.0620, 1e-3);
  EXPECT_TRUE(contains(holds.because, "at delay 1e+03")) << holds.because;
  EXPECT_EQ(delay_verdict(regrets, 2.05).outcome, kUnclear);
  EXPECT_EQ(delay_verdict(regrets, 1.9).outcome, kContradicted);
  // One delay at which the claim is refuted outweighs another at which it holds.
  EXPECT_EQ(delay_verdict({1000, 1300, 1000}, 2).outcome, kContradicted);
  // Less regret than with prompt outcomes is no violation.
  EXPECT_EQ(delay_verdict({1000, 900, 800}, 0).outcome, kHolds);
}

TEST(Verdict, TheMarginOfADelayMayBeAFormulaInTheSizes) {
  const std::vector<double> regrets = {1000, 1100, 3000};
  EXPECT_EQ(delay_verdict(regrets, {}, "A/10").outcome, kUnclear);  // 20 actions: 2
  EXPECT_EQ(delay_verdict(regrets, {}, "A").outcome, kHolds);
  EXPECT_EQ(delay_verdict(regrets, {}, "Z/2").outcome, kContradicted);
}

TEST(Verdict, WithoutPromptOutcomesThereIsNothingToCompareWith) {
  StudyResult result = late_study({1000, 1100, 3000});
  result.cells.erase(result.cells.begin());
  VerdictRule rule = slope("wary", "", 0, 5);
  rule.rule = "delay-slope";
  result.plan.study.verdicts = {rule};
  const Verdict verdict = judge(result).at(0);
  EXPECT_EQ(verdict.outcome, kUnclear);
  EXPECT_TRUE(contains(verdict.because, "prompt outcomes")) << verdict.because;
}

std::string delay_question(const std::string& high, const std::string& delays = "[0, 10]") {
  return "horizons = 5\npolicies = 'ucb'\ninstances = 'hidden-arm'\ndelay = " + delays +
         "\n[[verdicts]]\nname = 'q'\nrule = 'delay-slope'\npolicy = 'ucb'\n" + high;
}

TEST(Verdict, AFormulaInTheSizesIsReadWrittenAndReadAgain) {
  const Study study = read_study(delay_question("high = 'Z*(1+sqrt(log(T)))'"), "s.toml");
  EXPECT_EQ(study.verdicts.at(0).high_formula, "Z*(1+sqrt(log(T)))");
  EXPECT_FALSE(study.verdicts[0].high);
  const Study again = read_study(write_study(study), "again.toml");
  EXPECT_EQ(again.verdicts.at(0).high_formula, "Z*(1+sqrt(log(T)))");
  const Study constant = read_study(delay_question("high = '2*3'"), "s.toml");
  EXPECT_EQ(constant.verdicts.at(0).high, 6.0);
  EXPECT_EQ(constant.verdicts[0].high_formula, "");
}

TEST(Verdict, QuestionsAboutDelaysThatCannotBeAnsweredAreRefused) {
  const auto refusal = [](const std::string& toml) {
    try {
      plan_study(read_study(toml, "s.toml"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal(delay_question("high = 'A'")), "accepted");
  EXPECT_TRUE(contains(refusal(delay_question("")), "the most per round of delay"));
  EXPECT_TRUE(contains(refusal(delay_question("high = 'A*'")), "a number, or a formula"));
  EXPECT_TRUE(contains(refusal(delay_question("high = 1\nlow = 0")), "got 'low'"));
  for (const char* delays : {"0", "10"})
    EXPECT_TRUE(contains(refusal(delay_question("high = 1", delays)), "0 and at least one other"));
}

// Sizes with the same |A|·T are two points of the plane, not one.
TEST(Verdict, SizesWithOneProductStayApart) {
  MadeStudy made = two_policies();
  made.instances = {{"b20", "pareto-benign", true, {}, 20},
                    {"h20", "hidden-arm", false, {}, 20},
                    {"b200", "pareto-benign", true, {}, 200},
                    {"h200", "hidden-arm", false, {}, 200}};
  made.mean = [](std::size_t instance, std::size_t, double round) {
    return (instance < 2 ? 1 : 100) * std::sqrt(round);  // 10⁴ times the product with 200 actions
  };
  VerdictRule rule = slope("wary", "", 0, 2);
  rule.rule = "product";
  rule.high = 1;
  const Verdict verdict = verdict_on(made, rule);
  EXPECT_NEAR(*verdict.value, 50, 1);  // 100²·T/(200·T), and not 100²·T'/(20·T) of mixed sizes
}

// --- R₁ and R₂ over all worlds, against any key

VerdictRule plane(const std::string& policy, const std::string& quantity, const std::string& x,
                  double low, double high) {
  VerdictRule rule = slope(policy, "", low, high);
  rule.rule = "plane";
  rule.quantity = quantity;
  rule.x = x;
  return rule;
}

// The benign world is the worst of all: R₁ = R₂ = 10√T, and the "worst case" of √T changes nothing.
TEST(Plane, TheWorstOfAllWorldsMayBeBenign) {
  MadeStudy made = two_policies();
  made.mean = [](std::size_t instance, std::size_t, double round) {
    return (instance == 0 ? 10 : 1) * std::sqrt(round);
  };
  VerdictRule rule = slope("wary", "", 4.5, 5.5);  // 10·10·T/(20T) = 5, and not 10·1·T/(20T) = 0.5
  rule.rule = "product";
  EXPECT_EQ(verdict_on(made, rule).outcome, kHolds);
  EXPECT_NEAR(*verdict_on(made, rule).value, 5, 1e-9);
}

// R₁ = 2√T and R₂ = 0.2T, each by itself.
TEST(Plane, EachRegretByItself) {
  const MadeStudy made = two_policies();
  EXPECT_EQ(verdict_on(made, plane("trusting", "R1", "size", 0.45, 0.55)).outcome, kHolds);
  EXPECT_EQ(verdict_on(made, plane("trusting", "R2", "size", 0.95, 1.05)).outcome, kHolds);
  EXPECT_EQ(verdict_on(made, plane("trusting", "R2", "horizon", 0.95, 1.05)).outcome, kHolds);
  EXPECT_EQ(verdict_on(made, plane("trusting", "R1R2", "size", 1.45, 1.55)).outcome, kHolds);
  EXPECT_EQ(verdict_on(made, plane("trusting", "R1", "size", 0.95, 1.05)).outcome, kContradicted);
}

// Without benign worlds there is an R₂ but no R₁.
TEST(Plane, AQuantityNeedsItsWorlds) {
  MadeStudy made = two_policies();
  made.instances = {{"hidden", "hidden-arm", false}, {"reversed", "reversed", false}};
  EXPECT_EQ(verdict_on(made, plane("wary", "R2", "horizon", 0.45, 0.55)).outcome, kHolds);
  for (const char* quantity : {"R1", "R1R2"})
    EXPECT_EQ(verdict_on(made, plane("wary", quantity, "horizon", 0, 9)).outcome, kUnclear);
}

// Against |A|: one line per horizon. Regret √(|A|T), so the exponent is ½ on each, and that of the
// product 1; a fixed split of the rounds (|A| itself) is caught.
TEST(Plane, AgainstTheNumberOfActions) {
  MadeStudy made;
  for (const std::uint32_t actions : {10u, 30u, 100u, 300u}) {
    made.instances.push_back({"b" + std::to_string(actions), "pareto-benign", true, {}, actions});
    made.instances.push_back({"h" + std::to_string(actions), "hidden-arm", false, {}, actions});
  }
  made.policies = {{"root", "ucb"}, {"split", "ucb"}};
  made.horizons = {1000, 100'000};
  made.mean = [](std::size_t instance, std::size_t policy, double round) {
    const double actions[] = {10, 30, 100, 300};
    const double size = actions[instance / 2];
    return std::sqrt(round) * (policy == 0 ? std::sqrt(size) : size);
  };
  made.relative_deviation = 0.01;
  const Verdict root = verdict_on(made, plane("root", "R2", "actions", 0.45, 0.55));
  EXPECT_EQ(root.outcome, kHolds) << root.because;
  EXPECT_TRUE(contains(root.because, "against actions")) << root.because;
  EXPECT_TRUE(contains(root.because, "the worst of 2")) << root.because;
  EXPECT_EQ(verdict_on(made, plane("split", "R2", "actions", 0.45, 0.55)).outcome, kContradicted);
  EXPECT_EQ(verdict_on(made, plane("root", "R1R2", "actions", 0.9, 1.1)).outcome, kHolds);
  // x of the range is |A| here.
  VerdictRule few = plane("root", "R2", "actions", 0.45, 0.55);
  few.until = 30;
  EXPECT_TRUE(contains(verdict_on(made, few).because, "fewer than three points"));
}

// Along a dial the members of a grid are one line: R₂ falls like 1/dial.
TEST(Plane, AlongADial) {
  MadeStudy made = two_policies();
  made.policies.clear();
  for (const char* share : {"0.01", "0.1", "1"})
    made.policies.push_back({"sentry", "sentry", {{"share", share}}});
  made.horizons = {10'000};
  made.mean = [](std::size_t instance, std::size_t policy, double) {
    return instance == 0 ? 1.0 : 1e4 / std::pow(10.0, static_cast<double>(policy));
  };
  EXPECT_EQ(verdict_on(made, plane("sentry", "R2", "share", -1.1, -0.9)).outcome, kHolds);
  EXPECT_EQ(verdict_on(made, plane("sentry", "R2", "share", 0, 1)).outcome, kContradicted);
}

// --- per

// √T·log T: the exponent alone is above ½, divided by log T it is ½.
TEST(Per, DividesBeforeTheFit) {
  MadeStudy made = two_policies();
  made.mean = [](std::size_t, std::size_t, double round) {
    return std::sqrt(round) * std::log(round);
  };
  VerdictRule rule = slope("wary", "hidden", 0.49, 0.51);
  EXPECT_EQ(verdict_on(made, rule).outcome, kContradicted);
  rule.per = "log(T)";
  EXPECT_EQ(verdict_on(made, rule).outcome, kHolds);
  EXPECT_TRUE(contains(verdict_on(made, rule).because, "exponent divided by log(T)"));
  VerdictRule both = plane("wary", "R1R2", "size", 0.99, 1.01);
  EXPECT_EQ(verdict_on(made, both).outcome, kContradicted);
  both.per = "log(T)^2";
  EXPECT_EQ(verdict_on(made, both).outcome, kHolds);
}

std::string question(const std::string& lines) {
  return "horizons = [5, 10]\npolicies = 'ucb'\n[[instances]]\ninstance = 'hidden-arm'\n"
         "epsilon = [0, 0.1]\n[[verdicts]]\nname = 'q'\npolicy = 'ucb'\n" +
         lines;
}

TEST(Per, IsReadWrittenAndRefusedWhereItIsNotPositive) {
  const Study study = read_study(
      question("rule = 'slope'\nlow = 1\nper = 'sqrt(log(T))'\ncatches = 'linear growth'"), "s");
  EXPECT_EQ(study.verdicts.at(0).per, "sqrt(log(T))");
  const Study again = read_study(write_study(study), "again.toml");
  EXPECT_EQ(again.verdicts.at(0).per, "sqrt(log(T))");
  EXPECT_EQ(again.verdicts[0].catches, "linear growth");
  const auto refusal = [](const std::string& lines) {
    return test::refusal([&] { plan_study(read_study(question(lines), "s.toml")); });
  };
  EXPECT_EQ(refusal("rule = 'slope'\nlow = 1\nper = 3"), "(accepted)");
  EXPECT_TRUE(contains(refusal("rule = 'slope'\nlow = 1\nper = 'T-7'"), "per = T-7, -2 at T = 5"));
  EXPECT_TRUE(contains(refusal("rule = 'slope'\nlow = 1\nper = 'log('"), "per: got 'log('"));
  EXPECT_TRUE(contains(refusal("rule = 'product'\nlow = 1\nper = 'T'"), "got 'per'"));
}

TEST(Quantity, WhatNoRuleKnowsIsRefused) {
  const auto refusal = [](const std::string& lines) {
    return test::refusal([&] { plan_study(read_study(question(lines), "s.toml")); });
  };
  EXPECT_TRUE(contains(refusal("rule = 'slope'\nlow = 1\nquantity = 'regrets'"),
                       "quantity: got 'regrets', expected regret, extra(KEY) or plays(LEARNER)"));
  EXPECT_TRUE(
      contains(refusal("rule = 'plane'\nlow = 1\nquantity = 'regret'"), "expected R1, R2 or R1R2"));
  EXPECT_TRUE(contains(refusal("rule = 'level'\nlow = 1\nquantity = 'plays(ucb)'"),
                       "expected regret or extra(KEY)"));
  EXPECT_TRUE(contains(refusal("rule = 'plane'\nlow = 1\nx = 'dail'"), "x: got 'dail'"));
  EXPECT_EQ(refusal("rule = 'plane'\nlow = 1\nx = 'horizon'\nquantity = 'R2'"), "(accepted)");
  const Study study = read_study(question("rule = 'plane'\nlow = 1"), "s.toml");
  EXPECT_EQ(study.verdicts.at(0).x, "size");
  EXPECT_EQ(study.verdicts[0].quantity, "R1R2");
}

// --- level

VerdictRule level(const std::string& policy, double low, double high) {
  VerdictRule rule = slope(policy, "hidden", low, high);
  rule.rule = "level";
  return rule;
}

// 2√T at four horizons: divided by √T it is 2 at each, ± t95(99)·1%·2/10 = 0.00397.
TEST(Level, EveryCellCounts) {
  const MadeStudy made = two_policies();
  VerdictRule rule = level("wary", 1.9, 2.1);
  rule.per = "sqrt(T)";
  const Verdict verdict = verdict_on(made, rule);
  EXPECT_EQ(verdict.outcome, kHolds) << verdict.because;
  EXPECT_NEAR(*verdict.high - *verdict.value, 0.00397, 1e-5);
  EXPECT_TRUE(contains(verdict.because, "the worst of 4")) << verdict.because;
  EXPECT_TRUE(contains(verdict.because, "on hidden at T = ")) << verdict.because;
  rule.policy = "trusting";  // 0.2√T: 6.3, 20, 63 and 200
  EXPECT_EQ(verdict_on(made, rule).outcome, kContradicted);
  rule.high = 25;
  EXPECT_EQ(verdict_on(made, rule).outcome, kContradicted);
  rule.until = 10'000;
  EXPECT_EQ(verdict_on(made, rule).outcome, kHolds);
  EXPECT_EQ(verdict_on(made, level("wary", 60, 3000)).outcome, kHolds);  // 63 to 2000
  EXPECT_EQ(verdict_on(made, level("wary", 63.2, 3000)).outcome, kUnclear);
}

TEST(Level, OneReplicationIsNoInterval) {
  MadeStudy made = two_policies();
  made.replications = 1;
  EXPECT_EQ(verdict_on(made, level("wary", 0, 1e9)).outcome, kUnclear);
  VerdictRule ratio = slope("wary", "hidden", 0, 1e9);
  ratio.rule = "ratio";
  ratio.against = "trusting";
  EXPECT_EQ(verdict_on(made, ratio).outcome, kUnclear);
  made.replications = 2;  // Student's law with one degree: twelve errors wide, not two
  made.relative_deviation = 0.1;
  const Verdict verdict = verdict_on(made, ratio);
  EXPECT_GT(*verdict.high / *verdict.value, 3) << verdict.because;
}

// After a search each policy stands in worlds of its own, one of each size.
TEST(Verdict, WhatASearchCannotAnswerIsRefused) {
  const auto refusal = [](const std::string& lines) {
    return test::refusal([&] {
      plan_study(read_study(question(lines) + "\n[search]\nreplications = 2\n", "s.toml"));
    });
  };
  EXPECT_TRUE(
      contains(refusal("rule = 'ratio'\nagainst = 'ucb'\nhigh = 1"), "plane, product or level"));
  EXPECT_TRUE(contains(refusal("rule = 'slope'\nlow = 1\nx = 'epsilon'"), "a key of policies"));
  EXPECT_EQ(refusal("rule = 'plane'\nlow = 1\nx = 'horizon'"), "(accepted)");
  EXPECT_TRUE(contains(refusal("rule = 'product'\nlow = 1\nbound = 'frontier-lowr'"),
                       "bound: got 'frontier-lowr'"));
}

// --- extra regret

// Three values of ε on one world; regrets of 8 replications that share a large common luck.
StudyResult extra_study() {
  MadeStudy made;
  made.instances = {{"world", "random-benign", true, {{"epsilon", "0"}}},
                    {"world", "random-benign", true, {{"epsilon", "0.1"}}},
                    {"world", "random-benign", true, {{"epsilon", "0.2"}}}};
  made.policies = {{"wary", "ucb"}};
  made.replications = 8;
  made.mean = [](std::size_t instance, std::size_t, double) {
    return 1000 + 50 * static_cast<double>(instance);
  };
  made.relative_deviation = 0.5;
  StudyResult result = test::made_result(made);
  for (std::size_t i = 0; i < 3; ++i)
    for (int replication = 0; replication < 8; ++replication)
      result.cells[i].finals.push_back(1000 + 50.0 * static_cast<double>(i) +
                                       500 * std::cos(replication) +
                                       (replication % 2 == 0 ? 1 : -1) * static_cast<double>(i));
  return result;
}

Verdict extra_verdict(StudyResult result, const char* rule_name, double low, double high) {
  VerdictRule rule = slope("wary", "world", low, high);
  rule.rule = rule_name;
  rule.x = "epsilon";
  rule.quantity = "extra(epsilon)";
  result.plan.study.verdicts = {rule};
  return judge(result).at(0);
}

// 50 and 100 above ε = 0, ± t95(7)·(deviation of ±1 or ±2: 1.069, 2.138)/√8 = 0.894 and 1.787. As
// two means with their own errors it would be ± 500.
TEST(Extra, IsPairedReplicationByReplication) {
  const Verdict verdict = extra_verdict(extra_study(), "level", 49, 102);
  EXPECT_EQ(verdict.outcome, kHolds) << verdict.because;
  EXPECT_NEAR(*verdict.value, 50, 1e-9);
  EXPECT_NEAR(*verdict.high - *verdict.value, 0.894, 1e-3);
  EXPECT_TRUE(contains(verdict.because, "the worst of 2")) << verdict.because;  // not at 0
  EXPECT_EQ(extra_verdict(extra_study(), "level", 60, 200).outcome, kContradicted);
  StudyResult apart = extra_study();
  for (CellSummary& summary : apart.cells) summary.finals.clear();
  EXPECT_EQ(extra_verdict(apart, "level", 49, 102).outcome, kUnclear);
}

TEST(Extra, HasAnExponent) {
  StudyResult result = extra_study();
  EXPECT_TRUE(contains(extra_verdict(result, "slope", 0.9, 1.1).because, "fewer than three"));
  // A third value, 0.4, with the extra regret of a linear law.
  CellSummary more = result.cells[2];
  name_instance(more.cell, {"world", "random-benign", {}, {{"epsilon", "0.4"}}, {}});
  for (double& regret : more.finals) regret += 100;
  result.cells.push_back(more);
  EXPECT_EQ(extra_verdict(result, "slope", 0.9, 1.1).outcome, kHolds);
  EXPECT_EQ(extra_verdict(result, "slope", 1.8, 2.2).outcome, kContradicted);
}

TEST(Extra, NeedsACellAtZero) {
  const auto refusal = [](std::string toml, const std::string& epsilon) {
    toml.replace(toml.find("[0, 0.1]"), 8, epsilon);
    return test::refusal([&] { plan_study(read_study(toml, "s.toml")); });
  };
  const std::string asked = question("rule = 'level'\nhigh = 1\nquantity = 'extra(epsilon)'");
  EXPECT_EQ(refusal(asked, "[0, 0.1]"), "(accepted)");
  for (const char* epsilon : {"[0.1, 0.2]", "0", "[0]"})
    EXPECT_TRUE(contains(refusal(asked, epsilon), "a grid of epsilon with 0 and another value"));
  EXPECT_TRUE(contains(refusal("search = {replications = 1}\n" + asked, "[0, 0.1]"),
                       "a search keeps no cell to compare with"));
}

// What pairing rests on: whatever ε is, a replication plays in the same world.
TEST(Extra, RandomFamiliesDrawTheSameWorldForEveryEpsilon) {
  for (const char* family : {"random-benign", "semi-benign", "nearly-benign"})
    for (const char* direction : {"random", "adversarial"}) {
      const std::string form = std::string(family) + ":actions=4,perturbation=" + direction;
      const InstanceSource exact(form, 100, 9);
      const InstanceSource disturbed(form + ",epsilon=0.01", 100, 9);
      for (const std::uint32_t replication : {0u, 1u, 7u}) {
        const auto one = exact.instance(replication), other = disturbed.instance(replication);
        for (Arm arm = 0; arm < 4; ++arm) {
          EXPECT_EQ(one->mean(arm), other->mean(arm)) << form;
          const auto row = one->marginals().row(arm), same = other->marginals().row(arm);
          EXPECT_TRUE(std::equal(row.begin(), row.end(), same.begin(), same.end())) << form;
        }
      }
    }
}

// --- The bootstrap

// One world of each role: 2√T and 4√T, every replication with a deviation of 20%.
StudyResult noisy_study(std::uint32_t replications, std::uint32_t number = 0) {
  MadeStudy made;
  made.instances = {{"benign", "pareto-benign"}, {"hidden", "hidden-arm", false}};
  made.policies = {{"wary", "ucb"}};
  made.horizons = {1000, 10'000, 100'000, 1'000'000};
  made.replications = replications;
  made.mean = [](std::size_t instance, std::size_t, double round) {
    return (instance == 0 ? 2 : 4) * std::sqrt(round);
  };
  StudyResult result = test::made_result(made);
  Stream luck({17, number, Purpose::kTest});
  for (CellSummary& summary : result.cells) {
    const double mean = summary.final_regret().mean;
    for (std::uint32_t i = 0; i < replications; ++i)
      summary.finals.push_back(mean * (1 + 0.2 * normal(luck)));
    double sum = 0;
    for (const double regret : summary.finals) sum += regret;
    summary.curve.back().regret.mean = sum / replications;
  }
  return result;
}

Verdict noisy_verdict(const StudyResult& made, const char* rule_name, double low, double high) {
  StudyResult result = made;
  VerdictRule rule = plane("wary", "R1R2", "size", low, high);
  rule.rule = rule_name;
  rule.until = rule.rule == "product" ? std::optional(1000.0) : std::nullopt;
  result.plan.study.verdicts = {rule};
  return judge(result).at(0);
}

// R₁R₂/(|A|T) = 0.4 with relative error 0.2·√(2/50) = 0.04: the interval is about ±0.0314.
TEST(Bootstrap, ProductsHaveTheSpreadOfTheirReplications) {
  const Verdict verdict = noisy_verdict(noisy_study(50), "product", 0.3, 0.5);
  EXPECT_EQ(verdict.outcome, kHolds) << verdict.because;
  EXPECT_NEAR(*verdict.high - *verdict.low, 0.0628, 0.015);
  EXPECT_LT(*verdict.low, *verdict.value);
  EXPECT_GT(*verdict.high, *verdict.value);
}

// Two worlds that meet the same luck: the product of their means is the square of one, and twice as
// uncertain as either, not √2 times. ±0.0444, where two lots of luck would give ±0.0314.
TEST(Bootstrap, CellsOfOneLuckAreDrawnTogether) {
  StudyResult result = noisy_study(50);
  for (CellSummary& summary : result.cells)
    for (const CellSummary& other : result.cells)
      if (other.cell.role == "benign" && summary.cell.role != "benign" &&
          other.cell.horizon == summary.cell.horizon &&
          other.cell.policy_label == summary.cell.policy_label) {
        const double factor = summary.final_regret().mean / other.final_regret().mean;
        for (std::size_t i = 0; i < summary.finals.size(); ++i)
          summary.finals[i] = factor * other.finals[i];
      }
  const Verdict verdict = noisy_verdict(result, "product", 0, 9);
  EXPECT_NEAR(*verdict.high - *verdict.low, 0.0888, 0.015) << verdict.because;
}

// Of 200 studies with 30 replications each, the 95% interval holds the truth in about as many as it
// says: 190 expected, below 170 with a chance of 2e-8 if it held 95% and of 1e-6 if it held 94%.
TEST(Bootstrap, IntervalsHoldTheTruth) {
  int held = 0;
  for (std::uint32_t study = 0; study < 200; ++study) {
    StudyResult result = noisy_study(30, study);
    const Verdict verdict = noisy_verdict(result, "product", 0, 9);
    held += *verdict.low <= 0.4 && *verdict.high >= 0.4 ? 1 : 0;
  }
  EXPECT_GE(held, 170);
  EXPECT_LT(held, 200);  // and not because it is endless
}

TEST(Bootstrap, TheSameDataGiveTheSameBytes) {
  const StudyResult result = noisy_study(50);
  for (const char* rule : {"product", "plane"}) {
    const Verdict one = noisy_verdict(result, rule, 0, 9),
                  again = noisy_verdict(result, rule, 0, 9);
    EXPECT_EQ(*one.low, *again.low);
    EXPECT_EQ(*one.high, *again.high);
    EXPECT_EQ(*one.p, *again.p);
  }
}

// The residuals of four points that happen to lie straight say nothing of noise: here each point is
// off by 4%, which makes a slope over three decades uncertain by more than ±0.01.
TEST(Bootstrap, ExponentsKnowOfNoiseThatLiesStraight) {
  StudyResult result = noisy_study(50);
  for (CellSummary& summary : result.cells) {  // means on the line exactly, noise kept
    const double wanted = (summary.cell.role == "benign" ? 2 : 4) *
                          std::sqrt(static_cast<double>(summary.cell.horizon));
    const double factor = wanted / summary.final_regret().mean;
    for (double& regret : summary.finals) regret *= factor;
    summary.curve.back().regret.mean = wanted;
  }
  const Verdict verdict = noisy_verdict(result, "plane", 0.9, 1.1);
  EXPECT_EQ(verdict.outcome, kHolds) << verdict.because;
  EXPECT_NEAR(*verdict.value, 1, 1e-9);
  // Σ(x − mean)² = 26.5 for x = log 10³ … log 10⁶: error 0.04/√26.5 = 0.0078, ±0.0152.
  EXPECT_NEAR((*verdict.high - *verdict.low) / 2, 0.0152, 0.003);
}

// The maximum is taken anew in each resample. Ten worlds of one law: whichever was luckiest in the
// data need not be the worst in a resample, so the interval reaches above the estimate of that one
// cell and not far below it.
TEST(Bootstrap, TheMaximumIsTakenAnew) {
  MadeStudy made;
  made.instances = {{"benign", "pareto-benign"}};
  for (int i = 0; i < 10; ++i)
    made.instances.push_back({"hidden " + std::to_string(i), "hidden-arm", false});
  made.policies = {{"wary", "ucb"}};
  made.horizons = {1000};
  made.mean = [](std::size_t instance, std::size_t, double) { return instance == 0 ? 1. : 100.; };
  made.replications = 20;
  StudyResult result = test::made_result(made);
  Stream luck({23, 0, Purpose::kTest});
  for (CellSummary& summary : result.cells) {
    // Deviation 20 about a mean that is 100 exactly: the benign world does not vary.
    for (int i = 0; i < 10; ++i) {
      const double off = summary.cell.role == "benign" ? 0 : 20 * normal(luck);
      summary.finals.push_back(summary.final_regret().mean + off);
      summary.finals.push_back(summary.final_regret().mean - off);
    }
  }
  const Verdict verdict = noisy_verdict(result, "product", 0, 1);
  // All means are equal, so that every resample's maximum lies above most of them: of ten normal
  // errors with deviation 4.3 the largest is below 0 once in 2^10.
  EXPECT_GT(*verdict.low * 20 * 1000, 100);
  EXPECT_GT(*verdict.high * 20 * 1000, 108);
  EXPECT_LT(*verdict.high * 20 * 1000, 125);
}

TEST(Bootstrap, FinalRegretsAreKeptInTheOrderOfReplications) {
  Simulation simulation;
  simulation.instance = "hidden-arm";
  simulation.policies = {"ucb"};
  simulation.horizon = 100;
  simulation.replications = 5;
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.cells[0].finals, result.final_regrets(0));
  simulation.horizon = 2;
  simulation.replications = kMostFinals + 1;
  EXPECT_TRUE(simulate(simulation).cells[0].finals.empty());
}

// --- How likely an answer is if the truth lies at the margin, and Holm's correction

// Level 63.2456, error 0.0632456 in 99 degrees. A margin two errors away: P(t₉₉ ≥ 2) = 0.02412.
TEST(Chance, OneSidedFromErrorAndDegrees) {
  const double value = 2 * std::sqrt(1000.0), error = value * 0.01 / 10;
  VerdictRule rule = level("wary", 0, 0);
  rule.until = 1000;
  rule.low.reset();
  rule.high = value + 2 * error;
  EXPECT_NEAR(*verdict_on(two_policies(), rule).p, 0.02412, 1e-5);
  rule.low = value - 3 * error;  // farther than the other: less doubtful
  EXPECT_NEAR(*verdict_on(two_policies(), rule).p, 0.02412, 1e-5);
  rule.low = value + 4 * error;
  rule.high.reset();
  const Verdict contradicted = verdict_on(two_policies(), rule);
  EXPECT_EQ(contradicted.outcome, kContradicted);
  EXPECT_NEAR(*contradicted.p, 0.0000613, 1e-6);  // P(t₉₉ ≥ 4)
  rule.low = value - 1 * error;
  EXPECT_FALSE(verdict_on(two_policies(), rule).p);  // not clear
}

// Ten errors away and two: that both hold is as doubtful as the second. That one is contradicted
// was looked for in two places.
TEST(Chance, OfSeveralAnswers) {
  const double value = 2 * std::sqrt(10'000.0), error = value * 0.01 / 10;
  VerdictRule rule = level("wary", 0, 0);
  rule.until = 10'000;
  rule.low.reset();
  rule.high = value + 2 * error;
  EXPECT_NEAR(*verdict_on(two_policies(), rule).p, 0.02412, 1e-5);
  rule.high = value - 4 * error;
  EXPECT_NEAR(*verdict_on(two_policies(), rule).p, 2 * 0.0000613, 2e-6);
}

TEST(Chance, BoundsHaveNone) {
  VerdictRule rule = slope("wary", "", 0, 0);
  rule.rule = "bound";
  rule.bound = "ucb";
  EXPECT_FALSE(verdict_on(two_policies(), rule).p);
}

std::vector<Verdict> answers(const std::vector<std::optional<double>>& chances) {
  std::vector<Verdict> verdicts;
  for (const auto& p : chances) {
    Verdict verdict;
    verdict.outcome = kHolds;
    verdict.p = p;
    verdicts.push_back(verdict);
  }
  return verdicts;
}

// 0.01 ≤ 0.05/4, 0.013 ≤ 0.05/3, 0.03 > 0.05/2: it falls, and with it 0.04, which alone would not.
TEST(Holm, StepsDownFromTheSmallest) {
  const HolmCorrection correction = holm(answers({0.03, 0.01, 0.04, 0.013}));
  EXPECT_EQ(correction.questions, 4u);
  EXPECT_EQ(correction.fallen, (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(holm(answers({0.012, 0.001, 0.02, 0.04})).fallen.empty());
}

// What has no error is not counted; what was asked without a clear answer is.
TEST(Holm, CountsWhatWasAsked) {
  std::vector<Verdict> verdicts = answers({0.02, {}, 0.001});
  EXPECT_EQ(holm(verdicts).questions, 2u);
  EXPECT_TRUE(holm(verdicts).fallen.empty());
  verdicts[1].outcome = kUnclear;
  EXPECT_EQ(holm(verdicts).questions, 3u);
  EXPECT_TRUE(holm(verdicts).fallen.empty());  // 0.02 ≤ 0.05/2
  verdicts.push_back(verdicts[1]);
  EXPECT_EQ(holm(verdicts).fallen, std::vector<std::size_t>{0});  // 0.02 > 0.05/3
}

}  // namespace
}  // namespace armature
