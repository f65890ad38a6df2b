// What the two readings of the paper's balancing do (spec §4), as numbers.
#include <cmath>

#include "armature/lab.h"
#include "statistical/release_only.h"
#include "support/statistics.h"
#include "theory/coefficients.h"

namespace armature {
namespace {

class Balancing : public test::ReleaseOnly {};

SimulationResult run(const std::string& instance, std::vector<std::string> policies, Round horizon,
                     std::uint32_t replications) {
  Simulation simulation;
  simulation.instance = instance;
  simulation.policies = std::move(policies);
  simulation.horizon = horizon;
  simulation.replications = replications;
  return simulate(simulation);
}

const DiagnosticSummary* diagnostic(const CellSummary& summary, const std::string& name) {
  for (const DiagnosticSummary& entry : summary.diagnostics)
    if (entry.name == name) return &entry;
  return nullptr;
}

// On bilodeau-confounded, T = 10^5, printed bias: the printed sign switches c-ucb off near
// round 6.2·10^4, the sign the proof needs does not before 10^5.
TEST_F(Balancing, ThePrintedSignReactsEarlier) {
  const auto result =
      run("bilodeau-confounded", {"db:bias=printed,test=plus", "db:bias=printed"}, 100'000, 20);
  const DiagnosticSummary* plus = diagnostic(result.cells[0], "first_deactivation(c-ucb)");
  ASSERT_NE(plus, nullptr);
  EXPECT_EQ(plus->replications, 20u);
  EXPECT_NEAR(plus->mean, 62'000, 3'000);
  EXPECT_EQ(diagnostic(result.cells[1], "first_deactivation(c-ucb)"), nullptr);
}

// On pareto-benign at the default dial, gap ½·sqrt(|A| log T/T): with the printed bias db is a
// fixed split and its benign regret grows like sqrt(|A|); corrected, it does not grow.
TEST_F(Balancing, ThePrintedBiasIsAFixedSplit) {
  constexpr Round kHorizon = 300'000;
  const auto regrets = [](int actions) {
    const double gap =
        0.5 * std::sqrt(actions * std::log(static_cast<double>(kHorizon)) / kHorizon);
    const auto result =
        run("pareto-benign:actions=" + std::to_string(actions) + ",gap=" + std::to_string(gap),
            {"db:bias=printed", "db"}, kHorizon, 4);
    return std::pair(result.cells[0].final_regret().mean, result.cells[1].final_regret().mean);
  };
  const auto few = regrets(50);
  const auto many = regrets(800);
  EXPECT_NEAR(std::log(many.first / few.first) / std::log(16.0), 0.5, 0.15);
  EXPECT_LT(many.second, few.second);
  EXPECT_LT(20 * many.second, many.first);
}

// Reg(t) ≤ d_PE·sqrt(t) in benign worlds, at every checkpoint. The bound is loose; a violation is a
// bug.
TEST_F(Balancing, EliminationKeepsItsPromise) {
  constexpr Round kHorizon = 200'000;
  const auto result =
      run("random-benign:actions=30", {"pe", "pe:design=exact", "pe:scale=0.5"}, kHorizon, 20);
  const EliminationSetting setting{30, 5, kHorizon, 1.0 / kHorizon, design_support(5)};
  const double coefficient = elimination_coefficient(setting);
  for (const CellSummary& summary : result.cells)
    for (const CurvePoint& at : summary.curve)
      EXPECT_LE(at.regret.mean, coefficient * std::sqrt(static_cast<double>(at.round)))
          << summary.cell.policy << " " << at.round;
}

// The explicit bound of spec §4 for the corrected bias, M = 2, in both worlds.
TEST_F(Balancing, TheCorrectedBoundHolds) {
  constexpr Round kHorizon = 100'000;
  const double T = kHorizon, delta = 1 / T;
  const double d_causal = causal_ucb_coefficient(2, T, delta);
  const double d_ucb = ucb_coefficient(20, T, delta);
  const double dial = std::sqrt(10.0);  // the corner: sqrt(|A|/|Z|)
  const double l = std::log(2 * std::log(T) / delta);
  const auto bound = [&](double d_star, double z_star, double d_other, double z_other) {
    return 1 + std::sqrt(T) * (d_star + 2 * z_star * d_star + d_other / (4 * z_other) +
                               std::sqrt(z_star * d_star * d_other / z_other) *
                                   (1 + 6 * std::sqrt(l) / d_star) +
                               6 * std::sqrt(2 * l));
  };
  const auto benign = run("pareto-benign", {"db"}, kHorizon, 10);
  EXPECT_LE(benign.cells[0].final_regret().q95, bound(d_causal, 1, d_ucb, dial));
  const auto confounded = run("bilodeau-confounded", {"db"}, kHorizon, 10);
  EXPECT_LE(confounded.cells[0].final_regret().q95, bound(d_ucb, dial, d_causal, 1));
}

}  // namespace
}  // namespace armature
