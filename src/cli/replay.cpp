#include "armature/replay.h"

#include <fmt/format.h>

#include <cmath>

#include "armature/report.h"
#include "base/text.h"
#include "cli/log_options.h"
#include "cli/setting_options.h"
#include "cli/terminal.h"
#include "report/table.h"

namespace armature::cli {
namespace {

struct Options {
  LogArguments log;
  std::vector<std::string> policies;
  std::vector<std::string> always;
  std::string method;
  bool uniform = false;
  bool benign = false;
  std::string least_propensity;
  std::string horizon;
  std::string level = "0.95";
  std::string bootstrap = "0";
  std::string seed = "1";
  std::string format = "table";
  std::optional<std::string> output;
};

// --- For people ----------------------------------------------------------------------------------

std::string count_text(double number) { return grouped(std::round(number)); }

std::string number_text(double value, const Interval& interval) {
  if (std::isnan(value)) return "unknown";
  return rounded(value, (interval.high - interval.low) / 4);
}

std::string interval_text(const Interval& interval) {
  const double error = (interval.high - interval.low) / 4;
  return rounded(interval.low, error) + " to " + rounded(interval.high, error);
}

std::string signed_text(double value, const Interval& interval) {
  const std::string text = number_text(value, interval);
  return value > 0 ? "+" + text : text;
}

std::string percent_text(double level) { return fmt::format("{:.6g}%", 100 * level); }

std::string table_of(const ReplayAnswer& answer, double level, const Screen& on) {
  const std::string interval = percent_text(level) + " interval";
  TextTable table(
      {"policy", "method", "value", interval, "against the log", interval, "rounds", "as good as"});
  table.words(1).optional(6).optional(7);
  for (const ReplayValue& value : answer.values)
    table.add({value.policy, replay_method_name(value.method),
               number_text(value.value, value.interval), interval_text(value.interval),
               signed_text(value.difference, value.difference_interval),
               interval_text(value.difference_interval),
               count_text(static_cast<double>(value.rounds)), count_text(value.effective_rows)});
  return table.print(on);
}

// What was done, what came out, and whether it can be told from the log.
std::string sentence_of(const ReplayValue& value, const ReplayAnswer& answer) {
  if (std::isnan(value.value)) return value.policy + ": the log tells nothing of it.";
  const double share = static_cast<double>(value.rounds) / static_cast<double>(answer.rows);
  std::string text = value.policy;
  if (value.method == ReplayMethod::kRejection)
    text +=
        fmt::format(" was at work for {} rounds, on {:.3g}% of the log, and earned {} per round",
                    count_text(static_cast<double>(value.rounds)), 100 * share,
                    number_text(value.value, value.interval));
  else if (value.horizon)
    text += fmt::format(
        ", watching the whole log and learning from it, decides what earns {} per round",
        number_text(value.value, value.interval));
  else
    text += fmt::format(" earns {} per round", number_text(value.value, value.interval));
  if (value.method != ReplayMethod::kRejection)
    text += fmt::format(" (the log is as good as {} rows of its own)",
                        count_text(value.effective_rows));
  const Interval& gap = value.difference_interval;
  const double error = (gap.high - gap.low) / 4;
  if (gap.low > 0)
    return text + fmt::format(": more than the log, by at least {}.", rounded(gap.low, error));
  if (gap.high < 0)
    return text + fmt::format(": less than the log, by at least {}.", rounded(-gap.high, error));
  return text + ": not told apart from the log by these rows.";
}

std::string text_of(const ReplayAnswer& answer, const ReplayQuestion& question,
                    const LogFacts& facts, const Screen& on) {
  std::string text =
      prose(fmt::format("{} {} actions, {} contexts. The log earned {} per round ({} interval {}).",
                        log_paragraph(facts), answer.actions.size(), answer.contexts.size(),
                        number_text(answer.log_value, answer.log_interval),
                        percent_text(question.level), interval_text(answer.log_interval)),
            on) +
      "\n" + table_of(answer, question.level, on) + "\n";
  for (const ReplayValue& value : answer.values) text += prose(sentence_of(value, answer), on, 2);
  bool warned = false;
  const auto warn = [&](const std::string& warning) {
    text += (warned ? "" : "\nWarnings\n") + prose("  - " + warning, on, 4);
    warned = true;
  };
  for (const std::string& warning : answer.warnings) warn(warning);
  for (const ReplayValue& value : answer.values)
    for (const std::string& warning : value.warnings) warn(value.policy + ": " + warning);
  text += "\n";
  for (const std::string& note : answer.notes) text += prose(note, on);
  if (question.resamples > 0)
    text += prose(fmt::format("Intervals: bootstrap, {} resamples, seed {}.", question.resamples,
                              question.seed),
                  on);
  else
    text += prose("Intervals: empirical Bernstein, each by itself.", on);
  return text + prose("What each number means, and when not to believe it: docs/replay.md.", on);
}

// --- For programs --------------------------------------------------------------------------------

std::string csv_of(const ReplayAnswer& answer) {
  std::string csv =
      "policy,method,value,low,high,difference,difference_low,difference_high,rounds,rows,"
      "effective_rows,largest_weight,unseen\n";
  const auto real = [](double number) { return std::isnan(number) ? "" : print_real(number); };
  for (const ReplayValue& value : answer.values)
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(value.policy),
                       replay_method_name(value.method), real(value.value),
                       real(value.interval.low), real(value.interval.high), real(value.difference),
                       real(value.difference_interval.low), real(value.difference_interval.high),
                       value.rounds, answer.rows, real(value.effective_rows),
                       real(value.largest_weight), real(value.unseen));
  return csv;
}

// --- The command ---------------------------------------------------------------------------------

ReplayQuestion question_from(const Options& options, const LogOptions& log) {
  ReplayQuestion question;
  for (const std::string& policy : options.policies) question.candidates.push_back({policy});
  for (const std::string& action : options.always) question.candidates.push_back({"", action});
  if (question.candidates.empty())
    throw Error({"", "--policy", "nothing", "at least one --policy or --always ACTION"});
  for (const ReplayCandidate& candidate : question.candidates)
    if (candidate.action.empty())  // before a long log is read
      find_policy(candidate.policy.substr(0, candidate.policy.find(':')));
  if (!options.method.empty()) question.method = replay_method_named(options.method);
  question.uniform = options.uniform;
  question.benign = options.benign;
  const std::string probability = "a number above 0 and at most 1";
  if (!options.least_propensity.empty()) {
    question.least_propensity =
        real_number("--least-propensity", options.least_propensity, probability);
    if (!(*question.least_propensity > 0 && *question.least_propensity <= 1))
      throw Error({"", "--least-propensity", "'" + options.least_propensity + "'", probability});
  }
  question.given = log.problem;
  question.horizon = horizon_option(options.horizon);
  const std::string share = "a number from 0.5 to 0.999999";
  question.level = real_number("--level", options.level, share);
  if (!(question.level >= 0.5 && question.level <= 0.999999))
    throw Error({"", "--level", "'" + options.level + "'", share});
  question.resamples =
      static_cast<std::uint32_t>(whole_number("--bootstrap", options.bootstrap, 0, 100000));
  if (question.resamples > 0 && question.resamples * (1 - question.level) < 2)
    throw Error({"", "--bootstrap", "'" + options.bootstrap + "'",
                 fmt::format("0, or enough resamples for this level: {} or more",
                             std::ceil(2 / (1 - question.level)))});
  question.seed = whole_number("--seed", options.seed, 0, UINT64_MAX);
  question.source = options.log.file;
  return question;
}

void run(const Options& options) {
  require_apart(files_read(options.log), {{"--output", options.output}});
  LogProgress progress(options.log.quiet);
  const LogOptions reading = log_options_of(options.log, progress);
  const ReplayQuestion question = question_from(options, reading);
  const std::unique_ptr<Log> log = open_log(options.log.file, reading);
  const ReplayAnswer answer = replay(*log, question);
  emit(options.output, options.format == "json" ? replay_json(answer, question, log->facts())
                       : options.format == "csv"
                           ? csv_of(answer)
                           : text_of(answer, question, log->facts(), screen(options.output)));
}

}  // namespace

