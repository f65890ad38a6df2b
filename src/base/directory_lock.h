// A directory that one process at a time works in.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace armature {

/// Held while this lives, gone with the process however that ends. For processes of one machine:
/// what others see of it, where the directory is on a network, is up to the file system.
class DirectoryLock {
 public:
  /// Throws Error if another process holds it, or if there are no locks here.
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  enum class Outcome {
    kMine,
    kTheirs,
    kNone,  // the file system has no locks
  };
  /// The same for who can do without: a lock where it is kMine, nothing otherwise.
  static std::pair<Outcome, std::unique_ptr<DirectoryLock>> attempt(const std::string& directory);

  /// Is a process at work in this directory? Where there are no locks nobody can tell: no.
  static bool held(const std::string& directory);

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace armature
