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

DirectoryLock::Outcome lock_once(int descriptor) {
  int status = 0;
  do status = flock(descriptor, LOCK_EX | LOCK_NB);
  while (status != 0 && errno == EINTR);
  if (status == 0) return DirectoryLock::Outcome::kMine;
  return errno == EWOULDBLOCK ? DirectoryLock::Outcome::kTheirs : DirectoryLock::Outcome::kNone;
}

// Whoever asks whether it is held holds it for an instant: no reason to give up at once.
DirectoryLock::Outcome lock_patiently(int descriptor) {
  DirectoryLock::Outcome outcome = lock_once(descriptor);
  for (int i = 1; i < kAttempts && outcome == DirectoryLock::Outcome::kTheirs; ++i) {
    std::this_thread::sleep_for(kPause);
    outcome = lock_once(descriptor);
  }
  return outcome;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory)
    : descriptor_(open_directory(directory)) {
  const Outcome outcome = lock_patiently(descriptor_);
  if (outcome == Outcome::kMine) return;
  const int error = errno;
  close(descriptor_);
  if (outcome == Outcome::kTheirs)
    throw Error({directory, "directory", "another process at work in it", "one at a time"});
  throw Error({directory, "lock", std::strerror(error), "a file system with locks"});
}

DirectoryLock::~DirectoryLock() { close(descriptor_); }

std::pair<DirectoryLock::Outcome, std::unique_ptr<DirectoryLock>> DirectoryLock::attempt(
    const std::string& directory) {
  const int descriptor = open_directory(directory);
  const Outcome outcome = lock_patiently(descriptor);
  if (outcome == Outcome::kMine)
    return {outcome, std::unique_ptr<DirectoryLock>(new DirectoryLock(descriptor))};
  close(descriptor);
  return {outcome, nullptr};
}

bool DirectoryLock::held(const std::string& directory) {
  const int descriptor = open_directory(directory);
  const Outcome outcome = lock_once(descriptor);
  close(descriptor);
  return outcome == Outcome::kTheirs;
}

}  // namespace armature
