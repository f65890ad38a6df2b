#include <fmt/format.h>
// Every route of the table over a real socket: what it does, and that its answers are what the
// OpenAPI document says.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "armature/theory.h"
#include "base/sqlite.h"
#include "service/fold.h"
#include "service/http/complaint.h"
#include "service/http/routes.h"
#include "service/http_serving.h"

namespace armature::service::test {
namespace {

using Json = nlohmann::json;

// Asks, and notes which route was asked: the last test wants all of them to have been.
class HttpRoutes : public testing::Test {
 protected:
  Reply ask(const std::string& method, const std::string& target, const std::string& body = "",
            const std::string& headers = "") {
    const http::Route* route = http::match_route(method, target).route;
    asked_.insert(std::string(route->method) + " " + route->path);
    const Reply reply = client_.send(method, target, body, headers);
    if (reply.status < 300) expect_answer(*route, reply);
    return reply;
  }
  Reply get(const std::string& target) { return ask("GET", target); }
  Reply post(const std::string& target, const std::string& body = "",
             const std::string& headers = "") {
    return ask("POST", target, body, headers);
  }
  std::string decision() {
    return post("/v1/experiments/mail/decide").json().at("decision").get<std::string>();
  }
  std::string status_of(const std::string& decision) {
    return get(path_of(decision)).json().at("status").get<std::string>();
  }

  // Summaries may lag behind answers.
  Json published(const std::string& experiment, const std::function<bool(const Json&)>& awaited) {
    for (;;) {
      const Reply reply = client_.get("/v1/experiments/" + experiment);
      if (reply.status == 200 && awaited(reply.json())) return reply.json();
    }
  }

  Serving serving_;
  Client client_{serving_.port()};
  std::set<std::string> asked_;

 private:
  // The document's word for it: the status, every field that is promised, none that it does not
  // know, and all of the types it says.
  static void expect_answer(const http::Route& route, const Reply& reply) {
    static const Json document = Json::parse(http::openapi_document());
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    const Json& responses = document.at("paths").at(route.path).at(method).at("responses");
    const std::string status = std::to_string(reply.status);
    ASSERT_TRUE(responses.contains(status)) << route.path << " answers " << status;
    const std::string type = reply.headers.at("content-type");
    const Json& content = responses[status].at("content");
    const std::string media = type.substr(0, type.find(';'));
    ASSERT_TRUE(content.contains(media)) << route.path << " answers " << type;
    if (media == "application/json")
      EXPECT_EQ(misfit(document, content[media].at("schema"), reply.json()), "") << route.path;
  }

  // What of the value is not as the schema has it; empty: nothing.
  static std::string misfit(const Json& document, const Json& schema, const Json& value) {
    if (schema.contains("$ref"))
      return misfit(document,
                    document.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))),
                    value);
    if (schema.contains("anyOf")) {
      std::string why;
      for (const Json& one : schema["anyOf"]) {
        const std::string wrong = misfit(document, one, value);
        if (wrong.empty()) return "";
        why += wrong + "; ";
      }
      return why;
    }
    const std::string type = schema.at("type");
    const bool fits =
        (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
        (type == "integer" && value.is_number_integer()) ||
        (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null()) ||
        (type == "array" && value.is_array()) || (type == "object" && value.is_object());
    if (!fits) return value.dump() + " is no " + type;
    if (type == "array")
      for (const Json& item : value)
        if (const std::string wrong = misfit(document, schema.at("items"), item); !wrong.empty())
          return wrong;
    if (!schema.contains("properties")) return "";
    for (const Json& field : schema.at("required"))
      if (!value.contains(field.get<std::string>())) return "no " + field.dump();
    for (const auto& [field, inner] : value.items()) {
      if (!schema["properties"].contains(field)) return field + " is not declared";
      const std::string wrong = misfit(document, schema["properties"][field], inner);
      if (!wrong.empty()) return field + ": " + wrong;
    }
    return "";
  }
};

