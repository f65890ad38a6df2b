// A study from its TOML file, with file, line and field in every complaint. All that can be told
// from the file alone is refused here, where the line is known; what needs instances, in
// study/plan.cpp.
#include "study/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "armature/families.h"
#include "armature/policy.h"
#include "armature/study.h"
#include "base/file.h"
#include "base/formula.h"
#include "base/text.h"
#include "lab/planned_cell.h"
#include "study/figure_kinds.h"
#include "study/files.h"
#include "study/toml.h"
#include "study/verdict_rules.h"

namespace armature {
namespace {

constexpr std::uint64_t kMostEvents = 1'000'000'000'000'000'000;
const std::vector<std::string> kConditions = {"delay", "batch", "loss", "leap_tolerance"};
// In the order in which a misspelt key is told what there is.
const std::vector<std::string> kKeys = {"title",       "text",     "claim",          "source",
                                        "expectation", "seed",     "replications",   "horizons",
                                        "checkpoints", "engine",   "max_events",     "delay",
                                        "batch",       "loss",     "leap_tolerance", "search",
                                        "instances",   "policies", "figures",        "verdicts"};

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const FigureFacts& facts : figure_kinds()) names.emplace_back(facts.name);
  return names;
}

// The table is in the order of FigureKind. Callers have checked that the name is there.
// Of a name that is one.
FigureKind figure_named(const std::string& name) {
  const auto row = std::find_if(figure_kinds().begin(), figure_kinds().end(),
                                [&](const FigureFacts& facts) { return facts.name == name; });
  return row->kind;
}

// A file being read: every complaint names it, the line and the field.
class StudyReader {
 public:
  /// Of what is stored, figures and verdicts may have keys that are of no use.
  enum class Keys { kKnownOnly, kAny };
  /// `files`: where instances may be found.
  StudyReader(std::string source, toml::table table, Files files, Keys keys = Keys::kKnownOnly)
      : source_(std::move(source)),
        table_(std::move(table)),
        files_(std::move(files)),
        keys_(keys) {}

  void override_with(const std::string& pair);
  Study read() const;

 private:
  [[noreturn]] void reject(const toml::node& node, const std::string& field,
                           const std::string& expected) const;
  void refuse_unknown(const std::string& name, const std::string& where,
                      const std::vector<std::string>& known) const;
  void only_these(const toml::table& table, const std::string& where,
                  const std::vector<std::string>& known) const;
  std::string text_of(const toml::node& node, const std::string& field) const;
  std::string text(const toml::table& table, const char* key, std::string otherwise) const;
  std::string choice(const toml::table& table, const char* key,
                     const std::vector<std::string>& choices, std::string otherwise) const;
  std::uint64_t integer_of(const toml::node& node, const std::string& field, std::uint64_t low,
                           std::uint64_t high) const;
  std::uint64_t integer(const char* key, std::uint64_t low, std::uint64_t high,
                        std::uint64_t otherwise) const;
  std::vector<Round> horizons() const;
  std::optional<SearchStage> search() const;
  /// The nodes of an array, or the one node that stands for an array of itself.
  std::vector<const toml::node*> elements(const char* key, bool required) const;
  std::vector<std::string> axis_values(const toml::node& node, const std::string& field) const;
  GridEntry entry(const toml::node& node, const std::string& kind) const;
  std::vector<GridEntry> entries(const char* key, const std::string& kind) const;
  FigureRequest figure(const toml::node& node) const;
  std::vector<GridAxis> conditions() const;
  std::optional<double> number(const toml::table& table, const char* key) const;
  std::string formula_in_sizes(const toml::table& table, const char* key) const;
  VerdictRule verdict(const toml::node& node) const;

  std::string source_;
  toml::table table_;
  Files files_;
  Keys keys_;
};

// What stood there, for complaints. Whole tables and arrays would bury them.
std::string printed(const toml::node& node) {
  if (const auto value = node.value_exact<std::string>()) return "'" + *value + "'";
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  std::ostringstream out;
  node.visit([&out](const auto& value) { out << value; });
  return out.str();
}

// TOML tables are kept sorted by key; grids are walked as they were written.
std::vector<std::pair<std::string, const toml::node*>> in_file_order(const toml::table& table) {
  std::vector<std::pair<toml::source_position, std::pair<std::string, const toml::node*>>> placed;
  for (const auto& [key, node] : table)
    placed.push_back({key.source().begin, {std::string(key.str()), &node}});
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<std::pair<std::string, const toml::node*>> ordered;
  for (auto& [place, element] : placed) ordered.push_back(std::move(element));
  return ordered;
}

