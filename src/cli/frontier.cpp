#include "figures/frontier.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "base/text.h"
#include "cli/setting_options.h"
#include "cli/terminal.h"
#include "report/policy_looks.h"
#include "report/table.h"

namespace armature::cli {
namespace {

using figures::Json;

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

std::string json_of(const ReadSetting& read, const Frontier& frontier,
                    const std::optional<PairVerdict>& verdict) {
  const Setting& s = frontier.setting;
  Json json = {{"actions", static_cast<std::uint64_t>(s.actions)},
               {"contexts", static_cast<std::uint64_t>(s.contexts)},
               {"horizon", static_cast<std::uint64_t>(s.horizon)},
               {"product", s.actions * s.horizon}};
  if (frontier.lower_until) json["lower_bound_until"] = *frontier.lower_until;
  json["notes"] = read.notes;
  for (const std::string& note : frontier.notes) json["notes"].push_back(note);
  if (verdict) {
    Json pair = {{"verdict", verdict->verdict}, {"because", verdict->because}};
    if (!verdict->policy.empty()) pair["policy"] = verdict->policy;
    if (verdict->kind) pair["kind"] = kind_name(*verdict->kind);
    json["pair"] = std::move(pair);
  }
  json["points"] = Json::array();
  for (const FrontierPoint& point : frontier.points) {
    Json row = {{"series", point.series}, {"kind", kind_name(point.kind)}};
    if (!point.policy.empty()) row["policy"] = point.policy;
    row["r1"] = point.r1;
    row["r2"] = point.r2;
    if (const auto value = log_normalised(point.r1, s.horizon)) row["log_r1"] = *value;
    if (const auto value = log_normalised(point.r2, s.horizon)) row["log_r2"] = *value;
    json["points"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

std::optional<PairVerdict> verdict_on(const Setting& setting, const Options& options) {
  const auto r1 = real_if_given("--r1", options.r1, setting);
  const auto r2 = real_if_given("--r2", options.r2, setting);
  if (!r1 && !r2) return std::nullopt;
  if (!r1 || !r2)
    throw Error({"", r1 ? "--r2" : "--r1", "nothing", "both numbers of the pair, or neither"});
  for (const auto& [option, value] : {std::pair("--r1", *r1), std::pair("--r2", *r2)})
    if (!(value > 0)) throw Error({"", option, fmt::format("{}", value), "a positive regret"});
  return judge_pair(setting, *r1, *r2);
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
  const auto verdict = verdict_on(read.setting, options);
  const auto axes = options.axes == "absolute" ? figures::FrontierAxes::kAbsolute
                                               : figures::FrontierAxes::kNormalised;
  emit(options.output, options.format == "json"  ? json_of(read, result, verdict)
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
