// The kl interval against bisection in long double.
#include "base/kl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace armature {
namespace {

using Precise = long double;

// kl(p,q) with the distance of q to 1 kept apart: q = 1 − complement loses nothing near 1.
Precise precise_kl(Precise p, Precise q, Precise complement) {
  Precise divergence = 0;
  if (p > 0) divergence += p * std::log(p / q);
  if (p < 1) divergence += (1 - p) * std::log((1 - p) / complement);
  return divergence;
}

// The largest u in [p,1] with kl(p,u) ≤ budget. Bisection on the complement 1−u, which is what is
// small where doubles end.
Precise upper_by_bisection(Precise p, Precise budget) {
  if (p >= 1) return 1;
  Precise allowed = 1 - p;  // complement of p itself: divergence 0
  Precise refused = 0;      // complement of 1: infinite
  for (int step = 0; step < 400; ++step) {
    const Precise middle = (allowed + refused) / 2;
    if (middle == allowed || middle == refused) break;
    (precise_kl(p, 1 - middle, middle) <= budget ? allowed : refused) = middle;
  }
  return 1 - allowed;
}

const double kMeans[] = {0,   1e-300, 1e-12, 1e-3,      0.1,         0.3, 0.5,
                         0.7, 0.9,    0.999, 1 - 1e-12, 1 - 0x1p-53, 1};

TEST(BernoulliKl, ByHand) {
  EXPECT_EQ(bernoulli_kl(0.3, 0.3), 0);
  EXPECT_DOUBLE_EQ(bernoulli_kl(0, 0.5), std::log(2.0));
  EXPECT_DOUBLE_EQ(bernoulli_kl(1, 0.5), std::log(2.0));
  // 0.25·log(0.25/0.5) + 0.75·log(0.75/0.5) = −0.173287 + 0.304099 = 0.130812
  EXPECT_NEAR(bernoulli_kl(0.25, 0.5), 0.130812, 1e-6);
  EXPECT_EQ(bernoulli_kl(0.5, 1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(bernoulli_kl(0.5, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(bernoulli_kl(0, 0), 0);
  EXPECT_EQ(bernoulli_kl(1, 1), 0);
}

// kl(p,u) is (u−p)²/(2p(1−p)) near p: rounding of kl, of size 2^-53, hides distances of up to
// 1e-8, but never more than a few 1e-16/(u−p).
TEST(KlUpper, EqualsBisection) {
  for (const double p : kMeans)
    for (const double budget : {1e-12, 1e-9, 1e-6, 1e-4, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 30.0}) {
      const double u = kl_upper(p, budget);
      const auto expected = static_cast<double>(upper_by_bisection(p, budget));
      const double slack = 1e-15 + 4e-16 / std::max(expected - p, 1e-8);
      EXPECT_NEAR(u, expected, slack) << "p " << p << ", budget " << budget;
      EXPECT_GE(u, p);
      EXPECT_LE(u, 1);
    }
}

TEST(KlUpper, MeanZeroHasAClosedForm) {
  // kl(0,u) = −log(1−u)
  for (const double budget : {1e-6, 0.01, 0.5, 2.0, 20.0})
    EXPECT_NEAR(kl_upper(0, budget), -std::expm1(-budget), 1e-15) << budget;
}

TEST(KlUpper, EdgesStayInPlace) {
  for (const double p : kMeans) {
    EXPECT_EQ(kl_upper(p, 0), p);
    EXPECT_EQ(kl_upper(p, -1), p);
    EXPECT_LE(kl_upper(p, 1e300), 1);
    EXPECT_EQ(kl_upper(p, std::numeric_limits<double>::infinity()), 1) << p;
    EXPECT_LT(kl_upper(p, 1e-300) - p, 1e-12) << p;
  }
  for (const double budget : {0.0, 1e-300, 1.0, 1e300}) EXPECT_EQ(kl_upper(1, budget), 1);
  // A mean that rounding has pushed out of [0,1] counts as the edge.
  EXPECT_EQ(kl_upper(1 + 1e-15, 1), 1);
  EXPECT_EQ(kl_upper(-1e-15, 1), kl_upper(0, 1));
}

// A budget of 1000 at p = 1/2 means 1−u = exp(−2000)/4: no double is between that and 1.
TEST(KlUpper, HugeBudgetsReachOne) {
  EXPECT_EQ(kl_upper(0.5, 1000), 1);
  EXPECT_EQ(kl_upper(0, 1000), 1);
}

TEST(KlUpper, GrowsWithMeanAndBudget) {
  for (double p = 0; p < 1; p += 0.05)
    for (double budget = 0.001; budget < 5; budget *= 1.5) {
      EXPECT_LE(kl_upper(p, budget), kl_upper(p, 1.5 * budget) + 1e-15);
      EXPECT_LE(kl_upper(p, budget), kl_upper(p + 0.05, budget) + 1e-15);
    }
}

TEST(KlLower, IsTheMirrorImage) {
  for (const double p : kMeans)
    for (const double budget : {1e-6, 0.01, 1.0, 30.0}) {
      const double l = kl_lower(p, budget);
      const auto expected = static_cast<double>(1 - upper_by_bisection(1 - Precise{p}, budget));
      EXPECT_NEAR(l, expected, 1e-15 + 4e-16 / std::max(p - expected, 1e-8))
          << "p " << p << ", budget " << budget;
      EXPECT_LE(l, p) << "p " << p << ", budget " << budget;
      EXPECT_GE(l, 0);
    }
  // 1 − (1 − p) is p but for rounding.
  EXPECT_EQ(kl_lower(0, 1), 0);
  EXPECT_NEAR(kl_lower(1, 0.5), std::exp(-0.5), 1e-15);  // kl(1,l) = −log l
}

}  // namespace
}  // namespace armature
