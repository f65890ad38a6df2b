#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "armature/model.h"
#include "base/refusal.h"

namespace armature {
namespace {

using test::refusal;

TEST(RewardLaw, Means) {
  EXPECT_EQ(RewardLaw::bernoulli(0.3).mean(), 0.3);
  EXPECT_EQ(RewardLaw::point(0.7).mean(), 0.7);
  EXPECT_EQ(RewardLaw::beta(1, 3).mean(), 0.25);
  // 0·0.5 + 0.5·0.25 + 1·0.25 = 0.375
  EXPECT_EQ(RewardLaw::table({0, 0.5, 1}, {0.5, 0.25, 0.25}).mean(), 0.375);
}

TEST(RewardLaw, KeepsWhatItIs) {
  EXPECT_EQ(RewardLaw::bernoulli(0.3).kind(), RewardLaw::Kind::kBernoulli);
  EXPECT_EQ(RewardLaw::point(0.3).kind(), RewardLaw::Kind::kPoint);
  const RewardLaw beta = RewardLaw::beta(2, 3);
  EXPECT_EQ(beta.kind(), RewardLaw::Kind::kBeta);
  EXPECT_EQ(beta.first(), 2);
  EXPECT_EQ(beta.second(), 3);
  const RewardLaw table = RewardLaw::table({0, 1}, {0.25, 0.75});
  EXPECT_EQ(table.kind(), RewardLaw::Kind::kTable);
  EXPECT_EQ(table.values(), (std::vector<double>{0, 1}));
  EXPECT_EQ(table.probabilities(), (std::vector<double>{0.25, 0.75}));
}

TEST(RewardLaw, Descriptions) {
  EXPECT_EQ(RewardLaw::bernoulli(0.5).describe(), "Bernoulli(0.5)");
  EXPECT_EQ(RewardLaw::point(1).describe(), "point(1)");
  EXPECT_EQ(RewardLaw::beta(0.5, 2).describe(), "Beta(0.5,2)");
  EXPECT_EQ(RewardLaw::table({0, 1}, {0.25, 0.75}).describe(), "table of 2 values, mean 0.75");
}

TEST(RewardLaw, RefusesRewardsOutsideTheUnitInterval) {
  EXPECT_EQ(refusal([] { RewardLaw::bernoulli(1.5); }),
            "bernoulli: got 1.5, expected a number in [0,1]");
  EXPECT_EQ(refusal([] { RewardLaw::point(-0.5); }), "point: got -0.5, expected a number in [0,1]");
  EXPECT_EQ(refusal([] { RewardLaw::bernoulli(std::nan("")); }),
            "bernoulli: got nan, expected a number in [0,1]");
  EXPECT_EQ(refusal([] { RewardLaw::table({2}, {1}); }),
            "table.values: got 2, expected a number in [0,1]");
}

TEST(RewardLaw, RefusesBadShapes) {
  for (const double shape : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(refusal([&] { RewardLaw::beta(shape, 1); }), "(accepted)") << shape;
    EXPECT_NE(refusal([&] { RewardLaw::beta(1, shape); }), "(accepted)") << shape;
  }
  EXPECT_EQ(refusal([] { RewardLaw::beta(0, 1); }),
            "beta: got 0, expected two shapes from 1e-300 to 1e300");
}

TEST(RewardLaw, RefusesBadTables) {
  EXPECT_EQ(
      refusal([] { RewardLaw::table({}, {}); }),
      "table: got 0 values and 0 probabilities, expected as many probabilities as values, and "
      "at least one");
  EXPECT_EQ(
      refusal([] {
        RewardLaw::table({1}, {0.5, 0.5});
      }),
      "table: got 1 values and 2 probabilities, expected as many probabilities as values, and "
      "at least one");
  EXPECT_EQ(refusal([] {
              RewardLaw::table({0, 1}, {0.5, 0.25});
            }),
            "table.probabilities: got a sum of 0.75, expected 1 within 1e-9");
  EXPECT_EQ(refusal([] {
              RewardLaw::table({0, 1}, {1.5, -0.5});
            }),
            "table.probabilities: got 1.5, expected a number in [0,1]");
}

TEST(RewardLaw, SumsAreForgivenTheLastDigits) {
  EXPECT_EQ(refusal([] { RewardLaw::table({0, 1}, {0.5, 0.5 + 9e-10}); }), "(accepted)");
  EXPECT_NE(refusal([] { RewardLaw::table({0, 1}, {0.5, 0.5 + 2e-9}); }), "(accepted)");
}

// same_law both ways: it must not matter who asks.
bool same(const RewardLaw& a, const RewardLaw& b) {
  EXPECT_EQ(a.same_law(b), b.same_law(a));
  return a.same_law(b);
}

TEST(SameLaw, WhateverTheDescription) {
  EXPECT_TRUE(same(RewardLaw::bernoulli(1), RewardLaw::point(1)));
  EXPECT_TRUE(same(RewardLaw::bernoulli(0), RewardLaw::point(0)));
  EXPECT_TRUE(same(RewardLaw::bernoulli(0.25), RewardLaw::table({1, 0}, {0.25, 0.75})));
  EXPECT_TRUE(same(RewardLaw::point(0.5), RewardLaw::table({0.5, 0.5}, {0.25, 0.75})));
  EXPECT_TRUE(same(RewardLaw::table({0, 0.5, 1}, {0.5, 0, 0.5}), RewardLaw::bernoulli(0.5)));
  EXPECT_TRUE(same(RewardLaw::table({0.2, 0.8}, {0.3, 0.7}),
                   RewardLaw::table({0.8, 0.2, 0.8}, {0.5, 0.3, 0.2})));
}

TEST(SameLaw, EqualMeansAreNotEnough) {
  EXPECT_FALSE(same(RewardLaw::bernoulli(0.5), RewardLaw::point(0.5)));
  EXPECT_FALSE(same(RewardLaw::bernoulli(0.5), RewardLaw::beta(1, 1)));
  EXPECT_FALSE(same(RewardLaw::beta(1, 1), RewardLaw::beta(2, 2)));
  EXPECT_FALSE(same(RewardLaw::table({0, 0.5, 1}, {0.25, 0.5, 0.25}), RewardLaw::bernoulli(0.5)));
}

TEST(SameLaw, ForgivesRoundingOnly) {
  EXPECT_TRUE(same(RewardLaw::bernoulli(0.1 + 0.2), RewardLaw::bernoulli(0.3)));
  EXPECT_FALSE(same(RewardLaw::bernoulli(0.3 + 1e-11), RewardLaw::bernoulli(0.3)));
  EXPECT_TRUE(same(RewardLaw::point(0.1 + 0.2), RewardLaw::point(0.3)));
  EXPECT_TRUE(same(RewardLaw::beta(0.1 + 0.2, 1), RewardLaw::beta(0.3, 1)));
  EXPECT_FALSE(same(RewardLaw::beta(0.3, 1), RewardLaw::beta(0.3, 1 + 1e-11)));
}

}  // namespace
}  // namespace armature
