#include "report/theory_answers.h"

#include <nlohmann/json.hpp>

namespace armature {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string bounds_json(const Setting& s, const std::vector<std::string>& notes,
                        const std::vector<Bound>& bounds) {
  Json json = {{"actions", static_cast<std::uint64_t>(s.actions)},
               {"contexts", static_cast<std::uint64_t>(s.contexts)},
               {"horizon", static_cast<std::uint64_t>(s.horizon)},
               {"delta", s.level()},
               {"rank", static_cast<std::uint64_t>(s.dimension())},
               {"r2", s.worst_regret()}};
  if (s.gap) json["gap"] = *s.gap;
  if (s.epsilon) json["epsilon"] = *s.epsilon;
  if (s.delay) json["delay"] = static_cast<std::uint64_t>(*s.delay);
  json["notes"] = notes;
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

std::string frontier_json(const Frontier& frontier, const std::vector<std::string>& notes,
                          const std::optional<PairVerdict>& verdict) {
  const Setting& s = frontier.setting;
  Json json = {{"actions", static_cast<std::uint64_t>(s.actions)},
               {"contexts", static_cast<std::uint64_t>(s.contexts)},
               {"horizon", static_cast<std::uint64_t>(s.horizon)},
               {"product", s.actions * s.horizon}};
  if (frontier.lower_until) json["lower_bound_until"] = *frontier.lower_until;
  json["notes"] = notes;
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

}  // namespace armature
