// The power goes in the middle of a run: whatever was not synced is lost, in part or all. Every
// replication that was reported as stored is still there, and the study ends with the same bytes.
#include <gtest/gtest.h>

#include "armature/error.h"
#include "fault/faulty_disk.h"
#include "study/store.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

#ifdef NDEBUG
constexpr std::uint32_t kStudies = 60;
#else
constexpr std::uint32_t kStudies = 10;  // under sanitizers
#endif
constexpr int kCutsPerStudy = 4;

std::uint64_t stored_in(const std::string& directory) {
  try {
    return StudyStore::read(directory).stored_replications();
  } catch (const Error&) {
    return 0;  // cut before it began
  }
}

// What add() had promised by the time the power went; all of it if it did not.
struct Promise {
  std::uint64_t replications = 0;
  bool complete = false;
};

Promise run_until_cut(const StudyPlan& plan, const std::string& directory, FaultyDisk& disk) {
  Promise promise;
  RunHooks hooks = on_threads(1);
  hooks.progress = [&](const Progress& progress) {
    if (!disk.power_is_off()) promise.replications = progress.replications_done;
  };
  try {
    promise.complete = run_study(plan, directory, hooks).complete;
  } catch (const Error& error) {
    EXPECT_TRUE(disk.power_is_off()) << error.what();
    EXPECT_NE(std::string(error.what()).find("study.sqlite"), std::string::npos) << error.what();
  }
  return promise;
}

TEST(PowerCut, LosesNothingThatWasStored) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const TemporaryDirectory directory;
  std::uint64_t operations = 0;
  {
    const FaultyDisk disk;
    run_study(plan, directory.file("whole"), on_threads(1));
    operations = disk.operations();
  }
  ASSERT_GT(operations, 100u);
  const auto reference = exported(directory.file("whole"));

  std::uint64_t cuts = 0;
  std::uint64_t promised = 0;
  for (std::uint32_t i = 0; i < kStudies; ++i) {
    Stream luck({2024, i, Purpose::kTest});
    const std::string place = directory.file("study" + std::to_string(i));
    for (int cut = 0; cut < kCutsPerStudy; ++cut) {
      const std::uint64_t before = stored_in(place);
      FaultyDisk disk;
      disk.power_cut_after(luck.next_u64() % operations);
      const Promise promise = run_until_cut(plan, place, disk);
      cuts += disk.power_is_off() ? 1 : 0;
      promised += promise.replications;
      disk.restart(luck);
      ASSERT_GE(stored_in(place), before + promise.replications) << "study " << i << " cut " << cut;
    }
    ASSERT_TRUE(run_study(plan, place, on_threads(1)).complete);
    ASSERT_EQ(exported(place), reference) << "study " << i;
    std::filesystem::remove_all(place);
  }
  // Otherwise nothing was tried.
  EXPECT_GT(cuts, kStudies);
  EXPECT_GT(promised, kStudies);
}

// Is a row that was committed, but perhaps never synced, still there after a cut?
bool survives(const std::string& synchronous, Stream& luck) {
  const TemporaryDirectory directory;
  FaultyDisk disk;
  {
    Database database(directory.file("x.sqlite"), Database::Mode::kCreate);
    database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = " + synchronous +
                     "; CREATE TABLE t(x); INSERT INTO t VALUES (1)");
    disk.power_cut_after(0);
  }
  disk.restart(luck);
  try {
    Database database(directory.file("x.sqlite"), Database::Mode::kCreate);
    Statement count(database, "SELECT count(*) FROM t");
    return count.step() && count.integer(0) == 1;
  } catch (const Error&) {
    return false;
  }
}

// The test of the test: without syncing, cuts do lose what was committed.
TEST(PowerCut, IsSeenWhereNothingIsSynced) {
  int lost = 0;
  Stream luck({1, 0, Purpose::kTest});
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(survives("FULL", luck));
    lost += survives("OFF", luck) ? 0 : 1;
  }
  EXPECT_GT(lost, 5);
}

}  // namespace
}  // namespace armature::test
