#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/setting_options.h"
#include "cli/terminal.h"
#include "report/table.h"

namespace armature::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  SettingOptions setting;
  std::string format = "table";
  std::optional<std::string> output;
};

std::string question_of(const AdviceItem& item) {
  if (item.topic == "horizon") return "Is the horizon long enough for the causal gain to matter?";
  if (item.topic == "marginals") return "How well must the marginals be known?";
  if (item.topic == "policy") return "Which policy?";
  if (item.topic == "price") return "What if Z is wrong?";
  return "When would it be noticed?";
}

std::string text_of(const ReadSetting& read, const Advice& advice, const Screen& on) {
  const Setting& s = read.setting;
  std::string text = fmt::format("|A| = {:.10g}, |Z| = {:.10g}, T = {:.10g}, δ = {:.6g}\n",
                                 s.actions, s.contexts, s.horizon, s.level());
  for (const std::string& note : read.notes) text += prose(note, on, 2);
  for (const AdviceItem& item : advice.items) {
    text += fmt::format("\n{}\n{}", question_of(item), prose(item.conclusion, on));
    for (const std::string& line : item.because)
      text += wrapped(visible(line), prose_columns(on), "  - ", "    ") + "\n";
  }
  return text + "\n" +
         prose(
             "These are guarantees for the worst world of each kind, with the constants of the "
             "proofs. Measured regret is usually far below; armature simulate shows it.",
             on);
}

std::string json_of(const ReadSetting& read, const Advice& advice) {
  const Setting& s = read.setting;
  Json json = {{"actions", static_cast<std::uint64_t>(s.actions)},
               {"contexts", static_cast<std::uint64_t>(s.contexts)},
               {"horizon", static_cast<std::uint64_t>(s.horizon)},
               {"delta", s.level()},
               {"notes", read.notes},
               {"policy", advice.policy},
               {"advice", Json::array()}};
  for (const AdviceItem& item : advice.items)
    json["advice"].push_back(
        {{"topic", item.topic}, {"conclusion", item.conclusion}, {"because", item.because}});
  return json.dump(2) + "\n";
}

std::string csv_of(const Advice& advice) {
  std::string csv = "topic,part,text\n";
  for (const AdviceItem& item : advice.items) {
    csv += fmt::format("{},conclusion,{}\n", item.topic, csv_field(item.conclusion));
    for (const std::string& line : item.because)
      csv += fmt::format("{},because,{}\n", item.topic, csv_field(line));
  }
  return csv;
}

void run(const Options& options) {
  const ReadSetting read = read_setting(options.setting);
  const Advice advice = advise(read.setting);
  emit(options.output, options.format == "json"  ? json_of(read, advice)
                       : options.format == "csv" ? csv_of(advice)
                                                 : text_of(read, advice, screen(options.output)));
}

}  // namespace

void add_advise(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "advise", "which policy, with which dial, and what it costs if the contexts are wrong");
  add_size_options(*command, options->setting);
  add_epsilon_option(*command, options->setting);
  add_gap_option(*command, options->setting);
  add_output_options(*command, {"table", "csv", "json"}, options->format, options->output);
  command->footer(
      "Examples:\n"
      "  armature advise --actions 200 --contexts 5 --horizon 1e7 --gap 0.1\n"
      "  armature advise --instance pareto-benign --horizon 1e5 --epsilon 0.05");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
