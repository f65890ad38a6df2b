// Experiments as JSON, and what is wrong with them.
#include "service/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "armature/policy.h"
#include "armature/random.h"
#include "armature/state.h"
#include "armature/version.h"
#include "base/json_field.h"
#include "base/json_text.h"
#include "base/text.h"
#include "service/request_json.h"

namespace armature::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 64;
constexpr int kMostNames = 1'000'000;           // of actions, or of contexts
constexpr std::uint64_t kMostOpen = 5'000'000;  // what is open is in every snapshot
constexpr double kMostCells = 1e7;              // beyond anybody's limit (Options::most_cells)
constexpr int kContextTrials = 100;
constexpr Time kLongestDeadline = Time{100} * 366 * 24 * kHour;

struct Unit {
  const char* name;
  Time length;
};
constexpr Unit kUnits[] = {
    {"d", 24 * kHour}, {"h", kHour}, {"m", kMinute}, {"s", kSecond}, {"ms", kSecond / 1000}};

// Policies that never get on while one of their decisions is open, or keep a list of them.
constexpr const char* kDeadlineNeeded[] = {"pe", "corral"};

// Policies that move a list of all that is open for every outcome: everybody would wait for it.
constexpr const char* kListKeepers[] = {"corral", "exp3"};
constexpr std::uint64_t kMostListed = 100'000;

bool mentions(const std::string& text, std::string_view name) {
  const auto inside = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !inside(text[at - 1])) && (end == text.size() || !inside(text[end])))
      return true;
  }
  return false;
}

void require_name(const std::string& field, const std::string& name) {
  if (!is_name(name) || name.size() > kLongestName)
    throw Error({"", field, "'" + name + "'",
                 fmt::format("at most {} letters, digits, - and _", kLongestName)});
}

// Told from further out: names the field it was found in.
template <class Read>
auto inside_field(const std::string& field, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    ErrorReport report = named_by_field(error.report());
    report.field = field + (report.field.empty() ? "" : "." + report.field);
    throw Error(report);
  }
}

// The same of all that a client sent.
template <class Read>
auto inside_body(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    ErrorReport report = named_by_field(error.report());
    if (report.field.empty()) report.field = "body";
    throw Error(report);
  }
}

std::uint64_t read_seed(const JsonField& field) {
  if (!field.json().is_string()) return field.whole_number();
  const auto seed = parse_integer(field.text());
  if (!seed) field.fail("a whole number below 2^64");
  return *seed;
}

// One of two words.
bool read_word(const JsonField& root, const char* key, const char* no, const char* yes) {
  if (!root.has(key)) return false;
  const JsonField field = root.at(key);
  if (field.text() != no && field.text() != yes)
    field.fail(fmt::format("\"{}\" or \"{}\"", no, yes));
  return field.text() == yes;
}

// A name, or the number of one of `names`; what is stored has names alone, and no `names` here.
std::string read_name(const JsonField& field, const std::vector<std::string>* names,
                      const std::string& expected) {
  if (names != nullptr && field.json().is_number_unsigned()) {
    const auto number = field.json().get<std::uint64_t>();
    if (number >= names->size())
      field.fail(fmt::format("a number below {}, or a name", names->size()));
    return (*names)[number];
  }
  if (!field.json().is_string()) field.fail(expected);
  return field.text();
}

std::optional<Silence> read_silence(const JsonField& field, const Problem* problem) {
  if (!field.json().is_object()) {
    if (field.json() != "forget") field.fail("\"forget\", or {\"context\": …, \"reward\": …}");
    return std::nullopt;
  }
  field.only({"context", "reward"});
  return Silence{read_name(field.at("context"), problem ? &problem->context_names : nullptr,
                           "a context, by name or number"),
                 field.at("reward").number()};
}

