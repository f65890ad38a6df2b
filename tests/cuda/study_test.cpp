// Studies that an accelerator computes: the bytes of the step engine, whatever becomes of the run.
#include <gtest/gtest.h>

#include "base/refusal.h"
#include "cuda/block_accelerator.h"
#include "cuda/host_backend.h"
#include "lab/runner.h"
#include "study/stage.h"
#include "study/store.h"
#include "support/fake_accelerator.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

using test::contains;
using test::exported;
using test::FakeMachine;
using test::refusal;
using test::TemporaryDirectory;

StudyPlan plan_for(const std::string& engine, const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides{"engine=" + engine};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return test::plan_of(test::kSmallStudy, overrides);
}

std::map<std::string, std::string> stepped(const std::vector<std::string>& more = {}) {
  const TemporaryDirectory directory;
  run_study(plan_for("step", more), directory.file("run"), test::on_threads(1));
  return exported(directory.file("run"));
}

TEST(CudaStudy, HasTheBytesOfStep) {
  const auto reference = stepped();
  for (const unsigned devices : {1u, 3u}) {
    const TemporaryDirectory directory;
    FakeMachine machine;
    machine.accelerator->count = devices;
    EXPECT_TRUE(run_study(plan_for("cuda"), directory.file("run"), machine.hooks()).complete);
    EXPECT_EQ(exported(directory.file("run")), reference) << devices << " devices";
    EXPECT_EQ(machine.accelerator->policies(), (std::set<std::string>{"ucb", "db"}));
    EXPECT_EQ(machine.notices.size(), 2u);
    EXPECT_EQ(machine.notices.back(), "stepped on the CPU: ts: it has no kernel");
    EXPECT_EQ(read_results(directory.file("run")).environment.accelerator, "a fake GPU");
  }
}

// Nothing is faked but that the host runs the device's functions.
TEST(CudaStudy, ByTheDevicesFunctionsHasTheBytesOfStep) {
  const std::string toml =
      "replications = 6\nhorizons = [60, 300]\ncheckpoints = 5\n"
      "instances = ['hidden-arm:actions=5', 'random-benign:actions=6,contexts=3', 'pe-trap']\n"
      "policies = ['uniform', 'ucb', 'ucb:confidence=anytime', 'moss', 'c-ucb', 'sentry', 'warden',"
      " 'db', 'hac-ucb', 'ts']\n";
  const TemporaryDirectory directory;
  std::vector<std::string> notices;
  RunHooks hooks = test::on_threads(2);
  hooks.notice = [&](const std::string& words) { notices.push_back(words); };
  hooks.accelerator = [] {
    return std::make_shared<cuda::BlockAccelerator>(std::make_unique<cuda::HostBackend>());
  };
  // The second run's blocks do not begin with the first replication.
  const std::string place = directory.file("cuda");
  EXPECT_TRUE(
      run_study(test::plan_of(toml, {"engine=cuda", "replications=2"}), place, hooks).complete);
  EXPECT_TRUE(run_study(test::plan_of(toml, {"engine=cuda"}), place, hooks).complete);
  run_study(test::plan_of(toml, {"engine=step"}), directory.file("step"), test::on_threads(1));
  EXPECT_EQ(exported(place), exported(directory.file("step")));
  const std::vector<std::string> words{
      "on the host: uniform, ucb, moss, c-ucb, sentry, warden, db, hac-ucb",
      "stepped on the CPU: ts: no device plays this policy"};
  EXPECT_EQ(notices, (std::vector<std::string>{words[0], words[1], words[0], words[1]}));
}

// A device that is quick is still not given more worlds at a time than it has room for.
TEST(CudaStudy, BlocksAreNoLargerThanTheDeviceWantsThem) {
  const TemporaryDirectory directory;
  FakeMachine machine;
  machine.accelerator->per_block = 2;
  machine.accelerator->seconds = 1e-6;
  run_study(plan_for("cuda"), directory.file("run"), machine.hooks());
  std::uint32_t computed = 0;
  for (const auto& [policy, range, device] : machine.accelerator->asked()) {
    EXPECT_LE(range.count, 2u) << policy;
    computed += range.count;
  }
  EXPECT_EQ(computed, 6u * 12) << "all of ucb and db";
}

TEST(CudaStudy, GoesOnFromWhereItWasStopped) {
  const TemporaryDirectory directory;
  const std::string place = directory.file("run");
  FakeMachine machine;
  machine.accelerator->per_block = 2;
  std::uint64_t computed = 0;
  int runs = 0;
  for (bool complete = false; !complete; ++runs) {
    ASSERT_LT(runs, 200);
    std::atomic<bool> stop{false};
    RunHooks hooks = machine.hooks(1);
    hooks.stop = &stop;
    hooks.progress = [&](const Progress& progress) { stop = progress.replications_done >= 10; };
    const StudyOutcome outcome = run_study(plan_for("cuda"), place, hooks);
    computed += outcome.computed;
    complete = outcome.complete;
  }
  EXPECT_GT(runs, 2);
  EXPECT_EQ(computed, 18u * 6);
  EXPECT_EQ(exported(place), stepped());
}

// What a device began, cores may end, and the other way round: both are one study.
TEST(CudaStudy, IsTheSameStudyAsItsStepped) {
  const TemporaryDirectory directory;
  const std::string place = directory.file("run");
  FakeMachine machine;
  run_study(plan_for("step", {"replications=2"}), place, test::on_threads(1));
  run_study(plan_for("cuda", {"replications=4"}), place, machine.hooks());
  run_study(plan_for("step"), place, test::on_threads(1));
  EXPECT_EQ(exported(place), stepped());
  EXPECT_FALSE(machine.accelerator->asked().empty());
  EXPECT_TRUE(contains(refusal([&] { run_study(plan_for("auto"), place); }), "engine"));
}

