// Programs that a test starts and outlives: servers of all kinds. What they need to be begun with,
// and who looks after them should the test itself be killed.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace armature::test {

struct ProgramStart {
  std::vector<std::string> arguments;              // the program's path first
  std::map<std::string, std::string> environment;  // added to ours
  std::string directory;                           // where it begins; empty: where we are
  std::string user;                                // whose it becomes; empty: ours
  int output = -1;                                 // a descriptor; -1: nobody reads it
  int error = -1;
};

/// Begins it in a session of its own, so that a terminal's Ctrl-C is not meant for it, with no
/// descriptor of ours but those named. If there is no such program it ends with 127.
pid_t begin_program(const ProgramStart& start);

/// The wait status of a child, once it has ended.
int wait_for_end(pid_t child);
/// Has it ended? If so it is waited for, and this is its wait status.
bool has_ended(pid_t child, int& status);

/// Whatever is waited for here comes within moments, from processes that tell nobody; where it
/// takes longer, others need the machine: sanitizers, a crowd of other tests. False: it did not
/// come.
template <class Condition>
bool comes_true(const Condition& condition) {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + 120s;
  for (auto pause = 2ms; !condition(); pause = std::min(2 * pause, 32ms)) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

/// A shell script that runs if this process ends without the destructor having run: killed, or
/// crashed. (PR_SET_PDEATHSIG goes by the thread that forked, and tests restart their servers in
/// threads that end; nor would it remove any files.)
class LastWill {
 public:
  explicit LastWill(const std::string& script);
  ~LastWill();
  LastWill(const LastWill&) = delete;
  LastWill& operator=(const LastWill&) = delete;

 private:
  int hold_ = -1;  // what the shell waits for: a line if all is well, the end if not
  pid_t shell_ = -1;
};

/// A port of 127.0.0.1 that nobody has at the moment.
unsigned short free_port();

}  // namespace armature::test
