#include "armature/theory.h"

#include "browser/commands.h"
#include "options/numbers.h"
#include "options/setting.h"
#include "report/theory_answers.h"

namespace armature::browser {
namespace {

std::vector<Option> size_options(SettingOptions& o) {
  return {{.name = "actions", .target = &o.actions},
          {.name = "contexts", .target = &o.contexts},
          {.name = "horizon", .target = &o.horizon, .required = true},
          {.name = "instance", .target = &o.instance},
          {.name = "seed", .target = &o.seed}};
}

void add(std::vector<Option>& options, std::vector<Option> more) {
  options.insert(options.end(), more.begin(), more.end());
}

}  // namespace

std::string bounds(const Request& request, const Progress&) {
  SettingOptions o;
  bool all = false;  // of the table; JSON has them all
  std::vector<Option> options = size_options(o);
  add(options, {{.name = "delta", .target = &o.delta},
                {.name = "rank", .target = &o.rank},
                {.name = "gap", .target = &o.gap},
                {.name = "epsilon", .target = &o.epsilon},
                {.name = "r2", .target = &o.r2},
                {.name = "delay", .target = &o.delay},
                {.name = "all", .target = &all},
                json_option({"table", "csv", "json"}),
                refused_option("output", "nothing: a page has no disk")});
  request.read(with_terminal_options(std::move(options)));
  const ReadSetting read = read_setting(o);
  return bounds_json(read.setting, read.notes, armature::bounds(read.setting));
}

std::string frontier(const Request& request, const Progress&) {
  SettingOptions o;
  std::string points = "17", r1, r2;
  std::vector<Option> options = size_options(o);
  add(options, {{.name = "points", .target = &points},
                {.name = "r1", .target = &r1},
                {.name = "r2", .target = &r2},
                refused_option("axes", "nothing: they are those of a figure"),
                json_option({"table", "csv", "json", "vega-lite"}),
                refused_option("output", "nothing: a page has no disk")});
  request.read(with_terminal_options(std::move(options)));
  const ReadSetting read = read_setting(o);
  const auto count = whole_number("--points", points, 2, 10'000);
  const Frontier result = armature::frontier(read.setting, count);
  return frontier_json(result, read.notes, judged_pair(read.setting, r1, r2));
}

}  // namespace armature::browser