// With the problem, which has the names of what was numbered; without, as it was stored.
Settings read_settings_of(const JsonField& root, const Problem* problem) {
  Settings settings;
  if (root.has("deadline"))
    settings.deadline = parse_duration(root.at("deadline").text(), root.at("deadline").path());
  settings.silence = read_silence(root.at("silence"), problem);
  const JsonField fallback = root.at("fallback");
  if (!fallback.json().is_null())
    settings.fallback = read_name(fallback, problem ? &problem->action_names : nullptr,
                                  "an action, by name or number, or null");
  if (root.has("floor")) settings.floor = root.at("floor").number();
  settings.stop_at_horizon = read_word(root, "at_horizon", "continue", "stop");
  settings.contexts_optional = read_word(root, "contexts", "required", "optional");
  if (root.has("most_open")) settings.most_open = root.at("most_open").whole_number();
  return settings;
}

void add_settings(Json& json, const Settings& settings) {
  json["deadline"] = print_duration(settings.deadline);
  if (settings.silence)
    json["silence"] = {{"context", settings.silence->context},
                       {"reward", settings.silence->reward}};
  else
    json["silence"] = "forget";
  json["fallback"] = settings.fallback ? Json(*settings.fallback) : Json(nullptr);
  json["floor"] = settings.floor;
  json["at_horizon"] = settings.stop_at_horizon ? "stop" : "continue";
  json["contexts"] = settings.contexts_optional ? "optional" : "required";
  json["most_open"] = settings.most_open;
}

const std::vector<std::string> kSettingKeys = {"deadline",   "silence",  "fallback", "floor",
                                               "at_horizon", "contexts", "most_open"};

// Two experiments that nobody gave a seed do not share their luck.
std::uint64_t seed_of(const std::string& name) {
  Fingerprint fingerprint;
  fingerprint.add(name);
  return fingerprint.value();
}

}  // namespace

std::optional<Time> parse_duration(const std::string& text, const std::string& field) {
  if (text == "never") return std::nullopt;
  const std::size_t digits = text.find_first_not_of("0123456789");
  const auto count = parse_integer(text.substr(0, digits));
  const std::string unit = digits == std::string::npos ? "" : text.substr(digits);
  for (const Unit& known : kUnits)
    if (unit == known.name && count && *count > 0 &&
        *count <= static_cast<std::uint64_t>(kLongestDeadline / known.length))
      return static_cast<Time>(*count) * known.length;
  throw Error({"", field, "'" + text + "'",
               "a time of at most a hundred years as 90s, 30m, 24h or 7d, or never"});
}

std::string print_duration(std::optional<Time> duration) {
  if (!duration) return "never";
  for (const Unit& unit : kUnits)
    if (*duration % unit.length == 0)
      return fmt::format("{}{}", *duration / unit.length, unit.name);
  return fmt::format("{}ms", *duration * 1000 / kSecond);
}

std::string policy_with_floor(const std::string& policy, double floor, const Problem& problem) {
  const auto refuse = [&](const char* expected) {
    throw Error({"", "policy", "'" + policy + "', with a floor around it", expected});
  };
  if (policy == kExternalPolicy) {
    if (floor > 0) refuse("another one: who decides elsewhere explores there");
    return policy;
  }
  // By itself first, so that what is wrong is told in the words of who wrote it.
  const std::string alone = canonical_policy(policy, problem.formula_variables());
  if (!(floor > 0)) return alone;
  if (TextForm::parse(alone).name == "floor") refuse("one that has no floor of its own");
  return canonical_policy(fmt::format("floor:base=({}),probability={}", policy, print_real(floor)),
                          problem.formula_variables());
}

