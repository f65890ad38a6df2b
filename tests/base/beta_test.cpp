#include "base/beta.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/saddle_point.h"

namespace armature {
namespace {

// Tails to 2e-12 of their value. Quantiles: a tail that is off by 2e-12 moves them by that over the
// hazard, which is at least 1 where Beta laws have room.
TEST(Beta, AgreesWithItsReference) {
  std::ifstream file(ARMATURE_SOURCE_DIR "/tests/base/beta_reference.txt");
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    std::istringstream words(line);
    std::string kind;
    double alpha, beta, argument, value;
    words >> kind >> alpha >> beta >> argument >> value;
    ASSERT_TRUE(words) << line;
    if (kind == "tail")
      EXPECT_NEAR(beta_tail(alpha, beta, argument), value, 2e-12 * value) << line;
    else
      EXPECT_NEAR(beta_upper_quantile(alpha, beta, argument), value, 2e-14 + 2e-13 * value) << line;
  }
  EXPECT_GT(rows, 140u);
}

// Beta(1,1) is uniform, Beta(n,1) has P(X ≤ x) = x^n, Beta(1,n) has P(X > x) = (1−x)^n.
TEST(Beta, ByHand) {
  EXPECT_NEAR(beta_tail(1, 1, 0.25), 0.75, 4e-15);
  EXPECT_NEAR(beta_tail(3, 1, 0.5), 0.875, 4e-15);
  EXPECT_NEAR(beta_tail(1, 3, 0.5), 0.125, 4e-15);
  EXPECT_NEAR(beta_upper_quantile(1, 1, 0.25), 0.75, 4e-15);
  EXPECT_NEAR(beta_upper_quantile(2, 1, 0.5), std::sqrt(0.5), 4e-15);
  EXPECT_NEAR(beta_upper_quantile(1, 2, 0.25), 0.5, 4e-15);
}

TEST(Beta, HasEnds) {
  EXPECT_EQ(beta_tail(2, 3, 0), 1);
  EXPECT_EQ(beta_tail(2, 3, 1), 0);
  EXPECT_EQ(beta_upper_quantile(2, 3, 1), 0);
  EXPECT_EQ(beta_upper_quantile(1, 1, 1e-300), 1);
}

// There and back, for laws of all sizes: fractional ones, and 10^12 outcomes.
TEST(Beta, QuantilesHaveTheirTails) {
  for (const double n : {0.5, 3.0, 77.25, 1e4, 1e6, 1e9, 1e12})
    for (const double share : {0.0, 1e-3, 0.3, 0.5, 0.99, 1.0})
      for (const double tail : {0.9, 0.5, 1e-2, 1e-5, 1e-9}) {
        const double alpha = 1 + n * share, beta = 1 + n * (1 - share);
        const double x = beta_upper_quantile(alpha, beta, tail);
        ASSERT_GT(x, 0);
        if (x == 1) continue;  // closer to 1 than doubles can tell
        // Near 1 the tail moves by beta/(1 − x) times the spacing of doubles.
        const double slack = 1e-9 + 1e-15 * n + 2e-16 * beta / (1 - x);
        EXPECT_NEAR(beta_tail(alpha, beta, x), tail, slack * tail) << n << " " << share;
      }
}

// Smaller tails lie farther out, and more successes too.
TEST(Beta, QuantilesAscend) {
  for (const double n : {0.0, 2.0, 30.0, 1000.0}) {
    double last = 0;
    for (double tail = 0.9; tail > 1e-12; tail /= 3) {
      const double x = beta_upper_quantile(1 + n / 2, 1 + n / 2, tail);
      EXPECT_GT(x, last);
      last = x;
    }
    EXPECT_GT(beta_upper_quantile(2 + n, 1, 0.01), beta_upper_quantile(1 + n, 2, 0.01));
  }
}

// log n! at whole numbers, and Γ(3/2) = √π/2.
TEST(StirlingError, EqualsLogGamma) {
  for (const double x : {0.5, 1.0, 2.75, 15.0, 15.999, 16.0, 40.5, 1000.0}) {
    const double expected =
        std::lgamma(x + 1) - (x * std::log(x) - x + 0.5 * std::log(2 * M_PI * x));
    EXPECT_NEAR(stirling_error(x), expected, 1e-15 * (10 + std::lgamma(x + 1))) << x;
  }
}

}  // namespace
}  // namespace armature