TEST_F(HttpRoutes, DoWhatTheySay) {
  EXPECT_EQ(get("/healthz").status, 200);
  EXPECT_EQ(get("/readyz").json().at("ready"), true);
  EXPECT_EQ(get("/version").json().at("program"), "armature");
  EXPECT_EQ(get("/openapi.json").json().at("openapi"), "3.1.0");
  EXPECT_NE(get("/").body.find("<script>"), std::string::npos);

  EXPECT_EQ(post("/v1/experiments", kMail).status, 201);
  EXPECT_EQ(post("/v1/experiments", kMail).status, 200);  // the same again
  std::string other = kMail;
  other.replace(other.find("0.05"), 4, "0.10");
  EXPECT_EQ(post("/v1/experiments", other).status, 409);
  EXPECT_EQ(get("/v1/experiments").json().at("experiments").size(), 1u);
  EXPECT_EQ(get("/v1/experiments/mail").json().at("seed"), "42");

  // The life of a decision: two calls in either order, repeats, a conflict, forgetting.
  const std::string first = decision();
  EXPECT_EQ(status_of(first), "open");
  EXPECT_EQ(post(path_of(first) + "/outcome", R"({"context": "opened"})").json().at("status"),
            "waiting");
  EXPECT_EQ(post(path_of(first) + "/outcome", R"({"reward": 1})").json().at("status"), "learned");
  const Reply again = post(path_of(first) + "/outcome", R"({"context": 1, "reward": 1})");
  EXPECT_EQ(again.json().at("repeated"), true) << again.body;
  EXPECT_EQ(post(path_of(first) + "/outcome", R"({"reward": 0})").status, 409);
  const std::string second = decision();
  EXPECT_EQ(post(path_of(second) + "/forget").json().at("status"), "forgotten");
  EXPECT_EQ(post(path_of(second) + "/outcome", R"({"context": "opened", "reward": 1})")
                .json()
                .at("status"),
            "late");

  // Keys: in the header, in the body, and with another request.
  const Reply keyed = post("/v1/experiments/mail/decide", "", "Idempotency-Key: v1\r\n");
  const Reply same = post("/v1/experiments/mail/decide", R"({"key": "v1"})");
  EXPECT_EQ(keyed.json().at("decision"), same.json().at("decision"));
  EXPECT_EQ(same.json().at("repeated"), true);
  EXPECT_EQ(post("/v1/experiments/mail/decide", R"({"key": "v1", "about": "x"})").status, 422);

  const Json batch =
      post("/v1/experiments/mail/decide:batch", R"({"decides": [{}, {"key": "v1"}, {}]})").json();
  ASSERT_EQ(batch.at("results").size(), 3u);
  EXPECT_EQ(batch["results"][1]["decision"], keyed.json().at("decision"));
  const Json outcomes =
      post("/v1/experiments/mail/outcomes:batch",
           Json{{"outcomes",
                 {{{"decision", batch["results"][0]["decision"]}, {"context", 0}, {"reward", 0.5}},
                  {{"decision", "mail.999.0000"}, {"reward", 1}},
                  {{"decision", batch["results"][2]["decision"]}, {"forget", true}}}}}
               .dump())
          .json();
  EXPECT_EQ(outcomes["results"][0]["status"], "learned");
  EXPECT_EQ(outcomes["results"][1]["error"]["status"], 400);  // its check does not fit
  EXPECT_EQ(outcomes["results"][2]["status"], "forgotten");
  EXPECT_EQ(post("/v1/experiments/mail/decide:batch", R"({"decides": []})").json().at("results"),
            Json::array());

  // Guardrails.
  EXPECT_EQ(post("/v1/experiments/mail/pause", R"({"reason": "a look"})").status, 200);
  const Reply paused = post("/v1/experiments/mail/decide");
  EXPECT_EQ(paused.json().at("fallback"), true);
  EXPECT_EQ(paused.json().at("action"), "plain");
  EXPECT_EQ(post("/v1/experiments/mail/resume").status, 200);
  EXPECT_EQ(post("/v1/experiments/mail/shadows", R"({"policy": "c-ucb"})").status, 200);
  EXPECT_EQ(get("/v1/experiments/mail/shadows").status, 200);
  EXPECT_EQ(ask("DELETE", "/v1/experiments/mail/shadows?policy=c-ucb").status, 200);
  EXPECT_EQ(post("/v1/experiments/mail/amend",
                 Json{{"decision", first}, {"context", "clicked"}, {"reward", 0}}.dump())
                .status,
            200);
  EXPECT_EQ(post("/v1/experiments/mail/epochs", R"({"policy": "ucb", "start": "replay"})").status,
            200);
  EXPECT_EQ(post("/v1/experiments/mail/epochs", R"({"start": "since", "since": "5"})").status, 200);

  const Reply csv = get("/v1/experiments/mail/log?format=csv");
  EXPECT_EQ(csv.headers.at("content-type"), "text/csv; charset=utf-8");
  EXPECT_NE(csv.body.find(first + ","), std::string::npos);
  EXPECT_NE(get("/v1/experiments/mail/log").body.find("\"armature-service-log\""),
            std::string::npos);
  EXPECT_NE(get("/v1/experiments/mail/log?format=dsjson").body.find("_label_cost"),
            std::string::npos);
  EXPECT_NE(get("/v1/experiments/mail/snapshot").json().at("digest"), "");
  EXPECT_NE(get("/metrics").body.find("armature_decided_total{experiment=\"mail\"}"),
            std::string::npos);
  EXPECT_EQ(post("/v1/experiments/mail/finish").status, 200);
  EXPECT_EQ(post("/v1/experiments/mail/decide").status, 409);

  // From the first token on nobody gets in without one.
  const Reply token = post("/v1/tokens", R"({"name": "boss", "roles": ["admin"]})");
  ASSERT_EQ(token.status, 201) << token.body;
  EXPECT_EQ(get("/v1/experiments").status, 401);
  const std::string header =
      "Authorization: Bearer " + token.json().at("token").get<std::string>() + "\r\n";
  EXPECT_EQ(ask("GET", "/v1/tokens", "", header).json().at("tokens").size(), 1u);
  const Reply web =
      post("/v1/tokens", R"({"name": "web", "roles": ["decide"], "expires": "1h"})", header);
  EXPECT_EQ(web.status, 201) << web.body;
  EXPECT_EQ(
      ask("DELETE", "/v1/tokens/" + web.json().at("id").get<std::string>(), "", header).status,
      200);

  // A live stream, as the last: it takes the connection.
  client_.write(client_.request("GET", "/v1/experiments/mail/live", "", header));
  asked_.insert("GET /v1/experiments/{experiment}/live");
  EXPECT_EQ(client_.read_start().headers.at("content-type"), "text/event-stream");
  EXPECT_TRUE(client_.read_chunk()->starts_with("id: "));

  for (const http::Route& route : http::routes())
    EXPECT_TRUE(asked_.contains(std::string(route.method) + " " + route.path))
        << route.method << " " << route.path << " was not asked";
}

