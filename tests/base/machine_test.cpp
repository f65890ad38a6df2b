#include "base/machine.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/file.h"
#include "lab/runner.h"
#include "support/program.h"

namespace armature {
namespace {

using test::TemporaryDirectory;

// In a process of its own, which may run on one core alone: what it answers, as an exit status.
int on_one_core(int core, const std::function<int()>& answer) {
  const pid_t child = fork();
  if (child == 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    _exit(sched_setaffinity(0, sizeof set, &set) == 0 ? answer() : 255);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Machine, CountsTheCoresItMayUse) {
  const std::vector<int> cores = cores_allowed();
  ASSERT_FALSE(cores.empty());
  EXPECT_TRUE(std::is_sorted(cores.begin(), cores.end()));
  EXPECT_GE(cores_given(), 1u);
  EXPECT_LE(cores_given(), cores.size());
  for (const int core : {cores.front(), cores.back()}) {
    EXPECT_EQ(on_one_core(core, [&] { return cores_allowed() == std::vector{core} ? 1 : 0; }), 1);
    EXPECT_EQ(on_one_core(core, [] { return static_cast<int>(cores_given()); }), 1);
  }
}

TEST(Machine, ARunOnOneCoreHasOneThread) {
  const int core = cores_allowed().back();
  EXPECT_EQ(on_one_core(core, [] { return static_cast<int>(threads_of({})); }), 1);
  RunHooks three;
  three.threads = 3;
  EXPECT_EQ(on_one_core(core, [&] { return static_cast<int>(threads_of(three)); }), 3);
}

TEST(Machine, HasAMemoryAndAName) {
  EXPECT_GT(memory_given(), 1u << 20);
  EXPECT_FALSE(host_name().empty());
}

// A machine as its kernel would show it.
class Tree {
 public:
  explicit Tree(const std::string& groups) { put("proc/self/cgroup", groups); }
  Tree& put(const std::string& path, const std::string& content) {
    const std::string file = directory_.file(path);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    write_file(file, content + "\n");
    return *this;
  }
  GroupLimits limits() const { return group_limits(directory_.path()); }

 private:
  TemporaryDirectory directory_;
};

TEST(GroupLimits, OfTheSecondVersionAreTheLeastUpTheTree) {
  Tree tree("0::/slurm/job_7/step_0");
  tree.put("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000");
  tree.put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max");
  EXPECT_FALSE(tree.limits().cores);
  EXPECT_FALSE(tree.limits().memory);
  tree.put("sys/fs/cgroup/slurm/job_7/cpu.max", "250000 100000");
  tree.put("sys/fs/cgroup/slurm/memory.max", "8589934592");
  EXPECT_EQ(tree.limits().cores, 2.5);
  EXPECT_EQ(tree.limits().memory, 8589934592u);
  tree.put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "1073741824");
  tree.put("sys/fs/cgroup/slurm/cpu.max", "400000 100000");
  EXPECT_EQ(tree.limits().cores, 2.5);
  EXPECT_EQ(tree.limits().memory, 1073741824u);
}

// The path is the host's, of which the container sees its own group alone.
TEST(GroupLimits, OfAContainerStandAtTheMount) {
  for (const char* group : {"0::/", "0::/docker/0123", "0::/../../elsewhere"}) {
    Tree tree(group);
    tree.put("sys/fs/cgroup/cpu.max", "150000 100000").put("sys/fs/cgroup/memory.max", "1000000");
    EXPECT_EQ(tree.limits().cores, 1.5) << group;
    EXPECT_EQ(tree.limits().memory, 1000000u) << group;
  }
}

TEST(GroupLimits, OfTheFirstVersionAreEachInTheirOwnTree) {
  Tree tree(
      "9:name=systemd:/\n4:memory:/slurm/uid_1/job_2\n3:cpu,cpuacct:/slurm/uid_1\n2:cpuset:/\n"
      "0::/init");
  tree.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  tree.put("sys/fs/cgroup/memory/slurm/uid_1/memory.limit_in_bytes", "4294967296");
  tree.put("sys/fs/cgroup/cpu,cpuacct/slurm/uid_1/cpu.cfs_quota_us", "-1");
  tree.put("sys/fs/cgroup/cpu,cpuacct/slurm/uid_1/cpu.cfs_period_us", "100000");
  EXPECT_FALSE(tree.limits().cores);
  EXPECT_EQ(tree.limits().memory, 4294967296u);
  tree.put("sys/fs/cgroup/cpu/slurm/cpu.cfs_quota_us", "300000");
  tree.put("sys/fs/cgroup/cpu/slurm/cpu.cfs_period_us", "100000");
  EXPECT_EQ(tree.limits().cores, 3);
  // Beside it a tree of the second version, as systemd has it.
  tree.put("sys/fs/cgroup/unified/init/memory.max", "1000");
  EXPECT_EQ(tree.limits().memory, 1000u);
}

TEST(GroupLimits, AreNoneWhereNothingIsSaid) {
  const TemporaryDirectory empty;
  EXPECT_FALSE(group_limits(empty.path()).cores);
  Tree tree("no line of the kernel\n0::/x");
  tree.put("sys/fs/cgroup/x/cpu.max", "nonsense").put("sys/fs/cgroup/x/memory.max", "");
  tree.put("sys/fs/cgroup/cpu.max", "100 0");
  EXPECT_FALSE(tree.limits().cores);
  EXPECT_FALSE(tree.limits().memory);
}

TEST(FileSystems, ThoseOfOtherMachinesAreKnown) {
  EXPECT_TRUE(is_network_file_system(0x6969));       // NFS
  EXPECT_TRUE(is_network_file_system(0xfe534d42));   // SMB 2
  EXPECT_TRUE(is_network_file_system(0x0bd00bd0));   // Lustre
  EXPECT_FALSE(is_network_file_system(0xef53));      // ext4
  EXPECT_FALSE(is_network_file_system(0x58465342));  // XFS
  EXPECT_FALSE(on_network_file_system("/proc"));
  EXPECT_FALSE(on_network_file_system("/nowhere"));
  const AllOnNetwork network;
  EXPECT_TRUE(on_network_file_system("/proc"));
}

}  // namespace
}  // namespace armature
