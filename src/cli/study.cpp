// Studies from the command line: check a file, run it, look how far a run is, take the data out.
#include "armature/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "armature/error.h"
#include "armature/report.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/job.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cuda/open.h"
#include "options/long_work.h"
#include "report/table.h"
#include "study/batch_job.h"
#include "study/stage.h"

namespace armature::cli {
namespace {

// What a person would want to be asked about first.
constexpr std::size_t kManyCells = 5000;
constexpr std::size_t kMostCells = 1'000'000;

struct CheckOptions {
  std::string file;
  std::vector<std::string> overrides;
  bool quiet = false;
};

struct RunOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string directory;
  std::string threads = "0";
  std::string shard;
  bool yes = false;
  bool quiet = false;
};

struct ExportOptions {
  std::string directory;
  std::string to;
  bool csv = false;
  bool every_curve = false;
  bool latex = false;
  bool markdown = false;
  bool published = false;
};

// Replications of every cell in what runs first: the search, if there is one.
double first_replications(const StudyPlan& plan) {
  return searches_first(plan) ? plan.study.search->replications : plan.study.replications;
}

// One line per instance and horizon: the policies there and the time they are expected to take.
std::string plan_table(const StudyPlan& plan, const ExpectedSeconds& seconds) {
  TextTable table({"instance", "role", "|A|", "|Z|", "T", "policies", "time"});
  for (std::size_t i = 0; i < plan.cells.size();) {
    const PlannedCell& first = plan.cells[i];
    std::size_t end = i;
    double work = 0;
    for (; end < plan.cells.size() && plan.cells[end].same_world(first); ++end)
      work += seconds.on_cores[end] + seconds.on_device[end];
    table.add({first.instance_label, first.role, fmt::format("{}", first.actions),
               fmt::format("{}", first.contexts), fmt::format("{}", first.horizon),
               fmt::format("{}", end - i), time_text(work * first_replications(plan))});
    i = end;
  }
  return table.print(screen());
}

std::string plan_total(const StudyPlan& plan, const ExpectedSeconds& seconds) {
  const auto line = [&](std::size_t cells, double replications, double cores, double device) {
    const std::string there =
        seconds.accelerator.empty()
            ? ""
            : fmt::format(" and {} of {}", time_text(device), visible(seconds.accelerator));
    return prose(fmt::format("{} cells × {} replications; about {} of one core{}, estimated from a "
                             "short trial",
                             cells, replications, time_text(cores), there),
                 screen());
  };
  const WorkEstimate cores = estimate_work(plan, seconds.on_cores);
  const WorkEstimate device = estimate_work(plan, seconds.on_device);
  if (!searches_first(plan))
    return line(plan.cells.size(), plan.study.replications, cores.study, device.study);
  return "search: " +
         line(plan.cells.size(), plan.study.search->replications, cores.search, device.search) +
         "then the worst: " +
         line(search_choices(plan).size(), plan.study.replications, cores.study, device.study);
}

void check(const CheckOptions& options) {
  const StudyPlan plan = planned(options.file, options.overrides, true);
  // By the cores alone: a study may be checked where its device is not.
  const ExpectedSeconds seconds{trial_seconds(plan), std::vector<double>(plan.cells.size())};
  std::string out;
  if (!options.quiet) out += write_study(plan.study) + "\n";
  out += plan_table(plan, seconds) + "\n" + plan_total(plan, seconds);
  emit(std::nullopt, out);
}

// `parts`: into how many shards the work is cut, of which one is done here.
void refuse_too_long(const RunOptions& options, const StudyPlan& plan,
                     const ExpectedSeconds& seconds, std::uint32_t parts) {
  double expected = 0;
  for (const auto& places : {seconds.on_cores, seconds.on_device}) {
    const WorkEstimate work = estimate_work(plan, places);
    expected += (work.search + work.study) / parts;
  }
  if (expected <= kLongSeconds) return;
  fmt::print(stderr, "{}{}", plan_table(plan, seconds), plan_total(plan, seconds));
  throw Error(
      {options.file, "estimated time",
       time_text(expected) + (parts > 1 ? fmt::format(" for each of {} shards", parts) : ""),
       fmt::format("at most {}, or --yes to run it all the same", time_text(kLongSeconds))});
}

// What the study in a directory keeps, or one of its shards.
FileTable kept_files(const std::string& directory, const std::optional<Shard>& shard) {
  FileTable files = stored_files(directory);
  if (files.empty() && shard) files = stored_files(directory, *shard);
  return files;
}

unsigned threads_option(const std::string& text) {
  return static_cast<unsigned>(whole_number("--threads", text, 0, 4096));
}

// A study that has begun may have nothing left for a device: then it is run_study's to ask for one.
ExpectedSeconds expected(const StudyPlan& plan, const std::string& directory, Crew* crew) {
  RunHooks hooks;
  hooks.crew = crew;
  hooks.accelerator = [] { return cuda::open_accelerator(cores_given()); };
  try {
    return expected_seconds(plan, hooks);
  } catch (const Error&) {
    std::error_code ignored;
    if (!std::filesystem::exists(directory, ignored)) throw;
    return {trial_seconds(plan), std::vector<double>(plan.cells.size())};
  }
}

void run_as_rank_zero(const RunOptions& options, Job& job) {
  job.gather(threads_option(options.threads), options.quiet);
  const std::string directory = options.directory.empty()
                                    ? "runs/" + std::filesystem::path(options.file).stem().string()
                                    : options.directory;
  std::optional<Shard> shard;
  if (!options.shard.empty()) shard = parse_shard(options.shard);
  // A run goes on when the files its instances name are gone: the store has kept them.
  const StudyPlan plan =
      planned(options.file, options.overrides, options.yes, kept_files(directory, shard));
  const ExpectedSeconds seconds = expected(plan, directory, job.crew());
  if (!options.yes) refuse_too_long(options, plan, seconds, shard ? shard->of : 1);
  job.listen();
  try {
    run_with_progress(plan, directory, {options.threads, options.quiet, job.crew(), shard},
                      seconds.on_cores);
  } catch (const ranks::JobEnded& how) {
    job.ended(how);
  }
  job.end();
  if (options.quiet || shard) return;
  emit(std::nullopt, "\n");
  print_answer(read_results(directory));
}

// Ranks that only compute for another know nothing of what rank 0 does.
void run(const RunOptions& options) {
  Job job(options.shard);
  try {
    run_as_rank_zero(options, job);
  } catch (const Error& error) {
    job.complain_before_the_end(error);
  } catch (const std::bad_alloc&) {
    throw;  // all is well between ranks
  } catch (const std::exception& error) {
    job.lines_failed(error);
  }
}

// Which of two stages is being told of.
std::string stage_words(const StudyStatus& status) {
  if (status.searching) return "search: ";
  if (status.searched == 0) return "";
  return fmt::format("search finished, {} replications; the worst cells: ", status.searched);
}

// Never 100% before the end.
std::string share_text(std::uint64_t done, std::uint64_t total) {
  return fmt::format("{}%", total == 0 ? 100 : 100 * done / total);
}

// Cell by cell only what is still missing: of what is finished nobody wants a list.
std::string unfinished_table(const StudyStatus& status) {
  TextTable table({"instance", "T", "policy", "replications"});
  std::size_t finished = 0;
  for (const PlannedCell& cell : status.plan.cells) {
    const std::uint32_t done = status.replications[cell.id];
    if (done == status.plan.study.replications)
      ++finished;
    else
      table.add({cell.instance_label, fmt::format("{}", cell.horizon), cell.policy_label,
                 fmt::format("{} of {}", done, status.plan.study.replications)});
  }
  const std::size_t cells = status.plan.cells.size();
  if (finished == cells) return "";
  return finished == 0 ? table.print(screen()) + "\n"
                       : fmt::format("{} of {} cells are finished; not yet:\n\n{}\n", finished,
                                     cells, table.print(screen()));
}

// "running on node3 (process 12), 1.2e+08 rounds/s, 3 min 07 s left".
std::string worker_words(const StudyStatus& status) {
  if (!status.worker) return "not running; armature run goes on from here";
  const StudyWorker& worker = *status.worker;
  const std::string where =
      "on " + visible(worker.host) +
      (worker.process > 0 ? fmt::format(" (process {})", worker.process) : "");
  if (!status.running)
    return fmt::format("silent for {} {}; armature run takes over from a run that has died",
                       time_text(worker.silent_seconds), where);
  std::vector<std::string> words{"running " + where};
  if (worker.progress && worker.progress->seconds > 0 && worker.progress->share > 0) {
    const Progress& now = *worker.progress;
    words.push_back(fmt::format("{:.3g} rounds/s", now.rounds_done / now.seconds));
    words.push_back(time_text(now.seconds * (1 - now.share) / now.share) + " left");
  }
  return join(words, ", ");
}

// Of a run whose store only it can open.
std::string hidden_status(const StudyStatus& status) {
  std::string out;
  if (status.worker->progress) {
    const Progress& now = *status.worker->progress;
    out = fmt::format("{}{} of {} replications ({}), ", now.searching ? "search: " : "",
                      now.replications_done, now.replications_total,
                      share_text(now.replications_done, now.replications_total));
  }
  return out + worker_words(status) + "\n";
}

void status(const std::string& directory) {
  if (print_shards_status(directory)) return;
  const StudyStatus status = study_status(directory);
  if (status.hidden) {
    emit(std::nullopt, hidden_status(status));
    return;
  }
  const Study& study = status.plan.study;
  const std::uint64_t done =
      std::accumulate(status.replications.begin(), status.replications.end(), std::uint64_t{0});
  const std::uint64_t total = std::uint64_t{study.replications} * status.plan.cells.size();
  const bool finished = done == total && !status.searching;
  std::string out = study.title.empty() ? "" : prose(study.title, screen());
  if (!finished) out += (out.empty() ? "" : "\n") + unfinished_table(status);
  out += fmt::format("{}{} cells, {} of {} replications ({}), {}\n", stage_words(status),
                     status.plan.cells.size(), done, total, share_text(done, total),
                     finished ? "finished" : worker_words(status));
  if (finished)
    out += fmt::format("What came out: armature show {}\n", visible(shell_word(directory)));
  emit(std::nullopt, out);
}

// What is published of a search says that its worlds were the worst found; a list of cells in a
// study file is nobody's search.
StudyResult results_to_publish(const std::string& directory) {
  if (!chosen_by_its_search(directory))
    throw Error({directory, "search", "cells that no search in DIR/search has chosen",
                 "what armature run leaves of a study without `chosen`"});
  return read_results(directory);
}

void export_results(const ExportOptions& options) {
  if (options.markdown) {
    const std::string file = !options.to.empty() ? options.to : options.directory + "/regret.md";
    const StudyResult result = results_at(options.directory, "--to", options.to);
    // A study that asks questions is first of all their answers.
    const std::string answers =
        result.plan.study.verdicts.empty() ? "" : verdict_section(result, {}) + "\n";
    write_file(file, answers + study_markdown(result));
    emit(std::nullopt, visible(file) + "\n");
    return;
  }
  if (options.latex) {
    const std::string file = !options.to.empty() ? options.to : options.directory + "/regret.tex";
    write_file(file, study_latex(results_at(options.directory, "--to", options.to)));
    emit(std::nullopt, visible(file) + "\n");
    return;
  }
  if (options.published) {
    const std::string file =
        !options.to.empty() ? options.to : options.directory + "/published.json";
    publish(results_to_publish(options.directory), file);
    emit(std::nullopt, visible(file) + "\n");
    return;
  }
  const std::string target = !options.to.empty() ? options.to : options.directory + "/csv";
  export_csv(options.directory, target, options.every_curve);
  emit(std::nullopt, visible(target) + "\n");
}

}  // namespace

