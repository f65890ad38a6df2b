// The table of routes as an OpenAPI 3.1 document.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "armature/version.h"
#include "service/http/routes.h"

namespace armature::service::http {
namespace {

using Json = nlohmann::ordered_json;

Json object_schema(std::span<const Field> fields);

Json kind_schema(const Field& field) {
  if (field.schema != nullptr) return Json::parse(field.schema);
  Json schema;
  switch (field.kind) {
    case FieldKind::kText:
      schema = {{"type", "string"}};
      break;
    case FieldKind::kName:
      schema = {{"oneOf", {{{"type", "string"}}, {{"type", "integer"}, {"minimum", 0}}}}};
      break;
    case FieldKind::kNumber:
      schema = {{"type", "number"}};
      break;
    case FieldKind::kSequence:
      schema = {
          {"oneOf",
           {{{"type", "string"}, {"pattern", "^[0-9]+$"}}, {{"type", "integer"}, {"minimum", 0}}}}};
      break;
    case FieldKind::kFlag:
      schema = {{"type", "boolean"}};
      break;
    case FieldKind::kTexts:
      schema = {{"type", "array"}, {"maxItems", field.longest}, {"items", {{"type", "string"}}}};
      break;
    case FieldKind::kObject:
      schema = {{"type", "object"}};
      break;
    case FieldKind::kItems:
      schema = {
          {"type", "array"}, {"maxItems", field.longest}, {"items", object_schema(field.items)}};
      break;
  }
  return schema;
}

// Texts are measured in bytes, which `maxLength` does not count.
Json field_schema(const Field& field) {
  const bool measured =
      field.schema == nullptr && (field.kind == FieldKind::kText || field.kind == FieldKind::kName);
  Json schema = kind_schema(field);
  schema["description"] =
      measured ? fmt::format("{} (at most {} bytes)", field.meaning, field.longest) : field.meaning;
  return schema;
}

Json object_schema(std::span<const Field> fields) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : fields) {
    properties[field.name] = field_schema(field);
    if (field.required) required.push_back(field.name);
  }
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

// Answers. A type is JSON's own word, the name of another answer, a list of them (`string[]`) or
// one of several (`string|null`); `object` alone is described elsewhere (docs/formats.md).
struct AnswerField {
  const char* name;
  const char* type;
};
struct AnswerSchema {
  const char* name;
  std::vector<AnswerField> always;
  std::vector<AnswerField> sometimes;
};

const std::vector<AnswerField> kLineFields = {
    {"name", "string"}, {"state", "string"}, {"policy", "string"},  {"epoch", "integer"},
    {"seq", "string"},  {"time", "string"},  {"created", "string"}, {"counts", "Counts"}};
const std::vector<AnswerField> kLineSometimes = {{"tenant", "string"},
                                                 {"reason", "string"},
                                                 {"mean_reward", "number"},
                                                 {"oldest_open", "string"}};
const std::vector<AnswerField> kTokenAlways = {{"id", "string"},
                                               {"name", "string"},
                                               {"roles", "string[]"},
                                               {"experiments", "string[]"},
                                               {"created", "string"}};
const std::vector<AnswerField> kTokenSometimes = {{"tenant", "string"}, {"expires", "string"}};

std::vector<AnswerField> with(std::vector<AnswerField> fields,
                              std::initializer_list<AnswerField> more) {
  fields.insert(fields.end(), more);
  return fields;
}

const std::vector<AnswerSchema>& answer_schemas() {
  static const std::vector<AnswerSchema> all = {
      {"Created", {{"experiment", "string"}, {"repeated", "boolean"}}, {}},
      {"Experiments", {{"experiments", "ExperimentLine[]"}}, {}},
      {"ExperimentLine", kLineFields, kLineSometimes},
      {"Counts",
       {{"decisions", "integer"},
        {"open", "integer"},
        {"waiting", "integer"},
        {"learned", "integer"},
        {"forgotten", "integer"},
        {"late", "integer"},
        {"fallbacks", "integer"}},
       {}},
      {"Experiment",
       with(kLineFields, {{"seed", "string"},
                          {"settings", "Settings"},
                          {"problem", "object"},
                          {"epoch_first", "string"},
                          {"rounds", "integer"},
                          {"amended", "integer"},
                          {"contexts", "string[]"},
                          {"actions", "Action[]"},
                          {"history", "Stretch[]"},
                          {"delays", "integer[]"},
                          {"diagnostics", "object"},
                          {"shadows", "Shadow[]"},
                          {"number", "string"}}),
       with(kLineSometimes, {{"regret_bound", "RegretBound"}, {"snapshot", "string"}})},
      {"Settings",
       {{"deadline", "string"},
        {"silence", "string|object"},
        {"fallback", "string|null"},
        {"floor", "number"},
        {"at_horizon", "string"},
        {"contexts", "string"},
        {"most_open", "integer"}},
       {}},
      {"Action",
       {{"name", "string"},
        {"present", "boolean"},
        {"decided", "integer"},
        {"learned", "integer"},
        {"rewards", "number"},
        {"squares", "number"},
        {"contexts", "integer[]"},
        {"context_rewards", "number[]"}},
       {}},
      {"Stretch",
       {{"begin", "string"},
        {"decided", "integer"},
        {"learned", "integer"},
        {"rewards", "number"},
        {"plays", "integer[]"}},
       {}},
      {"Shadow",
       {{"policy", "string"},
        {"asked", "integer"},
        {"agreed", "integer"},
        {"diagnostics", "object"}},
       {{"failure", "string"}}},
      {"RegretBound",
       {{"policy", "string"},
        {"round", "integer"},
        {"horizon", "integer"},
        {"at_horizon", "number"}},
       {{"now", "number"}, {"probability", "number"}}},
      {"Decision",
       {{"decision", "string"},
        {"action", "string"},
        {"action_index", "integer"},
        {"seq", "string"},
        {"beyond_horizon", "boolean"}},
       {{"propensity", "number"}, {"repeated", "boolean"}, {"fallback", "boolean"}}},
      {"Received", {{"decision", "string"}, {"status", "string"}}, {{"repeated", "boolean"}}},
      {"DecisionView",
       {{"decision", "string"},
        {"seq", "string"},
        {"status", "string"},
        {"time", "string"},
        {"epoch", "integer"},
        {"policy", "string"},
        {"action", "string"}},
       {{"propensity", "number"},
        {"propensity_error", "number"},
        {"fallback", "boolean"},
        {"context", "string"},
        {"reward", "number"},
        {"closed", "string"},
        {"cause", "string"}}},
      {"Decisions", {{"results", "Decision|Failure[]"}}, {}},
      {"Receipts", {{"results", "Received|Failure[]"}}, {}},
      {"Failure", {{"error", "Problem"}}, {}},
      {"Done", {}, {{"experiment", "string"}, {"seq", "string"}, {"policy", "string"}}},
      {"Shadows", {{"experiment", "string"}, {"shadows", "Shadow[]"}}, {}},
      {"Snapshot",
       {{"experiment", "string"},
        {"seq", "string"},
        {"digest", "string"},
        {"anchor", "boolean"},
        {"state", "string"}},
       {}},
      {"Tokens", {{"tokens", "Token[]"}}, {}},
      {"Token", kTokenAlways, kTokenSometimes},
      {"NewToken", with(kTokenAlways, {{"token", "string"}}), kTokenSometimes},
      {"Ready",
       {{"ready", "boolean"}, {"durability", "string"}, {"quarantined", "string[]"}},
       {{"trouble", "string"}, {"node", "string"}}},
      {"Version", {{"program", "string"}, {"version", "string"}, {"build", "string"}}, {}},
      {"Problem",
       {{"type", "string"}, {"title", "string"}, {"status", "integer"}, {"detail", "string"}},
       {{"field", "string"}, {"value", "string"}, {"expected", "string"}}},
  };
  return all;
}

Json type_schema(const std::string& type) {
  if (type.ends_with("[]"))
    return {{"type", "array"}, {"items", type_schema(type.substr(0, type.size() - 2))}};
  if (const std::size_t bar = type.find('|'); bar != std::string::npos)
    return {{"anyOf", {type_schema(type.substr(0, bar)), type_schema(type.substr(bar + 1))}}};
  if (type.front() >= 'A' && type.front() <= 'Z') return {{"$ref", "#/components/schemas/" + type}};
  return {{"type", type}};
}

Json schemas() {
  Json json = Json::object();
  for (const AnswerSchema& schema : answer_schemas()) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const AnswerField& field : schema.always) {
      properties[field.name] = type_schema(field.type);
      required.push_back(field.name);
    }
    for (const AnswerField& field : schema.sometimes)
      properties[field.name] = type_schema(field.type);
    json[schema.name] = {{"type", "object"}, {"properties", properties}, {"required", required}};
  }
  return json;
}

