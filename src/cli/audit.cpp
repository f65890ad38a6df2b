#include "armature/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "armature/advice.h"
#include "armature/error.h"
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

using Json = nlohmann::ordered_json;

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

// --- For programs --------------------------------------------------------------------------------

template <class Value>
Json matrix_json(const AuditAnswer& answer, const Value& value) {
  Json rows = Json::array();
  for (std::size_t a = 0; a < answer.actions.size(); ++a) {
    Json row = Json::array();
    for (std::size_t z = 0; z < answer.contexts.size(); ++z)
      row.push_back(value(answer.cell(a, z)));
    rows.push_back(row);
  }
  return rows;
}

Json action_json(const AuditAnswer& answer, std::size_t a) {
  const AuditActionAnswer& action = answer.of_actions[a];
  Json json = {{"action", answer.actions[a]},
               {"rows", action.rows},
               {"radius_fixed", action.radius_fixed},
               {"radius_anytime", action.radius_anytime},
               {"smallest_violation", action.smallest ? Json(*action.smallest) : Json()}};
  if (answer.zone) json["further_plays"] = action.further_plays;
  return json;
}

Json context_json(const AuditAnswer& answer, std::size_t z) {
  const AuditContextAnswer& context = answer.of_contexts[z];
  return {{"context", answer.contexts[z]},
          {"rows", context.rows},
          {"actions", context.actions},
          {"mean", context.mean},
          {"test", context.method},
          {"p_value", context.p_value},
          {"adjusted_p_value", context.adjusted},
          {"draws", context.draws},
          {"standard_error", context.standard_error},
          {"log_e_value", context.log_evidence},
          {"smallest_violation", context.smallest ? Json(*context.smallest) : Json()}};
}

Json power_json(const AuditAnswer& answer) {
  Json points = Json::array();
  for (const PowerPoint& point : answer.power)
    points.push_back({{"violation", point.violation}, {"power", point.power}});
  return points;
}

Json marginals_json(const AuditAnswer& answer) {
  Json json = {{"epsilon", answer.epsilon}};
  if (!answer.zone) return json;
  json["horizon"] = *answer.question.horizon;
  json["harmless"] = *answer.harmless;
  json["worthless"] = *answer.worthless;
  json["worthless_regret"] = *answer.worthless_regret;
  json["zone"] = zone_name(*answer.zone);
  return json;
}

std::string json_of(const AuditAnswer& answer, const std::optional<AdviceAnswer>& advice,
                    const LogFacts& facts) {
  using Cell = AuditCellAnswer;
  const auto anytime = [&](const Interval& interval) {
    return answer.weighted ? Json() : interval_json(interval);
  };
  Json json = {
      {"verdict", verdict_name(answer.verdict)},
      {"words", audit_words(answer)},
      {"p_value", answer.p_value},
      {"rests_on", answer.rests_on},
      {"level", answer.question.level},
      {"rows_used", facts.rows_used},
      {"rows_skipped", facts.rows_read - facts.rows_used},
      {"weight", answer.rows},  // rows that these lines stand for
      {"adaptive", answer.adaptive},
      {"weighted", answer.weighted},
      {"binary", answer.binary},
      {"actions", answer.actions},
      {"contexts", answer.contexts},
      {"counts", matrix_json(answer, [](const Cell& c) { return c.rows; })},
      {"marginals", matrix_json(answer, [](const Cell& c) { return c.marginal; })},
      {"means", matrix_json(answer, [](const Cell& c) { return c.mean ? Json(*c.mean) : Json(); })},
      {"intervals",
       {{"delta", answer.question.delta},
        {"approximate", answer.weighted},
        {"marginals_fixed",
         matrix_json(answer, [](const Cell& c) { return interval_json(c.marginal_fixed); })},
        {"marginals_anytime",
         matrix_json(answer, [&](const Cell& c) { return anytime(c.marginal_anytime); })},
        {"means_fixed",
         matrix_json(answer, [](const Cell& c) { return interval_json(c.mean_fixed); })},
        {"means_anytime",
         matrix_json(answer, [&](const Cell& c) { return anytime(c.mean_anytime); })}}},
      {"smallest_p_value", answer.smallest_p},
      {"combined_p_value", answer.combined_p},
      {"log_e_value", answer.log_evidence},
      {"log_e_value_now", answer.log_evidence_now},
      {"tests", Json::array()},
      {"breaks", Json::array()},
      {"breaks_found", answer.breaks_found},
      {"share_through_context", answer.share.known
                                    ? Json{{"share", answer.share.through_context},
                                           {"interval", interval_json(answer.share.interval)},
                                           {"effect_deviation", answer.share.deviation}}
                                    : Json()},
      {"smallest_violation", answer.smallest ? Json(*answer.smallest) : Json()},
      {"violation", answer.violation},
      {"of_actions", Json::array()},
      {"power", power_json(answer)},
      {"marginals_known", marginals_json(answer)},
      {"log", log_json(facts)},
      {"warnings", answer.warnings}};
  for (std::size_t z = 0; z < answer.contexts.size(); ++z)
    json["tests"].push_back(context_json(answer, z));
  for (std::size_t a = 0; a < answer.actions.size(); ++a)
    json["of_actions"].push_back(action_json(answer, a));
  for (const AuditBreak& broken : answer.breaks)
    json["breaks"].push_back({{"action", answer.actions[broken.action]},
                              {"context", answer.contexts[broken.context]},
                              {"difference", broken.difference},
                              {"interval", interval_json(broken.interval)},
                              {"adjusted_p_value", broken.adjusted}});
  if (advice)
    json["advice"] = {{"policy", advice->policy},
                      {"because", advice->because},
                      {"horizon", static_cast<std::uint64_t>(advice->question.setting.horizon)},
                      {"leaning", leaning_name(advice->question.leaning)}};
  // Names come from a file: bytes that are no text must not end the command.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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

// The same code that answers `armature advise`: with the log's marginals, and Z not relied on where
// it was rejected. That it was not rejected is no reason to trust it.
std::optional<AdviceAnswer> advice_for(const AuditAnswer& answer, const Options& options) {
  if (options.no_advice) return std::nullopt;
  AdviceQuestion question;
  question.given = answer.problem();
  question.setting.actions = static_cast<double>(answer.actions.size());
  question.setting.contexts = static_cast<double>(answer.contexts.size());
  question.setting.horizon =
      static_cast<double>(answer.question.horizon.value_or(std::max<Round>(2, answer.rows)));
  question.setting.epsilon = answer.epsilon;
  question.leaning =
      answer.verdict == AuditVerdict::kRejected ? Leaning::kDistrust : Leaning::kBalanced;
  question.seed = answer.question.seed;
  RunHooks hooks;
  hooks.threads = static_cast<unsigned>(whole_number("--threads", options.threads, 0, 4096));
  hooks.stop = &stop_on_interrupt();
  ProgressLine line(options.log.quiet);
  hooks.progress = line.hook();
  AdviceAnswer advice = advise(question, hooks);
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
                           ? json_of(answer, advice, facts)
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
