// Another process that holds something until it is killed.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace armature::test {

class OtherProcess {
 public:
  /// What `hold()` makes there is held when this returns.
  template <class Hold>
  explicit OtherProcess(Hold hold) {
    int ready[2];
    if (pipe(ready) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      const auto held = hold();
      if (write(ready[1], "x", 1) != 1) _exit(1);
      while (true) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~OtherProcess() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  pid_t number() const { return child_; }

 private:
  pid_t child_ = -1;
};

}  // namespace armature::test
