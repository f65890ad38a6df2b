// The command under a real mpirun: the bytes of one thread, kills of any rank, and what people get
// wrong. More ranks than cores: nothing here depends on speed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "armature/random.h"
#include "base/file.h"
#include "base/refusal.h"
#include "support/child_process.h"
#include "support/mpirun.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

class Mpi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_shell("command -v mpirun", directory_.path()).status != 0)
      GTEST_SKIP() << "mpirun is not installed (openmpi-bin): nothing of MPI is tested here";
    if (!fs::exists(module()))
      GTEST_SKIP() << "armature was built without MPI (libopenmpi-dev): nothing of it is tested";
  }
  static fs::path module() {
    return fs::path(ARMATURE_COMMAND).parent_path().parent_path() / ARMATURE_MODULE;
  }
  ProgramResult shell(const std::string& command) {
    return run_shell(mpirun_exports() + command, directory_.path());
  }
  std::string file(const std::string& name) { return directory_.file(name); }

  TemporaryDirectory directory_;
};

constexpr const char* kHeadline =
    "'" ARMATURE_SOURCE_DIR "/studies/headline.toml' replications=3 'horizons=[300,1000]'";

constexpr const char* kStudy = R"(
replications = 60
horizons = [2000, 20000]
checkpoints = 6
instances = ["hidden-arm:actions=5", "semi-benign:actions=5"]
policies = ["ucb", "db", "ts", "kl-ucb"]
)";

TEST_F(Mpi, TheHeadlineStudyHasTheBytesOfOneThread) {
  ASSERT_EQ(shell(std::string("armature run ") + kHeadline + " --out one --threads 1 -q").status,
            0);
  const ProgramResult result =
      shell(std::string("mpirun -n 4 armature run ") + kHeadline + " --out four");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "4 ranks on 1 host")) << result.err;
  EXPECT_TRUE(contains(result.out, "finished")) << result.out;
  EXPECT_EQ(exported(file("four")), exported(file("one")));
  const ProgramResult again =
      shell(std::string("mpirun -n 2 armature run ") + kHeadline + " --out four --threads 2");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(contains(again.out, "finished already; nothing to do")) << again.out;
  for (const char* how : {"--latex --to", "--markdown --to"}) {
    for (const std::string study : {"one", "four"}) {
      const ProgramResult export_ =
          shell("armature export " + study + " " + how + " " + study + ".text");
      ASSERT_EQ(export_.status, 0) << export_.err;
    }
    EXPECT_EQ(read_file(file("four.text")), read_file(file("one.text"))) << how;
  }
}

TEST_F(Mpi, AMistakeIsToldOnce) {
  const ProgramResult none = shell("mpirun -n 3 armature run none.toml");
  EXPECT_EQ(none.status, 2) << none.err;
  EXPECT_EQ(none.err.find("armature: none.toml"), none.err.rfind("armature: none.toml"))
      << none.err;
  EXPECT_TRUE(contains(none.err, "armature: none.toml")) << none.err;
  const ProgramResult option = shell("mpirun -n 3 armature run none.toml --no-such-option");
  EXPECT_EQ(option.status, 2) << option.err;
  EXPECT_TRUE(contains(option.err, "--no-such-option")) << option.err;
  EXPECT_EQ(option.err.find("got '--no-such-option'"), option.err.rfind("got '--no-such-option'"))
      << option.err;
}

TEST_F(Mpi, AWrongNumberOfThreadsToo) {
  const ProgramResult result =
      shell(std::string("mpirun -n 3 armature run ") + kHeadline + " -j x");
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_TRUE(contains(result.err, "--threads: got 'x'")) << result.err;
  EXPECT_EQ(result.err.find("--threads: got"), result.err.rfind("--threads: got")) << result.err;
}

