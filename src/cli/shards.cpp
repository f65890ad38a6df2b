// Studies that many machines compute in shards: how far they are, and putting them together.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "armature/error.h"
#include "armature/study.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "report/table.h"

namespace armature::cli {
namespace {

using State = ShardStatus::State;

struct MergeOptions {
  std::string directory;
  bool partial = false;
  bool quiet = false;
};

std::string merge_progress_text(const MergeProgress& progress) {
  return fmt::format("{} {} of {} shards", progress.checking ? "checked" : "merged", progress.done,
                     progress.total);
}

std::string merge_words(const MergeOptions& options, const MergeOutcome& outcome) {
  const std::string directory = visible(options.directory);
  std::string out = directory + ": " + (outcome.search ? "search " : "");
  if (outcome.already)
    out += "merged already; nothing to do\n";
  else if (outcome.left_out.empty())
    out += fmt::format("merged, {} replications\n", outcome.replications);
  else
    out += fmt::format("merged in part, {} replications; {} shards were not finished\n",
                       outcome.replications, outcome.left_out.size());
  if (!outcome.left_out.empty()) {
    out += fmt::format(
        "A look at it: armature show {0}. Shards can go on and be merged again, or "
        "armature run --out {0} computes the rest.\n",
        directory);
    return out;
  }
  if (outcome.search) {
    out += fmt::format(
        "{}/search/shards is no longer needed. Now the cells it chose: the same armature run "
        "--shard again.\n",
        directory);
    return out;
  }
  return out + fmt::format("{0}/shards is no longer needed. What came out: armature show {0}\n",
                           directory);
}

void merge(const MergeOptions& options) {
  MergeOutcome outcome;
  {
    ProgressLine line(options.quiet, ProgressLine::InPipe::kPlainLines);
    const auto start = std::chrono::steady_clock::now();
    outcome = merge_shards(options.directory, options.partial, [&](const MergeProgress& progress) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      line.show(passed.count(), [&](std::size_t) { return merge_progress_text(progress); });
    });
  }
  if (!options.quiet) emit(std::nullopt, merge_words(options, outcome));
}

}  // namespace

bool print_shards_status(const std::string& directory) { return directory.empty(); }

void add_merge(CLI::App& app) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* command =
      app.add_subcommand("merge", "put the shards of a study together, once all are finished");
  command->add_option("DIR", options->directory, "where armature run --shard has left them")
      ->required();
  command->add_flag("--partial", options->partial,
                    "merge what there is, though some are missing or unfinished");
  command->add_flag("--quiet,-q", options->quiet, "no progress, and no words at the end");
  command->footer(
      "Every shard is checked first. A merge that fails or is killed leaves nothing, and\n"
      "can be repeated. What comes out is the study as one machine would have run it,\n"
      "to the last byte of its export.\n\n"
      "Examples:\n"
      "  armature merge runs/cut\n"
      "  armature merge runs/cut --partial --quiet");
  command->callback([options] { merge(*options); });
}

}  // namespace armature::cli
