// Other programs: whether they are there, and running them.
#pragma once

#include <string>
#include <vector>

namespace armature {

/// Whether a program of this name is on the PATH.
bool program_exists(const std::string& name);

/// Runs a program found on the PATH, without a shell, and waits for it. What it prints to standard
/// output is dropped. Throws Error with the end of what it printed to standard error if it cannot
/// be started or does not exit with 0.
void run_program(const std::vector<std::string>& command);
/// The same; what it printed to standard output.
std::string program_output(const std::vector<std::string>& command);

/// Where something lies that is built and installed with this program: from the folder above the
/// program's own, on any machine.
std::string path_beside_program(const std::string& place);

/// A directory of its own, removed with everything in it at the end.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace armature