// A disk that is full while results are under way: told, and over. `timeout` would end it with 124.
TEST_F(Mpi, AFullDiskIsToldAndAllGoHome) {
  write_file(file("s.toml"), kStudy);
  if (shell("mkdir tiny && mount -t tmpfs -o size=400k tmpfs tiny").status != 0)
    GTEST_SKIP() << "a small disk needs root";
  const ProgramResult result =
      shell("timeout 120 mpirun -n 4 armature run s.toml --out tiny/d --threads 1 -q");
  shell("umount tiny");
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_TRUE(contains(result.err, "tiny/d")) << result.err;
}

// Somebody removes the lease of a run at work: it ends with a word before it writes anything.
TEST_F(Mpi, ALostLeaseIsToldAndAllGoHome) {
  write_file(file("s.toml"), kStudyToKill);
  const ProgramResult result = shell(
      "timeout 120 mpirun -n 3 armature run s.toml --out d --threads 1 -q & job=$!\n"
      "until test -s d/lease && armature status d | grep -q running; do kill -0 $job || exit 9; "
      "sleep 0.05; done\n"
      "rm d/lease; wait $job");
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_TRUE(contains(result.err, "armature: d")) << result.err;
}

// One rank of another build: here the same command with another digest written into it.
TEST_F(Mpi, MixedBuildsAreRefusedByRank) {
  const fs::path other = file("other");
  fs::create_directories(other / "bin");
  fs::create_directories((other / ARMATURE_MODULE).parent_path());
  fs::copy_file(module(), other / ARMATURE_MODULE);
  std::string binary = read_file(ARMATURE_COMMAND);
  std::string digest = read_file(ARMATURE_STUDY_DIGEST);
  digest = digest.substr(1, 12);
  std::size_t found = 0;
  for (std::size_t at = 0; (at = binary.find(digest, at)) != std::string::npos; ++found)
    binary.replace(at, digest.size(), "another12345");
  ASSERT_GT(found, 0u);
  write_file(other / "bin/armature", binary);
  fs::permissions(other / "bin/armature", fs::perms::owner_all);
  const ProgramResult result =
      shell(std::string("mpirun -n 2 armature run ") + kHeadline + " --out mixed : -n 1 '" +
            (other / "bin/armature").string() + "' run " + kHeadline + " --out mixed");
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_TRUE(contains(result.err, "armature: rank 2 on ")) << result.err;
  EXPECT_TRUE(contains(result.err, "build of armature: got ")) << result.err;
  EXPECT_TRUE(contains(result.err, "another12345")) << result.err;
  EXPECT_FALSE(fs::exists(file("mixed")));
}

// As by srun where Slurm's MpiDefault makes one job of tasks that were to compute a shard each.
TEST_F(Mpi, RanksWithAnotherShardAreRefused) {
  const std::string run = std::string("-n 1 armature run ") + kHeadline + " --out cut --shard ";
  const ProgramResult result = shell("mpirun " + run + "1/2 : " + run + "2/2");
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_TRUE(contains(result.err, "armature: rank 1 on ")) << result.err;
  EXPECT_TRUE(contains(result.err,
                       "--shard: got 2/2, expected 1/2, as rank 0; srun --mpi=none for a shard per "
                       "task"))
      << result.err;
  EXPECT_FALSE(fs::exists(file("cut")));
  // One shard by several ranks is what somebody may want.
  const ProgramResult one =
      shell(std::string("mpirun -n 2 armature run ") + kHeadline + " --out cut --shard 1/2");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_TRUE(contains(one.out, "shard 1 of 2: finished")) << one.out;
}

TEST_F(Mpi, ACommandWithoutMpiSaysSo) {
  fs::create_directories(file("alone/bin"));
  fs::copy_file(ARMATURE_COMMAND, file("alone/bin/armature"));
  const ProgramResult result =
      shell(std::string("mpirun -n 3 '") + file("alone/bin/armature") + "' run " + kHeadline);
  EXPECT_EQ(result.status, 2);
  const std::string said =
      "MPI: got rank 0 of 3, and an armature built without MPI, expected one "
      "built where libopenmpi-dev is installed";
  EXPECT_TRUE(contains(result.err, said)) << result.err;
  EXPECT_EQ(result.err.find(said), result.err.rfind(said)) << result.err;
  // One of three is a case of its own: rank 0 knows nothing of it.
  const ProgramResult other =
      shell(std::string("mpirun -n 2 armature run ") + kHeadline + " --out some : -n 1 '" +
            file("alone/bin/armature") + "' run " + kHeadline + " --out some");
  EXPECT_EQ(other.status, 2) << other.err;
  EXPECT_TRUE(contains(other.err, "armature: rank 2 on ") &&
              contains(other.err, "an armature built without MPI"))
      << other.err;
  // One rank needs none.
  const ProgramResult one = shell(std::string("mpirun -n 1 '") + file("alone/bin/armature") +
                                  "' run " + kHeadline + " --out one -q");
  EXPECT_EQ(one.status, 0) << one.err;
}

