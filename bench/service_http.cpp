// Durable events over HTTP: `armature serve` and a plain Flask service (flask_service.py) under the
// same load, each client with one request at a time, beside the syncs of a raw file in the same
// turns. `make bench` prints it; docs/performance.md keeps what was expected and what was found.
//   bench_service_http ARMATURE FLASK DIRECTORY     the command, the script, and where to write
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "disk.h"

namespace {

using bench::kTurn;
using bench::kTurns;
using bench::median;
using bench::raw_syncs;
using bench::seconds_since;
using bench::Steady;

sockaddr_in address_at(unsigned short port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

unsigned short free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = address_at(0);
  socklen_t size = sizeof address;
  if (bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
  getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
  close(probe);
  return ntohs(address.sin_port);
}

int connected(unsigned short port) {
  const int end = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const sockaddr_in address = address_at(port);
  if (connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return end;
  close(end);
  return -1;
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

  // User and system time of all its threads, in seconds.
  double cpu() const {
    std::ifstream file(fmt::format("/proc/{}/stat", child_));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    text = text.substr(text.rfind(')') + 2);
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size() && words.size() < 14;) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return (std::stod(words[11]) + std::stod(words[12])) /
           static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  const unsigned short port;

 private:
  pid_t child_;
};

std::string post(const std::string& target, const std::string& body) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      target, body.size(), body);
}

// Decides, reports, decides again. Some servers close after every answer, and are asked anew.
struct BenchClient {
  unsigned short port = 0;
  int end = -1;
  bool closed = false;
  std::string input;
  std::string decision;  // to report on next; empty: decide next
  Steady::time_point asked;

  void watch(int many, std::uint64_t number) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = number;
    epoll_ctl(many, EPOLL_CTL_ADD, end, &event);
  }
  void ask(int many, std::uint64_t number) {
    if (closed) {
      if (end >= 0) close(end);
      end = connected(port);
      closed = false;
      watch(many, number);
    }
    const std::string request =
        decision.empty() ? post("/v1/experiments/mail/decide", "")
                         : post("/v1/experiments/mail/decisions/" + decision + "/outcome",
                                R"({"context": "z1", "reward": 0.5})");
    asked = Steady::now();
    if (write(end, request.data(), request.size()) != static_cast<ssize_t>(request.size()))
      std::abort();
  }
  // Whether a whole reply has come.
  bool take() {
    char bytes[4096];
    const ssize_t count = read(end, bytes, sizeof bytes);
    if (count <= 0 && closed) {  // as it had said, and nobody asks again
      close(end);
      end = -1;
      return false;
    }
    if (count <= 0) {
      fmt::print(stderr, "the server closed a connection\n");
      std::exit(1);
    }
    input.append(bytes, static_cast<std::size_t>(count));
    const std::size_t head = input.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    const std::size_t length = input.find("Content-Length: ");
    const std::size_t size = std::stoul(input.substr(length + 16));
    if (input.size() < head + 4 + size) return false;
    if (input.compare(9, 3, "200") != 0) {
      fmt::print(stderr, "{}\n", input);
      std::exit(1);
    }
    closed = input.find("Connection: close") < head;
    if (decision.empty()) {
      const std::size_t at = input.find("\"decision\"");
      const std::size_t open = input.find('"', input.find(':', at)) + 1;
      decision = input.substr(open, input.find('"', open) - open);
    } else {
      decision.clear();
    }
    input.clear();
    return true;
  }
};

struct Load {
  double events = 0;  // a second
  double p50 = 0;     // milliseconds
  double p99 = 0;
  double cpu = 0;  // microseconds of the server an event
};

