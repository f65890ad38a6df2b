// How bounds move with what they depend on, and that no lower bound is above an upper one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "theory/frontier.h"
#include "theory/random_settings.h"

namespace armature {
namespace {

using test::log_uniform;
using test::random_setting;

constexpr double kRounding = 1 + 1e-12;

RC_GTEST_PROP(UpperBounds, GrowWithTheHorizon, ()) {
  const Setting at = random_setting();
  Setting later = at;
  later.horizon = log_uniform(at.horizon, 1e18);
  const double t = at.horizon, u = later.horizon;
  RC_ASSERT(ucb_bound(at, t) <= ucb_bound(later, u) * kRounding);
  RC_ASSERT(c_ucb_bound(at, t) <= c_ucb_bound(later, u) * kRounding);
  RC_ASSERT(c_ucb_sharp_bound(at, t) <= c_ucb_sharp_bound(later, u) * kRounding);
  RC_ASSERT(pe_bound(at, t) <= pe_bound(later, u) * kRounding);
  RC_ASSERT(sentry_any_bound(at, {}, t) <= sentry_any_bound(later, {}, u) * kRounding);
  RC_ASSERT(sentry_benign_bound(at, {}, t) <= sentry_benign_bound(later, {}, u) * kRounding);
}

RC_GTEST_PROP(UpperBounds, GrowWithTheSizes, ()) {
  const Setting small = random_setting();
  Setting large = small;
  large.actions = log_uniform(small.actions, 1e9);
  large.contexts = log_uniform(small.contexts, 1e9);
  const double t = small.horizon;
  RC_ASSERT(ucb_bound(small, t) <= ucb_bound(large, t));
  RC_ASSERT(c_ucb_bound(small, t) <= c_ucb_bound(large, t));
  RC_ASSERT(pe_bound(small, t) <= pe_bound(large, t) * kRounding);
  RC_ASSERT(sentry_ucb_bound(small, {}, t) <= sentry_ucb_bound(large, {}, t));
  RC_ASSERT(sentry_causal_bound(small, {}, t) <= sentry_causal_bound(large, {}, t) * kRounding);
}

RC_GTEST_PROP(UpperBounds, GrowAsTheGapOrTheLevelShrinks, ()) {
  Setting wide = random_setting();
  wide.gap = *rc::gen::inRange(1, 1001) / 1000.0;
  wide.delta = *rc::gen::inRange(1, 1000) / 1000.0;
  Setting narrow = wide;
  narrow.gap = *wide.gap / *rc::gen::inRange(1, 1000);
  for (auto* bound : {ucb_gap_bound, pe_gap_bound, pe_gap_closed_bound, pe_gap_rate})
    RC_ASSERT(bound(wide) <= bound(narrow) * kRounding);
  Setting surer = wide;
  surer.delta = *wide.delta / *rc::gen::inRange(1, 1000);
  const double t = wide.horizon;
  for (auto* bound : {ucb_bound, c_ucb_bound, c_ucb_sharp_bound, pe_bound, pe_rate})
    RC_ASSERT(bound(wide, t) <= bound(surer, t) * kRounding);
}

RC_GTEST_PROP(UpperBounds, GoAsTheRootOfTime, ()) {
  const Setting setting = random_setting();
  const double t = log_uniform(1, setting.horizon);
  for (auto* bound : {ucb_bound, c_ucb_bound, c_ucb_sharp_bound, pe_bound, pe_rate})
    RC_ASSERT(std::abs(bound(setting, 4 * t) / bound(setting, t) - 2) < 1e-12);
}

RC_GTEST_PROP(UpperBounds, SharperFormsAreSharper, ()) {
  Setting setting = random_setting();
  setting.gap = std::pow(10.0, -*rc::gen::inRange(0, 1200) / 100.0);
  setting.rank = log_uniform(1, setting.contexts);
  RC_ASSERT(c_ucb_sharp_bound(setting, setting.horizon) < c_ucb_bound(setting, setting.horizon));
  RC_ASSERT(pe_gap_bound(setting) <= pe_gap_closed_bound(setting) * kRounding);
}

RC_GTEST_PROP(Sentry, TheDialTradesBenignAgainstWorst, ()) {
  const Setting setting = random_setting();
  SentryForm less, more;
  less.budget = log_uniform(1, setting.horizon);
  more.budget = log_uniform(*less.budget, setting.horizon);
  const double t = setting.horizon;
  for (const auto schedule : {SentryForm::Schedule::kFirst, SentryForm::Schedule::kSpread}) {
    less.schedule = more.schedule = schedule;
    RC_ASSERT(sentry_causal_bound(setting, less, t) <= sentry_causal_bound(setting, more, t));
    RC_ASSERT(sentry_any_bound(setting, less, t) >= sentry_any_bound(setting, more, t));
  }
  // All exploration and no causal rounds is ucb.
  more.budget = t;
  RC_ASSERT(sentry_any_bound(setting, more, t) == sentry_ucb_bound(setting, more, t));
}

RC_GTEST_PROP(Balancing, TheDialTradesBenignAgainstWorst, ()) {
  const Setting setting = random_setting();
  const double least = std::sqrt(setting.actions * setting.horizon);
  const double turn = *rc::gen::inRange(0, 1001) / 1000.0;
  Setting safe = setting, bold = setting;
  safe.r2 = least * std::pow(setting.horizon / least, turn / 2);
  bold.r2 = least * std::pow(setting.horizon / least, turn);
  RC_ASSERT(db_pair(safe).r1 >= db_pair(bold).r1 / kRounding);
  RC_ASSERT(db_pair(safe).r2 <= db_pair(bold).r2 * kRounding);
  const BalancedLearner causal = causal_learner(setting, CausalLearner::kCausalUcb);
  const BalancedLearner ucb = arbitrary_learner(setting);
  // A third learner costs what it may promise, and no more.
  const double two = db_rate(setting, {causal, ucb}, 0);
  const double three = db_rate(setting, {causal, ucb, ucb}, 0);
  RC_ASSERT(std::abs(three - two - ucb.coefficient / ucb.dial * std::sqrt(setting.horizon)) <=
            1e-12 * three);
}

RC_GTEST_PROP(LowerBounds, FallAsOneOverTheWorstRegret, ()) {
  Setting setting = random_setting();
  setting.horizon = log_uniform(std::min(1e18, 700.0 * 700 * setting.actions), 1e18);
  const double least = std::sqrt(setting.actions * setting.horizon);
  RC_PRE(least * 2 < setting.horizon / 900);
  setting.r2 = least;
  Setting twice = setting;
  twice.r2 = 2 * least;
  for (auto* bound : {frontier_lower, frontier_lower_sharp})
    RC_ASSERT(std::abs(*bound(setting) / *bound(twice) - 2) < 1e-12);
  RC_ASSERT(*frontier_lower(setting) < *frontier_lower_sharp(setting));
}

// The pieces of the sharper bound meet at R_2 = T/(320e), and it ends at 0 at T/320.
TEST(LowerBounds, TheSharpBoundIsContinuous) {
  Setting setting;
  setting.actions = 11;
  setting.contexts = 2;
  setting.horizon = 1e9;
  const double joint = 1e9 / (320 * std::exp(1.0));
  setting.r2 = joint * (1 - 1e-9);
  const double left = *frontier_lower_sharp(setting);
  setting.r2 = joint * (1 + 1e-9);
  EXPECT_NEAR(*frontier_lower_sharp(setting), left, 1e-6);
  EXPECT_NEAR(left, 12.5, 1e-6);  // 1.25·10·log e
  setting.r2 = 1e9 / 320 * (1 - 1e-9);
  EXPECT_NEAR(*frontier_lower_sharp(setting), 0, 1e-6);
  setting.r2 = 1e9 / 320;
  EXPECT_FALSE(frontier_lower_sharp(setting));
}

// A policy's benign bound is above what the lower bound says about its worst-case bound; one that
// ignores the marginals is above the bound for those.
RC_GTEST_PROP(LowerBounds, AreBelowTheUpperOnes, ()) {
  const Setting setting = random_setting();
  const double budget = log_uniform(1, setting.horizon);
  for (const RegretPair pair :
       {ucb_pair(setting), c_ucb_pair(setting), db_pair(setting), sentry_pair(setting, budget)}) {
    Setting at = setting;
    at.r2 = pair.r2;
    RC_ASSERT(frontier_lower_sharp(at).value_or(0) <= pair.r1);
    RC_ASSERT(frontier_lower(at).value_or(0) <= pair.r1);
  }
  RC_ASSERT(zero_knowledge_lower_sharp(setting) <= ucb_pair(setting).r1);
}

// In the table itself: of what holds, no explicit upper bound for all worlds of a kind is below a
// minimax rate or the frontier's lower bound.
RC_GTEST_PROP(LowerBounds, AreBelowTheUpperOnesInTheTable, ()) {
  const auto table = bounds(random_setting());
  for (const Bound& low : table) {
    if (low.group != "lower" || !low.holds() || low.name.starts_with("zero-knowledge")) continue;
    for (const Bound& up : table)
      if (up.group == "upper" && up.kind == BoundKind::kExplicit && up.holds() &&
          up.world == low.world)
        RC_ASSERT(*low.value <= *up.value);
  }
}

}  // namespace
}  // namespace armature
