// Warden's bounds: by hand, how they move, and where they must not be better than what is possible.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "armature/error.h"
#include "theory/frontier.h"
#include "theory/moss_tail.h"
#include "theory/random_settings.h"

namespace armature {
namespace {

using test::log_uniform;
using test::random_setting;

constexpr double kRounding = 1 + 1e-12;

Setting sizes(double actions, double contexts, double horizon) {
  Setting setting;
  setting.actions = actions;
  setting.contexts = contexts;
  setting.horizon = horizon;
  return setting;
}

WardenForm with_allowance(double allowance) {
  WardenForm form;
  form.allowance = allowance;
  return form;
}

// c₁ of docs/warden.md, Lemma 2. The integral itself is 1.060; steps of 0.4% lie 0.003 above it.
TEST(MossTail, TheConstantOfLemmaTwo) {
  EXPECT_GT(moss_excess(0), 1.060);
  EXPECT_LT(moss_excess(0), 1.064);
}

// At y = 1 by hand: e^-2 = 0.13534 from n ≥ B. Block [½, 1]: the path is 1 at 1 and
// ½ + sqrt(log 2/4) = 0.91628 at ½, slope 0.16744 ≤ ½, so e^-2 again. Block [¼, ½]: 0.91628 and
// ¼ + sqrt(log 4/8) = 0.66628; slope 1.00001 > 0.91628, so the chord: start 0.41628,
// e^(-8·0.41628·1.00001) = 0.03579. The next: [1/8, 1/4]: 1/8 + sqrt(log 8/16) = 0.48551, slope
// 1.44618, start 0.30474, e^-3.5257 = 0.02943.
TEST(MossTail, ByHand) {
  double later = 0;  // blocks from [1/16, 1/8] on: less than half of the one before, by and by
  EXPECT_GT(moss_tail(1), 2 * 0.13534 + 0.03579 + 0.02943);
  for (double block = 0.02943; block > 1e-9; block *= 0.8) later += 0.8 * block;
  EXPECT_LT(moss_tail(1), (2 * 0.13534 + 0.03579 + 0.02943 + later) * 1.02);
}

TEST(MossTail, IsAProbabilityAndNeverRises) {
  double last = 1, last_excess = moss_excess(0);
  for (double y = 0.001; y < 1e9; y *= 1.01) {
    EXPECT_LE(moss_tail(y), last);
    EXPECT_LE(moss_excess(y), last_excess);
    EXPECT_GT(moss_tail(y), 0);
    last = moss_tail(y);
    last_excess = moss_excess(y);
  }
}

// The excess is the integral of the tail: it falls by no less than the tail at the right end, and
// no more than that at the left.
TEST(MossTail, TheExcessIsItsIntegral) {
  for (double y = 0.01; y < 1e8; y *= 1.37) {
    const double z = y * 1.05;
    const double fall = moss_excess(y) - moss_excess(z);
    EXPECT_GE(fall, moss_tail(z) * (z - y) * (1 - 1e-6) - 1e-15) << y;
    EXPECT_LE(fall, moss_tail(y) * (z - y) * (1 + 1e-6) + 1e-15) << y;
  }
}

// The closed form beyond 10^5 covers the sum before it: e^(-2y²) + 1.84·y^(-1.94).
TEST(MossTail, TheClosedFormIsAboveTheSum) {
  const double power = 2 * (12 * std::sqrt(2.0) - 16);
  for (double y = 1; y < 9e4; y *= 1.1)
    EXPECT_LE(moss_tail(y), std::exp(-2 * y * y) + 1.84 * std::pow(y, -power)) << y;
}

// |A| = 20, |Z| = 2, T = 10^6, δ = 1/T: r = sqrt(2·10^6)/120 = 11.785, E = 138889. Λ(20, T) =
// 1.445·(log log(2·10^6) + 0.72·log(2.08·10^8)) = 23.794; m = 6943.4, Λ(20, m) = 23.193, h =
// 0.001697 + 0.040868. c₁ = 1.0637.
TEST(WardenBounds, ByHand) {
  const Setting s = sizes(20, 2, 1e6);
  EXPECT_NEAR(warden_allowance(s, {}), 11.785, 0.001);
  const double any = 20 + 1e6 / (8 * 11.785) +
                     4472.14 * (1.0637 + 1.77245 + 3 * std::sqrt(47.588)) +
                     1e6 * (0.001697 + 0.040868) + 1;
  EXPECT_NEAR(warden_any_bound(s, {}), any, 60);
  // Following Z: 2 + 1414.2·(1.0637 + 1.7725 + 0.5 + 0.6267 + 0.5887) = 6438.7. The watch: g =
  // 0.2/r = 0.016971, 19·(2r + 2 + 10r) = 2725; E·(g + 2·E(ξ - g/2)⁺), the second part
  // e^-0.8/(4r) = 0.009532 and 2·Q(1.897)/223.6 = 0.00037: 3732; and 1 + 3.
  EXPECT_NEAR(warden_benign_bound(s, {}), 6438.7 + 2725 + 3732 + 4, 15);
}

// At t < T the widths are paid already, the rest grows with t.
TEST(WardenBounds, AlongTheWay) {
  const Setting s = sizes(20, 2, 1e6);
  double any = 0, benign = 0;
  for (double t = 10; t <= 1e6; t *= 10) {
    EXPECT_GT(warden_any_bound(s, {}, t), any);
    EXPECT_GT(warden_benign_bound(s, {}, t), benign);
    any = warden_any_bound(s, {}, t);
    benign = warden_benign_bound(s, {}, t);
  }
  EXPECT_EQ(any, warden_any_bound(s, {}));
  EXPECT_EQ(benign, warden_benign_bound(s, {}));
  // Half way: less by half of 1414.2·(1.0637 + 0.6267 + 0.5887) and of 3.
  EXPECT_NEAR(benign - warden_benign_bound(s, {}, 5e5), 1611.6 + 1.5, 0.5);
}

TEST(WardenBounds, TheAllowance) {
  EXPECT_DOUBLE_EQ(warden_allowance(sizes(100, 2, 100), {}), 0.5);  // its floor
  EXPECT_DOUBLE_EQ(warden_allowance(sizes(4, 100, 400), {}), 5);    // ½·sqrt(T/|A|)
  EXPECT_DOUBLE_EQ(warden_allowance(sizes(4, 4, 3600), {}), 5);     // sqrt(|Z|T)/(6|A|)
  EXPECT_DOUBLE_EQ(warden_allowance(sizes(4, 4, 3600), with_allowance(2)), 2);
  EXPECT_THROW(warden_allowance(sizes(4, 4, 3600), with_allowance(0)), Error);
  EXPECT_THROW(warden_allowance(sizes(4, 4, 3600), with_allowance(NAN)), Error);
}

RC_GTEST_PROP(WardenBounds, TheAllowanceTradesBenignAgainstWorst, ()) {
  const Setting setting = random_setting();
  const double less = log_uniform(1, 1e9) / 2, more = less * log_uniform(1, 1e4);
  RC_ASSERT(warden_benign_bound(setting, with_allowance(less)) <=
            warden_benign_bound(setting, with_allowance(more)) * kRounding);
  RC_ASSERT(warden_any_bound(setting, with_allowance(less)) * kRounding >=
            warden_any_bound(setting, with_allowance(more)));
}

RC_GTEST_PROP(WardenBounds, GrowWithTheHorizon, ()) {
  const Setting at = random_setting();
  Setting later = at;
  later.horizon = log_uniform(at.horizon, 1e18);
  const WardenForm form = with_allowance(log_uniform(1, 1e6) / 2);
  RC_ASSERT(warden_any_bound(at, form) <= warden_any_bound(later, form) * kRounding);
}

RC_GTEST_PROP(WardenBounds, GrowAsTheGapShrinks, ()) {
  Setting wide = random_setting();
  wide.gap = *rc::gen::inRange(1, 1001) / 1000.0;
  Setting narrow = wide;
  narrow.gap = *wide.gap / *rc::gen::inRange(1, 1000);
  RC_ASSERT(warden_gap_bound(wide, {}) <= warden_gap_bound(narrow, {}) * kRounding);
  RC_ASSERT(warden_benign_gap_bound(wide, {}) <= warden_benign_gap_bound(narrow, {}) * kRounding);
}

RC_GTEST_PROP(WardenBounds, GrowWithTheErrorOfTheMarginals, ()) {
  Setting near = random_setting();
  near.epsilon = 0;
  Setting far = near;
  far.epsilon = *rc::gen::inRange(0, 2001) / 1000.0;
  RC_ASSERT(warden_epsilon_bound(near, {}) == warden_benign_bound(near, {}));
  RC_ASSERT(warden_epsilon_bound(near, {}) <= warden_epsilon_bound(far, {}));
}

// Without an end to its patience the screen is never needed; in benign worlds nothing is then
// promised. Without any, nothing is resolved.
TEST(WardenBounds, PatienceAtItsLimits) {
  const Setting s = sizes(20, 2, 1e6);
  WardenForm endless, none;
  endless.patience = INFINITY;
  none.patience = 0.001;
  EXPECT_NEAR(warden_any_bound(s, {}) - warden_any_bound(s, endless), 1e6 * 0.042565, 20);
  EXPECT_FALSE(std::isfinite(warden_benign_bound(s, endless)));
  EXPECT_GE(warden_any_bound(s, none), 1e6);
}

// By gap, and in the long run: logarithmic in every world. 2·(3√ℓ + …)² or 32ℓ plays, over Δ.
TEST(WardenBounds, ByGapIsLogarithmicInTheLongRun) {
  Setting s = sizes(20, 2, 1e15);
  s.gap = 0.1;
  WardenForm form = with_allowance(std::log(1e15) / (4 * 0.1));  // 2T·(Δ/2)·exp(-4rΔ) = Δ
  const double log_term = 1.445 * (std::log(std::log(2e15)) + 0.72 * std::log(10.4 * 20 * 1e15));
  EXPECT_LT(warden_gap_bound(s, form), 19 * (2 * 16 * 2 * log_term / 0.1 + 0.1) + 20 / 0.1);
  EXPECT_GT(warden_gap_bound(s, form), 19 * 32 * log_term / 0.1);
}

// Nobody is better than the lower bounds allow: neither warden nor anybody else.
RC_GTEST_PROP(SafetyCosts, NoPolicyIsBelow, ()) {
  const Setting setting = random_setting();
  for (const RegretPair pair : {ucb_pair(setting), c_ucb_pair(setting), db_pair(setting),
                                sentry_pair(setting, log_uniform(1, setting.horizon)),
                                warden_pair(setting, log_uniform(1, setting.horizon) / 2)}) {
    Setting at = setting;
    at.r2 = pair.r2;
    RC_ASSERT(frontier_lower_direct(at).value_or(0) <= pair.r1);
  }
}

// By gap too: ucb's and sentry's bounds for every world, and what they then promise at home.
RC_GTEST_PROP(SafetyCosts, NoPolicyIsBelowByGap, ()) {
  Setting setting = random_setting();
  setting.gap = std::pow(10.0, -*rc::gen::inRange(91, 1200) / 100.0);
  setting.r2 = ucb_bound(setting, setting.horizon) + 1;
  RC_ASSERT(safe_gap_lower(setting).value_or(0) <= ucb_gap_bound(setting) + 1);
  const double allowance = log_uniform(1, setting.horizon) / 2;
  setting.r2 = warden_any_bound(setting, with_allowance(allowance));
  RC_ASSERT(safe_gap_lower(setting).value_or(0) <=
            warden_benign_gap_bound(setting, with_allowance(allowance)));
}

// K(1/40) = 6.25 + 16/3 = 139/12. |A| = 20, T = 10^9, R_2 = 10^6, Δ = 1/40: 18·log 25 - 19·log 2 =
// 44.770, times 40·12/139 = 154.6.
TEST(SafetyCosts, ByHand) {
  Setting s = sizes(20, 2, 1e9);
  s.r2 = 1e6;
  s.gap = 0.025;
  EXPECT_NEAR(safe_gap_lower(s).value(), 154.60, 0.01);
  // The best Δ = e·2^(19/18)·10^-3 = 0.00565: 18·10^9/(11.5833·e·2.07847·10^6) = 275.05
  EXPECT_NEAR(frontier_lower_direct(s).value(), 275.05, 0.02);
  EXPECT_GT(*frontier_lower_direct(s), *frontier_lower_sharp(s) * 10);
  // No better gap than the best one.
  for (double gap = 1e-4; gap <= 0.025; gap *= 1.01) {
    s.gap = gap;
    const double k = 1 / ((0.75 + 2 * gap) * (0.25 - 2 * gap)) + 16.0 / 3;
    EXPECT_LE(safe_gap_lower(s).value_or(0) * k / (139.0 / 12), *frontier_lower_direct(s) * 1.0001);
  }
  s.gap = 0.125;
  EXPECT_FALSE(safe_gap_lower(s));
  EXPECT_FALSE(safe_gap_lower([] {
    Setting two = sizes(2, 2, 1e9);
    two.gap = 0.02;
    return two;
  }()));
  EXPECT_FALSE(frontier_lower_direct(sizes(20, 2, 1e4)));
}

// The divergence that stands behind K: ½·kl(¾, ¾+2Δ) + ½·kl(¼, ¼+2Δ) ≤ K(Δ)·Δ².
TEST(SafetyCosts, TheDivergenceIsBelowItsBound) {
  const auto divergence = [](double p, double q) {
    return p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
  };
  for (double gap = 0.001; gap < 0.1249; gap += 0.0005) {
    const double exact =
        (divergence(0.75, 0.75 + 2 * gap) + divergence(0.25, 0.25 + 2 * gap)) / 2 / gap / gap;
    EXPECT_LE(exact, 1 / ((0.75 + 2 * gap) * (0.25 - 2 * gap)) + 16.0 / 3) << gap;
  }
}

}  // namespace
}  // namespace armature
