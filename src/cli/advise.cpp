#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "armature/advice.h"
#include "armature/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/setting_options.h"
#include "cli/terminal.h"
#include "report/table.h"

namespace armature::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  SettingOptions setting;
  std::string marginals = "known";
  bool no_horizon = false;
  std::string leaning = "balanced";
  std::string delay = "none";
  std::optional<std::string> given;
  std::string threads = "0";
  bool why = false;
  bool quiet = false;
  std::string format = "table";
  std::optional<std::string> output;
};

// --- In words ------------------------------------------------------------------------------------

// Lines that fit the screen; `first` stands before the first, as many blanks before the others.
std::string lines(const Screen& on, const std::string& first, const std::string& text) {
  return wrapped(visible(text), prose_columns(on), first, std::string(display_width(first), ' ')) +
         "\n";
}

// A command over several lines, broken before options.
std::string broken_command(const Screen& on, const std::string& command) {
  std::string out, line = "  ";
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t end = std::min(command.find(" --", at + 1), command.size());
    const std::string part = command.substr(at, end - at);
    if (display_width(line) + display_width(part) + 2 > prose_columns(on)) {
      out += line + " \\\n";
      line = "   ";
    }
    line += part;
    at = end;
  }
  return out + line + "\n";
}

std::string situation_of(const AdviceQuestion& question) {
  const Setting& s = question.setting;
  std::string text =
      fmt::format("{} actions, {} contexts, {} rounds{}", grouped(s.actions), grouped(s.contexts),
                  grouped(s.horizon), question.horizon_known ? "" : " (the policy is not told)");
  if (!question.marginals_known)
    text += ", marginals unknown";
  else if (s.epsilon.value_or(0) > 0)
    text += fmt::format(", marginals within {:.3g}", *s.epsilon);
  else
    text += ", marginals exact";
  if (!question.instance.empty()) text += ", " + question.instance;
  if (question.leaning == Leaning::kTrust) text += ", Z taken as right";
  if (question.leaning == Leaning::kDistrust) text += ", Z not relied on";
  if (!question.feedback.prompt()) text += ", " + question.feedback.describe();
  return text + ".";
}

std::string short_name(const std::string& policy) {
  return policy.starts_with("learned-marginals") ? "c-ucb, learned"
                                                 : policy.substr(0, policy.find(':'));
}

std::string cost_table(const AdviceAnswer& answer, const Screen& on) {
  const std::vector<Round> shorter = shorter_horizons(answer);
  const auto mark = [&](Round horizon) {
    const auto found = std::find(shorter.begin(), shorter.end(), horizon);
    return found == shorter.end() ? std::string(" ")
                                  : shorter_mark(static_cast<std::size_t>(found - shorter.begin()));
  };
  std::vector<std::string> heads{"world"};
  for (const std::string& policy : answer.policies)
    heads.push_back(short_name(policy) + (policy == answer.policy ? " *" : "  "));
  TextTable table(heads);
  for (const AdviceWorld& world : answer.worlds) {
    std::vector<std::string> row{world.kind};
    for (const AdviceCost& cost : world.costs)
      row.push_back(cost_text(cost.mean) + " ± " + cost_text(cost.standard_error) +
                    mark(cost.horizon));
    table.add(row);
  }
  return table.print(on);
}

const char* const kSymbols =
    "Symbols. |A|, |Z|: actions, contexts. T: rounds. δ: how often a promise may fail. R_1: regret "
    "where Z carries the whole effect and the marginals are exact; R_2: regret in any world. ε: L1 "
    "distance of the given marginals from the true ones. E: rounds sentry explores. r: what an "
    "action may lose before warden stops watching it. Δ: the smallest gap. d: the rank of the "
    "marginals. L_A = log(2|A|T/δ); ℓ_A, ℓ_Z: the logs in the widths of actions and contexts; D_C: "
    "c-ucb's coefficient, R_1 ≤ D_C·√T. d_i, n_i, γ_i, b_i: of db's learners (docs/balancing.md). "
    "Theorems are those of docs/theory.md.";

std::string question_of(const Explanation& item) {
  if (item.topic == "horizon") return "Is the horizon long enough for the causal gain to matter?";
  if (item.topic == "marginals") return "How well must the marginals be known?";
  if (item.topic == "promises") return "Who promises what?";
  if (item.topic == "price") return "What if Z is wrong?";
  return "When would it be noticed?";
}

