#include "base/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "armature/error.h"

namespace armature {

namespace {

constexpr int kAttempts = 10;
constexpr std::chrono::milliseconds kPause{20};

int open_directory(const std::string& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    throw Error({directory, "directory", std::strerror(errno), "one that can be opened"});
  return descriptor;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory)
    : descriptor_(open_directory(directory)) {
  // Whoever asks whether it is held holds it for an instant: no reason to give up at once.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    std::this_thread::sleep_for(kPause);
  }
  close(descriptor_);
  throw Error({directory, "directory", "another process at work in it", "one at a time"});
}

DirectoryLock::~DirectoryLock() { close(descriptor_); }

bool DirectoryLock::held(const std::string& directory) {
  const int descriptor = open_directory(directory);
  const bool mine = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  close(descriptor);
  return !mine;
}

}  // namespace armature
