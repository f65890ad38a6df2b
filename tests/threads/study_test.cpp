// A study's blocks are stored by the threads that computed them.
#include <gtest/gtest.h>

#include "support/fake_accelerator.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

TEST(StudyThreads, LeaveNoTraceInTheStore) {
  const test::TemporaryDirectory directory;
  const StudyPlan plan = test::plan_of(test::kSmallStudy);
  run_study(plan, directory.file("one"), test::on_threads(1));
  const auto reference = test::exported(directory.file("one"));
  for (const unsigned threads : {2u, 4u}) {
    const std::string place = directory.file(std::to_string(threads));
    std::uint64_t last = 0;  // no lock: progress is told by one thread at a time
    RunHooks hooks = test::on_threads(threads);
    hooks.progress = [&](const Progress& progress) { last = progress.replications_done; };
    run_study(plan, place, hooks);
    EXPECT_EQ(last, 18u * 6);
    EXPECT_EQ(test::exported(place), reference) << threads << " threads";
  }
}

TEST(StudyThreads, AndDevicesBesideThemLeaveNoTrace) {
  const test::TemporaryDirectory directory;
  run_study(test::plan_of(test::kSmallStudy, {"engine=step"}), directory.file("step"),
            test::on_threads(1));
  test::FakeMachine machine;
  machine.accelerator->count = 2;
  machine.accelerator->per_block = 2;
  const StudyPlan plan = test::plan_of(test::kSmallStudy, {"engine=cuda"});
  std::uint64_t last = 0;
  RunHooks hooks = machine.hooks(2);
  hooks.progress = [&](const Progress& progress) { last = progress.replications_done; };
  run_study(plan, directory.file("cuda"), hooks);
  EXPECT_EQ(last, 18u * 6);
  EXPECT_EQ(test::exported(directory.file("cuda")), test::exported(directory.file("step")));
}

}  // namespace
}  // namespace armature
