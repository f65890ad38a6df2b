// The two experiments of Bilodeau et al. (2022), with their widths: the mean regrets they arrive
// at.
#include <cmath>

#include "armature/lab.h"
#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

class PublishedNumbers : public test::ReleaseOnly {};

struct Reference {
  const char* policy;
  double mean;
  double margin;  // how far the published mean itself may be off
};

// Off by at most the reference's margin and, at the stated false-alarm rate, our own sampling
// error.
void expect_regrets(const std::string& instance, Round horizon,
                    const std::vector<Reference>& references) {
  Simulation simulation;
  simulation.instance = instance;
  simulation.horizon = horizon;
  simulation.replications = 1000;
  simulation.seed = 1;
  for (const Reference& reference : references) simulation.policies.emplace_back(reference.policy);
  const SimulationResult result = simulate(simulation);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const CellSummary& summary = result.cells[i];
    const double noise = test::kNormalBound * summary.final_regret().standard_error;
    EXPECT_NEAR(summary.final_regret().mean, references[i].mean, references[i].margin + noise)
        << summary.cell.policy << ", standard error " << summary.final_regret().standard_error;
  }
}

TEST_F(PublishedNumbers, BenignExperiment) {
  expect_regrets("bilodeau-benign:actions=20", 3000,
                 {{"ucb:confidence=bilodeau", 373, 3},
                  {"c-ucb:confidence=bilodeau", 22.1, 1},
                  {"hac-ucb", 24, 1}});
}

TEST_F(PublishedNumbers, ConfoundedExperiment) {
  expect_regrets("bilodeau-confounded:actions=20", 5000,
                 {{"ucb:confidence=bilodeau", 114, 2},
                  {"c-ucb:confidence=bilodeau", 1346, 4},
                  {"hac-ucb", 360, 8}});
}

}  // namespace
}  // namespace armature
