// The first thing a newcomer runs: the headline study, compiled in, and its report.
#include <fmt/format.h>

#include "armature/report.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "report/resources.h"

namespace armature::cli {
namespace {

struct Options {
  std::string directory = "runs/headline";
  std::vector<std::string> overrides;
  std::string threads = "0";
  bool quiet = false;
};

void run(const Options& options) {
  const Study study =
      read_study(std::string(headline_study()), "the headline study", options.overrides);
  run_with_progress(plan_study(study), options.directory, {options.threads, options.quiet});
  const StudyResult result = read_results(options.directory);
  emit(std::nullopt, "\n");
  print_answer(result);
  emit(std::nullopt, "\n");
  print_report(result, options.directory);
}

}  // namespace

void add_demo(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "demo", "five worlds, eight policies: about a minute on two cores, and a report to open");
  command->add_option("KEY=VALUE", options->overrides, "replace values: replications=5");
  command->add_option("--out,-o", options->directory, "the study's directory")
      ->capture_default_str();
  command
      ->add_option("--threads,-j", options->threads, "0: one per core; results do not depend on it")
      ->capture_default_str();
  command->add_flag("--quiet,-q", options->quiet, "no progress");
  command->footer(
      "Examples:\n"
      "  armature demo replications=2 horizons=1000\n"
      "  armature demo replications=2 horizons=1000 --out runs/small --quiet");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
