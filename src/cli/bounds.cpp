#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/setting_options.h"
#include "cli/terminal.h"
#include "report/table.h"
#include "report/theory_answers.h"

namespace armature::cli {
namespace {

struct Options {
  SettingOptions setting;
  bool all = false;
  std::string format = "table";
  std::optional<std::string> output;
};

bool holds(const Bound& bound) { return bound.value && bound.validity.starts_with("holds"); }

// What a bound's validity says beyond "holds", and why it does not where it does not.
std::string condition_of(const Bound& bound) {
  const std::string start = "holds";
  if (!bound.validity.starts_with(start)) return bound.validity;
  return bound.validity == start ? "" : bound.validity.substr(start.size() + 2);
}

// Conditions are few and long: rows carry a letter, which stands for one of them.
class Conditions {
 public:
  std::string letter(const std::string& condition) {
    if (condition.empty()) return "";
    auto found = std::find(all_.begin(), all_.end(), condition);
    if (found == all_.end()) found = all_.insert(all_.end(), condition);
    return name(static_cast<std::size_t>(found - all_.begin()));
  }
  std::string explained(const Screen& on) const {
    std::string text;
    for (std::size_t i = 0; i < all_.size(); ++i)
      text += wrapped(all_[i], prose_columns(on), fmt::format("{:<3}", name(i)), "   ") + "\n";
    return text;
  }

 private:
  // a … z, aa, ab, …
  static std::string name(std::size_t i) {
    const std::string last(1, static_cast<char>('a' + i % 26));
    return i < 26 ? last : name(i / 26 - 1) + last;
  }
  std::vector<std::string> all_;
};

// How many are not shown, and what they lack.
std::string hidden_words(const std::vector<Bound>& bounds, const Screen& on) {
  std::vector<std::pair<std::string, std::size_t>> reasons;
  std::size_t vacuous = 0, hidden = 0;
  for (const Bound& bound : bounds) {
    if (holds(bound)) continue;
    ++hidden;
    const std::string start = "outside: ";
    if (!bound.validity.starts_with(start)) {
      ++vacuous;
      continue;
    }
    const std::string reason = bound.validity.substr(start.size());
    auto found = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& known) { return known.first == reason; });
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {reason, 0});
    ++found->second;
  }
  if (hidden == 0) return "";
  std::vector<std::string> parts;
  const std::string needs = "needs ";
  for (const auto& [reason, count] : reasons)
    parts.push_back(reason.starts_with(needs)
                        ? fmt::format("{} need {}", count, reason.substr(needs.size()))
                        : fmt::format("{}: {}", count, reason));
  if (vacuous > 0) parts.push_back(fmt::format("{} are vacuous at these sizes", vacuous));
  return prose(
      fmt::format("{} more are not shown ({}); --all shows them.", hidden, join(parts, "; ")), on);
}

std::string table_of(const Options& options, const ReadSetting& read,
                     const std::vector<Bound>& bounds) {
  const Setting& s = read.setting;
  const Screen on = screen(options.output);
  std::string text = prose(fmt::format("|A| = {:.10g}, |Z| = {:.10g}, T = {:.10g}, δ = {:.6g}, d = "
                                       "{:.10g}",
                                       s.actions, s.contexts, s.horizon, s.level(), s.dimension()),
                           on);
  if (s.delay) text += fmt::format("every outcome comes, at most {:.10g} rounds late\n", *s.delay);
  for (const std::string& note : read.notes) text += prose(note, on, 2);
  TextTable table({"bound", "value", "world", "kind", "if", "source"});
  table.words(2).words(3).words(4).words(5).optional(5);
  Conditions conditions;
  std::string group;
  for (const Bound& bound : bounds) {
    if (!options.all && !holds(bound)) continue;
    if (bound.group != group) {
      if (!group.empty()) table.add({});
      table.add({group = bound.group});
      table.style(0, Style::kBold);
    }
    const std::string unit = bound.unit == "regret" ? "" : " " + bound.unit;
    table.add({"  " + bound.name, bound.value ? fmt::format("{:.5g}{}", *bound.value, unit) : "–",
               bound.world, kind_name(bound.kind), conditions.letter(condition_of(bound)),
               bound.source});
  }
  text += "\n" + table.print(on);
  if (const std::string explained = conditions.explained(on); !explained.empty())
    text += "\n" + explained;
  return text + "\n" +
         prose("explicit: with the constants of the proof; rate: universal constants set to 1",
               on) +
         (options.all ? "" : hidden_words(bounds, on));
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

void run(const Options& options) {
  const ReadSetting read = read_setting(options.setting);
  const std::vector<Bound> rows = bounds(read.setting);
  emit(options.output, options.format == "json"  ? bounds_json(read.setting, read.notes, rows)
                       : options.format == "csv" ? csv_of(rows)
                                                 : table_of(options, read, rows));
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
  command->add_flag("--all", options->all, "in the table also what says nothing here, and why");
  add_output_options(*command, {"table", "csv", "json"}, options->format, options->output);
  command->footer(
      "Theorems are the paper's; spec §n is a section of docs/specification.md.\n\n"
      "Examples:\n"
      "  armature bounds --actions 20 --contexts 2 --horizon 1e6\n"
      "  armature bounds --instance pareto-benign --horizon 1e6 --delay 100");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