// Several tasks of Slurm that know nothing of each other.
TEST_F(Mpi, TheUsualMistakeWithSlurmIsRefusedWithAHint) {
  const ProgramResult result =
      shell(std::string("export SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0\narmature run ") + kHeadline);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err,
                       "Slurm: got 4 tasks, each an MPI job of one rank, expected srun "
                       "--mpi=pmix armature run"))
      << result.err;
  const ProgramResult other =
      shell(std::string("export SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=2\narmature run ") + kHeadline);
  EXPECT_EQ(other.status, 2);
  EXPECT_EQ(other.err, "");
}

// Nor does Open MPI understand what another MPI's launcher tells its ranks.
TEST_F(Mpi, RanksOfAnotherMpiAreRefusedWithoutAWordOfSlurm) {
  const ProgramResult result = shell(
      std::string("unset ${!SLURM*}\nexport PMI_SIZE=4 PMI_RANK=0\narmature run ") + kHeadline);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_TRUE(contains(
      result.err, "MPI: got 4 ranks of a launcher of another MPI, expected mpirun of Open MPI"))
      << result.err;
  EXPECT_FALSE(contains(result.err, "Slurm")) << result.err;
}

// --- Kills ---------------------------------------------------------------------------------------

constexpr int kRanks = 4;

int kills() { return std::getenv("ARMATURE_LONG") != nullptr ? 100 : 5; }

// Of another process; empty if it has none, or is no more.
std::string variable_of(const fs::path& process, const std::string& name) {
  std::ifstream file(process / "environ", std::ios::binary);
  for (std::string entry; std::getline(file, entry, '\0');)
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  return "";
}

// Replications in the store; 0 where there is none yet.
std::uint64_t stored_in(const std::string& directory) {
  std::uint64_t stored = 0;
  refusal([&] {
    for (const std::uint32_t count : study_status(directory).replications) stored += count;
  });
  return stored;
}

