// Many replications of many policies, on every core, with the same bytes for any number of threads.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "armature/families.h"
#include "armature/simulate.h"

namespace armature {

/// Which policies to run on which instance, and how.
struct Simulation {
  std::string instance;               // a family's text form or a file
  std::vector<std::string> policies;  // text forms; `oracle` too
  Round horizon = 1000;
  std::uint32_t replications = 100;
  std::uint64_t seed = 1;
  std::uint32_t checkpoints = 32;  // log-spaced
  std::vector<Round> also_at;      // further checkpoints
  Feedback feedback;
  std::optional<Problem> given;  // what policies are told instead
  Engine engine = Engine::kAuto;
  double leap_tolerance = 1e-9;              // see Cell
  std::uint64_t max_events = 1'000'000'000;  // see Cell
};

/// How far a running simulation is.
struct Progress {
  std::uint64_t replications_done = 0;
  std::uint64_t replications_total = 0;
  std::uint64_t cells_done = 0;  // a cell: one policy on one instance at one horizon
  std::uint64_t cells_total = 0;
  double rounds_done = 0;
  double share = 0;  // of the expected work
  double seconds = 0;
};

/// How to run: nothing here changes a result.
struct RunHooks {
  unsigned threads = 0;                           // 0: one per core
  const std::atomic<bool>* stop = nullptr;        // set it to end early with what is finished
  std::function<void(const Progress&)> progress;  // called now and then, by one thread at a time
};

struct CheckpointSummary {
  Round round = 0;
  double mean = 0;
  double standard_error = 0;
};

/// A policy's diagnostic over the replications that had it.
struct DiagnosticSummary {
  std::string name;
  double mean = 0;
  std::uint32_t replications = 0;
};

struct PolicySummary {
  std::string policy;              // canonical text form
  std::string engine;              // step or leap: which one ran
  std::uint32_t replications = 0;  // finished; fewer than asked for only if stopped early
  double mean_regret = 0;
  double standard_error = 0;
  double median = 0;
  double q95 = 0;
  double simple_regret = 0;  // mean gap of the most played arm
  std::vector<CheckpointSummary> checkpoints;
  std::vector<double> pulls;  // mean per arm
  std::vector<DiagnosticSummary> diagnostics;
  std::vector<double> final_regret;  // per finished replication, in order
  double seconds = 0;                // computing time, all threads together
};

struct SimulationResult {
  std::string instance;  // canonical text form
  Round horizon = 0;
  std::uint32_t replications = 0;  // asked for
  std::uint64_t seed = 0;
  std::string conditions =
      "prompt";  // how outcomes came, and whether policies were told something else
  bool complete = true;
  std::vector<PolicySummary> policies;
};

/// Throws Error before anything runs if the instance or a policy does not fit.
SimulationResult simulate(const Simulation& simulation, const RunHooks& hooks = {});

/// The q-quantile, linear between order statistics (type 7). The values need not be sorted.
double quantile(std::vector<double> values, double q);

}  // namespace armature
