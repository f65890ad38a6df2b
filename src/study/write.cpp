// A study as TOML with every default spelt out: what is echoed, stored, and printed in the report.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "armature/study.h"
#include "base/text.h"
#include "study/figure_kinds.h"
#include "study/verdict_rules.h"

namespace armature {
namespace {

// JSON's escapes are TOML's, but for the delete character.
std::string quoted(const std::string& text) {
  std::string escaped = nlohmann::json(text).dump();
  for (std::size_t at = escaped.find('\x7f'); at != std::string::npos; at = escaped.find('\x7f'))
    escaped.replace(at, 1, "\\u007F");
  return escaped;
}

// Numbers as they are, the rest in quotes. Only what print_real would write is surely TOML, and
// there -0 is a whole number that has no sign.
std::string written_value(const std::string& value) {
  const auto number = parse_real(value);
  return number && print_real(*number) == value && value != "-0" ? value : quoted(value);
}

// A list of one is written as its value: both read back as an axis of one.
std::string written_values(const std::vector<std::string>& values) {
  if (values.size() == 1) return written_value(values.front());
  std::vector<std::string> written;
  for (const std::string& value : values) written.push_back(written_value(value));
  return "[" + join(written, ", ") + "]";
}

// A table even where the file had a text form: there every value has a key of its own, and needs no
// quoting by the rules of text forms.
std::string written_entry(const char* list, const char* kind, const GridEntry& entry) {
  std::string out = fmt::format("\n[[{}]]\n{} = {}\n", list, kind, quoted(entry.name));
  if (!entry.label.empty()) out += fmt::format("label = {}\n", quoted(entry.label));
  if (!entry.role.empty()) out += fmt::format("role = {}\n", quoted(entry.role));
  if (entry.until) out += fmt::format("until = {}\n", *entry.until);
  for (const GridAxis& axis : entry.axes)
    out += fmt::format("{} = {}\n", axis.key, written_values(axis.values));
  return out;
}

std::string written_figure(const FigureRequest& figure) {
  std::string out = fmt::format("\n[[figures]]\nkind = {}\n", quoted(facts_of(figure.kind).name));
  for (const auto& [key, value] : {std::pair("x", figure.x), std::pair("scale", figure.scale),
                                   std::pair("title", figure.title)})
    if (!value.empty()) out += fmt::format("{} = {}\n", key, quoted(value));
  // Defaults of figures stay unwritten: some of them are keys that their kind does not take.
  if (!figure.theory) out += "theory = false\n";
  return out;
}

std::string written_texts(const std::vector<std::pair<const char*, const std::string*>>& pairs) {
  std::string out;
  for (const auto& [key, value] : pairs)
    if (!value->empty()) out += fmt::format("{} = {}\n", key, quoted(*value));
  return out;
}

// Only what the rule knows: x and quantity have values in every rule.
std::string written_verdict(const VerdictRule& rule) {
  std::string out = "\n[[verdicts]]\n" + written_texts({{"name", &rule.name},
                                                        {"rule", &rule.rule},
                                                        {"policy", &rule.policy},
                                                        {"instance", &rule.instance},
                                                        {"against", &rule.against},
                                                        {"bound", &rule.bound},
                                                        {"per", &rule.per},
                                                        {"catches", &rule.catches}});
  out += written_texts({{"high", &rule.high_formula}});
  const std::vector<std::string>& keys = rule_named(rule.rule).keys;
  for (const auto& [key, value] : {std::pair("x", &rule.x), std::pair("quantity", &rule.quantity)})
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      out += fmt::format("{} = {}\n", key, quoted(*value));
  for (const auto& [key, value] : {std::pair("low", rule.low), std::pair("high", rule.high),
                                   std::pair("from", rule.from), std::pair("until", rule.until)})
    if (value) out += fmt::format("{} = {}\n", key, print_real(*value));
  return out;
}

std::string written_search(const SearchStage& search) {
  std::string out = fmt::format("\n[search]\nreplications = {}\n", search.replications);
  std::vector<std::string> chosen;
  for (const std::uint32_t cell : search.chosen) chosen.push_back(fmt::format("{}", cell));
  if (!chosen.empty()) out += fmt::format("chosen = [{}]\n", join(chosen, ", "));
  return out;
}

}  // namespace

std::string write_study(const Study& study) {
  // All that is not in a table comes first: behind a [[header]] TOML would take it for a key of
  // that table.
  std::vector<std::string> horizons;
  for (const Round horizon : study.horizons) horizons.push_back(fmt::format("{}", horizon));
  // TOML's integers end at 2^63; what lies above is read back from a string. Other whole numbers
  // are kept below by study/read.cpp.
  const std::string seed = fmt::format("{}", study.seed);
  std::string out = written_texts(
      {{"claim", &study.claim}, {"source", &study.source}, {"expectation", &study.expectation}});
  out += fmt::format(
      "title = {}\ntext = {}\nseed = {}\nreplications = {}\nhorizons = [{}]\ncheckpoints = {}\n"
      "engine = {}\nmax_events = {}\n",
      quoted(study.title), quoted(study.text),
      study.seed > static_cast<std::uint64_t>(INT64_MAX) ? quoted(seed) : seed, study.replications,
      join(horizons, ", "), study.checkpoints, quoted(study.engine), study.max_events);
  for (const GridAxis& axis : study.conditions)
    out += fmt::format("{} = {}\n", axis.key, written_values(axis.values));
  if (study.search) out += written_search(*study.search);
  for (const GridEntry& entry : study.instances)
    out += written_entry("instances", "instance", entry);
  for (const GridEntry& entry : study.policies) out += written_entry("policies", "policy", entry);
  // None stays none: written out, a default of all kinds would become a request for each, and the
  // report would apologise for those with nothing to show.
  for (const FigureRequest& figure : study.figures) out += written_figure(figure);
  for (const VerdictRule& rule : study.verdicts) out += written_verdict(rule);
  return out;
}

}  // namespace armature