// A job of mpirun that somebody else looks after.
class RunningJob {
 public:
  RunningJob(const std::string& directory, const std::string& out)
      : error_(directory + "/error-of-" + out) {
    const int error = open(error_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    mark_ = directory + "/" + out;
    ProgramStart start;
    start.arguments = {"/usr/bin/mpirun",
                       "-n",
                       std::to_string(kRanks),
                       ARMATURE_COMMAND,
                       "run",
                       directory + "/s.toml",
                       "--out",
                       mark_,
                       "--threads",
                       "1",
                       "--quiet"};
    start.environment = kMpirunEnvironment;
    start.environment["ARMATURE_TEST_JOB"] = mark_;
    start.error = error;
    begun_ = Clock::now();
    job_ = begin_program(start);
    close(error);
  }
  Clock::time_point begun() const { return begun_; }
  /// The process of a rank, as soon as there is one; nothing if the job ends before.
  std::optional<pid_t> process_of(int rank) {
    while (true) {
      for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (variable_of(entry.path(), "ARMATURE_TEST_JOB") == mark_ &&
            variable_of(entry.path(), "OMPI_COMM_WORLD_RANK") == std::to_string(rank))
          return std::stoi(name);
      }
      if (ended()) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  bool ended() { return ended_ || (ended_ = has_ended(job_, status_)); }
  /// Exit status, once it has ended.
  int wait() {
    if (!ended()) {
      status_ = wait_for_end(job_);
      ended_ = true;
    }
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }
  std::string error() const { return read_file(error_); }

 private:
  std::string error_, mark_;
  Clock::time_point begun_;
  pid_t job_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

// What became of a kill that ended a job.
struct Kill {
  int rank;
  bool stored;  // it came after the first block that this job has stored
  const RunningJob& job;
};

// Studies whose ranks are killed, again and again, until each is through. Every other kill comes at
// any moment of what a whole run takes, the others soon after a block was stored. Goes on until
// `enough`, at least as often as it is to kill; `luck` chooses whom.
void kill_ranks(const TemporaryDirectory& directory, const std::function<int(Stream& luck)>& whom,
                const std::function<void(const Kill&)>& look, const std::function<bool()>& enough) {
  write_file(directory.file("s.toml"), kStudy);
  ASSERT_EQ(run_shell("armature run s.toml --out whole --threads 1 -q", directory.path()).status,
            0);
  const auto reference = exported(directory.file("whole"));
  const auto start = Clock::now();
  RunningJob in_peace(directory.path(), "in-peace");
  ASSERT_EQ(in_peace.wait(), 0) << in_peace.error();
  const auto duration = Clock::now() - start;
  ASSERT_EQ(exported(directory.file("in-peace")), reference);

  Stream luck({98, 0, Purpose::kTest});
  int killed = 0, tried = 0;
  const auto done = [&] { return killed >= kills() && enough(); };
  for (int study = 0; !done(); ++study) {
    ASSERT_LT(tried, 20 * kills()) << killed << " jobs were killed, and not as they should be";
    const std::string out = "study" + std::to_string(study);
    std::uint64_t before = 0;
    for (bool through = false; !through;) {
      const bool in_peace_now = done();
      RunningJob job(directory.path(), out);
      if (!in_peace_now) {
        const int rank = whom(luck);
        const bool at_work = ++tried % 2 == 0;
        const auto process = job.process_of(rank);
        while (at_work && !job.ended() && stored_in(directory.file(out)) <= before)
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const double share = luck.uniform() * (at_work ? 0.1 : 1);
        const auto moment = (at_work ? Clock::now() : job.begun()) +
                            std::chrono::duration_cast<Clock::duration>(duration * share);
        while (Clock::now() < moment && !job.ended())
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (process && !job.ended() && kill(*process, SIGKILL) == 0) {
          const int status = job.wait();
          // It may have been done just then.
          if (status != 0) {
            ++killed;
            const std::uint64_t stored = stored_in(directory.file(out));
            ASSERT_GE(stored, before) << "what was stored is lost";
            look({rank, stored > before, job});
            before = stored;
          }
          through = status == 0;
          continue;
        }
      }
      ASSERT_EQ(job.wait(), 0) << job.error();
      through = true;
    }
    ASSERT_EQ(exported(directory.file(out)), reference) << out;
  }
}

TEST_F(Mpi, KillsOfAnyRankEndWithTheSameBytes) {
  int named = 0;
  // Not each: mpirun kills rank 0 a second after the other has died, busy machine or not, a rank
  // may die with nothing in its hands, and before it computes mpirun alone can tell.
  kill_ranks(
      directory_, [](Stream& luck) { return 1 + static_cast<int>(luck.uniform() * (kRanks - 1)); },
      [&](const Kill& kill) {
        const std::string said = "armature: rank " + std::to_string(kill.rank) + " on ";
        if (contains(kill.job.error(), said) &&
            contains(kill.job.error(), "it was computing cell ") &&
            contains(kill.job.error(), "the same command goes on from here"))
          ++named;
      },
      [&] { return 5 * named >= kills(); });
}

TEST_F(Mpi, KillsOfRankZeroEndWithTheSameBytes) {
  int at_work = 0;
  kill_ranks(
      directory_, [](Stream&) { return 0; },
      [&](const Kill& kill) { at_work += kill.stored ? 1 : 0; },
      [&] { return 5 * at_work >= kills(); });
}

}  // namespace
}  // namespace armature::test
