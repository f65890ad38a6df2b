#include "armature/report.h"

#include <fmt/format.h>

#include "cli/command.h"

namespace armature::cli {

void print_report(const StudyResult& result, const std::string& directory) {
  const WrittenReport report = write_report(result, directory);
  if (!report.note.empty()) fmt::print(stderr, "armature: {}\n", report.note);
  fmt::print("{}\n", report.page);
}

void add_report(CLI::App& app) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "report", "a study's report: DIR/report.html, and its figures as SVG, PNG and PDF");
  command->add_option("DIR", *directory, "a directory that armature run works in")->required();
  command->footer(
      "The page needs no network. It may be asked for while the study still runs: it then shows\n"
      "what is finished.");
  command->callback([directory] { print_report(read_results(*directory), *directory); });
}

}  // namespace armature::cli
