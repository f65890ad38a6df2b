#include "theory/frontier.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "armature/error.h"
#include "theory/random_settings.h"

namespace armature {
namespace {

Setting sizes(double actions, double contexts, double horizon) {
  Setting setting;
  setting.actions = actions;
  setting.contexts = contexts;
  setting.horizon = horizon;
  return setting;
}

// Policies with a dial stay above R_1·R_2 = |A|T all along it, and so above c|A|T; as rates they
// are on it, up to the flat part.
RC_GTEST_PROP(Frontier, DialsStayAboveIt, ()) {
  const Setting setting = test::random_setting();
  const double product = setting.actions * setting.horizon;
  for (const FrontierPoint& point : frontier(setting, 5).points)
    if (point.series == "db" || point.series == "sentry" || point.series == "warden" ||
        point.series == "hac-ucb")
      RC_ASSERT(point.r1 * point.r2 >= product * (1 - 1e-12));
}

TEST(Frontier, HasTheCurvesAndThePolicies) {
  const Frontier result = frontier(sizes(20, 2, 1e9), 9);
  std::map<std::string, int> count;
  for (const FrontierPoint& point : result.points) ++count[point.series];
  EXPECT_EQ(count["frontier"], 10);  // and the corner
  EXPECT_EQ(count["lower"], 8);      // at T/320 itself it is void
  EXPECT_EQ(count["ucb"], 2);
  EXPECT_EQ(count["c-ucb"], 2);
  EXPECT_EQ(count["hac-ucb"], 2);
  EXPECT_EQ(count["db"], 18);
  EXPECT_EQ(count["sentry"], 9);
  EXPECT_EQ(count["warden"], 9);
  EXPECT_DOUBLE_EQ(result.lower_until.value(), 1e9 / 320);
  EXPECT_EQ(result.points.front().r2, std::sqrt(20e9));
  EXPECT_EQ(result.points[9].r2, 1e9);
  EXPECT_DOUBLE_EQ(result.points[9].r1, std::sqrt(2e9));  // flat beyond the corner
}

// ucb has a logarithm by gap in every world, at the frontier's end; Sentry has it at every share on
// the way: squaring T less than doubles what is lost at a fixed gap, and R_1·R_2 stays within a
// constant of |A|·L_A·T.
TEST(Frontier, ALogarithmAtEveryPoint) {
  for (const auto schedule : {SentryForm::Schedule::kFirst, SentryForm::Schedule::kSpread})
    for (const double share : {0.02, 0.1, 0.5, 1.0}) {
      const auto lost = [&](double horizon) {
        Setting setting = sizes(1000, 2, horizon);
        setting.gap = 0.1;
        SentryForm form;
        form.schedule = schedule;
        form.budget = share * horizon;
        const double r1 = sentry_benign_bound(setting, form, horizon);
        const double r2 = sentry_any_bound(setting, form, horizon);
        EXPECT_LT(r1 * r2, 20 * 1000 * horizon * sentry_action_log(setting, form, horizon));
        return sentry_gap_bound(setting, form);
      };
      EXPECT_LT(lost(1e18), 2 * lost(1e9)) << share;
    }
  // The default budget is not on the way: its product outgrows any constant.
  const auto product = [](double horizon) {
    const Setting setting = sizes(20, 2, horizon);
    const RegretPair pair = sentry_pair(setting, sentry_budget(setting, {}));
    return pair.r1 * pair.r2 / (20 * horizon * sentry_action_log(setting, {}, horizon));
  };
  EXPECT_GT(product(1e18), 50 * product(1e6));
}

TEST(Frontier, SaysWhereItIsVoid) {
  const Frontier result = frontier(sizes(20, 2, 1e6), 3);
  EXPECT_FALSE(result.lower_until);
  EXPECT_NE(result.notes.back().find("void"), std::string::npos);
  // T < |A|: no R_2 between sqrt(|A|T) and T.
  EXPECT_NE(frontier(sizes(100, 2, 10), 3).notes.front().find("T < |A|"), std::string::npos);
  EXPECT_THROW(frontier(sizes(20, 2, 1e6), 1), Error);
}

TEST(Frontier, IsNumbersEverywhere) {
  for (double horizon = 1; horizon <= 1e18; horizon *= 10)
    for (const double actions : {1.0, 2.0, 1000.0, 1e9})
      for (const double contexts : {1.0, 2.0, 1e9})
        for (const FrontierPoint& point : frontier(sizes(actions, contexts, horizon), 4).points)
          ASSERT_TRUE(std::isfinite(point.r1) && std::isfinite(point.r2) && point.r1 >= 0 &&
                      point.r2 >= 0)
              << point.series << actions << " " << contexts << " " << horizon;
}

TEST(Frontier, LogNormalised) {
  EXPECT_DOUBLE_EQ(log_normalised(1000, 1e6).value(), 0.5);
  EXPECT_FALSE(log_normalised(1, 1));
}

TEST(Pairs, NotReasonable) {
  const PairVerdict verdict = judge_pair(sizes(20, 2, 1e6), 1000, 5000);  // sqrt(2·10^6) = 1414
  EXPECT_EQ(verdict.verdict, "not reasonable");
  EXPECT_NE(verdict.because.find("R_1 = 1000"), std::string::npos);
  EXPECT_EQ(judge_pair(sizes(20, 2, 1e6), 2000, 4000).verdict, "not reasonable");
}

TEST(Pairs, AchievableExplicitly) {
  const Setting setting = sizes(1000, 2, 1e9);
  EXPECT_EQ(judge_pair(setting, 2e7, 2e7).policy, "ucb");      // 1.98·10^7
  EXPECT_EQ(judge_pair(setting, 2.2e6, 1e9).policy, "c-ucb");  // 2.16·10^6
  EXPECT_EQ(judge_pair(setting, 1e9, 1e9).verdict, "achievable");
  const PairVerdict sentry = judge_pair(setting, 5e6, 1e8);
  EXPECT_EQ(sentry.verdict, "achievable");
  EXPECT_EQ(sentry.kind, BoundKind::kExplicit);
  EXPECT_TRUE(sentry.policy.starts_with("sentry:confidence=paper,budget=")) << sentry.policy;
}

// |A| = 20, |Z| = 2, T = 10^6: 1.29·10^4 and 1.58·10^5 at r = 11.8.
TEST(Pairs, AchievableByWarden) {
  const PairVerdict verdict = judge_pair(sizes(20, 2, 1e6), 1.3e4, 1.6e5);
  EXPECT_EQ(verdict.verdict, "achievable");
  EXPECT_EQ(verdict.kind, BoundKind::kExplicit);
  EXPECT_TRUE(verdict.policy.starts_with("warden:r=1")) << verdict.policy;
}

TEST(Pairs, AchievableAsARateOnTheFrontier) {
  const double r2 = 2e4;
  const PairVerdict verdict = judge_pair(sizes(20, 2, 1e6), 20e6 / r2 * 2, r2);
  EXPECT_EQ(verdict.verdict, "achievable");
  EXPECT_EQ(verdict.kind, BoundKind::kRate);
  EXPECT_EQ(verdict.policy, "db:R2=20000");
}

TEST(Pairs, ExcludedAndBetween) {
  // |A| = 10^7, |Z| = 2, T = 10^16: with R_2 = 3.2·10^11, R_1 ≥ 10^23/(256e·3.2·10^11) = 4.49·10^8.
  const Setting setting = sizes(1e7, 2, 1e16);
  EXPECT_EQ(judge_pair(setting, 4.4e8, 3.2e11).verdict, "excluded");
  EXPECT_EQ(judge_pair(setting, 4.6e8, 3.2e11).verdict, "between the bounds");
  EXPECT_EQ(judge_pair(setting, 3.2e11, 3.2e11).verdict, "achievable");
  EXPECT_THROW(judge_pair(setting, 0, 1), Error);
  EXPECT_THROW(judge_pair(setting, 1, -1), Error);
}

// More regret is never harder to have.
RC_GTEST_PROP(Pairs, VerdictsAreMonotone, ()) {
  const Setting setting = test::random_setting();
  const auto rank = [](const std::string& verdict) {
    const std::vector<std::string> order = {"not reasonable", "excluded", "between the bounds",
                                            "achievable"};
    return std::find(order.begin(), order.end(), verdict) - order.begin();
  };
  const double r1 = test::log_uniform(1, setting.horizon);
  const double r2 = test::log_uniform(1, setting.horizon);
  const double more = *rc::gen::inRange(1, 100);
  RC_ASSERT(rank(judge_pair(setting, r1, r2).verdict) <=
            rank(judge_pair(setting, r1 * more, r2).verdict));
  RC_ASSERT(rank(judge_pair(setting, r1, r2).verdict) <=
            rank(judge_pair(setting, r1, r2 * more).verdict));
}

// What is said to be reached by explicit bounds is never excluded by the explicit lower bound.
RC_GTEST_PROP(Pairs, WhatPoliciesReachIsAchievable, ()) {
  const Setting setting = test::random_setting();
  for (const FrontierPoint& point : frontier(setting, 4).points)
    if (!point.policy.empty() && point.kind == BoundKind::kExplicit)
      RC_ASSERT(judge_pair(setting, point.r1 * (1 + 1e-9), point.r2 * (1 + 1e-9)).verdict ==
                "achievable");
}

}  // namespace
}  // namespace armature
