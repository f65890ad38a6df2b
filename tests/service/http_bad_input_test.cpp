// Every field of every request, wrong in every way that its kind can be: refused with the field,
// what was found and what was expected, and nothing has changed.
#include <gtest/gtest.h>

#include "service/http/routes.h"
#include "service/http_serving.h"

namespace armature::service::test {
namespace {

using Json = nlohmann::ordered_json;
using http::Field;
using http::FieldKind;

// A body that is right in the eyes of its fields. What it asks for may be refused for other
// reasons.
Json right_value(const Field& field);
Json right_object(std::span<const Field> fields) {
  Json json = Json::object();
  for (const Field& field : fields) json[field.name] = right_value(field);
  return json;
}
Json right_value(const Field& field) {
  const std::string name = field.name;
  if (name == "roles") return {"read"};
  if (name == "experiments") return {"mail"};
  switch (field.kind) {
    case FieldKind::kText:
      return "x";
    case FieldKind::kName:
      return "opened";
    case FieldKind::kNumber:
      return 0.5;
    case FieldKind::kSequence:
      return "3";
    case FieldKind::kFlag:
      return false;
    case FieldKind::kTexts:
      return Json::array();
    case FieldKind::kObject:
      return Json::object();
    case FieldKind::kItems:
      return Json::array({right_object(field.items)});
  }
  return nullptr;
}

// As JSON texts: some are none.
std::vector<std::string> wrong_values(const Field& field) {
  std::vector<std::string> wrong = {"null", "NaN", "Infinity",    "nul",    "{\"a\":1}",
                                    "[1]",  "'x'", "1e309",       "-1",     "0x10",
                                    "01",   "1.",  "\"\\ud800\"", "\"\\x\""};
  const auto drop = [&](const char* value) { std::erase(wrong, value); };
  switch (field.kind) {
    case FieldKind::kText:
      wrong.insert(wrong.end(), {"true", "1", "\"" + std::string(field.longest + 1, 'x') + "\""});
      break;
    case FieldKind::kName:
      wrong.insert(wrong.end(), {"true", "1.5", "\"" + std::string(257, 'x') + "\""});
      break;
    case FieldKind::kNumber:
      drop("-1");  // a number: the range is the service's to judge
      wrong.insert(wrong.end(), {"true", "\"1\""});
      break;
    case FieldKind::kSequence:
      wrong.insert(wrong.end(), {"true", "1.5", "\"1.5\"", "\"-1\"", "\"\"",
                                 "\"18446744073709551616\"", "18446744073709551616"});
      break;
    case FieldKind::kFlag:
      wrong.insert(wrong.end(), {"1", "\"true\""});
      break;
    case FieldKind::kTexts:
      wrong.insert(wrong.end(), {"true", "\"x\"", "[null]", "[[\"x\"]]"});
      break;
    case FieldKind::kObject:
      drop("{\"a\":1}");  // an object: who knows it says what is wrong with it
      wrong.insert(wrong.end(), {"true", "1"});
      break;
    case FieldKind::kItems:
      wrong.insert(wrong.end(), {"true", "{}", "[{}, null]", "[{\"a\": 1}]"});
      break;
  }
  return wrong;
}

std::string with_field(const Json& body, const std::string& field, const std::string& value) {
  std::string text = "{";
  for (const auto& [name, json] : body.items())
    text += (text.size() > 1 ? "," : "") + ("\"" + name + "\":") +
            (name == field ? value : json.dump());
  return text + "}";
}

class HttpBadInput : public testing::Test {
 protected:
  void SetUp() override {
    create_mail(client_);
    decision_ = decide(client_);
    other_ = decide(client_);
    client_.post(path_of(other_) + "/outcome", R"({"context": "opened"})");
    digests_ = serving_.digests();
  }
  void TearDown() override {
    EXPECT_EQ(serving_.digests(), digests_) << "something was kept of what was refused";
    EXPECT_EQ(serving_.service().tokens()->size(), 0u);
  }

  std::string target_of(const http::Route& route) const {
    std::string target = route.path;
    const auto put = [&](const std::string& place, const std::string& value) {
      if (const std::size_t at = target.find(place); at != std::string::npos)
        target.replace(at, place.size(), value);
    };
    put("{experiment}", "mail");
    put("{decision}", decision_);
    put("{token}", "0123456789abcdef");
    return target;
  }
  Reply outcome(const std::string& body) {
    return client_.post(path_of(decision_) + "/outcome", body);
  }

