#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/setting_options.h"
#include "report/table.h"

namespace armature::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  SettingOptions setting;
  std::string format = "table";
  std::optional<std::string> output;
};

std::string table_of(const ReadSetting& read, const std::vector<Bound>& bounds) {
  const Setting& s = read.setting;
  std::string text =
      fmt::format("|A| = {:.10g}, |Z| = {:.10g}, T = {:.10g}, δ = {:.6g}, d = {:.10g}\n", s.actions,
                  s.contexts, s.horizon, s.level(), s.dimension());
  if (s.delay) text += fmt::format("every outcome comes, at most {:.10g} rounds late\n", *s.delay);
  for (const std::string& note : read.notes) text += note + "\n";
  std::string group;
  for (const Bound& bound : bounds) {
    if (bound.group != group) {
      group = bound.group;
      text += "\n" + group + "\n";
    }
    const std::string value = bound.value ? fmt::format("{:.5g}", *bound.value) : "-";
    text += fmt::format("  {:<32}{:>12} {:<8} {:<9}{:<7}{}  [{}]\n", bound.name, value, bound.unit,
                        kind_name(bound.kind), bound.world, bound.validity, bound.source);
  }
  return text + "\nexplicit: with the constants of the proof; rate: universal constants set to 1\n";
}

std::string csv_of(const std::vector<Bound>& bounds) {
  std::string csv = "name,value,kind,validity,source,group,world,unit,failure\n";
  for (const Bound& bound : bounds)
    csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", bound.name,
                       bound.value ? fmt::format("{}", *bound.value) : "", kind_name(bound.kind),
                       csv_field(bound.validity), csv_field(bound.source), bound.group, bound.world,
                       bound.unit, bound.failure ? fmt::format("{}", *bound.failure) : "");
  return csv;
}

std::string json_of(const ReadSetting& read, const std::vector<Bound>& bounds) {
  const Setting& s = read.setting;
  Json json = {{"actions", static_cast<std::uint64_t>(s.actions)},
               {"contexts", static_cast<std::uint64_t>(s.contexts)},
               {"horizon", static_cast<std::uint64_t>(s.horizon)},
               {"delta", s.level()},
               {"rank", static_cast<std::uint64_t>(s.dimension())},
               {"r2", s.worst_regret()}};
  if (s.gap) json["gap"] = *s.gap;
  if (s.epsilon) json["epsilon"] = *s.epsilon;
  if (s.delay) json["delay"] = static_cast<std::uint64_t>(*s.delay);
  json["notes"] = read.notes;
  json["bounds"] = Json::array();
  for (const Bound& bound : bounds) {
    Json row = {{"name", bound.name}};
    if (bound.value) row["value"] = *bound.value;
    row["kind"] = kind_name(bound.kind);
    row["validity"] = bound.validity;
    row["source"] = bound.source;
    row["group"] = bound.group;
    row["world"] = bound.world;
    row["unit"] = bound.unit;
    if (bound.failure) row["failure"] = *bound.failure;
    json["bounds"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

void run(const Options& options) {
  const ReadSetting read = read_setting(options.setting);
  const std::vector<Bound> rows = bounds(read.setting);
  emit(options.output, options.format == "json"  ? json_of(read, rows)
                       : options.format == "csv" ? csv_of(rows)
                                                 : table_of(read, rows));
}

}  // namespace

void add_bounds(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("bounds", "what can be promised: every upper and lower bound as a number");
  SettingOptions& setting = options->setting;
  add_size_options(*command, setting);
  command->add_option("--delta", setting.delta, "level in (0,1); 1/T if not given");
  command->add_option("--rank", setting.rank, "rank d of the marginals; min(|A|,|Z|) if not given");
  add_gap_option(*command, setting);
  add_epsilon_option(*command, setting);
  command->add_option("--r2", setting.r2, "worst-case regret accepted; the corner if not given");
  command->add_option("--delay", setting.delay,
                      "late outcomes: the most rounds by which one may be late");
  add_output_options(*command, {"table", "csv", "json"}, options->format, options->output);
  command->footer(
      "Theorems are the paper's; spec §n is a section of docs/specification.md.\n\n"
      "Examples:\n"
      "  armature bounds --actions 20 --contexts 2 --horizon 1e6\n"
      "  armature bounds --instance pareto-benign --horizon 1e6 --delay 100");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