std::string why_of(const AdviceAnswer& answer, const Screen& on) {
  std::string text = "\n" +
                     lines(on, "",
                           "What is proved: guarantees for the worst world of each kind, with the "
                           "constants of the proofs. What is measured is usually far below.") +
                     "\n" + lines(on, "", kSymbols);
  for (const Explanation& item : answer.theory) {
    text += "\n" + question_of(item) + "\n" + lines(on, "", item.conclusion);
    for (const std::string& line : item.because) text += lines(on, "  - ", line);
  }
  return text;
}

std::string text_of(const AdviceAnswer& answer, const Options& options, const Screen& on) {
  std::string text = lines(on, "", situation_of(answer.question));
  text += "\nPlay  " + answer.policy + "\n" + lines(on, "", answer.because);
  if (!answer.worlds.empty()) {
    text +=
        "\n" + lines(on, "",
                     fmt::format("Expected regret ± standard error, {} replications of each world:",
                                 answer.replications));
    text += "\n" + cost_table(answer, on);
    for (const AdviceWorld& world : answer.worlds)
      text += lines(on, "  " + world.kind + ": ", world.description);
  }
  for (const std::string& note : answer.notes) text += lines(on, "", note);
  if (!answer.warnings.empty()) text += "\nWhere it loses\n";
  for (const AdviceWarning& warning : answer.warnings) text += lines(on, "  - ", warning.text);
  text += "\nWhat to watch\n";
  for (const std::string& line : answer.watch) text += lines(on, "  - ", line);
  text += "\n" + lines(on, "",
                       "To run it, give its text to make_policy (docs/embedding.md); to see more:");
  for (const std::string& command : answer.commands) text += broken_command(on, command);
  if (options.why)
    text += why_of(answer, on);
  else
    text +=
        lines(on, "", "Add --why for what is proved. When not to believe this: docs/advice.md.");
  return text;
}

// --- For programs --------------------------------------------------------------------------------

Json question_json(const AdviceQuestion& question) {
  const Setting& s = question.setting;
  Json json = {{"actions", static_cast<std::uint64_t>(s.actions)},
               {"contexts", static_cast<std::uint64_t>(s.contexts)},
               {"horizon", static_cast<std::uint64_t>(s.horizon)},
               {"horizon_known", question.horizon_known},
               {"marginals_known", question.marginals_known},
               {"epsilon", s.epsilon.value_or(0)},
               {"leaning", leaning_name(question.leaning)},
               {"feedback", question.feedback.describe()},
               {"seed", question.seed}};
  if (!question.instance.empty()) json["instance"] = question.instance;
  if (s.gap) json["gap"] = *s.gap;
  return json;
}

Json world_json(const AdviceAnswer& answer, const AdviceWorld& world) {
  Json json = {{"kind", world.kind},
               {"description", world.description},
               {"decides", world.decides},
               {"costs", Json::array()}};
  if (!world.text.empty()) json["instance"] = world.text;
  for (std::size_t i = 0; i < world.costs.size(); ++i)
    json["costs"].push_back({{"policy", answer.policies[i]},
                             {"mean", world.costs[i].mean},
                             {"standard_error", world.costs[i].standard_error},
                             {"horizon", world.costs[i].horizon},
                             {"engine", world.costs[i].leapt ? "leap" : "step"}});
  return json;
}

std::string json_of(const AdviceAnswer& answer) {
  Json json = {{"question", question_json(answer.question)},
               {"policy", answer.policy},
               {"because", answer.because},
               {"replications", answer.replications},
               {"worlds", Json::array()},
               {"warnings", Json::array()},
               {"notes", answer.notes},
               {"watch", answer.watch},
               {"commands", answer.commands},
               {"theory", Json::array()}};
  for (const AdviceWorld& world : answer.worlds)
    json["worlds"].push_back(world_json(answer, world));
  for (const AdviceWarning& warning : answer.warnings)
    json["warnings"].push_back({{"kind", warning.kind},
                                {"policy", warning.policy},
                                {"times", warning.times},
                                {"text", warning.text}});
  for (const Explanation& item : answer.theory)
    json["theory"].push_back(
        {{"topic", item.topic}, {"conclusion", item.conclusion}, {"because", item.because}});
  return json.dump(2) + "\n";
}

