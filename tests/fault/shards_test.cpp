// Shards and their merge, killed at any moment and on a full disk: each ends with the bytes of a
// run that was left alone, and a merge leaves all or nothing.
#include "study/shards.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/refusal.h"
#include "fault/faulty_disk.h"
#include "study/store.h"
#include "support/child_process.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

namespace fs = std::filesystem;

// Kills of shards and of merges, each.
int kills() { return std::getenv("ARMATURE_LONG") != nullptr ? 100 : 5; }

constexpr const char* kStudy = R"(
replications = 24
horizons = [500, 2000]
checkpoints = 6
instances = ["hidden-arm:actions=5", "semi-benign:actions=5"]
policies = ["ucb", "db", "ts"]
)";
constexpr std::uint32_t kShards = 3;

using Clock = std::chrono::steady_clock;

// Waits for the end of `armature …`, but kills it at this moment. True: it has ended by itself, and
// well.
bool ends_before(const std::vector<std::string>& arguments, Clock::duration moment) {
  ProgramStart start;
  start.arguments = {ARMATURE_COMMAND};
  start.arguments.insert(start.arguments.end(), arguments.begin(), arguments.end());
  const Clock::time_point end = Clock::now() + moment;
  const pid_t child = begin_program(start);
  int status = 0;
  while (Clock::now() < end) {
    if (has_ended(child, status)) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  wait_for_end(child);
  return false;
}

Clock::duration some_of(Clock::duration whole, Stream& luck) {
  return std::chrono::duration_cast<Clock::duration>(whole * luck.uniform());
}

class KilledShards : public testing::Test {
 protected:
  KilledShards() {
    write_file(directory_.file("s.toml"), kStudy);
    run_study(plan_of(kStudy), directory_.file("whole"));
    reference_ = exported(directory_.file("whole"));
  }
  std::vector<std::string> run(std::uint32_t number) const {
    return {"run",     directory_.file("s.toml"),
            "--shard", shard_text({number, kShards}),
            "--out",   here_,
            "--quiet", "--threads",
            "2"};
  }
  std::vector<std::string> merge() const { return {"merge", here_, "--quiet"}; }
  // How long it takes if nobody disturbs it.
  Clock::duration time_of(const std::vector<std::string>& arguments) const {
    const auto start = Clock::now();
    EXPECT_TRUE(ends_before(arguments, std::chrono::minutes(5)));
    return Clock::now() - start;
  }

  TemporaryDirectory directory_;
  std::string here_ = directory_.file("run");
  std::map<std::string, std::string> reference_;
  Stream luck_{{7, 0, Purpose::kTest}};
};

TEST_F(KilledShards, GoOnByTheSameCommand) {
  const Clock::duration whole = time_of(run(1));
  fs::remove_all(here_);
  int killed = 0;
  for (int studies = 0; killed < kills(); ++studies) {
    ASSERT_LT(studies, 20 * kills()) << "shards end before they can be killed";
    fs::remove_all(here_);
    for (std::uint32_t number = 1; number <= kShards; ++number) {
      while (!ends_before(run(number),
                          killed < kills() ? some_of(whole, luck_) : std::chrono::minutes(5)))
        ++killed;
    }
    ASSERT_TRUE(ends_before(merge(), std::chrono::minutes(5)));
    ASSERT_EQ(exported(here_), reference_);
  }
}

TEST_F(KilledShards, AMergeLeavesAllOrNothing) {
  for (std::uint32_t number = 1; number <= kShards; ++number)
    run_shard(plan_of(kStudy), here_, {number, kShards});
  const Clock::duration whole = time_of(merge());
  int killed = 0, midway = 0;
  for (int trials = 0; killed < kills(); ++trials) {
    ASSERT_LT(trials, 50 * kills()) << "merges end before they can be killed";
    fs::remove(store_path(here_));
    while (
        !ends_before(merge(), killed < kills() ? some_of(whole, luck_) : std::chrono::minutes(5))) {
      ++killed;
      midway += fs::exists(store_path(here_) + ".merging") ? 1 : 0;
      if (fs::exists(store_path(here_))) {
        ASSERT_EQ(exported(here_), reference_);
      }
    }
    ASSERT_EQ(exported(here_), reference_);
    ASSERT_FALSE(fs::exists(store_path(here_) + ".merging"));
  }
  if (kills() > 5) {
    EXPECT_GT(midway, 0);
  }
}

TEST(FullDisk, AMergeLeavesNothing) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const TemporaryDirectory directory;
  run_study(plan, directory.file("whole"));
  const auto reference = exported(directory.file("whole"));
  const std::string here = directory.file("run");
  for (std::uint32_t number = 1; number <= kShards; ++number)
    run_shard(plan, here, {number, kShards});
  std::uint64_t refused = 0;
  std::string message;
  for (std::uint64_t room = 0; message != "(accepted)"; room += 1 + room / 3) {
    {
      FaultyDisk disk;
      disk.full_after(room);
      message = refusal([&] { merge_shards(here); });
    }
    if (message == "(accepted)") break;
    ++refused;
    EXPECT_TRUE(contains(message, "/study.sqlite.merging: ")) << message;
    EXPECT_TRUE(contains(message, "database or disk is full, expected room on the disk"))
        << message;
    EXPECT_FALSE(fs::exists(store_path(here)));
    EXPECT_FALSE(fs::exists(store_path(here) + ".merging"));
  }
  EXPECT_GT(refused, 10u);
  EXPECT_EQ(exported(here), reference);
}

}  // namespace
}  // namespace armature::test
