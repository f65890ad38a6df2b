// Studies through a real Slurm: submitted, computed in shards, merged, and the same bytes as a run
// on one thread; also when a task was killed on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/refusal.h"
#include "report/resources.h"
#include "support/slurm_cluster.h"
#include "support/studies.h"

namespace armature::test {
namespace {

// Long enough to be killed half way, at about four seconds of one core.
constexpr const char* kLongStudy = R"(
title = "long"
seed = 3
replications = 400
horizons = [20000]
checkpoints = 5
engine = "step"
instances = ["hidden-arm:actions=5", "semi-benign:actions=5"]
policies = ["ucb", "kl-ucb"]
)";

// Its paths hold what shells and Slurm might take for something else.
class SlurmSubmission : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = SlurmCluster::missing(); !missing.empty())
      GTEST_SKIP() << missing;
    cluster_ = std::make_unique<SlurmCluster>();
    make_directory(folder_);
  }
  ProgramResult shell(const std::string& command) const {
    return cluster_->shell("cd \"it's 100% \\$HOME\" || exit 125\n" + command, scratch_.path());
  }
  ProgramResult submit(const std::string& options = "") const {
    return shell("armature submit study.toml --nodes 2 --time 10min --out 'on the cluster' " +
                 options);
  }
  // What the study gives on one thread, without a cluster.
  std::map<std::string, std::string> alone() const {
    const ProgramResult run = shell("armature run study.toml --threads 1 --quiet --out alone");
    EXPECT_EQ(run.status, 0) << run.err;
    return exported(folder_ + "/alone");
  }
  std::string directory() const { return folder_ + "/on the cluster"; }
  // What the cluster made of it, once every job has ended.
  std::map<std::string, std::string> merged() const {
    cluster_->wait_for_jobs();
    try {
      return exported(directory());
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n"
                    << logs() << shell("scontrol show jobs; sinfo").out << cluster_->journal();
      return {};
    }
  }
  std::string logs() const { return shell("tail -n 50 'on the cluster'/job/logs/*").out; }

  TemporaryDirectory scratch_;
  std::string folder_ = scratch_.file("it's 100% $HOME");
  std::unique_ptr<SlurmCluster> cluster_;
};

TEST_F(SlurmSubmission, GivesTheBytesOfARunOnOneThread) {
  write_file(folder_ + "/study.toml", kSmallStudy);
  const ProgramResult submitted = submit();
  ASSERT_EQ(submitted.status, 0) << submitted.err;
  EXPECT_TRUE(contains(submitted.out, "2 shards, at most 2 at a time, each on 2 cores of one node"))
      << submitted.out;
  // Whoever edits the study now edits another one.
  write_file(folder_ + "/study.toml", "nonsense");
  cluster_->wait_for_jobs();
  write_file(folder_ + "/study.toml", kSmallStudy);
  const ProgramResult status = shell("armature status 'on the cluster'");
  EXPECT_TRUE(contains(status.out, "finished")) << status.out << logs();
  EXPECT_EQ(exported(directory()), alone()) << logs();
  if (web_bundle()) {  // `make bundle`
    EXPECT_EQ(shell("test -s 'on the cluster/report.html'").status, 0) << logs();
  }

  const ProgramResult again = submit();
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(contains(again.out, "finished already; nothing to submit")) << again.out;
}

TEST_F(SlurmSubmission, WhatWouldWaitForEverIsRefused) {
  write_file(folder_ + "/study.toml", kSmallStudy);
  const auto refused = [&](const std::string& options, const std::string& message) {
    const ProgramResult result = submit(options);
    EXPECT_EQ(result.status, 2) << options << result.out;
    EXPECT_TRUE(contains(result.err, message)) << options << "\n" << result.err;
  };
  refused("--partition none", "'none', of which there is none, expected one of all, short, closed");
  refused("--partition closed", "which takes no jobs now, expected one that is up: all, short");
  refused("--cores 1000", "--cores: got 1000, expected at most ");
  const ProgramResult late =
      shell("armature submit study.toml --nodes 2 --time 1h --partition short --out late");
  EXPECT_TRUE(contains(late.err, "--time: got 01:00:00, expected at most 00:30:00")) << late.err;
  const ProgramResult result = submit("--partition short");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(merged(), alone()) << logs();
}

// Two rounds of shards.
TEST_F(SlurmSubmission, ASearchIsMergedBeforeItsChoiceIsComputed) {
  write_file(folder_ + "/study.toml", "search = {replications = 4}\n" + std::string(kSmallStudy));
  const ProgramResult submitted = submit();
  ASSERT_EQ(submitted.status, 0) << submitted.err;
  EXPECT_EQ(merged(), alone()) << logs();
}

// The process of the first shard, as soon as it has a store; killed as by a lack of memory.
constexpr const char* kKillTheFirst = R"(
test -s 'on the cluster/shards/1-of-2/study.sqlite' || exit 1
process=$(grep -lzx 1/2 /proc/[0-9]*/cmdline 2>/dev/null |
          xargs -r grep -lzFx "$PWD/on the cluster" 2>/dev/null | cut -d / -f 3)
test -n "$process" && kill -KILL $process
)";

TEST_F(SlurmSubmission, AgainSubmitsOnlyTheShardThatWasKilled) {
  write_file(folder_ + "/study.toml", kLongStudy);
  const auto is_killed = [&] {
    bool killed = false;
    EXPECT_TRUE(comes_true([&] {
      killed = shell(kKillTheFirst).status == 0;
      return killed || shell("squeue -h").out.empty();
    })) << logs();
    return killed;
  };
  const auto is_whole = [&] { return shell("test -e 'on the cluster/study.sqlite'").status == 0; };
  // A shard takes a few seconds, and may be through before anybody gets to it.
  bool caught = false;
  for (int attempt = 1; !caught && attempt <= 5; ++attempt) {
    std::filesystem::remove_all(directory());
    const ProgramResult submitted = submit("--cores 1");
    ASSERT_EQ(submitted.status, 0) << submitted.err;
    const bool killed = is_killed();
    const ProgramResult busy = submit("--cores 1 --dry-run");
    EXPECT_EQ(busy.status, 0) << busy.err;
    EXPECT_FALSE(contains(busy.out, "--array=1,2%2")) << "the second is at work\n" << busy.out;
    cluster_->wait_for_jobs();
    caught = killed && !is_whole();
  }
  ASSERT_TRUE(caught) << logs();
  const std::string merge_log = shell("cat 'on the cluster'/job/logs/merge-*.log").out;
  // Missing, if it was killed before its study stood in the store.
  EXPECT_TRUE(contains(merge_log, "2 shards: got 1 unfinished") ||
              contains(merge_log, "2 shards: got 1 missing"))
      << "the merge names it\n"
      << merge_log;

  const ProgramResult again = submit("--cores 1");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(contains(again.out, "#SBATCH --array=1%2\n")) << again.out;
  EXPECT_EQ(merged(), alone()) << logs();
}

}  // namespace
}  // namespace armature::test
