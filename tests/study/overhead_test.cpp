// What the lab costs beside the bare engine: trial, cutting, storing with its syncs, summaries.
#include <gtest/gtest.h>

#include <ctime>

#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

// Blocks of about a second. The promise of 3% is measured on a quiet machine
// (docs/performance.md); here it must not be missed by far.
TEST(StudyOverhead, IsSmallBesideTheEngine) {
#ifndef NDEBUG
  GTEST_SKIP() << "timed in Release builds";
#endif
  const StudyPlan plan = test::plan_of(
      "replications = 20\nhorizons = 1e6\ninstances = 'hidden-arm'\npolicies = ['ucb', 'db']\n");
  const test::TemporaryDirectory directory;
  // Computing time, as the engine's seconds are.
  const std::clock_t start = std::clock();
  ASSERT_TRUE(run_study(plan, directory.path(), test::on_threads(1)).complete);
  const double all = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  double engine = 0;
  for (const CellSummary& summary : read_results(directory.path()).cells) engine += summary.seconds;
  const double overhead = all / engine - 1;
  RecordProperty("overhead_percent", std::to_string(100 * overhead));
  EXPECT_LT(overhead, 0.15) << all << " s for " << engine << " s of the engine";
}

}  // namespace
}  // namespace armature
