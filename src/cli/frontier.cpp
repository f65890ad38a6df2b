#include "figures/frontier.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/setting_options.h"
#include "cli/terminal.h"
#include "report/policy_looks.h"
#include "report/table.h"
#include "report/theory_answers.h"

namespace armature::cli {
namespace {

struct Options {
  SettingOptions setting;
  std::string points = "17";
  std::string r1;
  std::string r2;
  std::string axes = "normalised";
  std::string format = "table";
  std::optional<std::string> output;
};

std::string table_of(const ReadSetting& read, const Frontier& frontier,
                     const std::optional<PairVerdict>& verdict, const Screen& on) {
  const Setting& s = frontier.setting;
  std::string text = fmt::format("|A| = {:.10g}, |Z| = {:.10g}, T = {:.10g}, |A|T = {:.6g}\n",
                                 s.actions, s.contexts, s.horizon, s.actions * s.horizon);
  for (const std::string& note : read.notes) text += prose(note, on, 2);
  for (const std::string& note : frontier.notes) text += prose(note, on, 2);
  if (verdict) {
    text += "\n" + prose(verdict->verdict + ": " + verdict->because, on, 2);
    if (!verdict->policy.empty()) text += fmt::format("  --policy {}\n", verdict->policy);
    return text;  // who asks about a pair wants an answer, not the table
  }
  TextTable table(
      {"series", "kind", "R_1 benign", "R_2 any", "log R_1/log T", "log R_2/log T", "policy"});
  table.words(1).words(6).optional(4).optional(5);
  const auto normalised = [&](double regret) {
    const auto value = log_normalised(regret, s.horizon);
    return value ? fmt::format("{:.4f}", *value) : "-";
  };
  for (const FrontierPoint& point : frontier.points)
    table.add({point.series, kind_name(point.kind), fmt::format("{:.5g}", point.r1),
               fmt::format("{:.5g}", point.r2), normalised(point.r1), normalised(point.r2),
               point.policy});
  return text + "\n" + table.print(on);
}

std::string csv_of(const Frontier& frontier) {
  std::string csv = "series,policy,kind,r1,r2,log_r1,log_r2\n";
  const auto normalised = [&](double regret) {
    const auto value = log_normalised(regret, frontier.setting.horizon);
    return value ? fmt::format("{}", *value) : "";
  };
  for (const FrontierPoint& point : frontier.points)
    csv += fmt::format("{},{},{},{},{},{},{}\n", point.series, csv_field(point.policy),
                       kind_name(point.kind), point.r1, point.r2, normalised(point.r1),
                       normalised(point.r2));
  return csv;
}

figures::Figure figure_of(const Frontier& frontier, figures::FrontierAxes axes) {
  std::vector<std::string> policies;
  for (const FrontierPoint& point : frontier.points)
    if (!point.policy.empty() &&
        std::find(policies.begin(), policies.end(), point.series) == policies.end())
      policies.push_back(point.series);
  return frontier_figure(frontier, axes, looks_of_policies(policies));
}

void run(const Options& options) {
  const ReadSetting read = read_setting(options.setting);
  const auto count = whole_number("--points", options.points, 2, 10'000);
  const Frontier result = frontier(read.setting, count);
  const auto verdict = judged_pair(read.setting, options.r1, options.r2);
  const auto axes = options.axes == "absolute" ? figures::FrontierAxes::kAbsolute
                                               : figures::FrontierAxes::kNormalised;
  emit(options.output, options.format == "json"  ? frontier_json(result, read.notes, verdict)
                       : options.format == "csv" ? csv_of(result)
                       : options.format == "vega-lite"
                           ? figure_of(result, axes).spec
                           : table_of(read, result, verdict, screen(options.output)));
}

}  // namespace

void add_frontier(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "frontier", "the Pareto frontier of benign and worst-case regret, and who is where on it");
  add_size_options(*command, options->setting);
  command->add_option("--points,-n", options->points, "points along each curve and dial")
      ->capture_default_str();
  command->add_option("--r1", options->r1, "with --r2: can this benign regret be had…");
  command->add_option("--r2", options->r2, "…together with this worst-case regret?");
  command
      ->add_option("--axes", options->axes, "of the figure: normalised (log R/log T) or absolute")
      ->check(CLI::IsMember({"normalised", "absolute"}))
      ->capture_default_str();
  add_output_options(*command, {"table", "csv", "json", "vega-lite"}, options->format,
                     options->output);
  command->footer(
      "Examples:\n"
      "  armature frontier --actions 20 --contexts 2 --horizon 1e6 --r1 3e4 --r2 2e5\n"
      "  armature frontier --instance pareto-benign --horizon 1e6 --format csv");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
