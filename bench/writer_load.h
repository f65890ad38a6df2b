// The service without HTTP under a load of threads: what the benchmarks of its writer share.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "disk.h"
#include "service/service.h"

namespace armature::service::bench {

using ::bench::cpu_seconds;
using ::bench::kTurn;
using ::bench::seconds_since;
using ::bench::Steady;

inline Creation creation(const std::string& name, const std::string& policy) {
  Creation creation;
  creation.facts.name = name;
  creation.facts.seed = 1;
  creation.policy = policy;
  creation.problem.action_names = numbered_names('a', 20);
  creation.problem.context_names = numbered_names('z', 5);
  Matrix marginals(20, 5);
  for (std::size_t a = 0; a < 20; ++a)
    for (std::size_t z = 0; z < 5; ++z) marginals(a, z) = z == a % 5 ? 0.6 : 0.1;
  creation.problem.marginals = std::make_shared<const Matrix>(marginals);
  creation.problem.horizon = 1'000'000'000;
  return creation;
}

struct Load {
  double events = 0;  // a second
  double commits = 0;
  double p50 = 0;  // milliseconds from question to answer
  double p99 = 0;
  double cpu = 0;  // microseconds an event, clients included
};

// So many clients, each with one question at a time: decides alone, or each followed by its
// outcome.
inline Load closed_loop(Service& service, int clients, bool report) {
  const std::string experiment = report ? "pairs" : "decides";
  std::atomic<bool> stop = false;
  std::vector<std::vector<double>> waits(static_cast<std::size_t>(clients));
  std::vector<std::thread> threads;
  const std::uint64_t commits = service.health().commits;
  const double cpu = cpu_seconds();
  const auto begin = Steady::now();
  for (auto& own : waits)
    threads.emplace_back([&service, &stop, &own, &experiment, report] {
      while (!stop) {
        const auto asked = Steady::now();
        const Answer answer = service.ask(Decide{experiment, "", ""});
        own.push_back(1e3 * seconds_since(asked));
        if (!report) continue;
        const std::string& decision = std::get<Decided>(answer).decision;
        service.ask(Report{experiment, decision, Named(std::uint64_t{0}), 0.5});
      }
    });
  std::this_thread::sleep_for(kTurn);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const double seconds = seconds_since(begin);
  std::vector<double> all;
  for (const auto& own : waits) all.insert(all.end(), own.begin(), own.end());
  std::sort(all.begin(), all.end());
  const double events = static_cast<double>(all.size()) * (report ? 2 : 1);
  return {events / seconds, static_cast<double>(service.health().commits - commits) / seconds,
          all[all.size() / 2], all[all.size() * 99 / 100], 1e6 * (cpu_seconds() - cpu) / events};
}

}  // namespace armature::service::bench
