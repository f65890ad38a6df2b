// No room left: the run ends with an error that names the file, keeps what was stored, and goes on
// to the same bytes once there is room.
#include <gtest/gtest.h>

#include "armature/error.h"
#include "base/refusal.h"
#include "fault/faulty_disk.h"
#include "study/store.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

TEST(FullDisk, EndsTheRunAndLosesNothing) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const TemporaryDirectory directory;
  run_study(plan, directory.file("whole"));
  const auto reference = exported(directory.file("whole"));

  std::uint64_t refused = 0;
  std::uint64_t kept = 0;
  for (std::uint64_t room = 0; room < 1'000'000; room += 1 + room / 3) {
    const std::string place = directory.file("room" + std::to_string(room));
    std::uint64_t promised = 0;
    std::string message;
    {
      FaultyDisk disk;
      disk.full_after(room);
      RunHooks hooks = on_threads(2);
      hooks.progress = [&](const Progress& progress) { promised = progress.replications_done; };
      message = refusal([&] { run_study(plan, place, hooks); });
    }
    if (message != "(accepted)") {
      ++refused;
      EXPECT_TRUE(contains(message, place + "/study.sqlite: ")) << message;
      EXPECT_TRUE(contains(message, "database or disk is full, expected room on the disk"))
          << message;
    }
    if (promised > 0) {
      EXPECT_GE(StudyStore::read(place).stored_replications(), promised) << room;
      kept += promised;
    }
    ASSERT_TRUE(run_study(plan, place).complete);
    ASSERT_EQ(exported(place), reference) << "after room for " << room << " bytes";
    std::filesystem::remove_all(place);
  }
  EXPECT_GT(refused, 10u);
  EXPECT_GT(kept, 10u);
}

}  // namespace
}  // namespace armature::test
