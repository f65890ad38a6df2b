#include "armature/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "armature/error.h"
#include "base/display.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace armature::cli {

void print_report(const StudyResult& result, const std::string& directory) {
  const WrittenReport report = write_report(result, directory);
  std::istringstream notes(report.note);
  for (std::string note; std::getline(notes, note);) complain(note);
  emit(std::nullopt, visible(report.page) + "\n");
}

StudyResult results_at(const std::string& source, const char* option, const std::string& target) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(source, ignored)) return read_results(source);
  if (target.empty()) throw Error({source, option, "nothing", "where to"});
  return read_published(source);
}

namespace {

struct Options {
  std::string source;
  std::string directory;
};

void report(const Options& options) {
  print_report(results_at(options.source, "--out", options.directory),
               options.directory.empty() ? options.source : options.directory);
}

}  // namespace

void add_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "report", "a study's report: DIR/report.html, and its figures as SVG, PNG and PDF");
  command
      ->add_option("DIR", options->source,
                   "a directory that armature run works in, or a file of published results")
      ->required();
  command->add_option("--out,-o", options->directory, "where to [DIR]");
  command->footer(
      "The page needs no network. It may be asked for while the study still runs: it\n"
      "then shows what is finished.\n\n"
      "Examples:\n"
      "  armature report runs/headline\n"
      "  armature report studies/results/headline.json --out page");
  command->callback([options] { report(*options); });
}

}  // namespace armature::cli
