// The verdict code on planted data: a straight line must be called linear, a root must not.
#include <gtest/gtest.h>

#include <cmath>

#include "armature/error.h"
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

}  // namespace
}  // namespace armature
