// A simulation whose results are shown while they grow: one replication of every policy, then two,
// four and so on, each computed once. The last answer is what the command prints.
#include <algorithm>
#include <chrono>

#include "armature/error.h"
#include "armature/report.h"
#include "browser/commands.h"
#include "lab/growing_simulation.h"
#include "options/simulation.h"

namespace armature::browser {
namespace {

constexpr const char* kFiles = "files";

// Somebody looks at them: often enough to seem alive, and never a good part of the work.
class Pacer {
 public:
  bool due() const { return Clock::now() >= next_; }
  /// After the answer that was begun at `start`.
  void told(std::chrono::steady_clock::time_point start) {
    constexpr auto kEvery = std::chrono::milliseconds(100);
    const auto took = Clock::now() - start;
    next_ = Clock::now() + std::max<Clock::duration>(kEvery, 10 * took);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::now();
};

struct Asked {
  SimulationOptions options;
  bool yes = false;
};

Asked read(const Request& request) {
  Asked asked;
  SimulationOptions& o = asked.options;
  request.read(
      with_terminal_options(
          {{.name = "instance", .target = &o.instance, .required = true},
           {.name = "policy", .target = &o.policies, .required = true},
           {.name = "horizon", .target = &o.horizon, .required = true},
           {.name = "replications", .target = &o.replications},
           {.name = "seed", .target = &o.seed},
           {.name = "checkpoints", .target = &o.checkpoints},
           {.name = "at", .target = &o.at},
           refused_option("threads", "nothing: a page's engine is one thread"),
           {.name = "delay", .target = &o.delay},
           {.name = "batch", .target = &o.batch},
           {.name = "loss", .target = &o.loss},
           {.name = "given", .target = &o.given},
           {.name = "engine", .target = &o.engine, .choices = {"auto", "step", "leap", "cuda"}},
           {.name = "leap-tolerance", .target = &o.leap_tolerance},
           {.name = "max-events", .target = &o.max_events},
           json_option({"table", "csv", "json"}),
           refused_option("output", "nothing: a page has no disk"),
           refused_option("log", "nothing: a page has no disk"),
           {.name = "yes", .target = &asked.yes},
           refused_option("quiet", "nothing: a page is no terminal")}),
      {kFiles});
  return asked;
}

Simulation simulation_for(const Request& request, SimulationOptions options) {
  const FileTable files = request.files(kFiles);
  const std::optional<std::string> given = options.given;
  options.given.reset();
  Simulation simulation = simulation_of(options);
  if (given) {
    const auto file = files.find(*given);
    if (file == files.end())
      throw Error({"", "--given", "'" + *given + "'", "the name of one of the request's files"});
    simulation.given = read_problem(file->second, *given);
  }
  simulation.files = files;
  simulation.follow_shares = true;  // as the command does where JSON is asked for
  return simulation;
}

}  // namespace

std::string simulate(const Request& request, const Progress& progress) {
  const Asked asked = read(request);
  const Simulation simulation = simulation_for(request, asked.options);
  RunHooks hooks;
  hooks.threads = 1;
  if (!asked.yes) refuse_too_long(simulation, hooks);
  Pacer pacer;
  const GrowingSimulation* shown = nullptr;
  hooks.progress = [&](const armature::Progress&) {
    if (!progress || !pacer.due()) return;
    const auto start = std::chrono::steady_clock::now();
    if (const SimulationResult result = shown->result(); !result.complete)
      progress(result_json(result));
    pacer.told(start);
  };
  GrowingSimulation growing(simulation, hooks);
  shown = &growing;
  for (std::uint64_t count = 1; count < simulation.replications; count *= 2)
    growing.grow(static_cast<std::uint32_t>(count));
  growing.grow(simulation.replications);
  return result_json(growing.result());
}

}  // namespace armature::browser
