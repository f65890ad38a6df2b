// Ranks started by Slurm itself, and the page that shows all ways to compute a study.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/refusal.h"
#include "support/mpirun.h"
#include "support/slurm_cluster.h"
#include "support/studies.h"

namespace armature::test {
namespace {

class SlurmRanks : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = SlurmCluster::missing(); !missing.empty())
      GTEST_SKIP() << missing;
    cluster_ = std::make_unique<SlurmCluster>();
    write_file(scratch_.file("study.toml"), kSmallStudy);
  }
  ProgramResult shell(const std::string& command) const {
    return cluster_->shell(command, scratch_.path());
  }
  TemporaryDirectory scratch_;
  std::unique_ptr<SlurmCluster> cluster_;
};

TEST_F(SlurmRanks, ByPmixHaveTheBytesOfOneThread) {
  const ProgramResult ranks =
      shell("srun --mpi=pmix -N 2 -n 4 armature run study.toml --out ranks");
  ASSERT_EQ(ranks.status, 0) << ranks.err << cluster_->journal();
  EXPECT_TRUE(contains(ranks.err, "4 ranks on ")) << ranks.err;
  ASSERT_EQ(shell("armature run study.toml --threads 1 --out alone -q").status, 0);
  EXPECT_EQ(exported(scratch_.file("ranks")), exported(scratch_.file("alone")));
}

TEST_F(SlurmRanks, ThatKnowNothingOfEachOtherAreRefusedOnce) {
  const ProgramResult tasks = shell("srun -n 4 armature run study.toml --out tasks");
  EXPECT_EQ(tasks.status, 2) << tasks.err;
  EXPECT_TRUE(contains(tasks.err,
                       "Slurm: got 4 tasks, each an MPI job of one rank, expected srun "
                       "--mpi=pmix"))
      << tasks.err;
  EXPECT_EQ(tasks.err.find("each an MPI job"), tasks.err.rfind("each an MPI job")) << tasks.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("tasks")));
}

// Each was to compute a shard: Slurm may make one job of them (MpiDefault), or be told not to.
TEST_F(SlurmRanks, WithAShardEachAreRefusedAsOneJob) {
  const auto tasks = [&](const std::string& mpi) {
    return shell("srun -n 2 --mpi=" + mpi +
                 " sh -c 'armature run study.toml --shard $((SLURM_PROCID + 1))/2 --out cut -q'");
  };
  const ProgramResult one_job = tasks("pmix");
  EXPECT_NE(one_job.status, 0);
  EXPECT_TRUE(contains(one_job.err, "--shard: got 2/2, expected 1/2, as rank 0; srun --mpi=none"))
      << one_job.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("cut")));
  const ProgramResult two = tasks("none");
  EXPECT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(shell("armature merge cut -q").status, 0);
}

// The process of rank 2, as soon as something is stored.
constexpr const char* kKillARank = R"(
srun --mpi=pmix -N 2 -n 4 armature run long.toml replications=800 --out killed --threads 1 -q & job=$!
until armature status killed 2>/dev/null | grep -qE ' [1-9][0-9]* of [0-9]+ replications'; do
  kill -0 $job || exit 99
  sleep 0.05
done
for process in $(grep -lzFx "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3); do
  grep -qzFx SLURM_PROCID=2 /proc/$process/environ 2>/dev/null || continue
  grep -qzFx killed /proc/$process/cmdline && kill -KILL $process && dead=yes
done
test -n "$dead" || exit 98
wait $job
)";

// Slurm leaves rank 0 no time to name it, and does so itself.
TEST_F(SlurmRanks, OneThatIsKilledEndsTheStepAndLosesNothing) {
  write_file(scratch_.file("long.toml"), kStudyToKill);
  // It may be through before anybody gets to it, and whom Slurm itself ends at once it names with
  // the one that was killed, or not at all.
  bool caught = false, named = false;
  std::string told;
  for (int attempt = 1; !named && attempt <= 5; ++attempt) {
    std::filesystem::remove_all(scratch_.file("killed"));
    const ProgramResult killed = shell(kKillARank);
    const int status = killed.status;
    const bool now = status != 0 && status != 98 && status != 99;
    caught = caught || now;
    named = now && contains(killed.err, "task 2: Killed");
    told += killed.err;
  }
  ASSERT_TRUE(caught) << told << cluster_->journal();
  EXPECT_TRUE(named) << told;
  const ProgramResult again = shell(
      "srun --mpi=pmix -N 2 -n 4 armature run long.toml replications=800 --out killed --threads 1 -q");
  ASSERT_EQ(again.status, 0) << again.err << cluster_->journal();
  ASSERT_EQ(shell("armature run long.toml replications=800 --out alone -q").status, 0);
  EXPECT_EQ(exported(scratch_.file("killed")), exported(scratch_.file("alone")));
}

// The ```bash blocks of docs/cluster.md, one after the other, jobs waited for after each.
TEST_F(SlurmRanks, TheDocumentsWalkIsTyped) {
  std::filesystem::create_directory_symlink(ARMATURE_SOURCE_DIR "/studies",
                                            scratch_.file("studies"));
  std::istringstream lines(read_file(ARMATURE_SOURCE_DIR "/docs/cluster.md"));
  std::string block;
  bool inside = false;
  int typed = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("```")) {
      if (inside) block += line + "\n";
      continue;
    }
    if (inside) {
      const ProgramResult result = shell(mpirun_exports() + "set -e\n" + block);
      ASSERT_EQ(result.status, 0) << block << result.err;
      cluster_->wait_for_jobs();
      ++typed;
      block.clear();
    }
    inside = !inside && line == "```bash";
  }
  EXPECT_GE(typed, 5);
}

}  // namespace
}  // namespace armature::test
