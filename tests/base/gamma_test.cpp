#include "base/gamma.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace armature {
namespace {

TEST(Gamma, LogarithmAtKnownPlaces) {
  EXPECT_NEAR(log_gamma(1), 0, 5e-15);
  EXPECT_NEAR(log_gamma(2), 0, 5e-15);
  EXPECT_NEAR(log_gamma(5), std::log(24.0), 1e-14);
  EXPECT_NEAR(log_gamma(0.5), std::log(std::numbers::pi) / 2, 1e-14);
  EXPECT_NEAR(log_gamma(1.5), std::log(std::sqrt(std::numbers::pi) / 2), 1e-14);
  for (const double x : {0.5, 3.25, 17.5, 100.0, 12345.5, 1e7})  // Γ(x+1) = x·Γ(x)
    EXPECT_NEAR(log_gamma(x + 1) - log_gamma(x), std::log(x), 1e-15 * (10 + x * std::log(x + 1)))
        << x;
}

// Quantiles as tables have them.
TEST(Gamma, ChiSquareTail) {
  EXPECT_NEAR(chi_square_tail(3.841458820694124, 1), 0.05, 1e-13);
  EXPECT_NEAR(chi_square_tail(18.307038053275146, 10), 0.05, 1e-13);
  EXPECT_NEAR(chi_square_tail(37.56623478662507, 20), 0.01, 1e-13);
  EXPECT_EQ(chi_square_tail(0, 4), 1);
  // Even degrees: a Poisson sum. P(χ²_6 > 2x) = e^-x(1 + x + x²/2).
  for (const double x : {0.1, 1.0, 3.0, 10.0, 100.0})
    EXPECT_NEAR(chi_square_tail(2 * x, 6) / (std::exp(-x) * (1 + x + x * x / 2)), 1, 1e-12) << x;
}

TEST(Gamma, ChiSquareQuantileGoesBack) {
  for (const double degrees : {1.0, 3.0, 19.0, 200.0})
    for (const double tail : {0.5, 0.05, 1e-6})
      EXPECT_NEAR(chi_square_tail(chi_square_upper_quantile(tail, degrees), degrees) / tail, 1,
                  1e-9);
}

TEST(Gamma, NormalTail) {
  EXPECT_NEAR(normal_upper_tail(1.959963984540054), 0.025, 1e-14);
  EXPECT_NEAR(normal_upper_tail(-1.959963984540054), 0.975, 1e-14);
  EXPECT_NEAR(normal_upper_tail(0), 0.5, 1e-15);
  EXPECT_NEAR(normal_upper_tail(6) / 9.865876450376946e-10, 1, 1e-11);
}

}  // namespace
}  // namespace armature
