#include "service/http/views.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "armature/parameters.h"
#include "service/export.h"
#include "service/http/complaint.h"
#include "service/http/json_text.h"
#include "theory/policy_bound.h"

namespace armature::service::http {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// --- Answers -------------------------------------------------------------------------------------

struct Writer {
  int status = 200;
  JsonObject json;

  void operator()(const Refusal&) {}
  void operator()(const Created& answer) {
    status = answer.repeated ? 200 : 201;
    json.text("experiment", answer.experiment).flag("repeated", answer.repeated);
  }
  void operator()(const Decided& answer) {
    json.text("decision", answer.decision)
        .text("action", answer.action)
        .count("action_index", answer.action_number);
    if (answer.propensity) json.number("propensity", *answer.propensity);
    json.digits("seq", answer.seq).flag("beyond_horizon", answer.beyond_horizon);
    if (answer.repeated) json.flag("repeated", true);
    if (answer.fallback) json.flag("fallback", true);
  }
  void operator()(const Received& answer) {
    json.text("decision", answer.decision).text("status", status_name(answer.status));
    if (answer.repeated) json.flag("repeated", true);
  }
  void operator()(const DecisionView& view) {
    json.text("decision", view.decision)
        .digits("seq", view.seq)
        .text("status", status_name(view.status))
        .text("time", print_time(view.time))
        .count("epoch", view.epoch)
        .text("policy", view.policy)
        .text("action", view.action);
    if (view.propensity) json.number("propensity", *view.propensity);
    if (view.fallback) json.flag("fallback", true);
    if (view.context) json.text("context", *view.context);
    if (view.reward) json.number("reward", *view.reward);
    if (view.closed) json.digits("closed", *view.closed);
    if (!view.cause.empty()) json.text("cause", view.cause);
  }
  void operator()(const Done& answer) {
    if (!answer.experiment.empty()) json.text("experiment", answer.experiment);
    if (answer.seq > 0) json.digits("seq", answer.seq);
    if (!answer.text.empty()) json.text("policy", answer.text);
  }
};

// --- Experiments ---------------------------------------------------------------------------------

Json diagnostics_json(const Diagnostics& diagnostics) {
  Json json = Json::object();
  for (const Diagnostic& one : diagnostics) {
    if (one.word.empty())
      json[one.name] = one.value;
    else
      json[one.name] = one.word;
  }
  return json;
}

Json counts_json(const Summary& summary) {
  return {{"decisions", summary.decisions}, {"open", summary.open},
          {"waiting", summary.waiting},     {"learned", summary.learned},
          {"forgotten", summary.forgotten}, {"late", summary.late},
          {"fallbacks", summary.fallbacks}};
}

Json line_json(const Summary& summary) {
  Json json = {{"name", summary.facts.name},
               {"state", state_name(summary.state)},
               {"policy", summary.policy},
               {"epoch", summary.epoch},
               {"seq", std::to_string(summary.seq)},
               {"time", print_time(summary.time)},
               {"created", print_time(summary.facts.created)}};
  if (!summary.facts.tenant.empty()) json["tenant"] = summary.facts.tenant;
  if (!summary.state_reason.empty()) json["reason"] = summary.state_reason;
  json["counts"] = counts_json(summary);
  // Of all that were learned; some of them are late by now, and no longer in the count of learned.
  Rewards outcomes;
  for (const ActionSummary& action : summary.actions) {
    outcomes.learned += action.outcomes.learned;
    outcomes.rewards += action.outcomes.rewards;
  }
  if (outcomes.learned > 0)
    json["mean_reward"] = outcomes.rewards / static_cast<double>(outcomes.learned);
  if (summary.oldest_open) json["oldest_open"] = print_time(*summary.oldest_open);
  return json;
}

Json shadows_json(const Summary& summary) {
  Json shadows = Json::array();
  for (const ShadowSummary& shadow : summary.shadows) {
    shadows.push_back({{"policy", shadow.policy},
                       {"asked", shadow.asked},
                       {"agreed", shadow.agreed},
                       {"diagnostics", diagnostics_json(shadow.diagnostics)}});
    if (!shadow.failure.empty()) shadows.back()["failure"] = shadow.failure;
  }
  return shadows;
}

Json actions_json(const Summary& summary) {
  Json actions = Json::array();
  for (const ActionSummary& action : summary.actions)
    actions.push_back({{"name", action.name},
                       {"present", action.present},
                       {"decided", action.decided},
                       {"learned", action.outcomes.learned},
                       {"rewards", action.outcomes.rewards},
                       {"squares", action.outcomes.squares},
                       {"contexts", action.contexts},
                       {"context_rewards", action.rewards}});
  return actions;
}

// What is proved of the regret, in any world, of a policy that began with nothing and hears of
// every outcome before its next decision; late ones add to it (docs/theory.md).
std::optional<Json> regret_bound_json(const Summary& summary) {
  const Epoch& epoch = *summary.epoch_facts;
  if (!epoch.problem.horizon || epoch.start != Start::kFresh) return std::nullopt;
  const auto horizon = static_cast<double>(*epoch.problem.horizon);
  Setting setting;
  setting.actions = epoch.problem.actions();
  setting.contexts = epoch.problem.contexts();
  setting.horizon = horizon;
  const auto at_horizon = policy_bound(setting, epoch.policy, horizon);
  if (!at_horizon || summary.rounds > *epoch.problem.horizon) return std::nullopt;
  Json json = {{"policy", TextForm::parse(epoch.policy).name},
               {"round", summary.rounds},
               {"horizon", *epoch.problem.horizon},
               {"at_horizon", *at_horizon}};
  if (const auto probability = policy_bound_probability(setting, epoch.policy))
    json["probability"] = *probability;  // else it is the mean that is bounded
  const auto now = policy_bound(setting, epoch.policy, static_cast<double>(summary.rounds));
  if (now) json["now"] = *now;  // early on nothing is proved that is below the round
  return json;
}

Json history_json(const Summary& summary) {
  Json history = Json::array();
  for (const Stretch& stretch : summary.history)
    history.push_back({{"begin", print_time(stretch.begin)},
                       {"decided", stretch.decided},
                       {"learned", stretch.learned},
                       {"rewards", stretch.rewards},
                       {"plays", stretch.plays}});
  return history;
}

}  // namespace