StudyPlan planned(const std::string& file, const std::vector<std::string>& overrides, bool yes,
                  const FileTable& kept) {
  const Study study = read_study_file(file, overrides, kept);
  try {
    return plan_study(study, yes ? kMostCells : kManyCells);
  } catch (const Error& error) {
    if (error.report().field == "cells" && !yes)
      throw Error({file, "cells", error.report().value,
                   error.report().expected + ", or --yes to run it all the same"});
    throw error.in_file(file);
  }
}

void run_with_progress(const StudyPlan& plan, const std::string& directory, const RunStyle& style,
                       const std::vector<double>& seconds) {
  RunHooks hooks;
  hooks.threads = threads_option(style.threads);
  hooks.crew = style.crew;
  hooks.accelerator = [] { return cuda::open_accelerator(cores_given()); };
  // Of several ranks SIGTERM is another matter: cli/job.h.
  hooks.stop = &(style.crew ? stop_on_interrupt() : stop_on_interrupt_or_end());
  if (!style.quiet) hooks.notice = notice;
  StudyOutcome outcome;
  {
    ProgressLine line(style.quiet, ProgressLine::InPipe::kPlainLines);
    hooks.progress = line.hook();
    outcome = style.shard ? run_shard(plan, directory, *style.shard, hooks, seconds)
                          : run_study(plan, directory, hooks, seconds);
  }
  if (!outcome.complete) {
    fmt::print(stderr, "armature: interrupted; the same command goes on from here\n");
    throw ExitStatus{interrupted_status()};
  }
  if (style.quiet) return;
  const std::string found =
      outcome.merged ? (has_shards(directory) ? "merged already; nothing to do"
                                              : "a whole study; nothing to do")
      : outcome.computed == 0
          ? "finished already; nothing to do"
          : fmt::format("finished, {} computed", counted(outcome.computed, "replication"));
  if (!style.shard) {
    fmt::print("{}: {}\n", visible(directory), found);
    return;
  }
  fmt::print("{}: {}shard {} of {}: {}\n", visible(directory), outcome.searching ? "search, " : "",
             style.shard->number, style.shard->of, found);
  if (!outcome.merged)
    fmt::print(
        "{}: armature merge {}\n",
        style.shard->of == 1 ? "Now" : fmt::format("When all {} are finished", style.shard->of),
        visible(shell_word(directory)));
}

