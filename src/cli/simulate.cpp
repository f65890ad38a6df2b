#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "armature/lab.h"
#include "armature/report.h"
#include "audit/log_writer.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/log_options.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cuda/open.h"
#include "options/simulation.h"

namespace armature::cli {
namespace {

struct Options : SimulationOptions {
  std::string threads = "0";
  std::string format = "table";
  std::optional<std::string> output;
  std::optional<std::string> log;
  bool yes = false;
  bool quiet = false;
};

// A log is of rounds, one by one, in one world.
void prepare_log(Simulation& simulation, const InstanceSource& source, bool yes) {
  constexpr double kManyRows = 1e8;
  if (simulation.engine == Engine::kLeap || simulation.engine == Engine::kCuda)
    throw Error({"", "--log", "with --engine " + engine_name(simulation.engine),
                 "--engine step, which plays every round where it can be seen"});
  simulation.engine = Engine::kStep;
  if (source.fresh_per_replication() && simulation.replications > 1)
    throw Error({"", "--log", fmt::format("{} replications", simulation.replications),
                 "--replications 1: each has a world of its own, and a log tells of one"});
  const double rows = static_cast<double>(simulation.horizon) *
                      static_cast<double>(simulation.replications) *
                      static_cast<double>(simulation.policies.size());
  if (rows > kManyRows && !yes)
    throw Error({"", "--log", fmt::format("{:.3g} rows", rows),
                 fmt::format("at most {:.0e}, or --yes to write them all the same", kManyRows)});
}

std::unique_ptr<LogWriter> log_of(const Simulation& simulation, const InstanceSource& source,
                                  const std::string& path) {
  const Problem problem = source.instance(0)->problem(simulation.horizon);
  LogWriter::Origin origin;
  origin.instance = source.text();
  origin.seed = simulation.seed;
  origin.conditions = simulation.feedback.describe();
  origin.actions = problem.action_names;
  origin.contexts = problem.context_names;
  for (const std::string& policy : simulation.policies)
    origin.policies.push_back(canonical_cell_policy(policy, problem.formula_variables()));
  return std::make_unique<LogWriter>(path, origin);
}

void run(const Options& options) {
  Simulation simulation = simulation_of(options);
  simulation.follow_shares = options.format == "json";  // the one format that can show them
  require_apart({}, {{"--log", options.log}, {"--output", options.output}});
  if (options.output) require_writable(*options.output);
  if (options.log) require_writable(*options.log);
  std::unique_ptr<LogWriter> log;
  if (options.log) {
    const InstanceSource source(simulation.instance, simulation.horizon, simulation.seed);
    prepare_log(simulation, source, options.yes);
    log = log_of(simulation, source, *options.log);
  }
  RunHooks hooks;
  hooks.accelerator = [] { return cuda::open_accelerator(cores_given()); };
  if (!options.yes) refuse_too_long(simulation, hooks);
  if (log)
    hooks.watch = [&](std::uint32_t policy, const PlayedRound& round) {
      log->add({policy, round.replication, round.arm, round.probability, round.outcome.context,
                round.outcome.reward});
    };
  hooks.threads = static_cast<unsigned>(whole_number("--threads", options.threads, 0, 4096));
  hooks.stop = &stop_on_interrupt();
  if (!options.quiet) hooks.notice = notice;
  SimulationResult result;
  {
    ProgressLine line(options.quiet);
    hooks.progress = line.hook();
    result = simulate(simulation, hooks);
  }
  if (!result.complete)
    fmt::print(stderr, "armature: interrupted; this is what was finished{}\n",
               log ? ", and no log was written" : "");
  else if (log)
    log->commit();
  emit(options.output, options.format == "json"  ? result_json(result)
                       : options.format == "csv" ? result_csv({result})
                                                 : result_table(result, screen(options.output)));
  if (!result.complete) throw ExitStatus{130};
}

}  // namespace

void add_simulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("simulate", "run policies on an instance and report their regret");
  command
      ->add_option("--instance,-i", options->instance,
                   "family:key=value,… (armature families) or a JSON file")
      ->required();
  command
      ->add_option("--policy,-p", options->policies,
                   "name:key=value,… (armature policies); may be repeated")
      ->required()
      ->allow_extra_args(false);
  command
      ->add_option("--horizon,-T", options->horizon, "rounds T; 1e6, 2^20 and 1_000_000 are fine")
      ->required();
  command->add_option("--replications,-m", options->replications, "independent repetitions")
      ->capture_default_str();
  command->add_option("--seed,-s", options->seed, "64-bit seed; same seed, same bytes")
      ->capture_default_str();
  command
      ->add_option("--checkpoints", options->checkpoints,
                   "how many log-spaced rounds to report regret at")
      ->capture_default_str();
  command
      ->add_option("--at", options->at, "further rounds to report regret at, separated by commas")
      ->allow_extra_args(false);
  command
      ->add_option("--threads,-j", options->threads, "0: one per core; results do not depend on it")
      ->capture_default_str();
  command
      ->add_option("--delay", options->delay,
                   "late outcomes: none, N rounds, fixed:N or geometric:mean=N")
      ->capture_default_str();
  command->add_option("--batch", options->batch, "outcomes arrive only after every N-th round")
      ->capture_default_str();
  command->add_option("--loss", options->loss, "probability that an outcome never arrives")
      ->capture_default_str();
  command->add_option("--given", options->given, "problem file: what policies are told instead");
  command
      ->add_option("--engine", options->engine,
                   "auto, step (every round), leap (the same law up to a stated error) or cuda "
                   "(step, on a GPU; docs/gpu.md)")
      ->check(CLI::IsMember({"auto", "step", "leap", "cuda"}))
      ->capture_default_str();
  command
      ->add_option("--leap-tolerance", options->leap_tolerance,
                   "leap: total variation by which a replication may be off")
      ->capture_default_str();
  command
      ->add_option("--max-events", options->max_events,
                   "leap: give up beyond so many events in a replication")
      ->capture_default_str();
  command->add_option("--format,-f", options->format, "table, csv or json")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  command->add_option("--output,-o", options->output, "write here instead of to the terminal");
  command->add_option("--log", options->log,
                      "write every round as a log of decisions (CSV; packed if named .gz)");
  command->add_flag("--yes,-y", options->yes, "run it even if it would take very long");
  command->add_flag("--quiet,-q", options->quiet, "no progress line");
  command->footer(
      "The policy 'oracle' always plays the best action.\n\n"
      "Examples:\n"
      "  armature simulate --instance bilodeau-confounded --policy ucb \\\n"
      "                    --policy c-ucb --horizon 5000 --replications 20\n"
      "  armature simulate --instance pareto-benign:gap=0.1 --policy sentry \\\n"
      "                    --engine leap --horizon 1e12 --replications 2\n"
      "  armature simulate --instance hidden-arm --policy uniform --horizon 1e4 \\\n"
      "                    --replications 1 --log log.csv");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