namespace {

// Who needs a deadline; null: nobody.
const char* waits_for_all(const std::string& policy) {
  for (const char* name : kDeadlineNeeded)
    if (mentions(policy, name)) return name;
  return nullptr;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_new_settings(const Settings& settings, const Problem& problem,
                        const std::string& policy) {
  const auto require_one_of = [](const char* field, const std::string& name,
                                 const std::vector<std::string>& names, const char* what) {
    if (!is_one_of(name, names))
      throw Error({"", field, "'" + name + "'",
                   fmt::format("one of the problem's {}", what) + did_you_mean(name, names)});
  };
  if (settings.deadline && *settings.deadline < kSecond / 1000)
    throw Error({"", "deadline", print_duration(settings.deadline), "a time above 0"});
  if (settings.silence) {
    require_one_of("silence.context", settings.silence->context, problem.context_names, "contexts");
    if (!(settings.silence->reward >= 0 && settings.silence->reward <= 1))
      throw Error(
          {"", "silence.reward", print_real(settings.silence->reward), "a number in [0,1]"});
    if (!settings.deadline)
      throw Error({"", "deadline", "never", "a time after which silence is learned"});
  }
  if (settings.fallback)
    require_one_of("fallback", *settings.fallback, problem.action_names, "actions");
  if (!(settings.floor >= 0 && settings.floor <= 1))
    throw Error({"", "floor", print_real(settings.floor), "a probability"});
  if (settings.floor > 0 && policy == kExternalPolicy)
    throw Error(
        {"", "floor", print_real(settings.floor), "0: who decides elsewhere explores there"});
  if (settings.stop_at_horizon && policy == kExternalPolicy)
    throw Error({"", "at_horizon", "stop", "continue: who decides elsewhere stops there"});
  if (settings.most_open == 0 || settings.most_open > kMostOpen)
    throw Error({"", "most_open", fmt::format("{}", settings.most_open),
                 fmt::format("a number from 1 to {}", kMostOpen)});
  if (const char* name = waits_for_all(policy); name != nullptr && !settings.deadline)
    throw Error(
        {"", "deadline", "never", fmt::format("a time: {} waits for all of its decisions", name)});
}

}  // namespace

// All else was asked when it was created, and never changes.
void check_settings(const Settings& settings, const Problem& problem, const std::string& policy) {
  if (settings.fallback && !is_one_of(*settings.fallback, problem.action_names))
    throw Error({"", "problem.actions", "none named '" + *settings.fallback + "'",
                 "the fallback of this experiment among them"});
  if (settings.silence && !is_one_of(settings.silence->context, problem.context_names))
    throw Error({"", "problem.contexts", "none named '" + settings.silence->context + "'",
                 "the context that silence stands for among them"});
  if (settings.stop_at_horizon && policy == kExternalPolicy)
    throw Error({"", "policy", "'external'", "another one: this experiment stops at its horizon"});
  if (const char* name = waits_for_all(policy); name != nullptr && !settings.deadline)
    throw Error({"", "policy", "'" + policy + "'",
                 fmt::format("one that does not wait for all of its decisions, as {} does: the "
                             "deadline of this experiment is never",
                             name)});
}

std::uint64_t most_open(const Settings& settings, const std::string& policy) {
  if (settings.most_open > kMostListed)
    for (const char* name : kListKeepers)
      if (mentions(policy, name)) return kMostListed;
  return settings.most_open;
}

// Two of them with the same luck are told the same rewards, one in the first context and one in the
// last: to whoever does not go by contexts that is the same. They are compared when they have
// chosen, for some keep outcomes until then.
void check_contexts(const Settings& settings, const Problem& problem, const std::string& policy) {
  if (!settings.contexts_optional || problem.contexts() < 2 || policy == kExternalPolicy) return;
  const auto last = static_cast<Context>(problem.contexts() - 1);
  const auto one = make_policy(policy, problem);
  const auto other = make_policy(policy, problem);
  Stream luck({1, 0, Purpose::kPolicy});
  Stream same_luck({1, 0, Purpose::kPolicy});
  for (int i = 0; i < kContextTrials; ++i) {
    const Decision decision = one->choose(luck);
    const Decision again = other->choose(same_luck);
    if (one->digest() != other->digest())
      throw Error({"", "policy", "one that learns from contexts",
                   "one that does not: contexts are optional"});
    const double reward = i % 2;
    one->observe(decision, {0, reward}, luck);
    other->observe(again, {last, reward}, same_luck);
  }
}

void require_cells(const Problem& problem, std::uint64_t most) {
  const std::uint64_t cells = std::uint64_t{problem.actions()} * problem.contexts();
  if (cells > most)
    throw Error({"", "problem", fmt::format("{} cells, actions times contexts", cells),
                 fmt::format("at most {}", most)});
}

void check_creation(const Creation& creation) {
  require_name("name", creation.facts.name);
  if (!creation.facts.tenant.empty()) require_name("tenant", creation.facts.tenant);
  inside_field("problem", [&] { creation.problem.validate(); });
  check_new_settings(creation.facts.settings, creation.problem, creation.policy);
}

namespace {

double count_of(const Json& problem, const char* key) {
  if (!problem.is_object() || !problem.contains(key)) return 0;
  const Json& field = problem[key];
  return field.is_number() ? field.get<double>() : static_cast<double>(field.size());
}

}  // namespace

// A count alone may ask for ten million names in a few bytes: more than anybody's limit of cells is
// refused before they are made.
Problem read_experiment_problem(const std::string& json) {
  return inside_field("problem", [&] {
    const Json parsed = request_json(json, "");
    for (const char* key : {"actions", "contexts"})
      if (parsed.is_object() && parsed.contains(key) && parsed[key].is_number() &&
          parsed[key].get<double>() > kMostNames)
        JsonField(parsed).at(key).fail(fmt::format("at most {}", kMostNames));
    if (count_of(parsed, "actions") * count_of(parsed, "contexts") > kMostCells)
      throw Error({"", "", "more than ten million cells, actions times contexts", "fewer"});
    return read_problem(json, "");
  });
}

Creation read_creation(const std::string& json, const std::string& source) {
  return inside_body([&] {
    const Json parsed = request_json(json, source);
    const JsonField root(parsed);
    std::vector<std::string> keys = {"name", "tenant", "problem", "policy", "seed"};
    keys.insert(keys.end(), kSettingKeys.begin(), kSettingKeys.end());
    root.only(keys);
    Creation creation;
    creation.facts.name = root.at("name").text();
    if (root.has("tenant")) creation.facts.tenant = root.at("tenant").text();
    creation.facts.seed =
        root.has("seed") ? read_seed(root.at("seed")) : seed_of(creation.facts.name);
    creation.policy = root.at("policy").text();
    if (creation.policy.size() > kLongestPolicy)
      root.at("policy").fail(fmt::format("{} bytes", creation.policy.size()),
                             fmt::format("at most {} bytes", kLongestPolicy));
    creation.problem = read_experiment_problem(root.at("problem").json().dump());
    creation.facts.settings = read_settings_of(root, &creation.problem);
    check_creation(creation);
    return creation;
  });
}

std::string write_creation(const Creation& creation) {
  Json json = {{"name", creation.facts.name}};
  if (!creation.facts.tenant.empty()) json["tenant"] = creation.facts.tenant;
  json["problem"] = Json::parse(write_problem(creation.problem));
  json["policy"] = creation.policy;
  json["seed"] = std::to_string(creation.facts.seed);
  add_settings(json, creation.facts.settings);
  return json.dump();
}

std::string write_settings(const Settings& settings) {
  Json json = Json::object();
  add_settings(json, settings);
  return json.dump();
}

Settings read_settings(const std::string& json, const std::string& source) {
  const Json parsed = parsed_json(json, source);
  const JsonField root(parsed);
  root.only(kSettingKeys);
  return read_settings_of(root, nullptr);
}

// CPU flags are no part of it: they do not change what is computed (docs/exactness.md).
std::string this_build() {
  constexpr const char* kSources =
#include ARMATURE_SOURCE_DIGEST
      ;
#ifdef __clang__
  constexpr const char* kCompiler = __VERSION__;  // names itself
#else
  constexpr const char* kCompiler = "GCC " __VERSION__;
#endif
  return fmt::format("{} {} sources {}", version(), kCompiler, kSources);
}

}  // namespace armature::service
