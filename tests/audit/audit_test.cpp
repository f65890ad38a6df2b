#include "armature/audit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/simulated_log.h"
#include "audit/tests.h"
#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

using test::simulated_log;

AuditAnswer audited(test::VectorSource log, const AuditQuestion& question = {}) {
  return audit(log, question);
}

// Rejections by mistake in worlds in which Z separates: at most 5% of runs; the bound is what a
// Binomial(runs, 0.05) exceeds once in 10^6.
struct Benign {
  const char* world;
  const char* policy;
};
class FalseAlarms : public testing::TestWithParam<Benign> {};

TEST_P(FalseAlarms, AreAsRareAsPromised) {
  constexpr int kRuns = 100;
  int rejected = 0;
  for (std::uint32_t run = 0; run < kRuns; ++run)
    rejected += audited(simulated_log(GetParam().world, GetParam().policy, 1000, run)).verdict ==
                        AuditVerdict::kRejected
                    ? 1
                    : 0;
  EXPECT_LE(rejected, test::most_failures_by_luck(kRuns, 0.05, test::kFalseAlarmRate));
}

INSTANTIATE_TEST_SUITE_P(Worlds, FalseAlarms,
                         testing::Values(Benign{"pareto-benign:actions=5", "uniform"},
                                         Benign{"pareto-benign:actions=5", "ucb"},
                                         Benign{"pareto-benign:actions=5", "sentry"},
                                         Benign{"random-benign:actions=6,contexts=4", "uniform"},
                                         Benign{"random-benign:actions=6,contexts=4", "ucb"},
                                         Benign{"random-benign:actions=6,contexts=4", "sentry"},
                                         Benign{"bilodeau-benign:actions=4", "uniform"},
                                         Benign{"bilodeau-benign:actions=4", "ucb"},
                                         Benign{"rare-context:actions=5", "uniform"},
                                         Benign{"rare-context:actions=5", "sentry"}));

}  // namespace
}  // namespace armature
