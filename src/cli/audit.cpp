#include "armature/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "armature/advice.h"
#include "armature/error.h"
#include "armature/report.h"
#include "base/file.h"
#include "base/mathematics.h"
#include "base/text.h"
#include "cli/log_options.h"
#include "cli/progress.h"
#include "cli/setting_options.h"
#include "cli/terminal.h"
#include "report/audit_page.h"
#include "report/table.h"

namespace armature::cli {
namespace {

struct Options {
  LogArguments log;
  std::string horizon;
  std::string level = "0.05";
  std::string violation;
  std::string seed = "1";
  std::string threads = "0";
  bool no_advice = false;
  std::optional<std::string> problem;
  std::optional<std::string> report;
  std::string format = "table";
  std::optional<std::string> output;
};

// What the exit status tells scripts.
int status_of(AuditVerdict verdict) {
  switch (verdict) {
    case AuditVerdict::kNotRejected:
      return 0;
    case AuditVerdict::kRejected:
      return 1;
    case AuditVerdict::kTooLittle:
      break;
  }
  return 3;
}

// --- In words ------------------------------------------------------------------------------------

std::string lines(const Screen& on, const std::string& first, const std::string& text) {
  return wrapped(visible(text), prose_columns(on), first, std::string(display_width(first), ' ')) +
         "\n";
}

std::string situation_of(const AuditAnswer& answer, const LogFacts& facts) {
  return log_paragraph(facts) +
         fmt::format(" {} actions, {} contexts, rewards {}, decisions {}.", answer.actions.size(),
                     answer.contexts.size(), answer.binary ? "of 0 and 1" : "in [0,1]",
                     answer.adaptive ? "of a learning policy" : "that did not learn");
}

std::string context_table(const AuditAnswer& answer, const Screen& on) {
  TextTable table({"context", "rows", "actions", "mean", "would show", "p", "Holm's p", "test"});
  table.words(7).optional(3).optional(2);
  constexpr std::size_t kShown = 12;
  for (const std::size_t z : contexts_shown(answer, kShown)) {
    const AuditContextAnswer& context = answer.of_contexts[z];
    const bool tested = context.method != "none";
    table.add({answer.contexts[z], grouped(static_cast<double>(context.rows)),
               fmt::format("{}", context.actions), fmt::format("{:.3g}", context.mean),
               context.smallest ? fmt::format("{:.2g}", *context.smallest) : "–",
               tested ? fmt::format("{:.2g}", context.p_value) : "–",
               tested ? fmt::format("{:.2g}", context.adjusted) : "–", context.method});
    if (tested && context.adjusted <= answer.question.level) table.style(6, Style::kBold);
  }
  std::string text = table.print(on);
  if (answer.contexts.size() > kShown)
    text += fmt::format("… and {} more (shown are those that differ, then those with most rows)\n",
                        answer.contexts.size() - kShown);
  return text;
}

std::string breaks_text(const AuditAnswer& answer, const Screen& on) {
  constexpr std::size_t kShown = 5;
  if (answer.breaks.size() < 2) return "";
  std::string text = "\nWhere it breaks\n";
  for (std::size_t i = 0; i < std::min(answer.breaks.size(), kShown); ++i)
    text += lines(on, "  - ",
                  break_words(answer, answer.breaks[i]) +
                      fmt::format(" (Holm's p {:.2g})", answer.breaks[i].adjusted));
  if (answer.breaks_found > kShown)
    text += fmt::format("  … and {} more (--format json has the surest {})\n",
                        answer.breaks_found - kShown, answer.breaks.size());
  return text;
}

std::string advice_text(const AdviceAnswer& advice, const Screen& on) {
  std::string text =
      "\nStart with  " + visible(advice.policy) + "\n" + lines(on, "", advice.because);
  text += lines(on, "",
                fmt::format("(Over {} rounds, {}; by simulation: armature advise.)",
                            grouped(advice.question.setting.horizon),
                            advice.question.leaning == Leaning::kDistrust
                                ? "Z not relied on"
                                : "Z neither trusted nor ruled out"));
  return text;
}

std::string text_of(const AuditAnswer& answer, const std::optional<AdviceAnswer>& advice,
                    const LogFacts& facts, const Options& options, const Screen& on) {
  const std::vector<std::string> words = audit_words(answer);
  std::string text = lines(on, "", situation_of(answer, facts)) + "\n";
  const std::string verdict = lines(on, "", words.front());
  text += styled(verdict.substr(0, verdict.size() - 1), Style::kBold, on) + "\n\n";
  for (std::size_t i = 1; i < words.size(); ++i) text += lines(on, "- ", words[i]);
  text += "\n" + context_table(answer, on) + breaks_text(answer, on);
  if (!answer.warnings.empty()) text += "\nBe careful\n";
  for (const std::string& warning : answer.warnings) text += lines(on, "  - ", warning);
  if (advice) text += advice_text(*advice, on);
  if (options.problem)
    text += "\n" + lines(on, "", "Marginals, names and ε are in " + *options.problem + ".");
  return text + "\n" +
         lines(on, "", "What each test assumes, and when not to believe it: docs/audit.md.");
}

constexpr double kLeastLevel = 1e-6;

// --- The command ---------------------------------------------------------------------------------

AuditQuestion question_from(const Options& options) {
  AuditQuestion question;
  const auto share = [](const char* option, const std::string& text) {
    const double value = real_number(option, text, "a number in (0,1)");
    if (!(value > 0 && value < 1)) throw Error({"", option, "'" + text + "'", "a number in (0,1)"});
    return value;
  };
  question.level = share("--level", options.level);
  if (question.level < kLeastLevel)
    throw Error({"", "--level", "'" + options.level + "'",
                 "1e-6 or more: tests by drawing show nothing rarer"});
  if (!options.violation.empty()) question.violation = share("--violation", options.violation);
  question.horizon = horizon_option(options.horizon);
  question.seed = whole_number("--seed", options.seed, 0, UINT64_MAX);
  return question;
}

std::optional<AdviceAnswer> advice_for(const AuditAnswer& answer, const Options& options) {
  if (options.no_advice) return std::nullopt;
  RunHooks hooks;
  hooks.threads = static_cast<unsigned>(whole_number("--threads", options.threads, 0, 4096));
  hooks.stop = &stop_on_interrupt();
  ProgressLine line(options.log.quiet);
  hooks.progress = line.hook();
  AdviceAnswer advice = advise(advice_question(answer), hooks);
  if (!advice.complete) {
    complain("interrupted; --no-advice audits without the simulation");
    throw ExitStatus{130};
  }
  return advice;
}

struct Audited {
  AuditAnswer answer;
  LogFacts facts;
};

Audited audited(const Options& options) {
  AuditQuestion question = question_from(options);
  LogProgress progress(options.log.quiet);
  question.progress = progress.testing();
  const std::unique_ptr<Log> log =
      open_log(options.log.file, log_options_of(options.log, progress));
  try {
    AuditAnswer answer = audit(*log, question);
    return {std::move(answer), log->facts()};
  } catch (const Error& error) {
    throw error.report().file.empty() ? error.in_file(log->facts().file) : error;
  }
}

void run(const Options& options) {
  require_apart(
      files_read(options.log),
      {{"--write", options.problem}, {"--report", options.report}, {"--output", options.output}});
  for (const std::optional<std::string>& file : {options.problem, options.report, options.output})
    if (file) require_writable(*file);
  if (options.report) require_audit_page();
  const auto [answer, facts] = audited(options);
  const std::optional<AdviceAnswer> advice = advice_for(answer, options);
  LogFacts named = facts;  // the page goes to others, whom our folders do not concern
  named.file = std::filesystem::path(facts.file).filename().string();
  if (options.problem) write_file(*options.problem, write_problem(answer.problem()));
  if (options.report)
    write_file(*options.report, audit_page({.answer = answer,
                                            .source = named.file,
                                            .rows_skipped = facts.rows_read - facts.rows_used,
                                            .reading = log_sentences(named),
                                            .policy = advice ? advice->policy : "",
                                            .because = advice ? advice->because : ""}));
  emit(options.output, options.format == "json"
                           ? audit_json(answer, facts, advice)
                           : text_of(answer, advice, facts, options, screen(options.output)));
  if (const int status = status_of(answer.verdict); status != 0) throw ExitStatus{status};
}

}  // namespace

void add_audit(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "audit",
      "can the contexts of a log be trusted? Exit status 0 not rejected, 1 rejected, 3 too "
      "little data");
  add_log_options(*command, options->log);
  command->add_option("--horizon,-T", options->horizon,
                      "rounds planned: what the marginals and the policy are judged for");
  command->add_option("--level", options->level, "how often a separator may be rejected by mistake")
      ->capture_default_str();
  command->add_option("--violation", options->violation,
                      "shift of rewards that must show, else it is too little data; default 0.4 of "
                      "their standard deviation");
  command->add_option("--write", options->problem,
                      "write marginals, names and ε as a problem file: for simulate --given");
  command->add_option("--report", options->report, "write an HTML page with figures");
  command->add_flag("--no-advice", options->no_advice, "no recommendation, which is simulated");
  command->add_option("--seed,-s", options->seed, "of all that is drawn")->capture_default_str();
  command->add_option("--threads,-j", options->threads, "0: one per core; the answer is the same")
      ->capture_default_str();
  add_output_options(*command, {"table", "json"}, options->format, options->output);
  command->footer(
      "Examples:\n"
      "  armature audit examples/logs/mail-benign.csv --action campaign \\\n"
      "    --context opened,clicked --reward bought --propensity p\n"
      "  armature audit examples/logs/mail-benign.csv --action campaign \\\n"
      "    --context opened,clicked --reward bought --horizon 1e5 --report mail.html");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