void add_replay(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "replay", "what a policy would have earned, told from a log of another's decisions");
  add_log_options(*command, options->log);
  command->add_option("--policy,-p", options->policies,
                      "name:key=value,… (armature policies); may be repeated");
  command->add_option("--always", options->always,
                      "one action for ever, by its name in the log; may be repeated");
  command->add_option(
      "--method,-m", options->method,
      "rejection (a run on a part of the log), ips, snips or dr (all rows, weighted); "
      "unless given: dr for what never learns, rejection for all others");
  command->add_flag("--uniform", options->uniform,
                    "every action was drawn with the same probability");
  command->add_option("--least-propensity", options->least_propensity,
                      "promise: no action ever had a smaller probability (the smallest logged)");
  command->add_flag("--benign", options->benign,
                    "dr's model of rewards goes by contexts: narrower if Z carries the effect");
  command->add_option("--horizon,-T", options->horizon,
                      "told to policies (the rows of the log, or those rejection should keep)");
  command->add_option("--level", options->level, "of the intervals")->capture_default_str();
  command
      ->add_option("--bootstrap", options->bootstrap, "so many resamples; 0: empirical Bernstein")
      ->capture_default_str();
  command->add_option("--seed,-s", options->seed, "of policies, kept rows and resamples")
      ->capture_default_str();
  add_output_options(*command, {"table", "csv", "json"}, options->format, options->output);
  command->footer(
      "Examples:\n"
      "  armature replay examples/logs/campaigns.csv --policy sentry --policy ucb\n"
      "  armature replay examples/logs/campaigns.csv --always spring --method snips");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
