// Runs a program as a person would and looks at everything it leaves.
#pragma once

#include <string>
#include <vector>

namespace armature::test {

struct ProgramResult {
  int status = 0;  // exit status; 128 + signal if it was killed
  std::string out;
  std::string err;
};

/// Runs a shell command line in `directory`. `armature` is on its PATH.
ProgramResult run_shell(const std::string& command, const std::string& directory);
/// Runs it on a terminal of so many columns. `out` is all that came to the terminal, standard error
/// too.
ProgramResult run_on_terminal(const std::string& command, const std::string& directory,
                              unsigned short columns);
/// Runs `armature ARGUMENTS…` in a fresh temporary directory.
ProgramResult run_armature(const std::string& arguments);

/// Before a command: the C library's mathematics as on a machine without fused multiply-add, whose
/// last bits differ. Names of glibc since 2.33, and before.
inline constexpr const char* kAsOnAnOlderMachine =
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-FMA_Usable,-FMA4_Usable,-AVX2_Usable ";

/// A directory of its own, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// The names of the files in it, sorted.
  std::vector<std::string> listing() const;

 private:
  std::string path_;
};

}  // namespace armature::test
