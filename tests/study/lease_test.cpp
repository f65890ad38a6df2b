// A study's directory is seen by many machines: who is at work in it, and what others may do
// meanwhile.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/directory_lease.h"
#include "base/machine.h"
#include "base/refusal.h"
#include "study/stage.h"
#include "study/store.h"
#include "support/forged_lease.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

using test::contains;
using test::exported;
using test::forged_lease;
using test::kSmallStudy;
using test::on_threads;
using test::plan_of;
using test::refusal;
using test::TemporaryDirectory;
namespace fs = std::filesystem;

constexpr const char* kNote =
    R"({"searching": true, "replications": 30, "of": 80, "rounds": 1e6, "share": 0.25, "seconds": 2})";

// What a run has written, without the memory that processes share of it.
std::map<std::string, std::string> store_in(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const char* name : {"/study.sqlite", "/study.sqlite-wal"})
    if (fs::exists(directory + name)) files[name] = read_file(directory + name);
  return files;
}

class StudyLease : public ::testing::Test {
 protected:
  // A run that calls this after each block.
  StudyOutcome run(const std::function<void(const Progress&)>& look,
                   const StudyPlan& plan = plan_of(kSmallStudy)) {
    RunHooks hooks = on_threads(1);
    hooks.progress = look;
    return run_study(plan, place_, hooks);
  }
  // What a run leaves that was killed: the files of one at work.
  std::string killed_run() {
    const std::string copy = directory_.file("killed");
    run([&](const Progress& progress) {
      if (progress.replications_done < 20 || fs::exists(copy)) return;
      make_directory(copy);
      for (const auto& [name, content] : store_in(place_)) write_file(copy + name, content);
    });
    EXPECT_TRUE(fs::exists(copy + "/study.sqlite-wal"));
    return copy;
  }

  TemporaryDirectory directory_;
  std::string place_ = directory_.file("run");
};

TEST_F(StudyLease, IsHeldWhileItRunsAndGoneThen) {
  int looks = 0;
  run([&](const Progress&) {
    ++looks;
    const auto holder = DirectoryLease::holder(place_);
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->process, getpid());
    const StudyStatus status = study_status(place_);
    EXPECT_TRUE(status.running);
    EXPECT_FALSE(status.hidden);
    ASSERT_TRUE(status.worker);
    EXPECT_EQ(status.worker->host, host_name());
    EXPECT_EQ(status.worker->process, getpid());
  });
  EXPECT_GT(looks, 0);
  EXPECT_EQ(test::files_in(place_).size(), 1u);
  EXPECT_FALSE(study_status(place_).worker);
}

// With whatever hooks the caller has; what was stored before counts, too.
TEST_F(StudyLease, TellsHowFarItIs) {
  const StudyPlan plan = plan_of(kSmallStudy);
  std::uint64_t before = 0;
  {
    std::atomic<bool> stop{false};
    RunHooks hooks = on_threads(1);
    hooks.stop = &stop;
    hooks.progress = [&](const Progress& progress) { stop = progress.replications_done > 0; };
    before = run_study(plan, place_, hooks).computed;
  }
  ASSERT_GT(before, 0u);
  bool told = false;
  run([&](const Progress& progress) {
    if (told) return;
    // It is written with the next renewal, of what was done before this.
    std::optional<Progress> noted;
    for (int i = 0; i < 60 && !noted; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      noted = study_status(place_).worker->progress;
    }
    ASSERT_TRUE(noted);
    told = true;
    EXPECT_EQ(noted->replications_total, 18u * 6);
    EXPECT_EQ(noted->replications_done, before + progress.replications_done);
    EXPECT_EQ(noted->share, progress.share);
    EXPECT_EQ(noted->rounds_done, progress.rounds_done);
    EXPECT_EQ(noted->seconds, progress.seconds);
    EXPECT_FALSE(noted->searching);
  });
  EXPECT_TRUE(told);
}

TEST_F(StudyLease, OfAKilledRunOfThisMachineIsTakenAtOnce) {
  make_directory(place_);
  nlohmann::json left = nlohmann::json::parse(forged_lease());
  const LeaseIdentity own = LeaseIdentity::own();
  left["host"] = own.host;
  left["boot"] = own.boot;
  left["processes"] = own.processes;
  left["process"] = own.process;  // another, as it began at another time
  write_file(place_ + "/lease", left.dump());
  write_file(place_ + "/lease.0123456789abcdef", "");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(run({}).complete);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  EXPECT_EQ(test::files_in(place_).size(), 1u);
}

// --- Another machine at work ---------------------------------------------------------------------

TEST_F(StudyLease, AStoreThatAnotherMachineWritesIsNotOpened) {
  const std::string place = killed_run();
  const auto before = store_in(place);
  write_file(place + "/lease", forged_lease(5, kNote));
  for (const auto& look : std::vector<std::function<void()>>{
           [&] { read_results(place); }, [&] { StudyStore::read(place); },
           [&] { export_csv(place, directory_.file("csv")); },
           [&] { chosen_by_its_search(place); }})
    EXPECT_EQ(refusal(look), place +
                                 ": study: got process 4242 on node7 at work in it, on another "
                                 "machine, expected one that is not at work; armature status tells "
                                 "how far it is");
  EXPECT_TRUE(stored_files(place).empty());
  const StudyStatus status = study_status(place);
  EXPECT_TRUE(status.running);
  EXPECT_TRUE(status.hidden);
  ASSERT_TRUE(status.worker && status.worker->progress);
  EXPECT_EQ(status.worker->host, "node7");
  EXPECT_EQ(status.worker->process, 4242);
  EXPECT_EQ(status.worker->progress->replications_done, 30u);
  EXPECT_EQ(status.worker->progress->replications_total, 80u);
  EXPECT_EQ(status.worker->progress->share, .25);
  EXPECT_TRUE(status.worker->progress->searching);
  EXPECT_EQ(store_in(place), before);
  EXPECT_FALSE(fs::exists(place + "/study.sqlite-shm"));
  // The test of the test: a reader would have brought the log in and deleted it.
  fs::remove(place + "/lease");
  read_results(place);
  EXPECT_NE(store_in(place), before);
}

