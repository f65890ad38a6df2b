// The first thing a newcomer runs: a world where the contexts tell all and one where they lie.
#include <fmt/format.h>

#include <filesystem>

#include "armature/error.h"
#include "armature/lab.h"
#include "armature/report.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/progress.h"

namespace armature::cli {
namespace {

struct Options {
  std::string directory = "demo";
  std::string replications = "300";
  std::string threads = "0";
  bool quiet = false;
};

const std::vector<std::string> kInstances = {"bilodeau-benign", "bilodeau-confounded"};
const std::vector<std::string> kPolicies = {"ucb:confidence=bilodeau", "c-ucb:confidence=bilodeau",
                                            "hac-ucb"};
constexpr Round kHorizons[] = {3000, 5000};

std::string factor(const PolicySummary& worse, const PolicySummary& better) {
  return fmt::format("{:.0f} times", worse.mean_regret / better.mean_regret);
}

// What the table says, in words that come from its numbers. Policies in the order of kPolicies.
std::string reading(const SimulationResult& benign, const SimulationResult& confounded) {
  const PolicySummary& trust = benign.policies[1];
  const PolicySummary& fooled = confounded.policies[1];
  return fmt::format(
      "At T = {}: where the context carries the whole effect of the action (bilodeau-benign), "
      "trusting it\n"
      "pays: ucb regrets {} as much as c-ucb. Where it does not (bilodeau-confounded), trusting it "
      "costs:\n"
      "c-ucb regrets {} as much as ucb, {:.2f} in every round. hac-ucb tests its trust and is "
      "close to\n"
      "c-ucb in the first world ({} against {:.0f}) and in between in the second ({}).\n",
      benign.horizon, factor(benign.policies[0], trust), factor(fooled, confounded.policies[0]),
      fooled.mean_regret / static_cast<double>(confounded.horizon),
      fmt::format("{:.0f}", benign.policies[2].mean_regret), trust.mean_regret,
      fmt::format("{:.0f}", confounded.policies[2].mean_regret));
}

void run(const Options& options) {
  const auto replications = static_cast<std::uint32_t>(
      whole_number("--replications", options.replications, 1, 1'000'000));
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error)
    throw Error({options.directory, "directory", error.message(), "a directory that can be made"});
  const std::string csv = options.directory + "/regret.csv";
  require_writable(csv);

  RunHooks hooks;
  hooks.threads = static_cast<unsigned>(whole_number("--threads", options.threads, 0, 4096));
  hooks.stop = &stop_on_interrupt();
  std::vector<SimulationResult> results;
  for (const std::string& instance : kInstances)
    for (const Round horizon : kHorizons) {
      ProgressLine line(options.quiet);
      hooks.progress = line.hook();
      Simulation simulation;
      simulation.instance = instance;
      simulation.policies = kPolicies;
      simulation.horizon = horizon;
      simulation.replications = replications;
      results.push_back(simulate(simulation, hooks));
      if (!results.back().complete) throw ExitStatus{130};
    }
  write_file(csv, result_csv(results));
  emit(std::nullopt,
       fmt::format(
           "Two worlds with 20 actions and a yes/no context, {} replications each.\n\n{}\n{}\n"
           "Regret over time: {}\n",
           replications, comparison_table(results), reading(results[1], results[3]), csv));
}

}  // namespace

void add_demo(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "demo", "a first look: who wins where the contexts can be trusted, and where not");
  command->add_option("--output,-o", options->directory, "directory for the data")
      ->capture_default_str();
  command->add_option("--replications,-m", options->replications, "independent repetitions")
      ->capture_default_str();
  command->add_option("--threads,-j", options->threads, "0: one per core")->capture_default_str();
  command->add_flag("--quiet,-q", options->quiet, "no progress line");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