TEST_F(HttpRoutes, AreAllInTheDocument) {
  const Json document = Json::parse(http::openapi_document());
  std::set<std::string> names;
  for (const http::Route& route : http::routes()) {
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    ASSERT_TRUE(document.at("paths").contains(route.path)) << route.path;
    const Json& operation = document["paths"][route.path].at(method);
    EXPECT_EQ(operation.contains("requestBody"), !route.fields.empty()) << route.path;
    const std::string name = operation.at("operationId");
    EXPECT_FALSE(name.empty()) << route.path;
    EXPECT_TRUE(names.insert(name).second) << name;
    const std::string answer = route.answer;
    if (answer.find('/') == std::string::npos)
      EXPECT_TRUE(document.at("components").at("schemas").contains(answer)) << answer;
  }
}

// What may be sent is in the document as it is taken.
TEST_F(HttpRoutes, CreationIsDocumentedAsItIsTaken) {
  const Json document = Json::parse(http::openapi_document());
  const Json& fields = document.at("paths")["/v1/experiments"]["post"]["requestBody"]["content"]
                                           ["application/json"]["schema"]["properties"];
  EXPECT_EQ(fields.at("fallback").at("type"), Json({"string", "integer", "null"}));
  EXPECT_EQ(fields.at("problem").at("type"), "object");
  EXPECT_EQ(fields.at("silence").at("oneOf").size(), 2u);
  EXPECT_TRUE(document["paths"]["/readyz"]["get"]["responses"]["503"]["content"].contains(
      "application/json"));
  EXPECT_EQ(http::openapi_document().find("maxLength"), std::string::npos);  // no count of bytes
  EXPECT_EQ(fields.at("policy").at("description"),
            "a policy's text form, as armature policies lists them (at most 4000 bytes)");
}

// What somebody else decided is told with these, one by one and in batches.
TEST_F(HttpRoutes, ExternalDecisionsAreDocumented) {
  const Json document = Json::parse(http::openapi_document());
  const auto schema = [&](const char* path) {
    return document.at("paths").at(path)["post"]["requestBody"]["content"]["application/json"].at(
        "schema");
  };
  const Json one = schema("/v1/experiments/{experiment}/decide").at("properties");
  const Json each = schema("/v1/experiments/{experiment}/decide:batch")
                        .at("properties")
                        .at("decides")
                        .at("items")
                        .at("properties");
  for (const Json& fields : {one, each}) {
    EXPECT_EQ(fields.at("action").at("oneOf").size(), 2u);
    EXPECT_EQ(fields.at("propensity").at("type"), "number");
  }
}

