#include "base/directory_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/file.h"
#include "base/refusal.h"
#include "support/other_process.h"
#include "support/program.h"

namespace armature {
namespace {

using test::contains;
using test::OtherProcess;
using test::refusal;
using test::TemporaryDirectory;

TEST(DirectoryLock, OneAtATime) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(DirectoryLock::held(directory.path()));
  {
    const DirectoryLock lock(directory.path());
    EXPECT_TRUE(DirectoryLock::held(directory.path()));
    EXPECT_EQ(refusal([&] { DirectoryLock second(directory.path()); }),
              directory.path() +
                  ": directory: got another process at work in it, expected one at a time");
  }
  EXPECT_FALSE(DirectoryLock::held(directory.path()));
  const DirectoryLock again(directory.path());
}

TEST(DirectoryLock, GoesWithTheProcessHoweverItEnds) {
  const TemporaryDirectory directory;
  {
    const OtherProcess holder([&] { return DirectoryLock(directory.path()); });
    EXPECT_TRUE(DirectoryLock::held(directory.path()));
  }
  EXPECT_FALSE(DirectoryLock::held(directory.path()));
  const DirectoryLock mine(directory.path());
}

TEST(DirectoryLock, LeavesNoFile) {
  const TemporaryDirectory directory;
  const DirectoryLock lock(directory.path());
  EXPECT_TRUE(directory.listing().empty());
}

TEST(DirectoryLock, NeedsADirectory) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "");
  EXPECT_TRUE(contains(refusal([&] { DirectoryLock lock(directory.file("none")); }),
                       "none: directory: got No such file or directory"));
  EXPECT_TRUE(contains(refusal([&] { DirectoryLock lock(directory.file("x")); }),
                       "x: directory: got Not a directory"));
}

// To look whether it is held takes it for an instant; that must not turn a run away.
TEST(DirectoryLock, AskingDoesNotRefuseAnyone) {
  const TemporaryDirectory directory;
  std::atomic<bool> done{false};
  std::jthread asking([&] {
    while (!done) DirectoryLock::held(directory.path());
  });
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(refusal([&] { DirectoryLock lock(directory.path()); }), "(accepted)");
  done = true;
}

}  // namespace
}  // namespace armature
