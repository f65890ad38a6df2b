// What `armature audit` and `armature replay` found, for programs: docs/formats.md has the fields.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "armature/report.h"

namespace armature {
namespace {

using Json = nlohmann::ordered_json;

// Names come from a file: bytes that are no text must not end the answer.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json number_json(double number) { return std::isnan(number) ? Json() : Json(number); }

Json interval_json(const Interval& interval) { return Json::array({interval.low, interval.high}); }

Json log_json(const LogFacts& facts) {
  Json json = {{"file", facts.file},
               {"format", facts.format},
               {"rows_read", facts.rows_read},
               {"rows_used", facts.rows_used},
               {"rows_set_aside", facts.rows_set_aside},
               {"scale", nullptr},
               {"bad", Json::array()},
               {"sentences", log_sentences(facts)}};
  if (facts.scale) json["scale"] = {facts.scale->first, facts.scale->second};
  for (const LogFacts::Bad& bad : facts.bad)
    json["bad"].push_back({{"reason", bad.reason},
                           {"column", bad.column},
                           {"rows", bad.rows},
                           {"first_line", bad.first_line},
                           {"value", bad.value}});
  return json;
}

template <class Value>
Json matrix_json(const AuditAnswer& answer, const Value& value) {
  Json rows = Json::array();
  for (std::size_t a = 0; a < answer.actions.size(); ++a) {
    Json row = Json::array();
    for (std::size_t z = 0; z < answer.contexts.size(); ++z)
      row.push_back(value(answer.cell(a, z)));
    rows.push_back(row);
  }
  return rows;
}

Json action_json(const AuditAnswer& answer, std::size_t a) {
  const AuditActionAnswer& action = answer.of_actions[a];
  Json json = {{"action", answer.actions[a]},
               {"rows", action.rows},
               {"radius_fixed", action.radius_fixed},
               {"radius_anytime", action.radius_anytime},
               {"smallest_violation", action.smallest ? Json(*action.smallest) : Json()}};
  if (answer.zone) json["further_plays"] = action.further_plays;
  return json;
}

Json context_json(const AuditAnswer& answer, std::size_t z) {
  const AuditContextAnswer& context = answer.of_contexts[z];
  return {{"context", answer.contexts[z]},
          {"rows", context.rows},
          {"actions", context.actions},
          {"mean", context.mean},
          {"test", context.method},
          {"p_value", context.p_value},
          {"adjusted_p_value", context.adjusted},
          {"draws", context.draws},
          {"standard_error", context.standard_error},
          {"log_e_value", context.log_evidence},
          {"smallest_violation", context.smallest ? Json(*context.smallest) : Json()}};
}

Json power_json(const AuditAnswer& answer) {
  Json points = Json::array();
  for (const PowerPoint& point : answer.power)
    points.push_back({{"violation", point.violation}, {"power", point.power}});
  return points;
}

Json marginals_json(const AuditAnswer& answer) {
  Json json = {{"epsilon", answer.epsilon}};
  if (!answer.zone) return json;
  json["horizon"] = *answer.question.horizon;
  json["harmless"] = *answer.harmless;
  json["worthless"] = *answer.worthless;
  json["worthless_regret"] = *answer.worthless_regret;
  json["zone"] = zone_name(*answer.zone);
  return json;
}

}  // namespace

AdviceQuestion advice_question(const AuditAnswer& answer) {
  AdviceQuestion question;
  question.given = answer.problem();
  question.setting.actions = static_cast<double>(answer.actions.size());
  question.setting.contexts = static_cast<double>(answer.contexts.size());
  question.setting.horizon =
      static_cast<double>(answer.question.horizon.value_or(std::max<Round>(2, answer.rows)));
  question.setting.epsilon = answer.epsilon;
  question.leaning =
      answer.verdict == AuditVerdict::kRejected ? Leaning::kDistrust : Leaning::kBalanced;
  question.seed = answer.question.seed;
  return question;
}

std::string audit_json(const AuditAnswer& answer, const LogFacts& facts,
                       const std::optional<AdviceAnswer>& advice) {
  using CellAnswer = AuditCellAnswer;
  const auto anytime = [&](const Interval& interval) {
    return answer.weighted ? Json() : interval_json(interval);
  };
  Json json = {
      {"verdict", verdict_name(answer.verdict)},
      {"words", audit_words(answer)},
      {"p_value", answer.p_value},
      {"rests_on", answer.rests_on},
      {"level", answer.question.level},
      {"rows_used", facts.rows_used},
      {"rows_skipped", facts.rows_read - facts.rows_used},
      {"weight", answer.rows},  // rows that these lines stand for
      {"adaptive", answer.adaptive},
      {"weighted", answer.weighted},
      {"binary", answer.binary},
      {"actions", answer.actions},
      {"contexts", answer.contexts},
      {"counts", matrix_json(answer, [](const CellAnswer& c) { return c.rows; })},
      {"marginals", matrix_json(answer, [](const CellAnswer& c) { return c.marginal; })},
      {"means",
       matrix_json(answer, [](const CellAnswer& c) { return c.mean ? Json(*c.mean) : Json(); })},
      {"intervals",
       {{"delta", answer.question.delta},
        {"approximate", answer.weighted},
        {"marginals_fixed",
         matrix_json(answer, [](const CellAnswer& c) { return interval_json(c.marginal_fixed); })},
        {"marginals_anytime",
         matrix_json(answer, [&](const CellAnswer& c) { return anytime(c.marginal_anytime); })},
        {"means_fixed",
         matrix_json(answer, [](const CellAnswer& c) { return interval_json(c.mean_fixed); })},
        {"means_anytime",
         matrix_json(answer, [&](const CellAnswer& c) { return anytime(c.mean_anytime); })}}},
      {"smallest_p_value", answer.smallest_p},
      {"combined_p_value", answer.combined_p},
      {"log_e_value", answer.log_evidence},
      {"log_e_value_now", answer.log_evidence_now},
      {"tests", Json::array()},
      {"breaks", Json::array()},
      {"breaks_found", answer.breaks_found},
      {"share_through_context", answer.share.known
                                    ? Json{{"share", answer.share.through_context},
                                           {"interval", interval_json(answer.share.interval)},
                                           {"effect_deviation", answer.share.deviation}}
                                    : Json()},
      {"smallest_violation", answer.smallest ? Json(*answer.smallest) : Json()},
      {"violation", answer.violation},
      {"of_actions", Json::array()},
      {"power", power_json(answer)},
      {"marginals_known", marginals_json(answer)},
      {"log", log_json(facts)},
      {"warnings", answer.warnings}};
  for (std::size_t z = 0; z < answer.contexts.size(); ++z)
    json["tests"].push_back(context_json(answer, z));
  for (std::size_t a = 0; a < answer.actions.size(); ++a)
    json["of_actions"].push_back(action_json(answer, a));
  for (const AuditBreak& broken : answer.breaks)
    json["breaks"].push_back({{"action", answer.actions[broken.action]},
                              {"context", answer.contexts[broken.context]},
                              {"difference", broken.difference},
                              {"interval", interval_json(broken.interval)},
                              {"adjusted_p_value", broken.adjusted}});
  if (advice)
    json["advice"] = {{"policy", advice->policy},
                      {"because", advice->because},
                      {"horizon", static_cast<std::uint64_t>(advice->question.setting.horizon)},
                      {"leaning", leaning_name(advice->question.leaning)}};
  return text_of(json);
}

std::string replay_json(const ReplayAnswer& answer, const ReplayQuestion& question,
                        const LogFacts& facts) {
  Json json = {{"rows", answer.rows},
               {"weight", answer.weight},
               {"actions", answer.actions},
               {"contexts", answer.contexts},
               {"adaptive", answer.adaptive},
               {"least_propensity", answer.least_propensity},
               {"level", question.level},
               {"interval", question.resamples > 0 ? "bootstrap" : "empirical-bernstein"},
               {"resamples", question.resamples},
               {"seed", question.seed},
               {"log_value", answer.log_value},
               {"log_interval", interval_json(answer.log_interval)},
               {"values", Json::array()},
               {"log", log_json(facts)},
               {"notes", answer.notes},
               {"warnings", answer.warnings}};
  for (const ReplayValue& value : answer.values) {
    Json one = {{"policy", value.policy},
                {"method", replay_method_name(value.method)},
                {"value", number_json(value.value)},
                {"interval", interval_json(value.interval)},
                {"difference", number_json(value.difference)},
                {"difference_interval", interval_json(value.difference_interval)},
                {"rounds", value.rounds},
                {"effective_rows", value.effective_rows},
                {"largest_weight", value.largest_weight},
                {"unseen", value.unseen},
                {"shares", value.shares},
                {"horizon", value.horizon ? Json(*value.horizon) : Json()},
                {"warnings", value.warnings}};
    json["values"].push_back(one);
  }
  return text_of(json);
}

}  // namespace armature
