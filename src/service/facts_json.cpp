#include "service/facts_json.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace armature::service {
namespace {

using Json = JsonField::Json;

constexpr const char* kStarts[] = {"fresh", "replay", "since"};

}  // namespace

std::uint64_t whole_of(const JsonField& field) {
  const auto number =
      field.json().is_string() ? parse_integer(field.text()) : std::optional(field.whole_number());
  if (!number) field.fail("a whole number below 2^64");
  return *number;
}

Time time_of(const JsonField& field) {
  const bool before = field.json().is_string() && field.text().starts_with('-');
  const auto number = before ? parse_integer(field.text().substr(1)) : whole_of(field);
  if (!number || !std::in_range<Time>(*number)) field.fail("microseconds since 1970");
  return before ? -static_cast<Time>(*number) : static_cast<Time>(*number);
}

Json facts_json(const ExperimentFacts& facts) {
  return {{"experiment", facts.name},
          {"tenant", facts.tenant},
          {"seed", std::to_string(facts.seed)},
          {"created", std::to_string(facts.created)},
          {"settings", Json::parse(write_settings(facts.settings))}};
}

ExperimentFacts read_facts(const JsonField& object) {
  ExperimentFacts facts;
  facts.name = object.at("experiment").text();
  facts.tenant = object.at("tenant").text();
  facts.seed = whole_of(object.at("seed"));
  facts.created = time_of(object.at("created"));
  facts.settings = read_settings(object.at("settings").json().dump(), "");
  return facts;
}

Json epoch_json(const Epoch& epoch) {
  return {{"number", epoch.number},
          {"problem", Json::parse(write_problem(epoch.problem))},
          {"policy", epoch.policy},
          {"written", epoch.written},
          {"start", kStarts[static_cast<std::size_t>(epoch.start)]},
          {"since", std::to_string(epoch.since)},
          {"reason", epoch.reason},
          {"build", epoch.build}};
}

std::shared_ptr<const Epoch> read_epoch(const JsonField& field, Sequence first) {
  field.only({"number", "problem", "policy", "written", "start", "since", "reason", "build"});
  auto epoch = std::make_shared<Epoch>();
  epoch->number = optional_of<EpochNumber>(field, "number").value_or(0);
  epoch->first = first;
  epoch->problem = read_experiment_problem(field.at("problem").json().dump());
  epoch->policy = field.at("policy").text();
  epoch->written = field.at("written").text();
  const std::string start = field.at("start").text();
  const auto known = std::find(std::begin(kStarts), std::end(kStarts), start);
  if (known == std::end(kStarts)) field.at("start").fail("fresh, replay or since");
  epoch->start = static_cast<Start>(known - std::begin(kStarts));
  epoch->since = whole_of(field.at("since"));
  epoch->reason = field.at("reason").text();
  epoch->build = field.at("build").text();
  return epoch;
}

}  // namespace armature::service
