// Durable events over HTTP: `armature serve` and a plain Flask service (flask_service.py) under the
// same load, each client with one request at a time, beside the syncs of a raw file in the same
// turns. `make bench` prints it; docs/performance.md keeps what was expected and what was found.
//   bench_service_http ARMATURE FLASK DIRECTORY     the command, the script, and where to write
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "disk.h"
#include "http_load.h"

namespace bench {
namespace {

void measure(const std::string& name, const std::vector<std::string>& command, unsigned short port,
             const std::string& directory, bool created) {
  ServerProcess server(command, port);
  if (!created && create(port, "mail") == 0) std::abort();
  for (const std::size_t count : {1, 16, 64, 256}) {
    std::vector<BenchClient> clients;
    for (std::size_t i = 0; i < count; ++i)
      clients.emplace_back(std::vector{port}, "mail", Asks::kOne, i);
    std::vector<double> events, ratios, p50, p99, cpu, raw;
    for (int turn = 0; turn < kTurns; ++turn) {
      raw.push_back(raw_syncs(directory));
      const double before = server.cpu();
      const Load one = load(clients);
      cpu.push_back((server.cpu() - before) / one.count * 1e6);
      events.push_back(one.events);
      ratios.push_back(one.events / raw.back());
      p50.push_back(one.p50);
      p99.push_back(one.p99);
    }
    fmt::print("{:10} {:7} {:12.0f} {:14.2f} {:9.2f} {:9.2f} {:14.1f} {:10.0f}\n", name, count,
               median(events), median(ratios), median(p50), median(p99), median(cpu), median(raw));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
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
          port, directory, false);
  if (std::system("/usr/bin/python3 -c 'import flask' 2>/dev/null") != 0) {
    fmt::print("flask      is not installed (python3-flask)\n");
    return 0;
  }
  port = free_port();
  measure("flask", {"/usr/bin/python3", argv[2], directory + "/flask.sqlite", std::to_string(port)},
          port, directory, true);
  std::filesystem::remove_all(directory);
  return 0;
}
