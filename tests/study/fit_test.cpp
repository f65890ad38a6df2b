#include "study/fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace armature {
namespace {

TEST(FitLine, ALineIsFoundExactly) {
  const LineFit fit = fit_line({{0, 1, 0}, {1, 3, 0}, {2, 5, 0}, {4, 9, 0}});
  EXPECT_NEAR(fit.slope, 2, 1e-12);
  EXPECT_NEAR(fit.low, 2, 1e-9);
  EXPECT_NEAR(fit.high, 2, 1e-9);
}

// x = 0, 1, 2, y = 0, 1, 1: slope ½, residuals −1/6, 1/3, −1/6, Σ² = 1/6, spread 2, one degree of
// freedom: half width t95(1)·sqrt((1/6)/1/2) = 12.706·0.288675 = 3.668.
TEST(FitLine, IntervalFromTheResiduals) {
  const LineFit fit = fit_line({{0, 0, 0}, {1, 1, 0}, {2, 1, 0}});
  EXPECT_NEAR(fit.slope, 0.5, 1e-12);
  EXPECT_NEAR(fit.high - fit.slope, 3.668, 1e-3);
  EXPECT_NEAR(fit.slope - fit.low, 3.668, 1e-3);
}

// Two points with standard error ½ each, one apart: sd of the slope is sqrt(½), half
// width 1.96·that.
TEST(FitLine, TheirOwnErrorsAreCarriedThrough) {
  const LineFit fit = fit_line({{0, 0, 0.5}, {1, 1, 0.5}});
  EXPECT_NEAR(fit.high - fit.slope, 1.959964 * std::sqrt(0.5), 1e-5);
}

TEST(FitPower, ExponentsAreFound) {
  std::vector<FitPoint> points;
  for (const double x : {1e3, 1e4, 1e6, 1e9}) points.push_back({x, 7 * std::pow(x, 0.75), 0});
  const LineFit fit = fit_power(points);
  EXPECT_NEAR(fit.slope, 0.75, 1e-12);
  EXPECT_NEAR(fit.high - fit.low, 0, 1e-9);
}

TEST(FitLine, OnePlaceIsNoLine) {
  EXPECT_DEATH(fit_line({{1, 1, 0}, {1, 2, 0}}), "two distinct x");
}

}  // namespace
}  // namespace armature