Json content(const char* type, Json schema) {
  Json json = Json::object();
  json[type] = {{"schema", std::move(schema)}};
  return json;
}

Json answer_of(const Route& route) {
  const std::string answer = route.answer;
  if (route.verb == Verb::kLog) {
    Json both = content(route.answer, {{"type", "string"}});
    both.update(content("text/csv", {{"type", "string"}}));
    return both;
  }
  if (answer == "application/json") return content(route.answer, {{"type", "object"}});
  if (answer.find('/') != std::string::npos) return content(route.answer, {{"type", "string"}});
  return content("application/json", {{"$ref", "#/components/schemas/" + answer}});
}

Json parameters_of(const Route& route) {
  Json parameters = Json::array();
  for (const char* place : {"experiment", "decision", "token"})
    if (std::string(route.path).find(fmt::format("{{{}}}", place)) != std::string::npos)
      parameters.push_back(
          {{"name", place}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  for (const Field& field : route.query)
    parameters.push_back({{"name", field.name},
                          {"in", "query"},
                          {"required", field.required},
                          {"description", field.meaning},
                          {"schema", kind_schema(field)}});
  if (route.verb == Verb::kDecide)
    parameters.push_back(
        {{"name", "Idempotency-Key"},
         {"in", "header"},
         {"required", false},
         {"description",
          "the same key, the same decision. It is known for ten minutes, and as long as it is among "
          "the last 100,000 of its experiment; beyond a million within ten minutes the oldest go. At "
          "most 128 bytes."},
         {"schema", {{"type", "string"}}}});
  return parameters;
}

// Programs made from the document call their functions so.
const char* operation_name(Verb verb) {
  switch (verb) {
    case Verb::kCreate:
      return "createExperiment";
    case Verb::kList:
      return "listExperiments";
    case Verb::kShow:
      return "showExperiment";
    case Verb::kDecide:
      return "decide";
    case Verb::kDecideBatch:
      return "decideBatch";
    case Verb::kOutcome:
      return "reportOutcome";
    case Verb::kForget:
      return "forgetDecision";
    case Verb::kOutcomeBatch:
      return "reportOutcomeBatch";
    case Verb::kLook:
      return "showDecision";
    case Verb::kPause:
      return "pauseExperiment";
    case Verb::kResume:
      return "resumeExperiment";
    case Verb::kFinish:
      return "finishExperiment";
    case Verb::kEpoch:
      return "openEpoch";
    case Verb::kAmend:
      return "amendOutcome";
    case Verb::kShadows:
      return "listShadows";
    case Verb::kAddShadow:
      return "addShadow";
    case Verb::kRemoveShadow:
      return "removeShadow";
    case Verb::kLog:
      return "exportLog";
    case Verb::kSnapshot:
      return "showSnapshot";
    case Verb::kLive:
      return "followExperiment";
    case Verb::kTokens:
      return "listTokens";
    case Verb::kAddToken:
      return "addToken";
    case Verb::kRemoveToken:
      return "removeToken";
    case Verb::kPage:
      return "showPage";
    case Verb::kOpenApi:
      return "showDocument";
    case Verb::kMetrics:
      return "showMetrics";
    case Verb::kHealth:
      return "showHealth";
    case Verb::kReady:
      return "showReadiness";
    case Verb::kVersion:
      return "showVersion";
  }
  return "";
}

Json header(const char* meaning) {
  return {{"description", meaning}, {"schema", {{"type", "string"}}}};
}

// Of several nodes: whose it is, for who would rather ask that one.
Json owner_header() {
  return {{"Armature-Owner",
           header("of several nodes: the URL of the one that the experiment belongs to")}};
}

// Of several nodes: the one that was asked cannot, and knows none that can.
Json not_here(const Route& route) {
  Json headers = {{"Retry-After", header("seconds")}};
  if (route.where != Where::kTokens) headers.update(owner_header());
  return {
      {"description",
       "not-here: it changes hands among several nodes, or its node cannot be reached; nothing "
       "was done. Or one of the other troubles that pass: the same again, a little later."},
      {"headers", headers},
      {"content", content("application/problem+json", {{"$ref", "#/components/schemas/Problem"}})}};
}

Json operation(const Route& route) {
  Json json = {{"operationId", operation_name(route.verb)}, {"summary", route.meaning}};
  if (Json parameters = parameters_of(route); !parameters.empty()) json["parameters"] = parameters;
  if (!route.fields.empty()) {
    const bool required = std::any_of(route.fields.begin(), route.fields.end(),
                                      [](const Field& field) { return field.required; });
    json["requestBody"] = {{"required", required},
                           {"content", content("application/json", object_schema(route.fields))}};
  }
  Json responses = Json::object();
  Json good = {{"description", route.meaning}, {"content", answer_of(route)}};
  if (route.where == Where::kOwner || route.where == Where::kCreator)
    good["headers"] = owner_header();
  if (route.verb == Verb::kCreate || route.verb == Verb::kAddToken) responses["201"] = good;
  if (route.verb != Verb::kAddToken) responses["200"] = good;  // created before, just like this
  if (route.verb == Verb::kReady) responses["503"] = good;
  if (route.where != Where::kAnywhere) responses["503"] = not_here(route);
  responses["default"] = {
      {"description", "What was wrong, with the field, its value and what was expected (RFC 9457)"},
      {"content", content("application/problem+json", {{"$ref", "#/components/schemas/Problem"}})}};
  json["responses"] = responses;
  if (route.role != Role::kNone) {
    json["security"] = Json::array({Json{{"token", Json::array()}}});
    json["x-role"] = role_name(route.role);
  }
  return json;
}

}  // namespace

std::string openapi_document() {
  static const std::string document = [] {
    Json paths = Json::object();
    for (const Route& route : routes()) {
      std::string method = route.method;
      for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
      paths[route.path][method] = operation(route);
    }
    return Json{{"openapi", "3.1.0"},
                {"info", {{"title", "armature decision service"}, {"version", version()}}},
                {"paths", paths},
                {"components",
                 {{"schemas", schemas()},
                  {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}}
        .dump(1);
  }();
  return document;
}

}  // namespace armature::service::http