HttpReply reply_to(const Answer& answer) {
  if (const auto* refusal = std::get_if<Refusal>(&answer))
    return complaint_reply(complaint_about(*refusal));
  Writer writer;
  std::visit(writer, answer);
  HttpReply reply;
  reply.status = writer.status;
  reply.body = std::move(writer.json).end();
  return reply;
}

std::string batch_item(const Answer& answer) {
  if (const auto* refusal = std::get_if<Refusal>(&answer))
    return "{\"error\":" + complaint_text(complaint_about(*refusal)) + "}";
  Writer writer;
  std::visit(writer, answer);
  return std::move(writer.json).end();
}

std::string experiment_line(const Summary& summary) { return text_of(line_json(summary)); }

std::string experiment_view(const Summary& summary) {
  Json json = line_json(summary);
  json["seed"] = std::to_string(summary.facts.seed);
  json["settings"] = Json::parse(write_settings(summary.facts.settings));
  json["problem"] = Json::parse(write_problem(summary.epoch_facts->problem));
  json["epoch_first"] = std::to_string(summary.epoch_first);
  json["rounds"] = summary.rounds;
  if (const auto bound = regret_bound_json(summary)) json["regret_bound"] = *bound;
  json["amended"] = summary.amended;
  json["contexts"] = summary.contexts;
  json["actions"] = actions_json(summary);
  json["history"] = history_json(summary);
  json["delays"] = summary.delays;
  json["diagnostics"] = diagnostics_json(summary.diagnostics);
  json["shadows"] = shadows_json(summary);
  if (summary.snapshot) json["snapshot"] = std::to_string(*summary.snapshot);
  json["number"] = std::to_string(summary.number);
  return text_of(json);
}

std::string shadows_view(const Summary& summary) {
  return text_of({{"experiment", summary.facts.name}, {"shadows", shadows_json(summary)}});
}

std::string snapshot_head(const std::string& experiment, const Snapshot& snapshot) {
  JsonObject json;
  json.text("experiment", experiment)
      .digits("seq", snapshot.seq)
      .digits("digest", snapshot.digest)
      .flag("anchor", snapshot.anchor)
      .text("state", "");
  std::string text = std::move(json).end();
  text.resize(text.size() - 2);  // its state is written behind it
  return text;
}

// Enough of its hash to tell it from others.
std::string token_id(const Token& token) { return token.hash.substr(0, 16); }

std::string token_view(const Token& token) {
  Json json = {{"id", token_id(token)},
               {"name", token.name},
               {"roles", token.roles},
               {"experiments", token.experiments},
               {"created", print_time(token.created)}};
  if (!token.tenant.empty()) json["tenant"] = token.tenant;
  if (token.expires) json["expires"] = print_time(*token.expires);
  return text_of(json);
}

}  // namespace armature::service::http
