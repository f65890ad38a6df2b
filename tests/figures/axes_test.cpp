#include "figures/axes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

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

TEST(Axes, LogarithmicOnesHoldEverythingAboveZero) {
  const Axis axis = fitted("r", Scale::kLog, {0, -1, 10, 1000});
  EXPECT_NEAR(axis.low, 10 / std::pow(100, 0.04), 1e-9);  // a 25th of the length is left free
  EXPECT_NEAR(axis.high, 1000 * std::pow(100, 0.04), 1e-9);
  EXPECT_EQ(side_of(axis, 0), -1);
  EXPECT_EQ(side_of(axis, 10), 0);
  EXPECT_EQ(kept_inside(axis, -1), axis.low);
  EXPECT_EQ(kept_inside(axis, 1e9), axis.high);
  EXPECT_EQ(kept_inside(axis, 77), 77);
  const Axis seven = fitted("r", Scale::kLog, {0.1, 1e6});
  EXPECT_EQ(side_of(seven, 0.1), 0);
  EXPECT_EQ(side_of(seven, 1e6), 0);
}

// Beyond eight powers of ten it is most of the data that are shown, wherever they are.
TEST(Axes, AStrayValueFallsOff) {
  const Axis low = fitted("r", Scale::kLog, {1e-9, 10, 100, 1000});
  EXPECT_EQ(side_of(low, 1e-9), -1);
  EXPECT_EQ(side_of(low, 10), 0);
  EXPECT_NEAR(low.high, 1000 * std::pow(100, 0.04), 1e-9);
  const Axis high = fitted("r", Scale::kLog, {1e12, 10, 100, 1000});
  EXPECT_EQ(side_of(high, 1e12), 1);
  EXPECT_EQ(side_of(high, 1000), 0);
  EXPECT_EQ(side_of(fitted("r", Scale::kLog, {1, 1e9}), 1e9), 0);  // of equals the upper
}

TEST(Axes, ALogarithmicOneIsNeverTooNarrowForItsLabels) {
  const Axis axis = fitted("r", Scale::kLog, {12501.33, 12501.54});
  std::set<std::string> labels;
  for (const double tick : ticks(axis)) labels.insert(tick_label(axis, tick));
  EXPECT_GE(labels.size(), 2u);
  EXPECT_EQ(labels.size(), ticks(axis).size());
}

TEST(Axes, PanelsShareARangeUnlessItPressesThemFlat) {
  const auto log = shared("r", Scale::kLog, {{1, 1e5}, {10, 1000}, {100, 150}, {7, 7.2}, {}});
  EXPECT_FALSE(log[0].own);
  EXPECT_FALSE(log[1].own);
  EXPECT_TRUE(log[2].own);
  EXPECT_FALSE(log[3].own);  // as good as one value: as well shown anywhere
  EXPECT_FALSE(log[4].own);
  EXPECT_EQ(log[0].axis.low, log[1].axis.low);
  EXPECT_EQ(log[0].axis.high, log[3].axis.high);
  EXPECT_LT(log[2].axis.high, 200);
  const auto linear = shared("r", Scale::kLinear, {{90, 100}, {9, 10}, {50, 51}});
  EXPECT_FALSE(linear[0].own);
  EXPECT_TRUE(linear[1].own);
  EXPECT_FALSE(linear[2].own);  // linear axes begin at 0, and so does what counts
  EXPECT_FALSE(shared("r", Scale::kLinear, {{1, 1.01}})[0].own);
  // What one panel alone is left to share fits it: the other's values are not on it.
  const auto alone = shared("r", Scale::kLog, {{1, 2}, {1e3, 1e8}});
  EXPECT_TRUE(alone[0].own);
  EXPECT_FALSE(alone[1].own);
  EXPECT_GT(alone[1].axis.low, 100);
}

TEST(Axes, FewValuesHaveTicksOfTheirOwn) {
  const Numbers few = {16, 2, 4, 8, 4};
  const Axis own = labelled_across(exact("n", Scale::kLog, few), 300, few);
  EXPECT_EQ(ticks(own), (Numbers{2, 4, 8, 16}));
  EXPECT_EQ(tick_label(own, 8), "8");
  // In too little room some go, the ends last.
  const Axis narrow =
      labelled_across(exact("n", Scale::kLinear, {100, 101, 500}), 120, {100, 101, 500});
  EXPECT_EQ(ticks(narrow), (Numbers{100, 500}));
  const Numbers many = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(ticks(labelled_across(exact("n", Scale::kLinear, many), 300, many)),
            ticks(exact("n", Scale::kLinear, many)));
}

TEST(Axes, LabelsAcrossNeverTouch) {
  rc::check([] {
    const double low = std::pow(10, *rc::gen::inRange(-3, 6));
    const Numbers values = {low, low * *rc::gen::inRange(2, 100'000)};
    const double pixels = *rc::gen::inRange(120, 600);
    for (const Scale scale : {Scale::kLinear, Scale::kLog, Scale::kSymlog}) {
      const Axis axis = labelled_across(fitted("x", scale, values), pixels);
      const Numbers places = ticks(axis);
      RC_ASSERT(!places.empty());
      for (std::size_t i = 1; i < places.size(); ++i) {
        const double apart = (place_of(axis, places[i]) - place_of(axis, places[i - 1])) * pixels;
        RC_ASSERT(apart > 12);  // no label is narrower than a letter and its room
      }
    }
  });
}

TEST(Axes, NumbersOfNotesAreShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.071234), "0.0712");
  EXPECT_EQ(short_number(999.9), "1000");
  EXPECT_EQ(short_number(21'345), "21.3k");
  EXPECT_EQ(short_number(3.1e7), "31M");
  EXPECT_EQ(short_number(2.14e12), "2.14·10¹²");
  EXPECT_EQ(short_number(1e-9), "10⁻⁹");
  EXPECT_EQ(short_number(INFINITY), "∞");
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
  EXPECT_EQ(tick_label(axis, 3e10), "3·10¹⁰");
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
    Axis axis{"x", scale, 2, 5000};
    axis.constant = 0.3;
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
