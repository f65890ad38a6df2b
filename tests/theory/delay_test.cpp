// Bounds with late outcomes: by hand, at no delay, and how they move.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "theory/random_settings.h"

namespace armature {
namespace {

using test::log_uniform;
using test::random_setting;

Setting late(double actions, double contexts, double horizon, double delay) {
  Setting setting;
  setting.actions = actions;
  setting.contexts = contexts;
  setting.horizon = horizon;
  setting.delay = delay;
  return setting;
}

const Bound& row(const std::vector<Bound>& table, const std::string& name) {
  for (const Bound& bound : table)
    if (bound.name == name) return bound;
  throw std::out_of_range(name);
}

// |A| = 20, |Z| = 2, T = 10^6, δ = 1/T, D = 100. L_A = log(4·10^13) = 31.3199,
// L_Z = log(4·10^12) = 29.0173, ℓ = log(2·10^6)/1.5936 = 9.10434, K = 5.19615·1.62751 = 8.45679.
TEST(DelayBounds, ByHand) {
  const Setting s = late(20, 2, 1e6, 100);
  const double ucb = std::sqrt(8 * 20 * 31.3199e6);
  const double context_price = 2 * (1 + std::sqrt(29.0173 / 2));  // 9.61806
  EXPECT_NEAR(ucb_delay_bound(s, InFlight::kCount, 1e6), ucb + 2000, 0.2);
  EXPECT_NEAR(ucb_delay_bound(s, InFlight::kIgnore, 1e6), ucb + 1900, 0.2);
  const double prompt = c_ucb_sharp_bound(s, 1e6);
  EXPECT_NEAR(c_ucb_delay_bound(s, InFlight::kIgnore, 1e6) - prompt, 100 * context_price, 0.01);
  EXPECT_NEAR(c_ucb_delay_bound(s, InFlight::kCount, 1e6) - prompt, 100 * (context_price + 8.45679),
              0.01);
  EXPECT_NEAR(sentry_delay_ucb_bound(s, 1e6), ucb + 100 * (20 + 8.45679), 0.2);
  EXPECT_NEAR(sentry_delay_causal_bound(s, 1e6) - sentry_causal_bound(s, {}, 1e6),
              100 * (20 + context_price + 8.45679), 0.01);
  // E = 27145, E - |A|D = 25145; g(25145) = sqrt(20·63.6398/25145) = 0.224985;
  // y = sqrt(2·25145·100/0.224985) = 4727.8, g(25145 - y) = 0.249679, 100/y = 0.0211515.
  EXPECT_NEAR(sentry_delay_any_bound(s, InFlight::kIgnore, 1e6), ucb + 1900 + 972855 * 0.224985, 3);
  EXPECT_NEAR(sentry_delay_any_bound(s, InFlight::kCount, 1e6),
              ucb + 2000 + 972855 * (0.249679 + 0.0211515), 3);
}

RC_GTEST_PROP(DelayBounds, WithoutDelayArePromptOnes, ()) {
  Setting s = random_setting();
  s.delay = 0;
  const double t = s.horizon;
  for (const InFlight in_flight : {InFlight::kCount, InFlight::kIgnore}) {
    RC_ASSERT(ucb_delay_bound(s, in_flight, t) == ucb_bound(s, t));
    RC_ASSERT(c_ucb_delay_bound(s, in_flight, t) == c_ucb_sharp_bound(s, t));
    RC_ASSERT(sentry_delay_any_bound(s, in_flight, t) == sentry_any_bound(s, {}, t));
  }
  RC_ASSERT(sentry_delay_benign_bound(s, t) == sentry_benign_bound(s, {}, t));
}

RC_GTEST_PROP(DelayBounds, GrowWithTheDelayAndCountingIsNeverPromisedToBeBetter, ()) {
  Setting sooner = random_setting();
  Setting later = sooner;
  sooner.delay = log_uniform(1, 1e9) - 1;
  later.delay = log_uniform(*sooner.delay + 1, 1e9);
  const double t = sooner.horizon;
  for (const InFlight in_flight : {InFlight::kCount, InFlight::kIgnore}) {
    RC_ASSERT(ucb_delay_bound(sooner, in_flight, t) <= ucb_delay_bound(later, in_flight, t));
    RC_ASSERT(c_ucb_delay_bound(sooner, in_flight, t) <= c_ucb_delay_bound(later, in_flight, t));
    RC_ASSERT(sentry_delay_any_bound(sooner, in_flight, t) <=
              sentry_delay_any_bound(later, in_flight, t) * (1 + 1e-12));
  }
  RC_ASSERT(sentry_delay_benign_bound(sooner, t) <= sentry_delay_benign_bound(later, t));
  RC_ASSERT(ucb_delay_bound(sooner, InFlight::kIgnore, t) <=
            ucb_delay_bound(sooner, InFlight::kCount, t));
  RC_ASSERT(sentry_delay_any_bound(sooner, InFlight::kIgnore, t) <=
            sentry_delay_any_bound(sooner, InFlight::kCount, t));
}

TEST(DelayBounds, TheTableSaysHowOftenTheyFailAndWhereThereIsNone) {
  const auto table = bounds(late(20, 2, 1e6, 10));
  EXPECT_DOUBLE_EQ(row(table, "ucb-delay").failure.value(), 1e-6);
  EXPECT_DOUBLE_EQ(row(table, "c-ucb-delay").failure.value(), 3e-6);
  EXPECT_DOUBLE_EQ(row(table, "c-ucb-delay-ignore").failure.value(), 2e-6);
  EXPECT_DOUBLE_EQ(row(table, "sentry-delay-benign").failure.value(), 4e-6);
  EXPECT_DOUBLE_EQ(row(table, "sentry-delay-any").failure.value(), 1e-6);
  EXPECT_TRUE(row(table, "sentry-delay-any").holds());
  // |A|·D = 40,000 > E = 27,145: exploration is over before it has seen anything that counts.
  const auto too_late = bounds(late(20, 2, 1e6, 2000));
  for (const char* name : {"sentry-delay-any", "sentry-delay-any-ignore"}) {
    EXPECT_FALSE(row(too_late, name).value) << name;
    EXPECT_TRUE(row(too_late, name).validity.starts_with("vacuous")) << name;
  }
  EXPECT_TRUE(row(too_late, "ucb-delay").holds());
}

}  // namespace
}  // namespace armature
