// Servers as processes of their own, and many clients that each have one request at a time: what
// the benchmarks over HTTP share.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "disk.h"

namespace bench {

inline sockaddr_in address_at(unsigned short port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline unsigned short free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = address_at(0);
  socklen_t size = sizeof address;
  if (bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
  getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
  close(probe);
  return ntohs(address.sin_port);
}

inline int connected(unsigned short port) {
  const int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const sockaddr_in address = address_at(port);
  if (connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return end;
  close(end);
  return -1;
}

/// What /proc says of a process, from its third field on; empty: there is none.
inline std::vector<std::string> facts_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> words;
  const std::size_t name_end = text.rfind(')');  // a name may hold anything, blanks too
  if (name_end == std::string::npos) return words;
  text = text.substr(name_end + 2);
  for (std::size_t at = 0; at < text.size() && words.size() < 16;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// User and system time of all its threads, in seconds; of children that have ended, too, if asked.
inline double cpu_of(pid_t process, bool with_ended = false) {
  const std::vector<std::string> facts = facts_of(process);
  double ticks = 0;
  if (facts.size() >= 15)
    for (std::size_t field = 11; field < (with_ended ? 15 : 13); ++field)
      ticks += std::stod(facts[field]);
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// The same of a process and all its children: PostgreSQL has one for each connection.
inline double cpu_of_family(pid_t parent) {
  double seconds = cpu_of(parent, true);
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process <= 0) continue;
    const std::vector<std::string> facts = facts_of(process);
    if (facts.size() > 1 && std::atoi(facts[1].c_str()) == parent) seconds += cpu_of(process);
  }
  return seconds;
}

class ServerProcess {
 public:
  ServerProcess(const std::vector<std::string>& command, unsigned short where) : port(where) {
    child_ = fork();
    if (child_ == 0) {
      const int nowhere = open("/dev/null", O_RDWR);
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
      std::vector<char*> words;
      for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      execvp(words[0], words.data());
      _exit(127);
    }
    for (int tries = 0; tries < 400; ++tries) {
      if (const int end = connected(port); end >= 0) {
        close(end);
        return;
      }
      usleep(25'000);
    }
    fmt::print(stderr, "{} does not listen\n", command[0]);
    std::exit(1);
  }
  ~ServerProcess() {
    kill(child_, SIGTERM);
    waitpid(child_, nullptr, 0);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  double cpu() const { return cpu_of(child_); }

  const unsigned short port;

 private:
  pid_t child_;
};

inline std::string post(const std::string& target, const std::string& body) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      target, body.size(), body);
}

/// An experiment of 20 actions and 5 contexts.
inline std::string creation(const std::string& name) {
  std::string marginals;
  for (int a = 0; a < 20; ++a) {
    marginals += a == 0 ? "[" : ",[";
    for (int z = 0; z < 5; ++z)
      marginals += fmt::format("{}{}", z == 0 ? "" : ",", z == a % 5 ? 0.6 : 0.1);
    marginals += "]";
  }
  return fmt::format(
      R"({{"name": "{}", "problem": {{"format": "armature-problem", "version": 1, "actions": 20,
      "contexts": 5, "horizon": 1000000000, "marginals": [{}]}}, "policy": "sentry",
      "silence": "forget", "fallback": null}})",
      name, marginals);
}

/// The status of the answer; 0: there was none.
inline int create(unsigned short port, const std::string& name) {
  const int end = connected(port);
  const std::string request = post("/v1/experiments", creation(name));
  char bytes[4096];
  const bool asked = write(end, request.data(), request.size()) > 0;
  const ssize_t count = asked ? read(end, bytes, sizeof bytes) : 0;
  close(end);
  return count > 12 ? std::atoi(bytes + 9) : 0;
}

/// Which of several nodes a client asks: the one it began with, any, or the one that an answer has
/// named as the owner.
enum class Asks { kOne, kAny, kOwner };

/// Decides, reports, decides again. Some servers close after every answer, and are asked anew.
class BenchClient {
 public:
  BenchClient(const std::vector<unsigned short>& ports, std::string experiment, Asks asks,
              std::uint64_t number)
      : experiment_(std::move(experiment)), asks_(asks), luck_(number) {
    for (const unsigned short port : ports) lines_.push_back({port, connected(port)});
    at_ = asks == Asks::kOne ? 0 : luck_() % lines_.size();
  }
  ~BenchClient() {
    for (const Line& line : lines_)
      if (line.end >= 0) close(line.end);
  }
  BenchClient(BenchClient&& other) noexcept
      : forwarded(other.forwarded),
        refused(other.refused),
        asked(other.asked),
        experiment_(std::move(other.experiment_)),
        asks_(other.asks_),
        luck_(other.luck_),
        lines_(std::exchange(other.lines_, {})),
        at_(other.at_),
        input_(std::move(other.input_)),
        decision_(std::move(other.decision_)) {}
  BenchClient& operator=(BenchClient&&) = delete;