// c-ucb cannot do without marginals, and a new problem may have none.
TEST_F(HttpRoutes, FailingShadowsAreAsDocumented) {
  create_mail(client_);
  ASSERT_EQ(post("/v1/experiments/mail/shadows", R"({"policy": "c-ucb"})").status, 200);
  ASSERT_EQ(post("/v1/experiments/mail/epochs", R"({"problem": {"format": "armature-problem",
      "version": 1, "actions": ["plain", "coupon"], "contexts": ["ignored", "opened", "clicked"],
      "horizon": 1000000}, "policy": "ucb"})")
                .status,
            200);
  published("mail", [](const Json& summary) { return summary.at("epoch") == 2; });
  const Json shadow = get("/v1/experiments/mail/shadows").json().at("shadows").at(0);
  EXPECT_NE(shadow.value("failure", ""), "");
  get("/v1/experiments/mail");
}

// Numbers stand for names: what is asked for twice is the same, whichever way.
TEST_F(HttpRoutes, ExperimentsAreCreatedWithNumbersForNames) {
  Json creation = Json::parse(mail_named("numbers"));
  creation["fallback"] = 1;
  creation["silence"] = {{"context", 2}, {"reward", 0}};
  ASSERT_EQ(post("/v1/experiments", creation.dump()).status, 201);
  const Json settings = published("numbers", [](const Json&) { return true; }).at("settings");
  EXPECT_EQ(settings.at("fallback"), "coupon");
  EXPECT_EQ(settings.at("silence").at("context"), "clicked");
  creation["fallback"] = "coupon";
  creation["silence"]["context"] = "clicked";
  EXPECT_EQ(post("/v1/experiments", creation.dump()).status, 200);
  creation["silence"]["context"] = 0;
  EXPECT_EQ(post("/v1/experiments", creation.dump()).status, 409);
}

// Whatever actions and contexts are called.
TEST_F(HttpRoutes, ExactPropensities) {
  ASSERT_EQ(post("/v1/experiments", R"({"name": "odd", "problem": {"format": "armature-problem",
      "version": 1, "actions": ["propensity", "other"], "contexts": ["propensity", "none"],
      "horizon": 1000}, "policy": "ts", "silence": "forget", "fallback": null})")
                .status,
            201);
  const std::string id = post("/v1/experiments/odd/decide").json().at("decision");
  post(path_of(id) + "/outcome", R"({"context": "propensity"})");
  EXPECT_FALSE(get(path_of(id)).json().contains("propensity"));
  const Json found = get(path_of(id) + "?propensity=exact").json();
  EXPECT_NEAR(found.at("propensity").get<double>(), 0.5, 0.05);  // ten standard errors
  EXPECT_LE(found.at("propensity_error").get<double>(), 0.005);
}