std::string csv_of(const AdviceAnswer& answer) {
  std::string csv = "world,instance,policy,recommended,mean,standard_error,horizon,replications\n";
  for (const AdviceWorld& world : answer.worlds)
    for (std::size_t i = 0; i < world.costs.size(); ++i)
      csv += fmt::format("{},{},{},{},{},{},{},{}\n", world.kind, csv_field(world.text),
                         csv_field(answer.policies[i]), answer.policies[i] == answer.policy ? 1 : 0,
                         print_real(world.costs[i].mean), print_real(world.costs[i].standard_error),
                         world.costs[i].horizon, answer.replications);
  return csv;
}

// --- The command ---------------------------------------------------------------------------------

// Given marginals know their sizes; sizes that are given too must agree.
void fill_sizes(SettingOptions& setting, const Problem& given) {
  const auto fill = [](const char* option, std::string& text, std::size_t actual) {
    if (text.empty()) text = fmt::format("{}", actual);
    if (whole_number(option, text, 1, kMostRounds) != actual)
      throw Error({"", option, "'" + text + "'",
                   fmt::format("{}, the given problem's own number, or none", actual)});
  };
  fill("--actions", setting.actions, given.actions());
  fill("--contexts", setting.contexts, given.contexts());
}

AdviceQuestion question_from(Options options) {
  AdviceQuestion question;
  if (options.given) {
    if (!options.setting.instance.empty())
      throw Error({"", "--given", *options.given, "--given or --instance, not both"});
    question.given = given_problem(*options.given);
    fill_sizes(options.setting, *question.given);
  }
  question.setting = read_setting(options.setting).setting;
  question.instance = options.setting.instance;
  question.horizon_known = !options.no_horizon;
  question.marginals_known = options.marginals == "known";
  question.leaning = leaning_named(options.leaning);
  question.feedback = Feedback::parse_delay(options.delay);
  question.seed = whole_number("--seed", options.setting.seed, 0, UINT64_MAX);
  return question;
}

void run(const Options& options) {
  const AdviceQuestion question = question_from(options);
  RunHooks hooks;
  hooks.threads = static_cast<unsigned>(whole_number("--threads", options.threads, 0, 4096));
  hooks.stop = &stop_on_interrupt();
  AdviceAnswer answer;
  {
    ProgressLine line(options.quiet);
    hooks.progress = line.hook();
    answer = advise(question, hooks);
  }
  if (!answer.complete) {
    complain("interrupted; there is no advice without its simulation");
    throw ExitStatus{130};
  }
  emit(options.output, options.format == "json" ? json_of(answer)
                       : options.format == "csv"
                           ? csv_of(answer)
                           : text_of(answer, options, screen(options.output)));
}

}  // namespace

void add_advise(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "advise", "which policy to play, and what it is expected to cost, by simulation");
  add_size_options(*command, options->setting);
  add_epsilon_option(*command, options->setting);
  add_gap_option(*command, options->setting);
  command->add_option("--given", options->given, "problem file: marginals of your own");
  command->add_option("--marginals", options->marginals, "known (see --epsilon) or unknown")
      ->check(CLI::IsMember({"known", "unknown"}))
      ->capture_default_str();
  command->add_flag("--no-horizon", options->no_horizon,
                    "the policy is not told T; --horizon says how far to look");
  command
      ->add_option("--leaning", options->leaning,
                   "balanced, trust (Z is right) or distrust (do not rely on Z)")
      ->check(CLI::IsMember({"balanced", "trust", "distrust"}))
      ->capture_default_str();
  command
      ->add_option("--delay", options->delay,
                   "late outcomes: none, N rounds, fixed:N or geometric:mean=N")
      ->capture_default_str();
  command->add_flag("--why", options->why, "what is proved at this size, symbols explained");
  command->add_option("--threads,-j", options->threads, "0: one per core; the answer is the same")
      ->capture_default_str();
  command->add_flag("--quiet,-q", options->quiet, "no progress line");
  add_output_options(*command, {"table", "csv", "json"}, options->format, options->output);
  command->footer(
      "Examples:\n"
      "  armature advise --actions 200 --contexts 5 --horizon 1e7\n"
      "  armature advise --instance hidden-arm --horizon 1e5 --leaning distrust --why");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
