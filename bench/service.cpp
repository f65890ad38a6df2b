// The writer of the decision service beside the disk it waits for: durable decisions per sync of a
// file, measured in turns so that both meet the same minute; how long a restart takes; what memory
// goes by; and what the table `closed` costs. `make bench` prints it; docs/performance.md keeps
// what was expected and what was found.
//   bench_service [DIRECTORY] [EVENTS]     where to write (.), and events before the restart (2e5)
#include "service/service.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <vector>

#include "disk.h"
#include "service/sqlite_log.h"
#include "writer_load.h"

namespace armature::service::bench {
namespace {

using ::bench::kTurns;
using ::bench::raw_syncs;

void syncs(const std::string& directory) {
  Service service(open_sqlite_log(directory + "/load"), {});
  for (const char* name : {"decides", "pairs"}) {
    Creation asked = creation(name, "sentry");
    asked.facts.settings.most_open = 5'000'000;
    service.ask(Create{asked});
  }
  fmt::print(
      "clients  what            events/s  per raw sync  commits per raw sync  p50 ms  p99 ms  p99 in "
      "raw syncs  CPU us\n");
  for (const bool report : {false, true})
    for (const int clients : {1, 16, 256})
      for (int turn = 0; turn < kTurns; ++turn) {
        const double before = raw_syncs(directory);
        const Load load = closed_loop(service, clients, report);
        const double raw = (before + raw_syncs(directory)) / 2;
        fmt::print(
            "{:7}  {:14}  {:8.0f}  {:12.1f}  {:20.2f}  {:6.2f}  {:6.2f}  {:16.1f}  {:6.1f}\n",
            clients, report ? "decide, report" : "decide", load.events, load.events / raw,
            load.commits / raw, load.p50, load.p99, load.p99 * 1e-3 * raw, load.cpu);
      }
}

// Waits for the answers of a batch.
std::vector<Answer> ask_all(Service& service, std::vector<Request> batch) {
  std::promise<std::vector<Answer>> promise;
  service.submit_all(std::move(batch),
                     [&](std::vector<Answer> answers) { promise.set_value(std::move(answers)); });
  return promise.get_future().get();
}

// Batches of 256 on a disk that is not waited for: what an event costs, of the processor and on the
// disk, and then how long the next start takes. Every other decide has a key.
void restart(const std::string& directory, std::uint64_t events) {
  const std::string place = directory + "/restart";
  std::uint64_t written = 0;
  double cpu = 0;
  {
    Service service(open_sqlite_log(place, {.synchronous = "OFF"}), {});
    service.ask(Create{creation("bench", "sentry")});
    cpu = cpu_seconds();
    for (; written < events; written += 512) {
      std::vector<Request> decides;
      for (std::uint64_t i = 0; i < 256; ++i)
        decides.push_back(Decide{"bench", i % 2 == 0 ? std::to_string(written + i) : "", ""});
      std::vector<Request> reports;
      for (const Answer& answer : ask_all(service, std::move(decides)))
        reports.push_back(
            Report{"bench", std::get<Decided>(answer).decision, Named(std::uint64_t{1}), 0.5});
      ask_all(service, std::move(reports));
    }
    cpu = cpu_seconds() - cpu;
  }
  const auto count = static_cast<double>(written);
  const auto bytes = static_cast<double>(std::filesystem::file_size(place + "/service.sqlite"));
  fmt::print("\n{} events, decided and learned: {:.1f} us of CPU and {:.1f} bytes each\n", written,
             1e6 * cpu / count, bytes / count);
  const auto begin = Steady::now();
  Service service(open_sqlite_log(place), {});
  fmt::print("start with a fresh snapshot: {:.3f} s\n", seconds_since(begin));
  if (service.health().replay_mismatches != 0) std::abort();
}

double resident_mebibytes() {
  std::ifstream status("/proc/self/statm");
  double size = 0, resident = 0;
  status >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Open decisions are memory, history is none: so many closed ones, then so many left open.
void memory(const std::string& directory) {
  constexpr std::uint64_t kDecisions = 200'000;
  Service service(open_sqlite_log(directory + "/memory", {.synchronous = "OFF"}), {});
  service.ask(Create{creation("bench", "sentry")});
  const auto decide = [&](std::uint64_t decisions, bool report) {
    for (std::uint64_t made = 0; made < decisions; made += 1'000) {
      std::vector<Request> decides(1'000, Decide{"bench", "", ""});
      std::vector<Request> reports;
      for (const Answer& answer : ask_all(service, std::move(decides)))
        reports.push_back(
            Report{"bench", std::get<Decided>(answer).decision, Named(std::uint64_t{1}), 0.5});
      if (report) ask_all(service, std::move(reports));
    }
  };
  decide(10'000, true);
  const double begin = resident_mebibytes();
  decide(kDecisions, true);
  const double closed = resident_mebibytes();
  decide(kDecisions, false);
  const double open = resident_mebibytes();
  fmt::print(
      "memory: {:.1f} MiB more after {} closed decisions, {:.1f} MiB more after {} open ones\n",
      closed - begin, kDecisions, open - closed, kDecisions);
}

// The same rows, but of one store the second of each pair closes the decision and of the other it
// does not: the difference is what `closed` costs.
void cost_of_closed(const std::string& directory) {
  constexpr std::uint64_t kPairs = 500'000;
  const auto write = [&](const std::string& place, EventKind second) {
    const std::unique_ptr<Log> log = open_sqlite_log(directory + place, {.synchronous = "OFF"});
    log->begin();
    const ExperimentId experiment = log->add_experiment(creation("bench", "sentry").facts);
    const double cpu = cpu_seconds();
    for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
      Event decided;
      decided.seq = 2 * pair + 1;
      decided.epoch = 1;
      decided.action = static_cast<Arm>(pair % 20);
      log->append(experiment, decided);
      Event told;
      told.seq = 2 * pair + 2;
      told.kind = second;
      told.epoch = 1;
      told.decision = decided.seq;
      told.context = 1;
      told.reward = 0.5;
      log->append(experiment, told);
      if (pair % 128 == 127) {
        log->commit();
        log->begin();
      }
    }
    log->commit();
    const double spent = cpu_seconds() - cpu;
    log->close();
    return std::pair(spent, static_cast<double>(
                                std::filesystem::file_size(directory + place + "/service.sqlite")));
  };
  const auto [with, with_bytes] = write("/closed", EventKind::kLearned);
  const auto [without, without_bytes] = write("/unclosed", EventKind::kReported);
  fmt::print(
      "table closed: {:.2f} us of CPU and {:.1f} bytes an outcome; without it an event is "
      "{:.2f} us and {:.1f} bytes\n",
      1e6 * (with - without) / kPairs, (with_bytes - without_bytes) / kPairs,
      1e6 * without / (2 * kPairs), without_bytes / (2 * kPairs));
}

}  // namespace
}  // namespace armature::service::bench

int main(int count, char** arguments) {
  using namespace armature::service::bench;
  std::string directory = (count > 1 ? std::string(arguments[1]) : ".") + "/bench-service-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return 2;
  memory(directory);  // first: others leave room that it would use
  syncs(directory);
  restart(directory, count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 200'000);
  cost_of_closed(directory);
  std::filesystem::remove_all(directory);
  return 0;
}