// ucb without a floor from the first round on: there is a theorem. With a floor there is none.
TEST_F(HttpRoutes, ProvedRegretIsTold) {
  ASSERT_EQ(post("/v1/experiments", R"({"name": "proved", "problem": {"format": "armature-problem",
      "version": 1, "actions": 2, "contexts": 2, "horizon": 100000}, "policy": "ucb",
      "silence": "forget", "fallback": null})")
                .status,
            201);
  Setting setting;
  setting.actions = setting.contexts = 2;
  setting.horizon = 100'000;
  const Json early = published("proved", [](const Json&) { return true; }).at("regret_bound");
  EXPECT_EQ(early.at("policy"), "ucb");
  EXPECT_EQ(early.at("at_horizon"), ucb_bound(setting, 100'000));
  EXPECT_EQ(early.at("probability"), 1 - 1e-5);
  EXPECT_FALSE(early.contains("now"));  // no bound is below a round that early
  std::string decides = "{}";
  for (int i = 1; i < 1000; ++i) decides += ",{}";
  post("/v1/experiments/proved/decide:batch", "{\"decides\": [" + decides + "]}");
  const Json later = published("proved", [](const Json& summary) {
                       return summary.at("rounds") == 1000;
                     }).at("regret_bound");
  EXPECT_EQ(later.at("round"), 1000);
  EXPECT_EQ(later.at("now"), ucb_bound(setting, 1000));
  // A policy that was taught what others decided is none that the theorem speaks of.
  ASSERT_EQ(post("/v1/experiments/proved/epochs", R"({"policy": "ucb:delta=0.01"})").status, 200);
  const auto is_second = [](const Json& summary) { return summary.at("epoch") == 2; };
  EXPECT_FALSE(published("proved", is_second).contains("regret_bound"));
  create_mail(client_);
  EXPECT_FALSE(published("mail", [](const Json&) { return true; }).contains("regret_bound"));
}

TEST_F(HttpRoutes, WhatIsNoneIsSaid) {
  expect_complaint(client_.get("/v2/experiments"), 404, "path");
  expect_complaint(client_.send("PUT", "/v1/experiments", "{}"), 405, "method");
  EXPECT_EQ(client_.send("PUT", "/v1/experiments", "{}").headers.at("allow"), "POST, GET");
  expect_complaint(client_.get("/v1/experiments/%zz"), 400, "target");
  expect_complaint(client_.get("/v1/experiments/nothing"), 404, "experiment");
  expect_complaint(client_.get("/v1/experiments?x=1"), 400, "x");
}

// What is wrong with the store is no client's fault, and what it says is no client's business.
TEST(HttpComplaints, TellTheServersFaultsFromTheClients) {
  const ErrorReport secret{"store", "secret", "secret", "secret"};
  const auto expect = [](const std::exception& error, int status, const char* kind, bool ours) {
    const http::Complaint complaint = http::complaint_about(error);
    EXPECT_EQ(complaint.status, status);
    EXPECT_EQ(complaint.kind, kind);
    EXPECT_EQ(complaint.ours(), ours);
    EXPECT_EQ(http::complaint_text(complaint).find("secret") == std::string::npos, ours);
  };
  expect(StoreFailure(StoreFailure::Cause::kBusy, secret), 503, "store", true);
  expect(DatabaseError(5, 0, secret), 503, "store", true);
  expect(ReplayMismatch(secret), 500, "replay", true);
  expect(std::logic_error("secret"), 500, "internal", true);
  expect(Error(secret), 400, "field", false);
}

// What a live stream shows follows what is decided; who was there before is not told twice.
TEST_F(HttpRoutes, LiveStreamsFollow) {
  create_mail(client_);
  Client page(serving_.port());
  page.write(page.request("GET", "/v1/experiments/mail/live", ""));
  page.read_start();
  std::string id;
  const auto summary = [&] {
    for (;;) {
      const std::string message = *page.read_chunk();
      if (message.starts_with(":")) continue;
      id = message.substr(4, message.find('\n') - 4);
      return Json::parse(message.substr(message.find("data: ") + 6));
    }
  };
  EXPECT_EQ(summary().at("counts").at("decisions"), 0);
  for (int i = 0; i < 3; ++i) decide(client_);
  Json last;
  do last = summary();
  while (last.at("counts").at("decisions") != 3);

  const auto resumed = [&] {
    auto later = std::make_unique<Client>(serving_.port());
    later->write(
        later->request("GET", "/v1/experiments/mail/live", "", "Last-Event-ID: " + id + "\r\n"));
    later->read_start();
    return later;
  };
  const auto next_message = [](Client& later) {
    std::string next = ":";
    while (next.starts_with(":")) next = *later.read_chunk();
    return next;
  };
  auto later = resumed();
  decide(client_);
  EXPECT_NE(next_message(*later).find("\"decisions\":4"), std::string::npos);
  EXPECT_EQ(client_.send("GET", "/v1/experiments/mail/live", "", "Last-Event-ID: 3\r\n").status,
            400);
  // Numbers of an earlier process are none of this one's: it tells what there is.
  serving_.restart();
  auto after = resumed();
  EXPECT_NE(next_message(*after).find("\"decisions\":4"), std::string::npos);
}

// Whoever creates an experiment finds it, however seldom summaries are made.
TEST(HttpCreation, IsSeenAtOnce) {
  armature::test::TemporaryDirectory directory;
  http::HostOptions options;
  options.server.port = 0;
  options.service.publish_every = kHour;
  http::Host host(directory.path(), options);
  Client client(host.server().port());
  for (int i = 0; i < 50; ++i) {
    const std::string name = "mail-" + std::to_string(i);
    ASSERT_EQ(client.post("/v1/experiments", mail_named(name)).status, 201);
    ASSERT_EQ(client.get("/v1/experiments/" + name).status, 200);
  }
}

// A snapshot comes in pieces, and is what the store has.
TEST_F(HttpRoutes, SnapshotsAreWhole) {
  create_mail(client_);
  decide_often(serving_.service(), 5);
  serving_.restart();
  Client client(serving_.port());
  const auto log = serving_.log();
  const Snapshot kept = log->snapshot(1, log->snapshots(1).front()).value();
  const Json json = client.get("/v1/experiments/mail/snapshot").json();
  EXPECT_EQ(json.at("seq"), std::to_string(kept.seq));
  EXPECT_EQ(json.at("digest"), std::to_string(kept.digest));
  std::string digits;
  for (const char c : kept.state) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  EXPECT_EQ(json.at("state"), digits);
  EXPECT_GT(digits.size(), 200'000u);
}

}  // namespace
}  // namespace armature::service::test
