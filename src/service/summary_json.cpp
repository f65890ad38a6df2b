#include "service/summary_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "armature/error.h"
#include "base/json_text.h"
#include "service/facts_json.h"

namespace armature::service {
namespace {

using Json = JsonField::Json;

constexpr const char* kFormat = "armature-service-summary";
constexpr int kVersion = 1;

// What may stand where a policy has no number to tell. JSON has none of these.
struct Beyond {
  const char* name;
  double value;
};
constexpr Beyond kBeyond[] = {{"infinity", std::numeric_limits<double>::infinity()},
                              {"-infinity", -std::numeric_limits<double>::infinity()},
                              {"nan", std::numeric_limits<double>::quiet_NaN()}};

// --- Writing -------------------------------------------------------------------------------------

Json any_number_json(double value) {
  if (std::isfinite(value)) return value;
  for (const Beyond& beyond : kBeyond)
    if (value == beyond.value) return beyond.name;
  return "nan";
}

// Lists instead of objects where there are many of them: what is what is known by its place.
Json diagnostics_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& one : diagnostics) {
    Json item = Json::array({one.name, any_number_json(one.value)});
    if (!one.word.empty()) item.push_back(one.word);
    list.push_back(std::move(item));
  }
  return list;
}

Json actions_json(const std::vector<ActionSummary>& actions) {
  Json list = Json::array();
  for (const ActionSummary& action : actions)
    list.push_back({{"name", action.name},
                    {"present", action.present},
                    {"decided", action.decided},
                    {"learned", action.outcomes.learned},
                    {"rewards", action.outcomes.rewards},
                    {"squares", action.outcomes.squares},
                    {"contexts", action.contexts},
                    {"context_rewards", action.rewards}});
  return list;
}

Json history_json(const std::vector<Stretch>& history) {
  Json list = Json::array();
  for (const Stretch& stretch : history)
    list.push_back(Json::array({std::to_string(stretch.begin), stretch.decided, stretch.learned,
                                stretch.rewards, stretch.plays}));
  return list;
}

Json shadows_json(const std::vector<ShadowSummary>& shadows) {
  Json list = Json::array();
  for (const ShadowSummary& shadow : shadows) {
    list.push_back({{"policy", shadow.policy},
                    {"asked", shadow.asked},
                    {"agreed", shadow.agreed},
                    {"diagnostics", diagnostics_json(shadow.diagnostics)}});
    if (!shadow.failure.empty()) list.back()["failure"] = shadow.failure;
  }
  return list;
}

// --- Reading -------------------------------------------------------------------------------------

double any_number_of(const JsonField& field) {
  if (!field.json().is_string()) return field.number();
  const std::string text = field.text();
  for (const Beyond& beyond : kBeyond)
    if (text == beyond.name) return beyond.value;
  field.fail("a number");
}

bool flag_of(const JsonField& field) {
  if (!field.json().is_boolean()) field.fail("true or false");
  return field.json().get<bool>();
}

void require_size(const JsonField& list, std::size_t size, const char* of) {
  if (list.list_size() != size)
    list.fail(fmt::format("{} of them", list.list_size()), fmt::format("{}: {}", size, of));
}

// Paths are made for complaints alone: there may be many of these.
template <class Number>
std::vector<Number> counts_of(const JsonField& list) {
  std::vector<Number> counts;
  counts.reserve(list.list_size());
  for (const Json& item : list.json()) {
    if (!item.is_number_unsigned() || !std::in_range<Number>(item.get<std::uint64_t>()))
      list.at(counts.size()).fail("a count");
    counts.push_back(item.get<Number>());
  }
  return counts;
}

template <class Read>
auto list_of(const JsonField& list, const Read& read) {
  std::vector<decltype(read(list))> items;
  for (std::size_t i = 0; i < list.list_size(); ++i) items.push_back(read(list.at(i)));
  return items;
}

std::vector<std::string> texts_of(const JsonField& list) {
  return list_of(list, [](const JsonField& item) { return item.text(); });
}

Diagnostics diagnostics_of(const JsonField& list) {
  return list_of(list, [](const JsonField& item) {
    const std::size_t size = item.list_size();
    if (size != 2 && size != 3) item.fail("a name, a number and perhaps a word");
    return Diagnostic{item.at(0).text(), any_number_of(item.at(1)),
                      size == 3 ? item.at(2).text() : ""};
  });
}

ExperimentState state_of(const JsonField& field) {
  const std::string name = field.text();
  for (const auto state : {ExperimentState::kRunning, ExperimentState::kPaused,
                           ExperimentState::kFinished, ExperimentState::kQuarantined})
    if (name == state_name(state)) return state;
  field.fail("running, paused, finished or quarantined");
}

ActionSummary action_of(const JsonField& field, std::size_t contexts) {
  field.only({"name", "present", "decided", "learned", "rewards", "squares", "contexts",
              "context_rewards"});
  ActionSummary action;
  action.name = field.at("name").text();
  action.present = flag_of(field.at("present"));
  action.decided = field.at("decided").whole_number();
  action.outcomes.learned = field.at("learned").whole_number();
  action.outcomes.rewards = field.at("rewards").number();
  action.outcomes.squares = field.at("squares").number();
  for (const char* key : {"contexts", "context_rewards"})
    require_size(field.at(key), contexts, "one for every context");
  action.contexts = counts_of<std::uint64_t>(field.at("contexts"));
  action.rewards = field.at("context_rewards").numbers();
  return action;
}