void StudyReader::reject(const toml::node& node, const std::string& field,
                         const std::string& expected) const {
  // 0 for overrides: toml++ gives copied nodes no place, and they have none in the file.
  const auto line = node.source().begin.line;
  throw Error({source_, line > 0 ? fmt::format("line {}: {}", line, field) : field, printed(node),
               expected});
}

void StudyReader::refuse_unknown(const std::string& name, const std::string& where,
                                 const std::vector<std::string>& known) const {
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error({source_, where, "'" + name + "'",
                 "one of " + join(known, ", ") + did_you_mean(name, known)});
}

// Unknown keys are refused, so that a misspelt one is not silently a default.
void StudyReader::only_these(const toml::table& table, const std::string& where,
                             const std::vector<std::string>& known) const {
  for (const auto& [key, node] : table)
    refuse_unknown(std::string(key.str()),
                   fmt::format("line {}: {}", key.source().begin.line, where), known);
}

std::string StudyReader::text_of(const toml::node& node, const std::string& field) const {
  // exact: TOML has types, and neither 1 nor true is meant as a text.
  const auto value = node.value_exact<std::string>();
  if (!value) reject(node, field, "a string");
  return *value;
}

std::string StudyReader::text(const toml::table& table, const char* key,
                              std::string otherwise) const {
  const toml::node* node = table.get(key);
  return node == nullptr ? std::move(otherwise) : text_of(*node, key);
}

std::string StudyReader::choice(const toml::table& table, const char* key,
                                const std::vector<std::string>& choices,
                                std::string otherwise) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  std::string word = text_of(*node, key);
  if (std::find(choices.begin(), choices.end(), word) == choices.end())
    reject(*node, key, "one of " + join(choices, ", ") + did_you_mean(word, choices));
  return word;
}

// 10000, 1e4, "2^20", "1_000_000", "1e6/4". To TOML 1e4 is a real: it is taken if it is a whole
// number, so that 1.5 is refused and not rounded.
std::uint64_t StudyReader::integer_of(const toml::node& node, const std::string& field,
                                      std::uint64_t low, std::uint64_t high) const {
  std::optional<std::uint64_t> value;
  if (const auto whole = node.value_exact<std::int64_t>(); whole && *whole >= 0)
    value = static_cast<std::uint64_t>(*whole);
  if (const auto real = node.value_exact<double>()) value = parse_integer(print_real(*real));
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  try {
    if (const auto written = node.value_exact<std::string>()) value = whole_value(*written);
  } catch (const Error& error) {
    reject(node, field, expected + ", or a formula: " + error.report().expected);
  }
  if (!value || *value < low || *value > high) reject(node, field, expected);
  return *value;
}

std::uint64_t StudyReader::integer(const char* key, std::uint64_t low, std::uint64_t high,
                                   std::uint64_t otherwise) const {
  const toml::node* node = table_.get(key);
  return node == nullptr ? otherwise : integer_of(*node, key, low, high);
}

std::vector<const toml::node*> StudyReader::elements(const char* key, bool required) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) {
    if (required) throw Error({source_, key, "nothing", "at least one"});
    return {};
  }
  const toml::array* array = node->as_array();
  // horizons = 1e4 for horizons = [1e4]: one thing needs no brackets.
  if (array == nullptr) return {node};
  if (array->empty()) reject(*node, key, "at least one");
  std::vector<const toml::node*> nodes;
  for (const toml::node& element : *array) nodes.push_back(&element);
  return nodes;
}

std::vector<Round> StudyReader::horizons() const {
  std::vector<Round> rounds;
  for (const toml::node* node : elements("horizons", true)) {
    const Round round = integer_of(*node, "horizons", 1, kLongestHorizon);
    // Caught by value, not by text: 1e4 and 10000 would be the same cells twice.
    if (std::find(rounds.begin(), rounds.end(), round) != rounds.end())
      reject(*node, "horizons", "each horizon once");
    rounds.push_back(round);
  }
  return rounds;
}

