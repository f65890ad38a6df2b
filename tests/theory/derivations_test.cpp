// The constants that docs/theory.md derives, against what they were derived from: maxima against a
// search, closed forms against the sums they stand for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "armature/random.h"
#include "armature/theory.h"
#include "theory/coefficients.h"

namespace armature {
namespace {

constexpr int kSteps = 20'000;

Setting sizes(double actions, double contexts, double horizon) {
  Setting setting;
  setting.actions = actions;
  setting.contexts = contexts;
  setting.horizon = horizon;
  return setting;
}

// The largest value of a function of Δ below 1/40, on a grid of logs from just there to 1e-9/40.
template <class Function>
double best_over_gaps(Function value) {
  double best = 0;
  for (int k = 0; k <= kSteps; ++k) {
    const double gap = std::pow(10.0, -9.0 * k / kSteps) * (1 - 1e-9) / 40;
    best = std::max(best, value(gap));
  }
  return best;
}

// Theorem 3.7: (|A|-1)/(32Δ)·log(TΔ/(8R)) for every Δ < 1/40.
TEST(Derivations, TheFrontierBoundIsTheBestOverAllGaps) {
  for (const double share : {1e-6, 1e-4, 1 / 900.0, 1 / 800.0, 1 / 400.0, 1 / 321.0}) {
    Setting setting = sizes(7, 2, 1e15);
    const double r2 = share * setting.horizon;
    setting.r2 = r2;
    const double searched = best_over_gaps([&](double gap) {
      return (setting.actions - 1) / (32 * gap) * std::log(setting.horizon * gap / (8 * r2));
    });
    const double claimed = frontier_lower_sharp(setting).value();
    EXPECT_NEAR(searched / claimed, 1, 1e-5) << share;
    if (const auto printed = frontier_lower(setting)) {
      EXPECT_LT(*printed, claimed);
    }
  }
}

// Theorem 5.2: (TΔ/8)·exp(-64TΔ²/(|A|-1)) for every Δ < 1/40.
TEST(Derivations, TheZeroKnowledgeBoundIsTheBestOverAllGaps) {
  for (const double horizon : {1e4, 1e7, 1e12}) {
    const Setting setting = sizes(30, 2, horizon);
    const double searched = best_over_gaps([&](double gap) {
      return horizon * gap / 8 * std::exp(-64 * horizon * gap * gap / (setting.actions - 1));
    });
    EXPECT_NEAR(searched / zero_knowledge_lower_sharp(setting), 1, 1e-5) << horizon;
  }
}

// Theorem 4.3: the sum over phases is below 2s + 128(2+√2)·d·L_P/Δ, and comes near it.
TEST(Derivations, TheClosedFormCoversTheSumOverPhases) {
  double nearest = 0;
  for (const double rank : {1.0, 2.0, 3.0, 10.0, 100.0})
    for (const double horizon : {2.0, 1e3, 1e6, 1e12})
      for (double gap = 1; gap > 1e-7; gap *= 0.93) {
        Setting setting = sizes(1000, 100, horizon);
        setting.rank = rank;
        setting.gap = gap;
        const double delta = setting.level();
        const double log_p = std::log(2000 * std::max(1.0, std::log2(horizon)) / delta);
        const double closed =
            2 * design_support(rank) + 128 * (2 + std::sqrt(2.0)) * rank * log_p / gap;
        const double sum = pe_gap_bound(setting);
        EXPECT_LE(sum, closed) << rank << " " << horizon << " " << gap;
        EXPECT_LE(closed, pe_gap_closed_bound(setting));
        nearest = std::max(nearest, sum / closed);
      }
  EXPECT_GT(nearest, 0.95);  // hardly a smaller constant would do
}

// Proposition A.1 restored: for d_⋆ ≥ √ℓ the corrected bound is at most
// 1 + √T·[d_⋆ + (11/2)·Z_⋆d_⋆ + (15/4)·d_j/Z_j + 6√(2ℓ)].
TEST(Derivations, TheRateOfPropositionA1ComesBack) {
  Stream stream({23, 0, Purpose::kInstance});
  for (int k = 0; k < 10'000; ++k) {
    const Setting setting = sizes(20, 2, std::pow(10, 18 * stream.uniform()));
    const double log_term =
        std::log(2 * std::log(std::max(setting.horizon, 2.0)) / setting.level());
    const BalancedLearner home{std::sqrt(log_term) * std::exp(8 * stream.uniform()),
                               std::exp(10 * stream.uniform() - 5)};
    const BalancedLearner other{std::exp(8 * stream.uniform()),
                                std::exp(10 * stream.uniform() - 5)};
    const double restored = home.coefficient + 5.5 * home.dial * home.coefficient +
                            3.75 * other.coefficient / other.dial + 6 * std::sqrt(2 * log_term);
    EXPECT_LE(db_corrected_bound(setting, home, other),
              1 + restored * std::sqrt(setting.horizon) * (1 + 1e-12));
  }
}

}  // namespace
}  // namespace armature
