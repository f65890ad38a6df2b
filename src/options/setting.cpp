#include "options/setting.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "armature/families.h"
#include "base/file.h"
#include "base/text.h"
#include "lab/instance_setting.h"
#include "options/numbers.h"

namespace armature {
namespace {

constexpr std::uint64_t kMostSize = 1'000'000'000'000;
constexpr std::uint64_t kMostDelay = 1'000'000'000;

// Formulas may speak of the horizon, and of the sizes once they are known.
FormulaVariables known_of(const Setting& setting) {
  FormulaVariables known;
  known.horizon = setting.horizon;
  if (setting.actions > 0) known.actions = setting.actions;
  if (setting.contexts > 0) known.contexts = setting.contexts;
  return known;
}

std::optional<double> size_option(const std::string& option, const std::string& text,
                                  const Setting& setting) {
  if (text.empty()) return std::nullopt;
  return static_cast<double>(whole_number(option, text, 1, kMostSize, known_of(setting)));
}

// What may be a formula in the sizes.
void read_numbers(Setting& setting, const SettingOptions& options) {
  setting.delta = real_if_given("--delta", options.delta, setting);
  setting.rank = size_option("--rank", options.rank, setting);
  setting.gap = real_if_given("--gap", options.gap, setting);
  setting.epsilon = real_if_given("--epsilon", options.epsilon, setting);
  setting.r2 = real_if_given("--r2", options.r2, setting);
  if (!options.delay.empty())
    setting.delay = static_cast<double>(
        whole_number("--delay", options.delay, 0, kMostDelay, known_of(setting)));
}

void read_sizes(Setting& setting, const SettingOptions& options) {
  for (const auto& [option, text] :
       {std::pair("--actions", options.actions), std::pair("--contexts", options.contexts)})
    if (text.empty()) throw Error({"", option, "nothing", "a size, or an --instance"});
  setting.actions = *size_option("--actions", options.actions, setting);
  setting.contexts = *size_option("--contexts", options.contexts, setting);
}

std::string option_name(const std::string& field) { return "--" + field; }

void fill_in(ReadSetting& read, const SettingOptions& options) {
  Setting& setting = read.setting;
  const InstanceSource source(options.instance, static_cast<Round>(setting.horizon),
                              whole_number("--seed", options.seed, 0, UINT64_MAX));
  const auto instance = source.instance(0);
  const auto size = [&](const char* option, const std::string& text) {
    return size_option(option, text, setting).value_or(0);
  };
  setting.actions = size("--actions", options.actions);
  setting.contexts = size("--contexts", options.contexts);
  agree_on_sizes(setting, *instance, option_name);
  read_numbers(setting, options);
  fill_from_instance(setting, *instance, source.text(), option_name, read.notes);
  if (source.fresh_per_replication())
    read.notes.push_back("a random family: this is replication 0 of seed " + options.seed);
}

void check(const Setting& setting) {
  try {
    setting.validate();
  } catch (const Error& error) {
    ErrorReport report = error.report();
    report.field = option_name(report.field);
    throw Error(report);
  }
}

}  // namespace

std::optional<double> real_if_given(const std::string& option, const std::string& text,
                                    const Setting& sizes) {
  if (text.empty()) return std::nullopt;
  return real_number(option, text, "a number", known_of(sizes));
}

Problem given_problem(const std::string& path) {
  // A world is easily put here: in words it would be looked for among the files.
  const std::string name = path.substr(0, path.find(':'));
  if (std::any_of(families().begin(), families().end(),
                  [&](const Family& family) { return family.name == name; }))
    throw Error({"", "--given", "'" + path + "'",
                 "a problem file (docs/formats.md); a world goes to --instance"});
  return read_problem(read_text_file(path), path);
}

std::optional<PairVerdict> judged_pair(const Setting& setting, const std::string& r1_text,
                                       const std::string& r2_text) {
  const auto r1 = real_if_given("--r1", r1_text, setting);
  const auto r2 = real_if_given("--r2", r2_text, setting);
  if (!r1 && !r2) return std::nullopt;
  if (!r1 || !r2)
    throw Error({"", r1 ? "--r2" : "--r1", "nothing", "both numbers of the pair, or neither"});
  for (const auto& [option, value] : {std::pair("--r1", *r1), std::pair("--r2", *r2)})
    if (!(value > 0)) throw Error({"", option, fmt::format("{}", value), "a positive regret"});
  return judge_pair(setting, *r1, *r2);
}

ReadSetting read_setting(const SettingOptions& options) {
  ReadSetting read;
  Setting& setting = read.setting;
  setting.horizon = static_cast<double>(whole_number("--horizon", options.horizon, 1, kMostRounds));
  if (!options.instance.empty()) {
    fill_in(read, options);
  } else {
    read_sizes(setting, options);
    read_numbers(setting, options);
  }
  check(setting);
  return read;
}

}  // namespace armature