  Serving serving_;
  Client client_{serving_.port()};
  std::string decision_;
  std::string other_;
  std::string digests_;
};

TEST_F(HttpBadInput, EveryFieldOfEveryRequest) {
  int refused = 0;
  for (const http::Route& route : http::routes()) {
    if (route.fields.empty()) continue;
    const std::string target = target_of(route);
    const bool creates = route.verb == http::Verb::kCreate;
    const Json right = creates ? Json::parse(mail_named("second")) : right_object(route.fields);
    for (const Field& field : route.fields) {
      // None, or an action by its number.
      const bool loose = creates && std::string(field.name) == "fallback";
      for (const std::string& value : wrong_values(field)) {
        if (loose && (value == "null" || value == "1")) continue;
        Json body = right;
        if (!body.contains(field.name)) body[field.name] = nullptr;
        const Reply reply = client_.send(route.method, target, with_field(body, field.name, value));
        EXPECT_GE(reply.status, 400) << route.path << " " << field.name << " " << value;
        EXPECT_LT(reply.status, 500) << route.path << " " << field.name << " " << reply.body;
        const Json complaint = Json::parse(reply.body);
        for (const char* part : {"field", "value", "expected"})
          EXPECT_NE(complaint.value(part, ""), "") << part << " " << reply.body;
        // What is no JSON at all may end the reading before anybody knows where.
        if (creates || (value != "'x'" && value != "nul" && !value.starts_with("\"\\")))
          EXPECT_TRUE(complaint.value("field", "").starts_with(field.name))
              << field.name << " " << value << " " << reply.body;
        ++refused;
      }
      if (field.required) {
        Json body = right;
        body.erase(field.name);
        expect_complaint(client_.send(route.method, target, body.dump()), 400, field.name);
      }
      std::string twice = right.dump();
      twice.insert(1, "\"" + std::string(field.name) + "\":1,\"" + field.name + "\":1,");
      expect_complaint(client_.send(route.method, target, twice), 400, field.name);
    }
    Json body = right;
    body["unknown"] = 1;
    expect_complaint(client_.send(route.method, target, body.dump()), 400, "unknown");
    for (const char* text : {"[]", "1", "\"x\"", "null", "{", "{\"", "{}}", "{} {}", "\xff",
                             "{\"\xff\": 1}", "{,}", "{\"a\" 1}", "\xef\xbb\xbf{}"})
      EXPECT_EQ(client_.send(route.method, target, text).status, 400) << route.path << " " << text;
  }
  EXPECT_GT(refused, 500);
}

TEST_F(HttpBadInput, OutcomesThatCannotBe) {
  expect_complaint(outcome("{}"), 400, "outcome");
  for (const char* reward : {"1.0000001", "-0.0000001", "2", "-1", "1e300"})
    expect_complaint(outcome("{\"context\": 0, \"reward\": " + std::string(reward) + "}"), 400,
                     "reward");
  expect_complaint(outcome(R"({"context": "bought"})"), 400, "context");
  expect_complaint(outcome(R"({"context": 3})"), 400, "context");
  expect_complaint(outcome(R"({"context": 18446744073709551615})"), 400, "context");
  expect_complaint(outcome(R"({"context": ""})"), 400, "context");
}

TEST_F(HttpBadInput, DecisionsThatAreNone) {
  const auto at = [&](const std::string& id) {
    return client_.post("/v1/experiments/mail/decisions/" + id + "/outcome", R"({"context": 0})");
  };
  const std::string mistyped =
      decision_.substr(0, decision_.size() - 1) + (decision_.back() == '0' ? "1" : "0");
  EXPECT_EQ(at(mistyped).status, 400);
  EXPECT_EQ(at(mistyped).json().at("type"), "urn:armature:mistyped");
  EXPECT_EQ(at("nonsense").json().at("type"), "urn:armature:mistyped");
  EXPECT_EQ(at("%00").json().at("type"), "urn:armature:mistyped");
  const std::string unknown = decision_id("mail", 1'000'000);
  EXPECT_EQ(at(unknown).status, 404);
  EXPECT_EQ(at(unknown).json().at("type"), "urn:armature:no-decision");
  const std::string elsewhere = decision_id("news", 2);
  EXPECT_EQ(at(elsewhere).status, 404);
  EXPECT_EQ(at(elsewhere).json().at("type"), "urn:armature:elsewhere");
  EXPECT_EQ(client_.get("/v1/experiments/mail/decisions/" + unknown).status, 404);
  EXPECT_EQ(client_.post("/v1/experiments/mail/decisions/" + unknown + "/forget").status, 404);
  // An event that is no decision.
  EXPECT_EQ(at(decision_id("mail", 1)).status, 404);
}

TEST_F(HttpBadInput, KeysThatAreNone) {
  const auto decide_with = [&](const std::string& header, const std::string& body = "") {
    return client_.post("/v1/experiments/mail/decide", body, header);
  };
  expect_complaint(decide_with("Idempotency-Key: \r\n"), 400, "Idempotency-Key");
  expect_complaint(decide_with("Idempotency-Key: " + std::string(129, 'k') + "\r\n"), 400,
                   "Idempotency-Key");
  expect_complaint(decide_with("Idempotency-Key: a\r\n", R"({"key": "b"})"), 400, "key");
  expect_complaint(decide_with("Idempotency-Key: a\r\nIdempotency-Key: b\r\n"), 400,
                   "Idempotency-Key");
  expect_complaint(decide_with("", R"({"key": ""})"), 400, "key");
}

TEST_F(HttpBadInput, ChangesThatCannotBe) {
  const auto post = [&](const std::string& path, const std::string& body) {
    return client_.post("/v1/experiments/mail" + path, body);
  };
  expect_complaint(post("/epochs", R"({"start": "again"})"), 400, "start");
  expect_complaint(post("/epochs", R"({"start": "since"})"), 400, "since");
  expect_complaint(post("/epochs", R"({"since": "3"})"), 400, "since");
  expect_complaint(post("/epochs", R"({"policy": "no-such"})"), 400, "policy");
  expect_complaint(post("/epochs", R"({"problem": {"format": "armature-problem"}})"), 400,
                   "problem.version");
  expect_complaint(post("/epochs", R"({"problem": {"format": "armature-problem", "version": 1,
                          "actoins": 2}})"),
                   400, "problem.actoins");
  expect_complaint(post("/epochs", R"({"problem": {"format": "armature-problem", "version": 1,
                          "actions": 2, "actions": 3}})"),
                   400, "problem.actions");
  // What was settled when it was created is no field of this request.
  expect_complaint(post("/epochs", R"({"problem": {"format": "armature-problem", "version": 1,
                          "actions": ["call", "coupon"], "contexts": 3}, "policy": "ucb"})"),
                   400, "problem.actions");
  expect_complaint(post("/epochs", R"({"policy": "external"})"), 400, "policy");
  expect_complaint(post("/epochs", R"({"problem": {"format": "armature-problem", "version": 1,
                          "actions": 9999999, "contexts": 9999999}})"),
                   400, "problem.actions");
  expect_complaint(post("/epochs", R"({"problem": {"format": "armature-problem", "version": 1,
                          "actions": 1000000, "contexts": 1000000}})"),
                   400, "problem");  // never "busy": it will not fit later either
  EXPECT_EQ(post("/amend", "{\"decision\": \"" + decision_ + "\"}").status, 400);
  EXPECT_EQ(
      post("/amend", "{\"decision\": \"" + decision_ + "\", \"withdraw\": true, \"reward\": 1}")
          .status,
      400);
  EXPECT_EQ(post("/amend", "{\"decision\": \"" + decision_ + "\", \"reward\": 1}").status, 409);
  expect_complaint(post("/shadows", R"({"policy": "no-such"})"), 400, "policy");
  expect_complaint(client_.send("DELETE", "/v1/experiments/mail/shadows", ""), 400, "policy");
  EXPECT_EQ(client_.get("/v1/experiments/mail/log?format=xml").status, 400);
  EXPECT_EQ(client_.get("/v1/experiments/mail/log?from=-1").status, 400);
  EXPECT_EQ(client_.get("/v1/experiments/mail/log?from=1&from=2").status, 400);
  EXPECT_EQ(client_.get("/v1/experiments/mail/log?from=%").status, 400);
  const auto token = [&](const std::string& body) {
    return client_.post("/v1/tokens", body).status;
  };
  EXPECT_EQ(token(R"({"name": "a b", "roles": ["admin"]})"), 400);
  EXPECT_EQ(token(R"({"name": "a", "roles": []})"), 400);
  EXPECT_EQ(token(R"({"name": "a", "roles": ["boss"]})"), 400);
  EXPECT_EQ(token(R"({"name": "a", "roles": ["admin", "admin"]})"), 400);
  EXPECT_EQ(token(R"({"name": "a", "roles": ["read"]})"), 400);  // the first one must rule
  EXPECT_EQ(token(R"({"name": "a", "roles": ["admin"], "expires": "1h"})"), 400);
  EXPECT_EQ(token(R"({"name": "a", "roles": ["admin"], "expires": "soon"})"), 400);
}

