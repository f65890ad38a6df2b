#include "figures/axes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace armature::figures {
namespace {

using Numbers = std::vector<double>;

TEST(Axes, LinearOnesBeginAtZeroAndHoldEverything) {
  const Axis axis = fitted("x", Scale::kLinear, {3, 10});
  EXPECT_EQ(axis.low, 0);
  EXPECT_NEAR(axis.high, 10 + 10 * 0.04, 1e-9);
  EXPECT_EQ(ticks(axis), (Numbers{0, 2, 4, 6, 8, 10}));  // 10.4/4 = 2.6: steps of 2
}

TEST(Axes, LogarithmicOnesShowPowersOfTen) {
  const Axis axis = exact("t", Scale::kLog, {1, 1e5});
  EXPECT_EQ(ticks(axis), (Numbers{1, 10, 100, 1000, 1e4, 1e5}));
  EXPECT_EQ(tick_label(axis, 1), "1");
  EXPECT_EQ(tick_label(axis, 10), "10");
  EXPECT_EQ(tick_label(axis, 1e5), "10⁵");
  EXPECT_EQ(tick_label(axis, 0.001), "10⁻³");
}

TEST(Axes, AShortLogarithmicOneHasTwosAndFives) {
  const Axis axis = exact("t", Scale::kLog, {15, 120});
  EXPECT_EQ(ticks(axis), (Numbers{20, 50, 100}));
  EXPECT_EQ(tick_label(axis, 50), "50");
}

TEST(Axes, ALongLogarithmicOneSkipsPowers) {
  const Axis axis = exact("t", Scale::kLog, {1, 1e15});
  EXPECT_LE(ticks(axis).size(), 8u);
  EXPECT_EQ(tick_label(axis, 1e12), "10¹²");
}

TEST(Axes, ZeroAndLessFallOffALogarithmicOne) {
  const Axis axis = fitted("r", Scale::kLog, {0, -1, 10, 1000});
  EXPECT_NEAR(axis.low, 10 / 1.2, 1e-9);
  EXPECT_NEAR(axis.high, 1200, 1e-9);
  EXPECT_NEAR(fitted("r", Scale::kLog, {1e-9, 1000}).low, 1e-2 / 1.2, 1e-9);  // five decades
}

TEST(Axes, NothingToShowIsStillAnAxis) {
  for (const Scale scale : {Scale::kLinear, Scale::kLog, Scale::kSymlog})
    for (const Numbers& values : {Numbers{}, Numbers{0, 0}, Numbers{5, 5}}) {
      const Axis axis = fitted("x", scale, values);
      EXPECT_LT(axis.low, axis.high);
      EXPECT_FALSE(ticks(axis).empty());
    }
}

TEST(Axes, LargeNumbersAreShort) {
  const Axis axis{"x", Scale::kLinear, 0, 2e6};
  EXPECT_EQ(tick_label(axis, 20000), "20k");
  EXPECT_EQ(tick_label(axis, 1.5e6), "1.5M");
  EXPECT_EQ(tick_label(axis, 0.05), "0.05");
}

TEST(Axes, TheScaleFollowsTheData) {
  EXPECT_EQ(scale_for({1, 5}), Scale::kLinear);
  EXPECT_EQ(scale_for({1, 500}), Scale::kLog);
  EXPECT_EQ(scale_for({0, 500}), Scale::kSymlog);
  EXPECT_EQ(scale_for({0, 1}), Scale::kLinear);
  EXPECT_EQ(scale_for({-1, 500}), Scale::kLinear);
}

TEST(Axes, PlacesReadBack) {
  for (const Scale scale : {Scale::kLinear, Scale::kLog, Scale::kSymlog}) {
    const Axis axis{"x", scale, 2, 5000};
    EXPECT_NEAR(place_of(axis, 2), 0, 1e-12);
    EXPECT_NEAR(place_of(axis, 5000), 1, 1e-12);
    for (const double value : {3.0, 77.0, 4000.0})
      EXPECT_NEAR(value_at(axis, place_of(axis, value)), value, 1e-8 * value);
  }
}

TEST(SpreadApart, MovesOnlyWhatCollides) {
  EXPECT_EQ(spread_apart({10, 50, 90}, 13, 0, 100), (Numbers{10, 50, 90}));
  EXPECT_EQ(spread_apart({50, 50}, 10, 0, 100), (Numbers{45, 55}));
  EXPECT_EQ(spread_apart({99, 100}, 10, 0, 100), (Numbers{90, 100}));  // pushed in from the edge
  EXPECT_EQ(spread_apart({}, 10, 0, 100), Numbers{});
}

TEST(SpreadApart, KeepsDistanceAndOrderAlways) {
  rc::check([] {
    const auto count = *rc::gen::inRange(0, 8);
    Numbers wanted;
    for (int i = 0; i < count; ++i) wanted.push_back(*rc::gen::inRange(0, 101));
    const Numbers places = spread_apart(wanted, 12, 0, 100);
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      RC_ASSERT(places[order[i]] > -1e-9 && places[order[i]] < 100 + 1e-9);
      if (i > 0) RC_ASSERT(places[order[i]] - places[order[i - 1]] > 12 - 1e-9);
    }
  });
}

}  // namespace
}  // namespace armature::figures