  void watch(int many, std::uint64_t number) const {
    for (const Line& line : lines_) watch(many, number, line);
  }
  void ask(int many, std::uint64_t number) {
    if (asks_ == Asks::kAny) at_ = luck_() % lines_.size();
    Line& line = lines_[at_];
    if (line.closed) {
      if (line.end >= 0) close(line.end);
      line.end = connected(line.port);
      line.closed = false;
      watch(many, number, line);
    }
    const std::string place = "/v1/experiments/" + experiment_;
    const std::string request = decision_.empty()
                                    ? post(place + "/decide", "")
                                    : post(place + "/decisions/" + decision_ + "/outcome",
                                           R"({"context": "z1", "reward": 0.5})");
    asked = Steady::now();
    if (write(line.end, request.data(), request.size()) != static_cast<ssize_t>(request.size()))
      std::abort();
  }

  enum class Took { kPart, kRefusal, kAnswer };
  /// What has come on the line that was asked.
  Took take() {
    Line& line = lines_[at_];
    char bytes[4096];
    const ssize_t count = read(line.end, bytes, sizeof bytes);
    if (count <= 0 && line.closed) {  // as it had said, and nobody asks again
      close(line.end);
      line.end = -1;
      return Took::kPart;
    }
    if (count <= 0) {
      fmt::print(stderr, "the server closed a connection\n");
      std::exit(1);
    }
    input_.append(bytes, static_cast<std::size_t>(count));
    const std::size_t head = input_.find("\r\n\r\n");
    if (head == std::string::npos) return Took::kPart;
    const std::size_t length = input_.find("Content-Length: ");
    const std::size_t size = std::stoul(input_.substr(length + 16));
    if (input_.size() < head + 4 + size) return Took::kPart;
    line.closed = input_.find("Connection: close") < head;
    if (const std::size_t owner = input_.find("Armature-Owner: "); owner < head)
      note_owner(input_.substr(owner, input_.find("\r\n", owner) - owner));
    const std::string answer = std::exchange(input_, "");
    if (answer.compare(9, 3, "503") == 0) {  // it changes hands, or too much is under way
      ++refused;
      return Took::kRefusal;
    }
    if (answer.compare(9, 3, "200") != 0) {
      fmt::print(stderr, "{}\n", answer);
      std::exit(1);
    }
    if (decision_.empty()) {
      const std::size_t key = answer.find("\"decision\"");
      const std::size_t open = answer.find('"', answer.find(':', key)) + 1;
      decision_ = answer.substr(open, answer.find('"', open) - open);
    } else {
      decision_.clear();
    }
    return Took::kAnswer;
  }

  std::uint64_t forwarded = 0;  // answers of a node that is not the owner
  std::uint64_t refused = 0;    // and asked again
  Steady::time_point asked;

 private:
  struct Line {
    unsigned short port = 0;
    int end = -1;
    bool closed = false;
  };

  static void watch(int many, std::uint64_t number, const Line& line) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = number;
    epoll_ctl(many, EPOLL_CTL_ADD, line.end, &event);
  }
  // Armature-Owner: http://127.0.0.1:8600
  void note_owner(const std::string& header) {
    const int port = std::atoi(header.substr(header.rfind(':') + 1).c_str());
    if (port != lines_[at_].port) ++forwarded;
    if (asks_ != Asks::kOwner) return;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].port == port) at_ = i;
  }

  std::string experiment_;
  Asks asks_;
  std::minstd_rand luck_;
  std::vector<Line> lines_;  // to each node that it may ask
  std::size_t at_ = 0;
  std::string input_;
  std::string decision_;  // to report on next; empty: decide next
};

struct Load {
  double count = 0;   // events
  double events = 0;  // a second
  double p50 = 0;     // milliseconds
  double p99 = 0;
  double forwarded = 0;  // the share of answers
  double refused = 0;    // the same
};

inline Load load(std::vector<BenchClient>& clients, std::chrono::milliseconds turn = kTurn) {
  const int many = epoll_create1(EPOLL_CLOEXEC);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i].forwarded = 0;
    clients[i].refused = 0;
    clients[i].watch(many, i);
    clients[i].ask(many, i);
  }
  std::vector<double> delays;
  const auto begin = Steady::now();
  std::size_t waiting = clients.size();
  std::vector<epoll_event> ready(256);
  while (waiting > 0) {
    const int count = epoll_wait(many, ready.data(), static_cast<int>(ready.size()), -1);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t number = ready[static_cast<std::size_t>(i)].data.u64;
      BenchClient& client = clients[number];
      const BenchClient::Took took = client.take();
      if (took == BenchClient::Took::kPart) continue;
      if (took == BenchClient::Took::kAnswer) delays.push_back(seconds_since(client.asked) * 1e3);
      if (Steady::now() - begin < turn)
        client.ask(many, number);
      else
        --waiting;
    }
  }
  const double seconds = seconds_since(begin);
  close(many);
  Load load;
  load.count = static_cast<double>(delays.size());
  load.events = load.count / seconds;
  for (const BenchClient& client : clients) {
    load.forwarded += static_cast<double>(client.forwarded);
    load.refused += static_cast<double>(client.refused);
  }
  load.forwarded /= load.count + load.refused;
  load.refused /= load.count + load.refused;
  if (delays.empty()) return load;
  std::sort(delays.begin(), delays.end());
  load.p50 = delays[delays.size() / 2];
  load.p99 = delays[delays.size() * 99 / 100];
  return load;
}

}  // namespace bench
