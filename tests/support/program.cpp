#include "support/program.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/file.h"

namespace armature::test {

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "armature-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryDirectory::listing() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

ProgramResult run_shell(const std::string& command, const std::string& directory) {
  const TemporaryDirectory scratch;
  const std::string folder = std::filesystem::path(ARMATURE_COMMAND).parent_path().string();
  write_file(scratch.file("script"), "export PATH='" + folder + "':$PATH\ncd '" + directory +
                                         "' || exit 125\n" + command + "\n");
  const std::string line = "bash '" + scratch.file("script") + "' >'" + scratch.file("out") +
                           "' 2>'" + scratch.file("err") + "' </dev/null";
  const int raw = std::system(line.c_str());
  ProgramResult result;
  result.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  result.out = read_file(scratch.file("out"));
  result.err = read_file(scratch.file("err"));
  return result;
}

ProgramResult run_armature(const std::string& arguments) {
  const TemporaryDirectory directory;
  return run_shell("armature " + arguments, directory.path());
}

}  // namespace armature::test
