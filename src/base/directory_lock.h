// A directory that one process at a time works in.
#pragma once

#include <string>

namespace armature {

/// Held while this lives, gone with the process however that ends.
class DirectoryLock {
 public:
  /// Throws Error if another process holds it.
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  /// Is a process at work in this directory?
  static bool held(const std::string& directory);

 private:
  int descriptor_;
};

}  // namespace armature