void add_study(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* study = app.add_subcommand("study", "study files");
  study->require_subcommand(1);
  study->footer(
      "Examples:\n"
      "  armature study check studies/headline.toml\n"
      "  armature study check studies/comparison.toml --quiet");
  CLI::App* command = study->add_subcommand(
      "check", "validate a study file, show it with all defaults, and what it comes to");
  command->add_option("FILE", options->file, "a study (TOML; docs/studies.md)")->required();
  command->add_option("KEY=VALUE", options->overrides, "replace top-level values");
  command->add_flag("--quiet,-q", options->quiet, "the plan only, not the study itself");
  command->footer(
      "Examples:\n"
      "  armature study check studies/headline.toml\n"
      "  armature study check studies/headline.toml replications=5 --quiet");
  command->callback([options] { check(*options); });
}

void add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand(
      "run", "run a study into a directory; the same command again goes on where it ended");
  command->add_option("FILE", options->file, "a study (TOML; docs/studies.md)")->required();
  command->add_option("KEY=VALUE", options->overrides,
                      "replace top-level values: replications=20 horizons=[1e4,1e5]");
  command->add_option("--out,-o", options->directory, "the study's directory [runs/FILE's stem]");
  command
      ->add_option("--threads,-j", options->threads,
                   "of each process; 0: one per core; results do not depend on it")
      ->capture_default_str();
  command->add_option("--shard", options->shard,
                      "compute only this part of the study, 3/40, into DIR/shards; slurm: that of "
                      "this task of a Slurm array");
  command->add_flag("--yes,-y", options->yes, "run it even if it is very large");
  command->add_flag("--quiet,-q", options->quiet, "no progress, and no answer at the end");
  command->footer(
      "Ctrl-C, kill or a power cut cost at most the blocks at work, about a second\n"
      "each. Then: armature show DIR, armature report DIR, armature export DIR --csv,\n"
      "armature status DIR\n\n"
      "Under mpirun, or srun --mpi=pmix, the ranks share the work (docs/cluster.md).\n"
      "Exit status: 0 finished, 2 bad input, 130 and 143 stopped by SIGINT and SIGTERM.\n\n"
      "On many machines that share a disk, each computes a shard; which replications\n"
      "belong to it follows from the study and the number of shards alone. Then:\n"
      "armature merge DIR\n\n"
      "Examples:\n"
      "  armature run studies/headline.toml replications=2 horizons=1000\n"
      "  armature run studies/delay.toml replications=2 horizons=1000 \\\n"
      "               'delay=[0,100]' --out runs/small --quiet\n"
      "  armature run studies/headline.toml replications=2 horizons=1000 \\\n"
      "               --shard 1/2 --out runs/cut\n"
      "  armature run studies/headline.toml replications=2 horizons=1000 \\\n"
      "               --shard 2/2 --out runs/cut");
  command->callback([options] { run(*options); });
}

