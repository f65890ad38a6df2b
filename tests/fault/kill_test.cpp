// A run is killed again and again, at any moment; resumed each time, it ends with the bytes of one
// that was left alone.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/refusal.h"
#include "study/store.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

#ifdef NDEBUG
constexpr int kKills = 100;
#else
constexpr int kKills = 10;  // under sanitizers
#endif

constexpr const char* kStudy = R"(
replications = 40
horizons = [500, 2000]
checkpoints = 6
instances = ["hidden-arm:actions=5", "semi-benign:actions=5"]
policies = ["ucb", "db", "ts"]
)";

// The same with a search before it: killed in either stage, and between them.
constexpr const char* kTwoStages = R"(
replications = 40
horizons = [500, 2000]
checkpoints = 6
instances = ["hidden-arm:actions=5", "hidden-arm:actions=5,gap=0.1", "semi-benign:actions=5"]
policies = ["ucb", "ts"]
search = {replications = 20}
)";

using Clock = std::chrono::steady_clock;

// `armature run`, as somebody else's process.
class RunningCommand {
 public:
  RunningCommand(const std::string& study, const std::string& directory) : child_(fork()) {
    if (child_ != 0) return;
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execl(ARMATURE_COMMAND, "armature", "run", study.c_str(), "--out", directory.c_str(),
          "--threads", "2", "--quiet", static_cast<char*>(nullptr));
    _exit(127);
  }
  /// Waits for its end, but kills it at this moment. The wait status.
  int wait_until(Clock::time_point moment) {
    int status = 0;
    while (Clock::now() < moment) {
      if (waitpid(child_, &status, WNOHANG) == child_) return status;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(child_, SIGKILL);
    waitpid(child_, &status, 0);
    return status;
  }

 private:
  pid_t child_;
};

bool finished(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
bool killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

// Whatever the moment, the directory can be looked at; what it holds only grows.
std::uint64_t stored_in(const std::string& directory) {
  std::uint64_t stored = 0;
  const std::string message = refusal([&] {
    const StudyStatus status = study_status(directory);
    stored = status.searched;
    for (const std::uint32_t count : status.replications) stored += count;
  });
  EXPECT_TRUE(message == "(accepted)" || contains(message, "study: got none") ||
              contains(message, "study: got one that never began"))
      << message;
  return stored;
}

void kill_again_and_again(const char* study, int most_kills) {
  const TemporaryDirectory directory;
  write_file(directory.file("s.toml"), study);
  const auto start = Clock::now();
  ASSERT_TRUE(finished(RunningCommand(directory.file("s.toml"), directory.file("whole"))
                           .wait_until(start + std::chrono::minutes(5))));
  auto duration = Clock::now() - start;
  const auto reference = exported(directory.file("whole"));

  Stream moments({99, 0, Purpose::kTest});
  int kills = 0;
  int studies = 0;
  std::uint64_t killed_with_something = 0;
  while (kills < most_kills || killed_with_something < static_cast<std::uint64_t>(most_kills / 5)) {
    const std::string place = directory.file("study" + std::to_string(studies++));
    ASSERT_LT(studies, 10 * most_kills) << "runs end before they can be killed";
    std::uint64_t before = 0;
    for (bool done = false; !done;) {
      // Mostly within the time a whole run takes; from the last kill on, in peace.
      const auto moment = kills < most_kills
                              ? duration * moments.uniform()
                              : std::chrono::duration<double, std::nano>(std::chrono::minutes(5));
      const int status =
          RunningCommand(directory.file("s.toml"), place)
              .wait_until(Clock::now() + std::chrono::duration_cast<Clock::duration>(moment));
      ASSERT_TRUE(finished(status) || killed(status)) << status;
      done = finished(status);
      kills += done ? 0 : 1;
      const std::uint64_t stored = stored_in(place);
      ASSERT_GE(stored, before);
      if (!done && stored > 0) ++killed_with_something;
      // The machine has become less busy than when the whole run was timed, or busier.
      if (done && kills < most_kills) duration -= duration / 16;
      if (killed_with_something * 5 < static_cast<std::uint64_t>(kills)) duration += duration / 8;
      before = stored;
    }
    ASSERT_EQ(exported(place), reference) << "study " << studies;
  }
}

TEST(Kill, AHundredTimesAtAnyMomentEndsWithTheSameBytes) { kill_again_and_again(kStudy, kKills); }

TEST(Kill, AStudyOfTwoStagesToo) { kill_again_and_again(kTwoStages, kKills / 5); }

}  // namespace
}  // namespace armature::test
