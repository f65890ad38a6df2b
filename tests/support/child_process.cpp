#include "support/child_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace armature::test {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

std::vector<char*> pointers_of(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string text = *line;
    if (!added.contains(text.substr(0, text.find('=')))) lines.push_back(text);
  }
  for (const auto& [name, value] : added) lines.push_back(name + "=" + value);
  return lines;
}

// Onto 0, 1 or 2; the originals go with all others.
bool put(int descriptor, int where) {
  return descriptor == where || dup2(descriptor, where) == where;
}

pid_t begin_with(const ProgramStart& start, int input) {
  std::vector<std::string> arguments = start.arguments;
  std::vector<std::string> environment = environment_with(start.environment);
  const std::vector<char*> argument_list = pointers_of(arguments);
  const std::vector<char*> environment_list = pointers_of(environment);
  const passwd* user = start.user.empty() ? nullptr : getpwnam(start.user.c_str());
  if (!start.user.empty() && user == nullptr)
    throw std::runtime_error("there is no user " + start.user);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) fail("/dev/null");
  const pid_t child = fork();
  if (child != 0) {
    close(nowhere);
    if (child < 0) fail("fork");
    return child;
  }
  // Other threads may have held any lock when we were forked: from here on system calls alone.
  setsid();
  const bool ready = put(input < 0 ? nowhere : input, STDIN_FILENO) &&
                     put(start.output < 0 ? nowhere : start.output, STDOUT_FILENO) &&
                     put(start.error < 0 ? nowhere : start.error, STDERR_FILENO) &&
                     close_range(3, ~0u, 0) == 0 &&
                     (start.directory.empty() || chdir(start.directory.c_str()) == 0) &&
                     (user == nullptr || (setgroups(1, &user->pw_gid) == 0 &&
                                          setgid(user->pw_gid) == 0 && setuid(user->pw_uid) == 0));
  if (ready) execve(argument_list[0], argument_list.data(), environment_list.data());
  _exit(127);
}

}  // namespace

pid_t begin_program(const ProgramStart& start) { return begin_with(start, -1); }

int wait_for_end(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail("waitpid");
  return status;
}

bool has_ended(pid_t child, int& status) { return waitpid(child, &status, WNOHANG) == child; }

LastWill::LastWill(const std::string& script) {
  int ends[2];  // sockets, since writing into a broken pipe may end us
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair");
  hold_ = ends[1];
  ProgramStart shell;
  shell.arguments = {"/bin/sh", "-c", "read -r line && exit 0\n" + script};
  shell.directory = "/";
  shell_ = begin_with(shell, ends[0]);
  close(ends[0]);
}

LastWill::~LastWill() {
  send(hold_, "\n", 1, MSG_NOSIGNAL);
  close(hold_);
  waitpid(shell_, nullptr, 0);
}

unsigned short free_port() {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(made, reinterpret_cast<const sockaddr*>(&address), size);
  getsockname(made, reinterpret_cast<sockaddr*>(&address), &size);
  close(made);
  return ntohs(address.sin_port);
}

}  // namespace armature::test
