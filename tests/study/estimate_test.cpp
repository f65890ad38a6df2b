// How long a study will take, told beforehand on a machine that has other things to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <numeric>
#include <thread>

#include "base/machine.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

double thread_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Threads that keep every core busy four times over: a clock on the wall would be off by as much.
class Burners {
 public:
  Burners() {
    for (unsigned i = 0; i < 4 * cores_given(); ++i)
      threads_.emplace_back([this] {
        while (!stop_.load(std::memory_order_relaxed)) ++burnt_;
      });
  }
  ~Burners() { stop_.store(true); }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> burnt_{0};
  std::vector<std::jthread> threads_;  // joined first
};

double estimate_of(const StudyPlan& plan) {
  const std::vector<double> seconds = trial_seconds(plan);
  return plan.study.replications * std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

// The middle of three estimates, each against a run of its own, within a factor of 2. Nothing here
// is random but the machine.
void expect_estimated(const std::string& study) {
#ifndef NDEBUG
  GTEST_SKIP() << "timed in Release builds";
#endif
  const StudyPlan plan = test::plan_of(study);
  const Burners burners;
  std::vector<double> ratios;
  for (int i = 0; i < 3; ++i) {
    const double estimate = estimate_of(plan);
    const test::TemporaryDirectory directory;
    const double start = thread_seconds();
    ASSERT_TRUE(run_study(plan, directory.path(), test::on_threads(1)).complete);
    ratios.push_back(estimate / (thread_seconds() - start));
  }
  std::sort(ratios.begin(), ratios.end());
  EXPECT_GT(ratios[1], 0.5);
  EXPECT_LT(ratios[1], 2);
}

TEST(Estimate, OfStepsHoldsOnABusyMachine) {
  expect_estimated(
      "replications = 40\nhorizons = 1e5\ninstances = 'hidden-arm'\npolicies = ['ucb', 'c-ucb', "
      "'sentry']\n");
}

TEST(Estimate, OfLeapsHoldsOnABusyMachine) {
  expect_estimated(
      "replications = 4\nhorizons = 1e9\ninstances = 'hidden-arm'\npolicies = ['ucb', 'c-ucb', "
      "'sentry']\n");
}

}  // namespace
}  // namespace armature