// By the request's own field; where inside of a policy is what was expected.
TEST_F(HttpBadInput, CreationsThatCannotBe) {
  const auto refused = [&](const std::string& field, const std::string& value,
                           const std::string& told, const std::string& expected) {
    Json body = Json::parse(mail_named("second"));
    if (!body.contains(field)) body[field] = nullptr;
    const Reply reply = client_.post("/v1/experiments", with_field(body, field, value));
    expect_complaint(reply, 400, told);
    const Json json = Json::parse(reply.body);
    EXPECT_NE(json.value("expected", "").find(expected), std::string::npos) << reply.body;
    EXPECT_EQ(reply.body.find("floor: base"), std::string::npos) << reply.body;
    return json.value("value", "");
  };
  EXPECT_EQ(refused("policy", "\"sentry:share=2\"", "policy", "sentry: share: a number in [0,1]"),
            "2");
  refused("policy", "\"db:base=ucb+(sentry:share=2)\"", "policy",
          "db: base: sentry: share: a number");
  refused("policy", "\"sentyr\"", "policy", "did you mean 'sentry'?");
  refused("policy", "\"ucb+ts\"", "policy", "name or name:key=value");
  refused("policy", "\"floor:base=ucb\"", "policy", "no floor of its own");
  refused("policy", "\"" + std::string(4001, 'x') + "\"", "policy", "at most 4000 bytes");
  refused("policy", "\"external\"", "floor", "0");
  refused("contexts", "\"optional\"", "policy", "contexts are optional");
  refused("kye", "1", "kye", "one of name, tenant, problem");
  refused("fallbak", "1", "fallbak", "did you mean 'fallback'?");
  refused("silence", "5", "silence", "\"forget\", or {");
  refused("silence", "{\"context\": 0, \"rewrad\": 0}", "silence.rewrad", "did you mean 'reward'?");
  refused("silence", "{\"context\": 3, \"reward\": 0}", "silence.context", "a number below 3");
  refused("silence", "{\"context\": null, \"reward\": 0}", "silence.context", "by name or number");
  refused("fallback", "5.5", "fallback", "an action, by name or number, or null");
  refused("fallback", "2", "fallback", "a number below 2, or a name");
  refused("problem", R"({"format": "armature-problem", "version": 1, "actoins": 2})",
          "problem.actoins", "did you mean 'actions'?");
  refused("problem", R"({"format": "armature-problem", "actions": 2, "\u0061ctions": 2})",
          "problem.actions", "one value");
  EXPECT_EQ(refused("problem", R"({"marginals": [[1, 0], [0, NaN]]})", "problem.marginals[1][1]",
                    "valid JSON"),
            "'NaN' at line 1, column 55");
}

TEST_F(HttpBadInput, BatchesAreRefusedWhole) {
  const auto batch = [&](const std::string& body) {
    return client_.post("/v1/experiments/mail/outcomes:batch", body);
  };
  expect_complaint(
      batch("{\"outcomes\": [{\"decision\": \"" + decision_ +
            "\", \"context\": 0, \"reward\": 1}, {\"decision\": \"x\", \"reward\": \"1\"}]}"),
      400, "outcomes[1].reward");
  expect_complaint(batch("{\"outcomes\": [{\"decision\": \"" + decision_ +
                         "\", \"reward\": 1, \"forget\": true}]}"),
                   400, "outcomes[0].forget");
  std::string many = "{\"decides\": [{}";
  for (int i = 0; i < 1000; ++i) many += ",{}";
  expect_complaint(client_.post("/v1/experiments/mail/decide:batch", many + "]}"), 400, "decides");
  expect_complaint(client_.post("/v1/experiments/mail/decide:batch", R"({"decides": [{}]})",
                                "Idempotency-Key: a\r\n"),
                   400, "Idempotency-Key");
}

}  // namespace
}  // namespace armature::service::test
