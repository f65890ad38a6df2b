#include "support/program.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

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

namespace {

// What the tests' own terminal is like must not matter.
std::string script_of(const std::string& command, const std::string& directory) {
  const std::string folder = std::filesystem::path(ARMATURE_COMMAND).parent_path().string();
  return "unset COLUMNS NO_COLOR\nexport PATH='" + folder + "':$PATH\ncd '" + directory +
         "' || exit 125\n" + command + "\n";
}

}  // namespace

ProgramResult run_on_terminal(const std::string& command, const std::string& directory,
                              unsigned short columns) {
  const TemporaryDirectory scratch;
  write_file(scratch.file("script"), script_of(command, directory));
  const std::string script = scratch.file("script");
  winsize size = {};
  size.ws_row = 50;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("no terminal");
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    execlp("bash", "bash", script.c_str(), nullptr);
    _exit(125);
  }
  ProgramResult result;
  char buffer[4096];
  // A read fails when the last program on the terminal has closed it.
  for (ssize_t count = 0; (count = read(terminal, buffer, sizeof buffer)) > 0;)
    result.out.append(buffer, static_cast<std::size_t>(count));
  close(terminal);
  int raw = 0;
  waitpid(child, &raw, 0);
  result.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  // A terminal ends lines with both.
  for (std::size_t at = 0; (at = result.out.find("\r\n", at)) != std::string::npos;)
    result.out.erase(at, 1);
  return result;
}

ProgramResult run_shell(const std::string& command, const std::string& directory) {
  const TemporaryDirectory scratch;
  write_file(scratch.file("script"), script_of(command, directory));
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
