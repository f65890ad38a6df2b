#include "support/serve_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "base/file.h"

namespace armature::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = 120s;  // sanitizers, and a machine full of other tests
constexpr auto kPortPatience = 10s;

}  // namespace

ServeProcess::ServeProcess(std::vector<std::string> arguments,
                           std::map<std::string, std::string> environment)
    : arguments_(std::move(arguments)), environment_(std::move(environment)) {
  if (std::find(arguments_.begin(), arguments_.end(), "--listen") == arguments_.end())
    arguments_.insert(arguments_.end(), {"--listen", "127.0.0.1:0"});
  arguments_.insert(arguments_.begin(), {ARMATURE_COMMAND, "serve"});
  const auto late = Clock::now() + kPortPatience;
  for (;;) {
    begin();
    wait_until_it_serves();
    if (port_ != 0 || journal().find("in use") == std::string::npos || Clock::now() > late) return;
    std::this_thread::sleep_for(20ms);
  }
}

ServeProcess::~ServeProcess() {
  if (process_ > 0) end(SIGKILL);
  close(said_);
}

void ServeProcess::begin() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  if (said_ >= 0) close(said_);
  said_ = ends[0];
  ProgramStart start;
  start.arguments = arguments_;
  start.environment = environment_;
  start.output = ends[1];
  start.error = open(directory_.file("journal").c_str(),
                     O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  process_ = begin_program(start);
  close(start.error);
  close(ends[1]);
  will_ = std::make_unique<LastWill>(
      fmt::format("grep -q '{}' /proc/{}/cmdline && kill -KILL {}\nrm -rf '{}'", ARMATURE_COMMAND,
                  process_, process_, directory_.path()));
}

// "armature 1.0.0 serves STORE at http://127.0.0.1:8600"
void ServeProcess::wait_until_it_serves() {
  const auto late = Clock::now() + kPatience;
  std::string line;
  for (;;) {
    pollfd waiting{said_, POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(late - Clock::now());
    if (poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) <= 0) break;
    char letter = 0;
    if (read(said_, &letter, 1) != 1) {  // it has ended
      end(0);
      return;
    }
    if (letter == '\n') break;
    line += letter;
  }
  const std::size_t at = line.rfind(" at ");
  const std::size_t colon = line.rfind(':');
  if (at == std::string::npos || colon == std::string::npos) return;
  url_ = line.substr(at + 4);
  port_ = static_cast<unsigned short>(std::stoi(line.substr(colon + 1)));
}

bool ServeProcess::running() {
  if (process_ > 0 && has_ended(process_, status_)) process_ = -1;
  return process_ > 0;
}

void ServeProcess::signal(int number) const {
  if (process_ > 0) kill(process_, number);
}

int ServeProcess::end(int number) {
  if (process_ < 0) return status_;
  if (number != 0) signal(number);
  status_ = wait_for_end(process_);
  process_ = -1;
  return status_;
}

std::string ServeProcess::journal() const { return read_file(directory_.file("journal")); }

}  // namespace armature::test
