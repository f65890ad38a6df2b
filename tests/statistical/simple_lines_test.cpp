// Regret that can be worked out exactly, and one ordering nobody may lose.
#include <cmath>

#include "armature/lab.h"
#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

class SimpleLines : public test::ReleaseOnly {};

SimulationResult run(const std::string& instance, std::vector<std::string> policies, Round horizon,
                     std::uint32_t replications) {
  Simulation simulation;
  simulation.instance = instance;
  simulation.policies = std::move(policies);
  simulation.horizon = horizon;
  simulation.replications = replications;
  simulation.seed = 6;
  return simulate(simulation);
}

// All rows are the same, so all causal indices tie, and arm 0 is played for ever: gap per round.
TEST_F(SimpleLines, CausalUcbPaysTheGapWhereTheBestArmHides) {
  for (const char* policy : {"c-ucb", "c-ucb:confidence=bilodeau", "c-ts"}) {
    const SimulationResult result = run("hidden-arm:gap=0.2", {policy}, 10'000, 10);
    for (const CurvePoint& at : result.cells[0].curve) {
      EXPECT_NEAR(at.regret.mean, 0.2 * static_cast<double>(at.round), 1e-6) << policy;
      EXPECT_LT(at.regret.standard_error, 1e-9) << policy;
    }
  }
}

// Each round pays the gap of a uniform arm: mean T·avg(Δ), variance T·var(Δ).
TEST_F(SimpleLines, UniformPaysTheMeanGap) {
  constexpr double kT = 5000;
  constexpr double kReplications = 200;
  for (const char* text : {"pe-trap", "bilodeau-confounded", "pareto-confounded:gap=0.06"}) {
    const auto instance = InstanceSource(text, 5000, 6).instance(0);
    double mean = 0, square = 0;
    for (Arm a = 0; a < instance->actions(); ++a) {
      mean += instance->gap(a) / instance->actions();
      square += instance->gap(a) * instance->gap(a) / instance->actions();
    }
    const double error = std::sqrt(kT * (square - mean * mean) / kReplications);
    const CellSummary uniform = run(text, {"uniform"}, 5000, 200).cells[0];
    EXPECT_NEAR(uniform.final_regret().mean, kT * mean, test::kNormalBound * error) << text;
  }
}

TEST_F(SimpleLines, ThompsonBeatsUniform) {
  for (const char* text : {"pareto-benign:gap=0.2", "bilodeau-benign", "bilodeau-confounded",
                           "hidden-arm", "semi-benign"}) {
    const SimulationResult result = run(text, {"ts", "uniform"}, 5000, 50);
    const CellSummary& ts = result.cells[0];
    const CellSummary& uniform = result.cells[1];
    EXPECT_LT(ts.final_regret().mean + test::kNormalBound * (ts.final_regret().standard_error +
                                                             uniform.final_regret().standard_error),
              uniform.final_regret().mean)
        << text;
  }
}

}  // namespace
}  // namespace armature
