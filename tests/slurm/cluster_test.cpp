// The cluster that other tests submit to: it is one, and nothing is left of it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "support/slurm_cluster.h"

namespace armature::test {
namespace {

TEST(SlurmCluster, TakesJobsOnBothNodes) {
  if (const std::string missing = SlurmCluster::missing(); !missing.empty())
    GTEST_SKIP() << missing;
  const TemporaryDirectory directory;
  const SlurmCluster cluster;
  const ProgramResult nodes =
      cluster.shell("srun -N 2 sh -c 'echo $SLURMD_NODENAME' | sort", directory.path());
  EXPECT_EQ(nodes.out, "n1\nn2\n") << nodes.err;

  const ProgramResult array = cluster.shell(
      "sbatch --parsable --array=1-3 --output=%a.log --wrap 'echo task $SLURM_ARRAY_TASK_ID'",
      directory.path());
  EXPECT_EQ(array.status, 0) << array.err;
  cluster.wait_for_jobs();
  for (const char* task : {"1", "2", "3"})
    EXPECT_EQ(read_file(directory.file(std::string(task) + ".log")),
              std::string("task ") + task + "\n");
}

// Whatever a job has started ends with the cluster.
TEST(SlurmCluster, EndsWithItsJobs) {
  if (const std::string missing = SlurmCluster::missing(); !missing.empty())
    GTEST_SKIP() << missing;
  const TemporaryDirectory directory;
  pid_t job = 0;
  {
    const SlurmCluster cluster;
    cluster.shell("sbatch --wrap 'sh -c \"echo \\$\\$ >pid; sleep 600\"'", directory.path());
    ASSERT_TRUE(comes_true([&] {
      job = std::atoi(cluster.shell("cat pid", directory.path()).out.c_str());
      return job > 0;
    })) << cluster.journal();
  }
  // Nobody may have asked for its end yet, but it has no command line any more.
  EXPECT_EQ(run_shell("cat /proc/" + std::to_string(job) + "/cmdline", "/").out, "");
}

}  // namespace
}  // namespace armature::test
