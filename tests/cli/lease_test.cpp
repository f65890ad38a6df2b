// Two machines and one directory, as the command sees them.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/refusal.h"
#include "support/forged_lease.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

constexpr const char* kHalfway =
    R"({"searching": false, "replications": 30, "of": 80, "rounds": 1e6, "share": 0.25, "seconds": 60})";

class LeaseCommand : public testing::Test {
 protected:
  LeaseCommand() {
    write_file(directory_.file("small.toml"), kSmallStudy);
    make_directory(directory_.file("here"));
  }
  ProgramResult shell(const std::string& command) { return run_shell(command, directory_.path()); }
  TemporaryDirectory directory_;
};

TEST_F(LeaseCommand, ARunElsewhereIsRefusedWhileItLivesAndTakenOverOnceItIsDead) {
  ASSERT_EQ(shell("armature run small.toml replications=3 -o here -q").status, 0);
  const std::string store = read_file(directory_.file("here/study.sqlite"));
  std::optional<ForgedHolder> holder(std::in_place, directory_.file("here"), kHalfway);

  const ProgramResult refused =
      shell("armature run small.toml -o here -q; code=$?; ls here; exit $code");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err,
                       "here: directory: got process 4242 on node7 at work in it, expected one at "
                       "a time"))
      << refused.err;
  EXPECT_EQ(refused.out, "lease\nstudy.sqlite\n");
  EXPECT_EQ(read_file(directory_.file("here/study.sqlite")), store);

  const ProgramResult status = shell("armature status here");
  EXPECT_EQ(status.status, 0) << status.err;
  EXPECT_EQ(status.out,
            "30 of 80 replications (37%), running on node7 (process 4242), 1.67e+04 rounds/s, 3 "
            "min 00 s left\n");
  for (const char* command : {"show here", "export here", "report here"}) {
    const ProgramResult look = shell(std::string("armature ") + command);
    EXPECT_EQ(look.status, 2) << command;
    EXPECT_TRUE(contains(look.err, "process 4242 on node7 at work in it, on another machine"))
        << look.err;
  }
  EXPECT_EQ(read_file(directory_.file("here/study.sqlite")), store);

  holder.reset();
  const auto start = std::chrono::steady_clock::now();
  const ProgramResult taken =
      shell("armature run small.toml -o here >out; code=$?; ls here; exit $code");
  EXPECT_EQ(taken.status, 0) << taken.err;
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::seconds(11));
  EXPECT_TRUE(contains(taken.err,
                       "armature: waiting up to 12 s to see whether process 4242 on "
                       "node7 is still at work in here"))
      << taken.err;
  EXPECT_EQ(taken.out, "study.sqlite\n");
  EXPECT_EQ(shell("armature show here").status, 0);
}

TEST_F(LeaseCommand, StatusOfASilentMachineDoesNotWait) {
  write_file(directory_.file("here/lease"), forged_lease(200, kHalfway));
  const ProgramResult status = shell("armature status here");
  EXPECT_EQ(status.status, 0) << status.err;
  EXPECT_TRUE(contains(status.out, "30 of 80 replications (37%), silent for 3 min 2"))
      << status.out;
  EXPECT_TRUE(contains(status.out,
                       " on node7 (process 4242); armature run takes over from a run "
                       "that has died"))
      << status.out;
}

TEST_F(LeaseCommand, ACtrlCEndsTheWait) {
  write_file(directory_.file("here/lease"), forged_lease());
  const ProgramResult result = shell(
      "armature run small.toml -o here 2>err & run=$!\n"
      "until grep -q waiting err; do kill -0 $run || exit 1; sleep 0.05; done\n"
      "kill -INT $run; wait $run; code=$?; ls here; exit $code");
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_EQ(result.out, "lease\n");
}

// A killed run of this machine costs the next one nothing.
TEST_F(LeaseCommand, AfterAKillTheNextRunBeginsAtOnce) {
  const ProgramResult result = shell(
      "armature run small.toml horizons=1e6 replications=10000 -y -o here -q & run=$!\n"
      "until [ -e here/lease ]; do kill -0 $run || exit 1; sleep 0.02; done\n"
      "kill -KILL $run; wait $run 2>/dev/null\n"
      "[ -e here/lease ] || exit 3\n"
      "rm -f here/study.sqlite*\n"
      "armature run small.toml -o here >told && ls here");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "study.sqlite\n");
  EXPECT_FALSE(contains(result.err, "waiting up to")) << result.err;
}

}  // namespace
}  // namespace armature::test