TEST(CudaStudy, ShardsOfBothKindsAreMerged) {
  const TemporaryDirectory directory;
  const std::string place = directory.file("run");
  FakeMachine machine;
  run_shard(plan_for("cuda"), place, {1, 2}, machine.hooks());
  run_shard(plan_for("step"), place, {2, 2}, test::on_threads(1));
  merge_shards(place);
  EXPECT_EQ(exported(place), stepped());
}

// Nothing that was finished is lost, and the next run does the rest.
TEST(CudaStudy, ADeviceThatFailsEndsTheRunWithItsError) {
  const TemporaryDirectory directory;
  const std::string place = directory.file("run");
  FakeMachine machine;
  machine.accelerator->fails_after = 3;
  const std::string error = refusal([&] { run_study(plan_for("cuda"), place, machine.hooks()); });
  EXPECT_TRUE(contains(error, "GPU: got an illegal address")) << error;
  const std::uint64_t kept = StudyStore::read(place).stored_replications();
  EXPECT_GE(kept, 3 * 4u) << "three blocks were finished";
  FakeMachine mended;
  EXPECT_EQ(run_study(plan_for("cuda"), place, mended.hooks()).computed, 18u * 6 - kept);
  EXPECT_EQ(exported(place), stepped());
}

TEST(CudaStudy, WithoutADeviceNothingIsLeftBehind) {
  const TemporaryDirectory directory;
  FakeMachine machine;
  machine.accelerator = nullptr;
  EXPECT_TRUE(contains(
      refusal([&] { run_study(plan_for("cuda"), directory.file("run"), machine.hooks()); }),
      "no device"));
  EXPECT_TRUE(directory.listing().empty());
}

TEST(CudaStudy, ThatIsFinishedAsksForNoDevice) {
  const TemporaryDirectory directory;
  run_study(plan_for("step"), directory.file("run"), test::on_threads(1));
  FakeMachine machine;
  machine.accelerator = nullptr;
  const StudyOutcome outcome = run_study(plan_for("cuda"), directory.file("run"), machine.hooks());
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.computed, 0u);
}

TEST(CudaStudy, IsEstimatedByThePlaceOfItsCells) {
  FakeMachine machine;
  const StudyPlan plan = plan_for("cuda");
  const ExpectedSeconds expected = expected_seconds(plan, machine.hooks());
  EXPECT_EQ(expected.accelerator, "a fake GPU");
  for (const PlannedCell& cell : plan.cells) {
    const bool there = cell.policy != "ts";
    EXPECT_EQ(expected.on_device[cell.id], there ? 0.25 : 0) << cell.policy;
    EXPECT_EQ(expected.on_cores[cell.id] == 0, there) << cell.policy;
  }
  EXPECT_TRUE(machine.accelerator->asked().empty()) << "nobody tries what a device computes";
}

// Somebody else's hands, as ranks are: they compute what no device does.
class CountingCrew final : public Crew {
 public:
  unsigned hands() const override { return 1; }
  void announce(const std::string&) override { ++announced; }
  void compute(const std::vector<Cell>& cells, const std::vector<BlockTask>& tasks,
               const std::atomic<bool>& stop, const BlocksFinished& finished) override {
    for (const BlockTask& task : tasks) {
      policies.insert(cells[task.cell].policy);
      std::vector<FinishedBlock> block;
      block.push_back({task, run_block(cells[task.cell], task.range, stop)});
      finished(std::move(block));
    }
  }

  int announced = 0;
  std::set<std::string> policies;
};

TEST(CudaStudy, WithACrewTheDeviceComputesBesideIt) {
  const TemporaryDirectory directory;
  FakeMachine machine;
  CountingCrew crew;
  RunHooks hooks = machine.hooks();
  hooks.crew = &crew;
  EXPECT_TRUE(run_study(plan_for("cuda"), directory.file("run"), hooks).complete);
  EXPECT_EQ(exported(directory.file("run")), stepped());
  EXPECT_EQ(crew.policies, std::set<std::string>{"ts"});
  EXPECT_EQ(machine.accelerator->policies(), (std::set<std::string>{"ucb", "db"}));
}

// A list that holds a device's choice and one that only cores compute; after the search, too.
TEST(CudaStudy, ThatSearchesHasTheBytesOfStep) {
  const std::string toml =
      "replications = 5\nhorizons = 100\ncheckpoints = 4\npolicies = ['ucb', 'ts']\n"
      "search = { replications = 3 }\n"
      "[[instances]]\ninstance = 'hidden-arm'\nactions = 4\ngap = [0.1, 0.3]\n";
  const TemporaryDirectory directory;
  FakeMachine machine;
  run_study(test::plan_of(toml, {"engine=cuda"}), directory.file("cuda"), machine.hooks());
  run_study(test::plan_of(toml, {"engine=step"}), directory.file("step"), test::on_threads(1));
  EXPECT_EQ(exported(directory.file("cuda")), exported(directory.file("step")));
  EXPECT_EQ(machine.notices.size(), 2u) << "told once, not once a stage";
}

TEST(AutomaticStudy, ThatIsSmallIsTheCores) {
  const TemporaryDirectory directory;
  FakeMachine machine;
  run_study(plan_for("auto"), directory.file("run"), machine.hooks());
  EXPECT_EQ(machine.opened, 0);
  EXPECT_EQ(read_results(directory.file("run")).environment.accelerator, "");
}

}  // namespace
}  // namespace armature
