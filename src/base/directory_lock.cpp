#include "base/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "armature/error.h"

namespace armature {

DirectoryLock::DirectoryLock(const std::string& directory)
    : descriptor_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw Error({directory, "directory", "none", "one that can be opened"});
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  close(descriptor_);
  throw Error({directory, "directory", "another process at work in it", "one at a time"});
}

DirectoryLock::~DirectoryLock() { close(descriptor_); }

bool DirectoryLock::held(const std::string& directory) {
  try {
    const DirectoryLock mine(directory);
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace armature
