#include "figures/looks.h"

#include <gtest/gtest.h>

#include <set>

#include "support/colour_vision.h"

namespace armature::figures {
namespace {

using test::colour_distance;
using test::contrast;

constexpr double kApart = 15;         // six times what is just noticeable
constexpr double kLeastContrast = 2;  // of a line two pixels wide, its name written beside it

std::string hue(std::size_t index, double shade = 0) {
  return colour({.hue = static_cast<Hue>(index), .shade = shade});
}

TEST(Looks, HuesAreToldApartByAllKindsOfColourVision) {
  for (std::size_t i = 0; i < kHues; ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_GE(colour_distance(hue(i), hue(j)), kApart) << hue(i) << " " << hue(j);
}

TEST(Looks, EveryShadeStandsOutOnALightPageAndOnADarkOne) {
  for (std::size_t i = 0; i < kHues; ++i)
    for (const double shade : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      EXPECT_GE(contrast(hue(i, shade), "#ffffff"), kLeastContrast) << hue(i, shade);
      EXPECT_GE(contrast(hue(i, shade), "#161618"), kLeastContrast) << hue(i, shade);
    }
}

TEST(Looks, ShadesOfAHueDifferInLightness) {
  for (std::size_t i = 0; i < kHues; ++i) {
    const auto lightness = [&](double shade) {
      return test::cielab(test::linear_colour(hue(i, shade)))[0];
    };
    EXPECT_GE(std::abs(lightness(1) - lightness(0)), 18) << hue(i);
    EXPECT_GE(std::abs(lightness(0.5) - lightness(0)), 8) << hue(i);
  }
}

// A test that could not fail would be none: these two are a classic trap.
TEST(Looks, TheDistanceKnowsRedFromGreenAsTheColourBlindDo) {
  EXPECT_GT(colour_distance("#0000ff", "#ffff00"), 60);
  EXPECT_LT(colour_distance("#9c7a00", "#5f8f00"), kApart);
  EXPECT_NEAR(contrast("#000000", "#ffffff"), 21, 1e-9);
}

TEST(Looks, DashesHaveInkAndGapsThatCanBeSeen) {
  std::set<std::vector<int>> dashes;
  for (std::size_t i = 0; i < kDashes; ++i) {
    const std::vector<int>& lengths = dash({.dash = static_cast<Dash>(i)});
    for (const int length : lengths) EXPECT_GE(length, 3);
    EXPECT_EQ(lengths.size() % 2, 0u);
    dashes.insert(lengths);
  }
  EXPECT_EQ(dashes.size(), kDashes);
  std::set<std::string> shapes;
  for (std::size_t i = 0; i < kShapes; ++i) shapes.insert(shape({.shape = static_cast<Shape>(i)}));
  EXPECT_EQ(shapes.size(), kShapes);
}

TEST(Looks, VariantsShareTheHueAndNothingElse) {
  const Look plain = {"db", Hue::kViolet, Dash::kShort, Shape::kCross};
  EXPECT_EQ(colour(variant(plain, 0, 5)), colour(plain));
  std::set<std::string> colours, shapes;
  for (std::size_t i = 0; i < 5; ++i) {
    const Look look = variant(plain, i, 5);
    EXPECT_EQ(look.hue, plain.hue);
    colours.insert(colour(look));
    shapes.insert(shape(look));
  }
  EXPECT_EQ(colours.size(), 5u);
  EXPECT_EQ(shapes.size(), 5u);
  EXPECT_EQ(colour(variant(plain, 4, 5)), hue(static_cast<std::size_t>(Hue::kViolet), 1));
}

TEST(Looks, ALegendHasNoRowOfOneWhereOthersCanSpareSome) {
  Looks looks;
  std::vector<std::string> names;
  for (int i = 0; i < 7; ++i) {
    names.push_back("another policy" + std::to_string(i));
    looks.push_back({names.back()});
  }
  EXPECT_EQ(line_looks(looks, names)["color"]["legend"]["columns"], 4);
}

TEST(Looks, ALegendIsAsWideAsItsNamesAndNotAsItsLongest) {
  const auto columns = [](const std::vector<std::string>& names) {
    Looks looks;
    for (const std::string& name : names) looks.push_back({name});
    return line_looks(looks, names)["color"]["legend"]["columns"];
  };
  EXPECT_EQ(columns({"ucb", "moss", "c-ucb", "hac-ucb", "warden", "sentry", "db", "ts"}), 8);
  EXPECT_EQ(columns({"ucb", "moss", "c-ucb", "db", "sentry:confidence=paper,inflight=ignore"}), 5);
  EXPECT_EQ(columns({std::string(120, 'x'), "ucb", "moss"}), 1);
}

}  // namespace
}  // namespace armature::figures
