#include "theory/coefficients.h"

#include <gtest/gtest.h>

#include <cmath>

namespace armature {
namespace {

TEST(Coefficients, ByHand) {
  // |A| = 20, T = 10^6, δ = 10^-6: L_A = log(2·20·10^12) = log 4 + 13·log 10 = 31.319900…
  EXPECT_NEAR(union_log(20, 1e6, 1e-6), std::log(4.0) + 13 * std::log(10.0), 1e-12);
  EXPECT_NEAR(ucb_coefficient(20, 1e6, 1e-6), std::sqrt(160 * 31.3199006), 1e-5);  // 70.7897
  // |Z| = 2: L_Z = log(4·10^12) = 29.017315…, log(T/δ) = 27.631021…
  EXPECT_NEAR(causal_ucb_coefficient(2, 1e6, 1e-6),
              std::sqrt(29.0173155) * (4 + std::sqrt(4 * 27.6310211)), 1e-6);
}

TEST(Coefficients, TheCausalOneIsTheSmallerBeyondTwentyOneActions) {
  // spec: at T = 10^5, |Z| = 2, the causal coefficient wins only beyond |A| ≈ 21.
  EXPECT_GT(causal_ucb_coefficient(2, 1e5, 1e-5), ucb_coefficient(20, 1e5, 1e-5));
  EXPECT_LT(causal_ucb_coefficient(2, 1e5, 1e-5), ucb_coefficient(22, 1e5, 1e-5));
}

TEST(Coefficients, SupportOfADesign) {
  EXPECT_EQ(design_support(1), 16);
  EXPECT_EQ(design_support(2), 16);
  // d = 3: log log 3 = 0.0940478…, 4·3·0.0940478 + 16
  EXPECT_NEAR(design_support(3), 17.128574, 1e-6);
  EXPECT_EQ(floored_log2(1), 1);
  EXPECT_EQ(floored_log2(1024), 10);
}

EliminationSetting setting(double horizon) {
  return {20, 2, horizon, 1 / horizon, design_support(2)};
}

TEST(Coefficients, EliminationCurve) {
  // T = 20 < m_1 + s = 32: all in phase 1 at rate 1, B(T)/sqrt(T) = sqrt(20).
  EXPECT_NEAR(elimination_coefficient(setting(20)), std::sqrt(20.0), 1e-12);
  // T = 50: phase 2 (m = 32) still costs min(1, 8·sqrt(2·L_P/16)) = 1 per round.
  EXPECT_NEAR(elimination_coefficient(setting(50)), std::sqrt(50.0), 1e-12);
  // Phases of rate 1 last while 64·d·L_P ≥ m_{ℓ-1}; then the curve bends, towards
  // 8(2+√2)·sqrt(d·L_P).
  const EliminationSetting far = setting(1e18);
  const double limit = 8 * (2 + std::sqrt(2.0)) * std::sqrt(far.dimension * elimination_log(far));
  EXPECT_NEAR(elimination_coefficient(far), limit, 0.05 * limit);
}

TEST(Coefficients, EliminationGrowsWithEverythingThatIsHard) {
  const double base = elimination_coefficient({20, 4, 1e6, 1e-6, design_support(4)});
  EXPECT_GT(elimination_coefficient({200, 4, 1e6, 1e-6, design_support(4)}), base);
  EXPECT_GT(elimination_coefficient({20, 8, 1e6, 1e-6, design_support(8)}), base);
  EXPECT_GT(elimination_coefficient({20, 4, 1e6, 1e-9, design_support(4)}), base);
  EXPECT_GT(elimination_coefficient({20, 4, 1e6, 1e-6, 10 * design_support(4)}), base);
}

}  // namespace
}  // namespace armature