std::optional<SearchStage> StudyReader::search() const {
  const toml::node* node = table_.get("search");
  if (node == nullptr) return std::nullopt;
  const toml::table* table = node->as_table();
  const toml::node* count = table == nullptr ? nullptr : table->get("replications");
  if (count == nullptr) reject(*node, "search", "a table with replications = …");
  only_these(*table, "search", {"replications", "chosen"});
  SearchStage stage;
  stage.replications =
      static_cast<std::uint32_t>(integer_of(*count, "search: replications", 1, 1'000'000'000));
  const toml::node* chosen = table->get("chosen");
  if (chosen == nullptr) return stage;
  if (!chosen->is_array() || chosen->as_array()->empty())
    reject(*chosen, "search: chosen", "a list of cells");
  for (const toml::node& cell : *chosen->as_array()) {
    stage.chosen.push_back(
        static_cast<std::uint32_t>(integer_of(cell, "search: chosen", 0, UINT32_MAX)));
    if (stage.chosen.size() > 1 && stage.chosen.back() <= *(stage.chosen.end() - 2))
      reject(cell, "search: chosen", "ascending numbers");
  }
  return stage;
}

// As texts, since formulas are worked out only where sizes are known. Numbers take their shortest
// form, so that 0.10 and 0.1 make one name. Lists do not nest; a linspace within a list does
// unfold.
std::vector<std::string> StudyReader::axis_values(const toml::node& node,
                                                  const std::string& field) const {
  if (const toml::array* array = node.as_array()) {
    if (array->empty()) reject(node, field, "at least one value");
    std::vector<std::string> values;
    for (const toml::node& element : *array) {
      if (element.is_array()) reject(element, field, "a number or a string");
      for (std::string& value : axis_values(element, field)) values.push_back(std::move(value));
    }
    return values;
  }
  if (const auto whole = node.value_exact<std::int64_t>()) return {fmt::format("{}", *whole)};
  if (const auto real = node.value_exact<double>()) return {print_real(*real)};
  const auto written = node.value_exact<std::string>();
  if (!written) reject(node, field, "a number, a string or a list of them");
  try {
    return expand_list(*written);
  } catch (const Error& error) {
    reject(node, field, error.report().expected);
  }
}

// "db:dial=0.3", or a table {policy = "db", dial = [0.1, 0.3]}.
GridEntry StudyReader::entry(const toml::node& node, const std::string& kind) const {
  const toml::table* table = node.as_table();
  GridEntry entry;
  // The form itself, as a text or under its key in a table.
  const auto take_form = [&](const toml::node& written) {
    const std::string form = text_of(written, kind);
    if (kind == "instance" && names_instance_file(form, files_)) {
      entry.name = form;  // a file: colons and commas belong to its name
      return;
    }
    try {
      TextForm parsed = TextForm::parse(form);
      entry.name = std::move(parsed.name);
      for (auto& [key, value] : parsed.values) {
        // No policy or family has such keys. Here they are meant for the table around the form.
        if (key == kind || key == "label" || key == "role" || (kind == "policy" && key == "until"))
          reject(written, kind, fmt::format("{} = … beside it in a table", key));
        entry.axes.push_back({key, expand_list(value)});
      }
    } catch (const Error& error) {
      reject(written, kind, error.report().expected);
    }
  };
  if (table == nullptr) {
    take_form(node);
    return entry;
  }
  const toml::node* form = table->get(kind);
  if (form == nullptr) reject(node, kind, fmt::format("{} = \"…\" in the table", kind));
  take_form(*form);
  entry.label = text(*table, "label", "");
  if (kind == "instance") entry.role = choice(*table, "role", {"benign", "worst-case"}, "");
  // The one key that is neither words nor a parameter: no policy has one of this name.
  const toml::node* until = kind == "policy" ? table->get("until") : nullptr;
  if (until != nullptr) entry.until = integer_of(*until, "until", 1, kLongestHorizon);
  for (const auto& [name, value] : in_file_order(*table)) {
    if (name == kind || name == "label" || (kind == "instance" && name == "role") || value == until)
      continue;
    // TOML allows any key in quotes; with a comma or an equals sign in it, text forms made of it
    // would say something else.
    if (!is_name(name)) reject(*value, "key '" + name + "'", "letters, digits, '-' and '_'");
    for (const GridAxis& axis : entry.axes)
      if (axis.key == name) reject(*value, name, "the value once, in the form or beside it");
    entry.axes.push_back({name, axis_values(*value, name)});
  }
  return entry;
}

std::vector<GridEntry> StudyReader::entries(const char* key, const std::string& kind) const {
  std::vector<GridEntry> list;
  for (const toml::node* node : elements(key, true)) list.push_back(entry(*node, kind));
  return list;
}

FigureRequest StudyReader::figure(const toml::node& node) const {
  FigureRequest request;
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    const std::string kind = text_of(node, "figures");
    const std::vector<std::string> names = figure_names();
    if (std::find(names.begin(), names.end(), kind) == names.end())
      reject(node, "figures", "one of " + join(names, ", ") + did_you_mean(kind, names));
    request.kind = figure_named(kind);
    return request;
  }
  const std::string kind = choice(*table, "kind", figure_names(), "");
  if (kind.empty()) reject(node, "figures", "kind = \"…\" in the table");
  request.kind = figure_named(kind);
  std::vector<std::string> keys = {"kind", "title"};
  for (const std::string& key : facts_of(request.kind).keys) keys.push_back(key);
  if (keys_ == Keys::kKnownOnly) only_these(*table, "figures: " + kind, keys);
  request.x = text(*table, "x", "");
  request.scale = choice(*table, "scale", {"linear", "log-x", "log-log"}, "");
  request.title = text(*table, "title", "");
  if (const toml::node* theory = table->get("theory")) {
    if (!theory->is_boolean()) reject(*theory, "theory", "true or false");
    request.theory = *theory->value_exact<bool>();
  }
  return request;
}

// A condition's one spelling; Error if it is none.
std::string canonical_condition(const std::string& key, const std::string& value) {
  if (key == "delay") return Feedback::parse_delay(value).delay_text();
  Feedback feedback;
  double tolerance = 0.5;
  if (key == "batch") feedback.batch = whole_value(value);
  if (key == "loss") feedback.loss = real_value(value);
  if (key == "leap_tolerance") tolerance = real_value(value);
  check_conditions(feedback, tolerance);
  return value;
}

std::vector<GridAxis> StudyReader::conditions() const {
  std::vector<GridAxis> axes;
  for (const std::string& key : kConditions) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) continue;
    GridAxis axis{key, {}};
    for (const std::string& value : axis_values(*node, key)) {
      try {
        axis.values.push_back(canonical_condition(key, value));
      } catch (const Error& error) {
        reject(*node, key, error.report().expected);
      }
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::optional<double> StudyReader::number(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  if (node->is_number()) return node->value<double>();
  const auto written = node->value_exact<std::string>();
  if (!written) reject(*node, key, "a number");
  try {
    return real_value(*written);
  } catch (const Error& error) {
    reject(*node, key, "a number, or a formula: " + error.report().expected);
  }
}

// A formula that must wait for a cell's sizes; empty where the value is a number as it stands.
// Tried at some sizes, so that what is no formula at all is refused here.
std::string StudyReader::formula_in_sizes(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  const auto written = node == nullptr ? std::nullopt : node->value_exact<std::string>();
  if (!written) return "";
  try {
    real_value(*written);
    return "";
  } catch (const Error&) {
  }
  try {
    FormulaVariables some;
    some.actions = some.contexts = some.horizon = 2;
    real_value(*written, some);
  } catch (const Error& error) {
    reject(*node, key, "a number, or a formula: " + error.report().expected);
  }
  return *written;
}

VerdictRule StudyReader::verdict(const toml::node& node) const {
  const toml::table* table = node.as_table();
  if (table == nullptr) reject(node, "verdicts", "a table with name, rule and policy");
  VerdictRule rule;
  std::vector<std::string> names;
  for (const RuleFacts& facts : verdict_rules()) names.emplace_back(facts.name);
  rule.rule = choice(*table, "rule", names, "");
  if (rule.rule.empty()) reject(node, "verdicts", "name, rule and policy in the table");
  const RuleFacts& facts = rule_named(rule.rule);
  std::vector<std::string> keys = {"name", "rule", "policy", "instance", "catches"};
  keys.insert(keys.end(), facts.keys.begin(), facts.keys.end());
  // What changes nothing may stand anywhere.
  for (const auto& [key, otherwise] : {std::pair("x", "horizon"), std::pair("quantity", "regret")})
    if (text(*table, key, otherwise) == otherwise &&
        std::find(keys.begin(), keys.end(), key) == keys.end())
      keys.emplace_back(key);
  if (keys_ == Keys::kKnownOnly) only_these(*table, "verdicts: " + rule.rule, keys);
  rule.name = text(*table, "name", "");
  rule.policy = text(*table, "policy", "");
  rule.instance = text(*table, "instance", "");
  rule.against = text(*table, "against", "");
  rule.bound = text(*table, "bound", "");
  rule.x = text(*table, "x", facts.default_x);
  rule.quantity = text(*table, "quantity", facts.default_quantity);
  rule.catches = text(*table, "catches", "");
  rule.per = formula_in_sizes(*table, "per");
  // A plain number is a formula too: it divides all the same.
  if (const auto plain = rule.per.empty() ? number(*table, "per") : std::nullopt)
    rule.per = print_real(*plain);
  rule.low = number(*table, "low");
  if (facts.high_in_sizes) rule.high_formula = formula_in_sizes(*table, "high");
  if (rule.high_formula.empty()) rule.high = number(*table, "high");
  rule.from = number(*table, "from");
  rule.until = number(*table, "until");
  if (rule.name.empty() || rule.policy.empty())
    reject(node, "verdicts", "name, rule and policy in the table");
  // What the answer will be held against must stand in the file before there is an answer.
  if (const std::string missing = facts.missing(rule); !missing.empty())
    reject(node, "verdicts", missing);
  return rule;
}

void StudyReader::override_with(const std::string& pair) {
  const std::size_t equals = pair.find('=');
  const std::string key = pair.substr(0, equals);
  if (equals == std::string::npos || !is_name(key))
    throw Error({"", "override", "'" + pair + "'", "key=value"});
  const std::string value = pair.substr(equals + 1);
  // Only top-level keys: is_name lets no dot through that would reach into a table.
  refuse_unknown(key, "override", kKeys);
  // A value that is not TOML by itself is a string: engine=step, horizons=2^20.
  for (const bool literal : {true, false}) {
    try {
      const toml::table parsed =
          toml::parse(key + " = " +
                      (literal ? value
                               : nlohmann::json(value).dump(
                                     -1, ' ', true, nlohmann::json::error_handler_t::replace)));
      if (parsed.size() != 1) continue;  // a line break, and another key after it
      table_.insert_or_assign(key, *parsed.get(key));
      return;
    } catch (const toml::parse_error&) {
    }
  }
  throw Error({"", "override", "'" + pair + "'", "key=value with a TOML value"});
}

Study StudyReader::read() const {
  // First of all: a misspelt `horizons` is told its right name, and not that horizons are missing.
  only_these(table_, "key", kKeys);
  Study study;
  study.title = text(table_, "title", "");
  study.text = text(table_, "text", "");
  study.claim = text(table_, "claim", "");
  study.source = text(table_, "source", "");
  study.expectation = text(table_, "expectation", "");
  // Defaults are those of the struct, so that a study made in C++ has the same ones.
  study.seed = integer("seed", 0, UINT64_MAX, study.seed);
  study.replications =
      static_cast<std::uint32_t>(integer("replications", 1, 1'000'000'000, study.replications));
  study.search = search();
  study.horizons = horizons();
  study.checkpoints =
      static_cast<std::uint32_t>(integer("checkpoints", 1, 100'000, study.checkpoints));
  study.engine = choice(table_, "engine", {"auto", "step", "leap", "cuda"}, study.engine);
  study.max_events = integer("max_events", 1, kMostEvents, study.max_events);
  study.conditions = conditions();
  study.instances = entries("instances", "instance");
  study.policies = entries("policies", "policy");
  for (const toml::node* node : elements("figures", false)) study.figures.push_back(figure(*node));
  for (const toml::node* node : elements("verdicts", false))
    study.verdicts.push_back(verdict(*node));
  return study;
}

}  // namespace

namespace {

toml::table parsed(const std::string& toml, const std::string& source) {
  try {
    return toml::parse(toml, source);
  } catch (const toml::parse_error& error) {
    throw Error({source, fmt::format("line {}", error.source().begin.line),
                 std::string(error.description()), "TOML"});
  }
}

}  // namespace

namespace {

Study read_from(const std::string& toml, const std::string& source,
                const std::vector<std::string>& overrides, const Files& files) {
  StudyReader reader(source, parsed(toml, source), files);
  for (const std::string& pair : overrides) reader.override_with(pair);
  return reader.read();
}

// A pipe has no folder.
std::string folder_of(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored)
             ? std::filesystem::path(path).parent_path().string()
             : "";
}

}  // namespace

Study read_study(const std::string& toml, const std::string& source,
                 const std::vector<std::string>& overrides) {
  return read_from(toml, source, overrides, Files());
}

Study read_study_file(const std::string& path, const std::vector<std::string>& overrides,
                      const FileTable& kept) {
  const Files files(folder_of(path), kept);
  Study study = read_from(read_text_file(path), path, overrides, files);
  try {
    keep_files(study, files);
  } catch (const Error& error) {
    throw error.in_file(path);
  }
  return study;
}

Study read_stored_study(const std::string& toml, const std::string& source, FileTable files) {
  // Those of older stores, which kept none, may be found where they were found then: in the working
  // directory. What lies there now says nothing of those that were kept.
  const Files found = files.empty() ? Files() : Files::only(files);
  Study study = StudyReader(source, parsed(toml, source), found, StudyReader::Keys::kAny).read();
  study.files = std::move(files);
  return study;
}

}  // namespace armature
