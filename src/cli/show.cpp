// What came out of a study, on the terminal: the answer, or every number.
#include <fmt/format.h>

#include <filesystem>

#include "armature/report.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "report/table.h"

namespace armature::cli {
namespace {

struct Options {
  std::string source;
  bool table = false;
};

std::string title_lines(const StudyResult& result) {
  const std::string& title = result.plan.study.title;
  std::string lines = title.empty() ? "" : prose(title, screen());
  if (!result.complete)
    lines += fmt::format("Not finished: {} of {} replications.\n", result.replications_done,
                         result.replications_total);
  return lines.empty() ? "" : lines + "\n";
}

void show(const Options& options) {
  const StudyResult result = std::filesystem::is_regular_file(options.source)
                                 ? read_published(options.source)
                                 : read_results(options.source);
  if (!options.table) {
    print_answer(result);
    return;
  }
  const std::string words = study_words(result);
  emit(std::nullopt, title_lines(result) + study_table(result, screen()) +
                         (words.empty() ? "" : "\n" + prose(words, screen())));
}

}  // namespace

void print_answer(const StudyResult& result) {
  emit(std::nullopt, title_lines(result) + study_answer(result, screen()));
}

void add_show(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("show", "what came out of a study: policies by worlds, and a sentence");
  command
      ->add_option("DIR", options->source,
                   "a directory that armature run works in, or a file of published results")
      ->required();
  command->add_flag("--table,-t", options->table,
                    "mean regrets with their errors and 95% quantiles at every horizon instead");
  command->footer(
      "It may be asked for while the study still runs: it then shows what is finished.\n\n"
      "Examples:\n"
      "  armature show runs/headline\n"
      "  armature show studies/results/comparison.json");
  command->callback([options] { show(*options); });
}

}  // namespace armature::cli