Stretch stretch_of(const JsonField& field, std::size_t actions) {
  require_size(field, 5, "begin, decided, learned, rewards and plays");
  Stretch stretch;
  stretch.begin = time_of(field.at(0));
  stretch.decided = field.at(1).whole_number();
  stretch.learned = field.at(2).whole_number();
  stretch.rewards = field.at(3).number();
  require_size(field.at(4), actions, "one for every action");
  stretch.plays = counts_of<std::uint32_t>(field.at(4));
  return stretch;
}

ShadowSummary shadow_of(const JsonField& field) {
  field.only({"policy", "asked", "agreed", "diagnostics", "failure"});
  ShadowSummary shadow;
  shadow.policy = field.at("policy").text();
  shadow.asked = field.at("asked").whole_number();
  shadow.agreed = field.at("agreed").whole_number();
  shadow.diagnostics = diagnostics_of(field.at("diagnostics"));
  if (field.has("failure")) shadow.failure = field.at("failure").text();
  return shadow;
}

Summary summary_of(const JsonField& root) {
  if (root.at("format").text() != kFormat) root.at("format").fail(fmt::format("\"{}\"", kFormat));
  if (root.at("version").whole_number() != kVersion)
    root.at("version").fail(fmt::format("{}, the one this armature reads", kVersion));
  root.only({"format",   "version",   "experiment", "tenant",    "seed",        "created",
             "settings", "state",     "reason",     "epoch",     "policy",      "epoch_first",
             "opened",   "seq",       "time",       "decisions", "open",        "waiting",
             "learned",  "forgotten", "late",       "fallbacks", "rounds",      "oldest_open",
             "contexts", "actions",   "history",    "delays",    "diagnostics", "shadows",
             "amended",  "snapshot"});
  Summary summary;
  summary.facts = read_facts(root);
  summary.state = state_of(root.at("state"));
  summary.state_reason = root.at("reason").text();
  summary.epoch = optional_of<EpochNumber>(root, "epoch").value_or(0);
  summary.epoch_first = whole_of(root.at("epoch_first"));
  summary.policy = root.at("policy").text();
  summary.epoch_facts = root.has("opened") ? read_epoch(root.at("opened"), summary.epoch_first)
                                           : std::make_shared<const Epoch>();
  summary.seq = whole_of(root.at("seq"));
  summary.time = time_of(root.at("time"));
  summary.decisions = root.at("decisions").whole_number();
  summary.open = root.at("open").whole_number();
  summary.waiting = root.at("waiting").whole_number();
  summary.learned = root.at("learned").whole_number();
  summary.forgotten = root.at("forgotten").whole_number();
  summary.late = root.at("late").whole_number();
  summary.fallbacks = root.at("fallbacks").whole_number();
  summary.rounds = root.at("rounds").whole_number();
  if (root.has("oldest_open")) summary.oldest_open = time_of(root.at("oldest_open"));
  summary.contexts = texts_of(root.at("contexts"));
  summary.actions = list_of(root.at("actions"), [&](const JsonField& field) {
    return action_of(field, summary.contexts.size());
  });
  summary.history = list_of(root.at("history"), [&](const JsonField& field) {
    return stretch_of(field, summary.actions.size());
  });
  require_size(root.at("delays"), kDelayBuckets, "buckets");
  const auto delays = counts_of<std::uint64_t>(root.at("delays"));
  std::copy(delays.begin(), delays.end(), summary.delays.begin());
  summary.diagnostics = diagnostics_of(root.at("diagnostics"));
  summary.shadows = list_of(root.at("shadows"), shadow_of);
  summary.amended = root.at("amended").whole_number();
  summary.snapshot = optional_of<Sequence>(root, "snapshot");
  return summary;
}

}  // namespace

std::string write_summary(const Summary& summary) {
  Json json = {{"format", kFormat}, {"version", kVersion}};
  json.update(facts_json(summary.facts));
  json["state"] = state_name(summary.state);
  json["reason"] = summary.state_reason;
  json["epoch"] = summary.epoch;
  json["epoch_first"] = std::to_string(summary.epoch_first);
  json["policy"] = summary.policy;
  // Of a damaged one no epoch could be read.
  if (summary.epoch_facts && !summary.epoch_facts->problem.action_names.empty())
    json["opened"] = epoch_json(*summary.epoch_facts);
  json["seq"] = std::to_string(summary.seq);
  json["time"] = std::to_string(summary.time);
  json["decisions"] = summary.decisions;
  json["open"] = summary.open;
  json["waiting"] = summary.waiting;
  json["learned"] = summary.learned;
  json["forgotten"] = summary.forgotten;
  json["late"] = summary.late;
  json["fallbacks"] = summary.fallbacks;
  json["rounds"] = summary.rounds;
  if (summary.oldest_open) json["oldest_open"] = std::to_string(*summary.oldest_open);
  json["contexts"] = summary.contexts;
  json["actions"] = actions_json(summary.actions);
  json["history"] = history_json(summary.history);
  json["delays"] = summary.delays;
  json["diagnostics"] = diagnostics_json(summary.diagnostics);
  json["shadows"] = shadows_json(summary.shadows);
  json["amended"] = summary.amended;
  if (summary.snapshot) json["snapshot"] = std::to_string(*summary.snapshot);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Summary read_summary(const std::string& json, const std::string& source) {
  const Json parsed = parsed_json(json, source);
  try {
    return summary_of(JsonField(parsed));
  } catch (const Error& error) {
    throw error.in_file(source);
  }
}

}  // namespace armature::service