void add_status(CLI::App& app) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("status", "how far the study in a directory is");
  command
      ->add_option("DIR", *directory,
                   "a directory that armature run, run --shard or submit works in")
      ->required();
  command->footer(
      "Examples:\n"
      "  armature status runs/headline\n"
      "  armature status runs/small");
  command->callback([directory] { status(*directory); });
}

void add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "a study's results as CSV files, LaTeX or Markdown tables, or one small file");
  command
      ->add_option("DIR", options->directory,
                   "a directory that armature run has left; for tables also a file of published "
                   "results")
      ->required();
  command->add_option("--to", options->to,
                      "where to [DIR/csv, DIR/regret.tex, DIR/regret.md or DIR/published.json]");
  CLI::Option* csv = command->add_flag("--csv", options->csv, "CSV files (the default)");
  CLI::Option* every_curve = command->add_flag(
      "--replications", options->every_curve,
      "CSV: also replication_curves.csv, the regret of every replication at every checkpoint");
  CLI::Option* latex =
      command->add_flag("--latex", options->latex, "one file of tables for \\input")
          ->excludes(csv)
          ->excludes(every_curve);
  CLI::Option* markdown =
      command->add_flag("--markdown", options->markdown, "one file of tables, one per horizon")
          ->excludes(csv)
          ->excludes(every_curve)
          ->excludes(latex);
  command
      ->add_flag("--published", options->published,
                 "one JSON file for version control: what figures, tables and verdicts need")
      ->excludes(markdown)
      ->excludes(csv)
      ->excludes(latex)
      ->excludes(every_curve);
  command->footer(
      "Examples:\n"
      "  armature export runs/headline --csv\n"
      "  armature export runs/headline --markdown --to regret.md");
  command->callback([options] { export_results(*options); });
}

}  // namespace armature::cli