Load load(ServerProcess& server, std::vector<BenchClient>& clients) {
  const int many = epoll_create1(0);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i].watch(many, i);
    clients[i].ask(many, i);
  }
  std::vector<double> delays;
  const double cpu = server.cpu();
  const auto begin = Steady::now();
  std::size_t waiting = clients.size();
  std::vector<epoll_event> ready(256);
  while (waiting > 0) {
    const int count = epoll_wait(many, ready.data(), static_cast<int>(ready.size()), -1);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t number = ready[static_cast<std::size_t>(i)].data.u64;
      BenchClient& client = clients[number];
      if (!client.take()) continue;
      delays.push_back(seconds_since(client.asked) * 1e3);
      if (Steady::now() - begin < kTurn)
        client.ask(many, number);
      else
        --waiting;
    }
  }
  const double seconds = seconds_since(begin);
  close(many);
  const auto events = static_cast<double>(delays.size());
  std::sort(delays.begin(), delays.end());
  return {events / seconds, delays[delays.size() / 2], delays[delays.size() * 99 / 100],
          (server.cpu() - cpu) / events * 1e6};
}

void measure(const std::string& name, const std::vector<std::string>& command, unsigned short port,
             const std::string& directory, const std::string& creation) {
  ServerProcess server(command, port);
  if (!creation.empty()) {
    const int end = connected(port);
    const std::string request = post("/v1/experiments", creation);
    char bytes[4096];
    if (write(end, request.data(), request.size()) < 0 || read(end, bytes, sizeof bytes) <= 0)
      std::abort();
    close(end);
  }
  for (const std::size_t count : {1, 16, 64, 256}) {
    std::vector<BenchClient> clients(count);
    for (BenchClient& client : clients) {
      client.port = port;
      client.end = connected(port);
    }
    std::vector<double> events, ratios, p50, p99, cpu, raw;
    for (int turn = 0; turn < kTurns; ++turn) {
      raw.push_back(raw_syncs(directory));
      const Load one = load(server, clients);
      events.push_back(one.events);
      ratios.push_back(one.events / raw.back());
      p50.push_back(one.p50);
      p99.push_back(one.p99);
      cpu.push_back(one.cpu);
    }
    fmt::print("{:10} {:7} {:12.0f} {:14.2f} {:9.2f} {:9.2f} {:14.1f} {:10.0f}\n", name, count,
               median(events), median(ratios), median(p50), median(p99), median(cpu), median(raw));
    std::fflush(stdout);
    for (const BenchClient& client : clients) close(client.end);
  }
}

std::string creation() {
  std::string marginals;
  for (int a = 0; a < 20; ++a) {
    marginals += a == 0 ? "[" : ",[";
    for (int z = 0; z < 5; ++z)
      marginals += fmt::format("{}{}", z == 0 ? "" : ",", z == a % 5 ? 0.6 : 0.1);
    marginals += "]";
  }
  return fmt::format(
      R"({{"name": "mail", "problem": {{"format": "armature-problem", "version": 1, "actions": 20,
      "contexts": 5, "horizon": 1000000000, "marginals": [{}]}}, "policy": "sentry",
      "silence": "forget", "fallback": null}})",
      marginals);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "bench_service_http ARMATURE FLASK DIRECTORY\n");
    return 2;
  }
  const std::string directory = std::string(argv[3]) + "/bench-service-http";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  fmt::print("{:10} {:>7} {:>12} {:>14} {:>9} {:>9} {:>14} {:>10}\n", "server", "clients",
             "events/s", "per raw sync", "p50 ms", "p99 ms", "CPU us/event", "raw/s");
  unsigned short port = free_port();
  measure("armature",
          {argv[1], "serve", directory + "/armature", "--listen", fmt::format("127.0.0.1:{}", port),
           "--log", "none"},
          port, directory, creation());
  if (std::system("/usr/bin/python3 -c 'import flask' 2>/dev/null") != 0) {
    fmt::print("flask      is not installed (python3-flask)\n");
    return 0;
  }
  port = free_port();
  measure("flask", {"/usr/bin/python3", argv[2], directory + "/flask.sqlite", std::to_string(port)},
          port, directory, "");
  std::filesystem::remove_all(directory);
  return 0;
}
