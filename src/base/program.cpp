#include "base/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "armature/error.h"
#include "base/file.h"

extern char** environ;

namespace armature {
namespace {

constexpr std::size_t kMostOfAnError = 400;  // characters of what a failed program said

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The last lines of what it said, for the reason mostly stands at the end.
std::string last_words(const std::string& said) {
  std::string text =
      said.size() > kMostOfAnError ? said.substr(said.size() - kMostOfAnError) : said;
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

// Its standard output goes to the file `output`.
void run_into(const std::vector<std::string>& command, const std::string& output,
              const std::string& errors) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT,
                                     0600);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT,
                                     0600);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw Error({"", command[0], std::strerror(failed), "a program that can be started"});
  const int status = wait_for(child);
  if (status != 0)
    throw Error({"", command[0], "exit status " + std::to_string(status),
                 "success; it said: " + last_words(read_file(errors))});
}

}  // namespace

bool program_exists(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (true) {
    const std::size_t end = rest.find(':');
    const std::string candidate = rest.substr(0, end) + "/" + name;
    std::error_code ignored;
    if (::access(candidate.c_str(), X_OK) == 0 &&
        std::filesystem::is_regular_file(candidate, ignored))
      return true;
    if (end == std::string::npos) return false;
    rest = rest.substr(end + 1);
  }
}

void run_program(const std::vector<std::string>& command) {
  const ScratchDirectory scratch;
  run_into(command, "/dev/null", scratch.file("errors"));
}

std::string program_output(const std::vector<std::string>& command) {
  const ScratchDirectory scratch;
  run_into(command, scratch.file("output"), scratch.file("errors"));
  return read_file(scratch.file("output"));
}

std::string path_beside_program(const std::string& place) {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (program.parent_path() / ".." / place).lexically_normal().string();
}

ScratchDirectory::ScratchDirectory() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) throw Error({"", "TMPDIR", error.message(), "a directory for temporary files"});
  std::string pattern = (parent / "armature-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw Error({pattern, "temporary directory", std::strerror(errno), "one that can be made"});
  path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace armature
