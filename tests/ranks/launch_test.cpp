// Whether a process is one of several, by what launchers leave in its environment.
#include "ranks/launch.h"

#include <gtest/gtest.h>

#include <map>

namespace armature::ranks {
namespace {

Launch launch(const std::map<std::string, std::string>& variables) {
  return launch_by([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launch, ByItsEnvironment) {
  EXPECT_EQ(launch({}).kind, Launch::Kind::kAlone);
  const Launch mpirun = launch({{"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "3"}});
  EXPECT_EQ(mpirun.kind, Launch::Kind::kMpi);
  EXPECT_EQ(mpirun.rank, 3);
  EXPECT_EQ(mpirun.size, 8);
  EXPECT_EQ(launch({{"OMPI_COMM_WORLD_SIZE", "1"}}).kind, Launch::Kind::kAlone);
  // mpirun within a job of several tasks: its own word counts.
  EXPECT_EQ(launch({{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}}).kind,
            Launch::Kind::kAlone);
  const Launch pmix =
      launch({{"PMIX_RANK", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "2"}});
  EXPECT_EQ(pmix.kind, Launch::Kind::kMpi);
  EXPECT_EQ(pmix.rank, 2);
  EXPECT_EQ(launch({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}).kind, Launch::Kind::kAlone);
  EXPECT_TRUE(pmix.by_slurm);
  const Launch other = launch({{"PMI_SIZE", "4"}, {"PMI_RANK", "1"}});
  EXPECT_EQ(other.kind, Launch::Kind::kMpi);
  EXPECT_FALSE(other.by_slurm);
  const Launch mistake = launch({{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "3"}});
  EXPECT_EQ(mistake.kind, Launch::Kind::kSlurmTasks);
  EXPECT_EQ(mistake.rank, 3);
  EXPECT_EQ(mistake.size, 4);
  EXPECT_EQ(launch({{"SLURM_STEP_NUM_TASKS", "1"}}).kind, Launch::Kind::kAlone);
  EXPECT_EQ(launch({{"SLURM_STEP_NUM_TASKS", "many"}}).kind, Launch::Kind::kAlone);
}

}  // namespace
}  // namespace armature::ranks
