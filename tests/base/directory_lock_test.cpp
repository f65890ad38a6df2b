#include "base/directory_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/file.h"
#include "base/refusal.h"
#include "support/program.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;
using test::TemporaryDirectory;

// Another process that holds the lock until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& directory) {
    int ready[2];
    if (pipe(ready) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      const DirectoryLock lock(directory);
      if (write(ready[1], "x", 1) != 1) _exit(1);
      while (true) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Holder() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  pid_t child_ = -1;
};

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
    const Holder holder(directory.path());
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