TEST_F(StudyLease, OfASilentMachineIsTold) {
  const std::string place = killed_run();
  for (const char* note : {"", "[]", "{}", "{\"share\": \"x\"}"}) {
    write_file(place + "/lease", forged_lease(200, note));
    const StudyStatus status = study_status(place);
    EXPECT_FALSE(status.running);
    EXPECT_TRUE(status.hidden);
    ASSERT_TRUE(status.worker);
    EXPECT_FALSE(status.worker->progress);
    EXPECT_NEAR(status.worker->silent_seconds, 200, 5);
  }
}

// Taken for dead while it was stopped, say: nothing is written after that, not even by closing.
TEST_F(StudyLease, ARunThatHasLostItEndsAndLeavesTheStoreAlone) {
  std::map<std::string, std::string> then;
  const std::string message = refusal([&] {
    run([&](const Progress& progress) {
      if (progress.replications_done < 20 || !then.empty()) return;
      write_file(place_ + "/lease", forged_lease());
      then = store_in(place_);
    });
  });
  EXPECT_EQ(message, place_ +
                         ": directory: got process 4242 on node7 at work in it, expected one at a "
                         "time");
  EXPECT_EQ(then.size(), 2u);
  EXPECT_EQ(store_in(place_), then);
  EXPECT_TRUE(contains(read_file(place_ + "/lease"), "node7"));
}

TEST_F(StudyLease, ASearchIsLostWithTheStudyAroundIt) {
  const StudyPlan plan = plan_of(kSmallStudy, {"search={replications=4}"});
  const std::string message = refusal(
      [&] { run([&](const Progress&) { write_file(place_ + "/lease", forged_lease()); }, plan); });
  EXPECT_TRUE(contains(message, place_ + ": directory: got process 4242 on node7")) << message;
}

// Its second stage begins hours after the lease was taken. Whenever it turns out to be lost,
// nothing is written from there on.
TEST_F(StudyLease, AStoreIsBegunByWhoHasItAlone) {
  const std::string killed = killed_run();
  const StudyPlan plan = plan_of(kSmallStudy);
  for (const bool fresh : {true, false}) {
    int refused = 0;
    for (; refused < 10; ++refused) {
      const TemporaryDirectory here;
      if (!fresh)
        for (const auto& [name, content] : store_in(killed))
          write_file(here.path() + name, content);
      std::map<std::string, std::string> then;
      int calls = 0;
      const std::string message = refusal([&] {
        StudyStore::begin(here.path(), plan, [&] {
          if (calls++ < refused) return;
          then = store_in(here.path());
          throw Error({"here", "directory", "another", "one at a time"});
        });
      });
      if (message == "(accepted)") break;
      EXPECT_EQ(store_in(here.path()), then);
      if (refused == 0) {
        EXPECT_EQ(then, fresh ? decltype(then){} : store_in(killed));
        EXPECT_FALSE(fs::exists(here.file("study.sqlite-shm")));
      }
    }
    // Before the store is opened, before it gets its log, and before the plan is written.
    EXPECT_EQ(refused, 3);
  }
}

// --- On a network --------------------------------------------------------------------------------

TEST_F(StudyLease, OnANetworkTheStoreIsItsWritersAlone) {
  const auto reference = [&] {
    const TemporaryDirectory elsewhere;
    run_study(plan_of(kSmallStudy), elsewhere.file("run"));
    return exported(elsewhere.file("run"));
  }();
  const AllOnNetwork network;
  int looks = 0;
  run([&](const Progress&) {
    if (looks++ > 2) return;
    EXPECT_TRUE(fs::exists(place_ + "/study.sqlite-wal"));
    EXPECT_FALSE(fs::exists(place_ + "/study.sqlite-shm"));
    const StudyStatus status = study_status(place_);
    EXPECT_TRUE(status.running);
    EXPECT_TRUE(status.hidden);
    EXPECT_TRUE(contains(refusal([&] { read_results(place_); }),
                         " at work in it, on a network's file system"));
  });
  EXPECT_GT(looks, 0);
  EXPECT_EQ(test::files_in(place_).size(), 1u);
  EXPECT_FALSE(study_status(place_).hidden);
  EXPECT_EQ(exported(place_), reference);
}

TEST_F(StudyLease, OnANetworkAKilledRunIsReadAndGoesOnWithoutSharedMemory) {
  const std::string place = killed_run();
  const auto reference = exported(place_);
  const AllOnNetwork network;
  EXPECT_GE(StudyStore::read(place).stored_replications(), 20u);
  EXPECT_FALSE(fs::exists(place + "/study.sqlite-shm"));
  EXPECT_TRUE(run_study(plan_of(kSmallStudy), place).complete);
  EXPECT_EQ(exported(place), reference);
}

// --- Memory --------------------------------------------------------------------------------------

TEST(BlockBytes, StayWithinAQuarterOfTheMemory) {
  constexpr std::uint64_t kGibi = std::uint64_t{1} << 30;
  EXPECT_EQ(most_block_bytes(1, 64 * kGibi), 64 << 20);
  EXPECT_EQ(most_block_bytes(4, 64 * kGibi), 64 << 20);
  EXPECT_EQ(most_block_bytes(128, 2 * kGibi), 4 << 20);
  EXPECT_EQ(most_block_bytes(4, UINT64_MAX), 64 << 20);
}

}  // namespace
}  // namespace armature
