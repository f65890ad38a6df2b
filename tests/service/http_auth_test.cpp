// Who may do what: every route × every role × tokens that are right, wrong, expired, revoked or for
// something else.
#include <gtest/gtest.h>

#include <filesystem>

#include "service/http/routes.h"
#include "service/http_serving.h"

namespace armature::service::test {
namespace {

using http::Role;
using http::Route;

constexpr Role kRoles[] = {Role::kDecide, Role::kReport, Role::kRead, Role::kAdmin};

std::string new_token(Client& boss, const std::string& body) {
  const Reply reply = boss.post("/v1/tokens", body);
  EXPECT_EQ(reply.status, 201) << reply.body;
  return reply.json().value("token", "");
}

class HttpAuth : public testing::Test {
 protected:
  static http::HostOptions with_clock(const Clock& clock) {
    http::HostOptions options;
    options.service.clock = &clock;
    return options;
  }
  void SetUp() override {
    Client anybody(serving_.port());
    create_mail(anybody);
    ASSERT_EQ(anybody.post("/v1/experiments", mail_named("news")).status, 201);
    boss_ = new_token(anybody, R"({"name": "boss", "roles": ["admin"]})");
  }
  // A request to this route that changes as little as may be: what counts is whether it is let in.
  int status_at(const Route& route, const std::string& token, const std::string& more = "") {
    Client client(serving_.port(), token);
    std::string target = route.path;
    const auto put = [&](const std::string& place, const std::string& value) {
      if (const std::size_t at = target.find(place); at != std::string::npos)
        target.replace(at, place.size(), value);
    };
    put("{experiment}", "mail");
    put("{decision}", "nonsense");
    put("{token}", "nonsense");
    const std::string body = std::string(route.method) == "POST" ? "{\"unknown\": 1}" : "";
    client.write(client.request(route.method, target, body, more));
    return client.read_start().status;
  }

  TestClock clock_;
  Serving serving_{with_clock(clock_)};
  std::string boss_;
};

TEST_F(HttpAuth, EveryRouteWantsItsRole) {
  Client boss(serving_.port(), boss_);
  for (const Role role : kRoles) {
    const std::string name = http::role_name(role);
    const std::string token =
        new_token(boss, "{\"name\": \"" + name + "\", \"roles\": [\"" + name + "\"]}");
    for (const Route& route : http::routes()) {
      const int status = status_at(route, token);
      const bool may = route.role == Role::kNone || route.role == role || role == Role::kAdmin;
      if (may)
        EXPECT_TRUE(status != 401 && status != 403) << route.path << " as " << name << status;
      else
        EXPECT_EQ(status, 403) << route.method << " " << route.path << " as " << name;
    }
  }
}

TEST_F(HttpAuth, NobodyGetsInWithoutAToken) {
  Client boss(serving_.port(), boss_);
  const std::string brief =
      new_token(boss, R"({"name": "brief", "roles": ["admin"], "expires": "1h"})");
  const Reply gone = boss.post("/v1/tokens", R"({"name": "gone", "roles": ["admin"]})");
  const std::string revoked = gone.json().at("token");
  EXPECT_EQ(status_at(http::routes()[1], brief), 200);
  EXPECT_EQ(status_at(http::routes()[1], revoked), 200);
  ASSERT_EQ(boss.send("DELETE", "/v1/tokens/" + gone.json().at("id").get<std::string>(), "").status,
            200);
  clock_.wall_ += kHour;

  std::string nearly = boss_;
  nearly.back() = nearly.back() == '0' ? '1' : '0';
  for (const Route& route : http::routes()) {
    if (route.role == Role::kNone) continue;
    for (const std::string& token :
         {std::string(), brief, revoked, nearly, boss_ + "0", boss_.substr(1), std::string("x")})
      EXPECT_EQ(status_at(route, token), 401) << route.path << " " << token;
  }
  Client basic(serving_.port());
  EXPECT_EQ(
      basic.send("GET", "/v1/experiments", "", "Authorization: Basic " + boss_ + "\r\n").status,
      401);
  const Reply refused = basic.get("/v1/experiments");
  EXPECT_EQ(refused.headers.at("www-authenticate"), "Bearer realm=\"armature\"");
  EXPECT_EQ(refused.body.find(boss_), std::string::npos);
}

// Tokens for some experiments, or a tenant: the others are not there.
TEST_F(HttpAuth, OthersExperimentsAreNotThere) {
  Client boss(serving_.port(), boss_);
  Client narrow(serving_.port(),
                new_token(boss, R"({"name": "n", "roles": ["admin"], "experiments": ["mail"]})"));
  EXPECT_EQ(narrow.get("/v1/experiments").json().at("experiments").size(), 1u);
  EXPECT_EQ(narrow.get("/v1/experiments/mail").status, 200);
  EXPECT_EQ(narrow.post("/v1/experiments/mail/decide").status, 200);
  const std::string there = decide(boss, "news");
  for (const Route& route : http::routes()) {
    std::string target = route.path;
    const std::size_t place = target.find("{experiment}");
    if (place == std::string::npos) continue;
    target.replace(place, 12, "news");
    if (const std::size_t at = target.find("{decision}"); at != std::string::npos)
      target.replace(at, 10, there);
    std::string body;
    if (!route.fields.empty()) body = R"({})";
    if (route.verb == http::Verb::kOutcome) body = R"({"context": 0})";
    if (route.verb == http::Verb::kDecideBatch) body = R"({"decides": []})";
    if (route.verb == http::Verb::kOutcomeBatch) body = R"({"outcomes": []})";
    if (route.verb == http::Verb::kAddShadow) body = R"({"policy": "ucb"})";
    if (route.verb == http::Verb::kRemoveShadow) target += "?policy=ucb";
    if (route.verb == http::Verb::kAmend)
      body = "{\"decision\": \"" + there + "\", \"withdraw\": true}";
    EXPECT_EQ(narrow.send(route.method, target, body).status, 404) << route.path;
  }
  // It may not make itself wider.
  EXPECT_EQ(narrow.post("/v1/tokens", R"({"name": "w", "roles": ["admin"]})").status, 403);
  EXPECT_EQ(narrow.get("/v1/tokens").status, 403);
  EXPECT_EQ(narrow.send("DELETE", "/v1/tokens/0123456789abcdef", "").status, 403);
  EXPECT_EQ(narrow.post("/v1/experiments", mail_named("third")).status, 403);

  Client tenant(serving_.port(),
                new_token(boss, R"({"name": "t", "roles": ["admin"], "tenant": "shop"})"));
  EXPECT_EQ(tenant.get("/v1/experiments").json().at("experiments").size(), 0u);
  EXPECT_EQ(tenant.post("/v1/experiments", mail_named("shop-mail")).status, 201);
  EXPECT_EQ(tenant.get("/v1/experiments/shop-mail").json().at("tenant"), "shop");
  EXPECT_EQ(tenant.post("/v1/experiments/shop-mail/decide").status, 200);
  EXPECT_EQ(tenant.get("/v1/experiments/mail").status, 404);
  EXPECT_EQ(narrow.get("/v1/experiments/shop-mail").status, 404);
  EXPECT_EQ(boss.get("/v1/experiments").json().at("experiments").size(), 3u);
}

TEST_F(HttpAuth, TheLastAdminStays) {
  Client boss(serving_.port(), boss_);
  const auto tokens = boss.get("/v1/tokens").json().at("tokens");
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(boss.send("DELETE", "/v1/tokens/" + tokens[0].at("id").get<std::string>(), "").status,
            409);
  EXPECT_EQ(boss.get("/v1/tokens").body.find(boss_), std::string::npos);
}

// Experiments of others are not told of by numbers either.
TEST_F(HttpAuth, NumbersAreOfOnesOwnExperiments) {
  Client boss(serving_.port(), boss_);
  Client narrow(serving_.port(),
                new_token(boss, R"({"name": "n", "roles": ["read"], "experiments": ["mail"]})"));
  EXPECT_NE(boss.get("/metrics").body.find("\"news\""), std::string::npos);
  const std::string own = narrow.get("/metrics").body;
  EXPECT_NE(own.find("\"mail\""), std::string::npos);
  EXPECT_EQ(own.find("news"), std::string::npos) << own;
}

// What was revoked or has expired is so at once, for what is being sent, too.
TEST_F(HttpAuth, StreamsEndWithTheirToken) {
  Client boss(serving_.port(), boss_);
  const Reply revoked = boss.post("/v1/tokens", R"({"name": "a", "roles": ["read"]})");
  Client follower(serving_.port(), revoked.json().at("token"));
  Client brief(serving_.port(),
               new_token(boss, R"({"name": "b", "roles": ["read"], "expires": "1h"})"));
  for (Client* one : {&follower, &brief}) {
    one->write(one->request("GET", "/v1/experiments/mail/live", ""));
    ASSERT_EQ(one->read_start().status, 200);
    EXPECT_NE(one->read_chunk(), std::nullopt);
  }
  decide_often(serving_.service());
  Client download(serving_.port(), revoked.json().at("token"));
  Client old(serving_.port());
  for (Client* one : {&download, &old}) one->read_slowly();
  download.write(download.request("GET", "/v1/experiments/mail/log", ""));
  old.write("GET /v1/experiments/mail/log HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer " +
            revoked.json().at("token").get<std::string>() + "\r\n\r\n");
  EXPECT_EQ(download.read_start().status, 200);
  EXPECT_EQ(old.read_start().status, 200);
  const std::string id = revoked.json().at("id");
  ASSERT_EQ(boss.send("DELETE", "/v1/tokens/" + id, "").status, 200);
  clock_.wall_ += kHour;
  for (Client* one : {&follower, &brief}) {
    int more = 0;
    while (one->read_chunk() && more < 300) ++more;
    EXPECT_LT(more, 300) << "still told";
  }
  EXPECT_THROW(while (download.read_chunk()) continue, Disconnected);
  // Without chunks an end of the connection would be the end of the log.
  EXPECT_THROW(old.read_to_end(), Reset);
}

// One token's slow downloads leave room for others, and for a look at the log's end.
TEST_F(HttpAuth, DownloadsAreCountedByToken) {
  Client boss(serving_.port(), boss_);
  const std::string one = new_token(boss, R"({"name": "a", "roles": ["read"]})");
  const std::string other = new_token(boss, R"({"name": "b", "roles": ["read"]})");
  decide_often(serving_.service());
  std::vector<std::unique_ptr<Client>> slow;
  const auto status = [&](const std::string& token, const std::string& query) {
    slow.push_back(std::make_unique<Client>(serving_.port(), token));
    slow.back()->read_slowly();
    slow.back()->write(slow.back()->request("GET", "/v1/experiments/mail/log" + query, ""));
    return slow.back()->read_start().status;
  };
  for (int i = 0; i < 4; ++i) EXPECT_EQ(status(one, ""), 200);
  EXPECT_EQ(status(one, ""), 503);
  EXPECT_EQ(status(one, "?from=19900"), 200);
  EXPECT_EQ(status(other, ""), 200);
}

// Likewise of live streams and of large bodies that do not come.
TEST_F(HttpAuth, StreamsAndBodiesAreCountedByToken) {
  Client boss(serving_.port(), boss_);
  const std::string one = new_token(boss, R"({"name": "a", "roles": ["read", "decide"]})");
  const std::string other = new_token(boss, R"({"name": "b", "roles": ["read", "decide"]})");
  std::vector<std::unique_ptr<Client>> open;
  const auto live = [&](const std::string& token) {
    open.push_back(std::make_unique<Client>(serving_.port(), token));
    open.back()->write(open.back()->request("GET", "/v1/experiments/mail/live", ""));
    return open.back()->read_start().status;
  };
  for (int i = 0; i < 100; ++i) ASSERT_EQ(live(one), 200) << i;
  EXPECT_EQ(live(one), 503);
  EXPECT_EQ(live(other), 200);
  const auto announce = [&](const std::string& token) {
    open.push_back(std::make_unique<Client>(serving_.port()));
    open.back()->write(
        "POST /v1/experiments/mail/decide:batch HTTP/1.1\r\nHost: localhost\r\n"
        "Expect: 100-continue\r\nContent-Length: 1000000\r\nAuthorization: Bearer " +
        token + "\r\n\r\n");
    return open.back()->read_start().status;
  };
  int welcome = 0;
  while (announce(one) == 100 && welcome < 200) ++welcome;
  EXPECT_EQ(welcome, 33);                                       // a quarter of 128 MiB
  for (int i = 0; i < 120; ++i) EXPECT_EQ(announce(one), 503);  // and what is refused takes none
  EXPECT_EQ(announce(other), 100);
}

// A page of another site makes a visitor's browser ask: nothing is done for it.
TEST_F(HttpAuth, OtherSitesAreTurnedAway) {
  Serving open;
  Client client(open.port());
  create_mail(client);
  const auto from = [&](const std::string& headers) {
    return client.send("POST", "/v1/experiments/mail/decide", "", headers).status;
  };
  EXPECT_EQ(from("Origin: http://localhost\r\n"), 200);
  EXPECT_EQ(from("Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(from("Origin: null\r\n"), 403);
  const auto named = [&](const std::string& host) {
    client.write("GET /v1/experiments HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.read();
  };
  for (const char* host :
       {"localhost", "localhost:8600", "127.0.0.1", "127.1.2.3:80", "[::1]:8600"})
    EXPECT_EQ(named(host).status, 200) << host;
  for (const char* host : {"evil.example", "127.evil.example:8600", "127.0.0.1.evil.example",
                           "127.1", "localhost.evil.example", "[::2]"})
    expect_complaint(named(host), 403, "Host");
  // What stands in the target counts, as proxies are asked.
  client.write("GET http://evil.example/v1/experiments HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect_complaint(client.read(), 403, "Host");
}

// Through a proxy everybody comes from this machine.
TEST(HttpProxy, IsNobodyWithoutTokens) {
  Serving open;
  Client client(open.port());
  for (const char* header : {"X-Forwarded-For: 10.0.0.1", "Forwarded: for=10.0.0.1", "Via: 1.1 x",
                             "X-Forwarded-Host: shop.example"})
    expect_complaint(client.send("GET", "/v1/experiments", "", std::string(header) + "\r\n"), 403,
                     "request");
  EXPECT_EQ(client.send("GET", "/healthz", "", "Via: 1.1 x\r\n").status, 200);
}

// Its name is what the page was asked by: only of a proxy that we were told of is it believed.
TEST(HttpProxy, MayHaveAnotherName) {
  Serving serving;
  Client anybody(serving.port());
  create_mail(anybody);
  const std::string boss = new_token(anybody, R"({"name": "boss", "roles": ["admin"]})");
  const std::string page = "Origin: https://shop.example\r\nX-Forwarded-Host: shop.example\r\n";
  EXPECT_EQ(Client(serving.port(), boss).post("/v1/experiments/mail/pause", "", page).status, 403);
  serving.options().server.behind_proxy = true;
  serving.restart();
  Client client(serving.port(), boss);
  EXPECT_EQ(client.post("/v1/experiments/mail/pause", "", page).status, 200);
  EXPECT_EQ(client
                .post("/v1/experiments/mail/pause", "",
                      "Origin: https://evil.example\r\nX-Forwarded-Host: shop.example\r\n")
                .status,
            403);
  client.write(client.request("GET", "/v1/experiments/mail/live", ""));
  EXPECT_EQ(client.read_start().headers["x-accel-buffering"], "no");
}

TEST(HttpRate, IsOfOneToken) {
  TestClock clock;
  http::HostOptions options;
  options.service.clock = &clock;
  options.requests_per_second = 3;
  Serving serving(options);
  Client client(serving.port());
  create_mail(client);
  EXPECT_EQ(client.get("/v1/experiments").status, 200);
  EXPECT_EQ(client.get("/v1/experiments").status, 200);
  const Reply refused = client.get("/v1/experiments");
  expect_complaint(refused, 429, "request");
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(client.get("/healthz").status, 200);  // nobody's
  clock.monotonic_ += kSecond;
  EXPECT_EQ(client.get("/v1/experiments").status, 200);
}

TEST(HttpRate, LetsTheFirstThrough) {
  TestClock clock;
  http::HostOptions options;
  options.service.clock = &clock;
  options.requests_per_second = 0.5;
  Serving serving(options);
  Client client(serving.port());
  EXPECT_EQ(client.get("/v1/experiments").status, 200);
  EXPECT_EQ(client.get("/v1/experiments").status, 429);
  clock.monotonic_ += 2 * kSecond;
  EXPECT_EQ(client.get("/v1/experiments").status, 200);
}

// Off loopback: not without tokens, not without TLS unless a proxy sees to it.
TEST(HttpDoors, AreClosed) {
  const armature::test::TemporaryDirectory directory;
  const std::string store = directory.file("store");
  const auto refusal = [&](const std::string& address, bool behind_proxy) -> std::string {
    http::HostOptions options;
    options.server.address = address;
    options.server.port = 0;
    options.server.behind_proxy = behind_proxy;
    try {
      const http::Host host(store, options);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  // Who is refused has written nothing.
  EXPECT_NE(refusal("0.0.0.0", true).find("without tokens"), std::string::npos);
  EXPECT_NE(refusal("127.0.0.1", true).find("--behind-proxy"), std::string::npos);
  EXPECT_NE(refusal("0.0.0.0", false).find("without TLS"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(store));
  EXPECT_EQ(refusal("127.0.0.1", false), "");
  EXPECT_NE(refusal("0.0.0.0", true).find("without tokens"), std::string::npos);
  EXPECT_NE(refusal("127.0.0.1", true).find("--behind-proxy"), std::string::npos);
  // It is its owner's alone.
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(store).permissions(), perms::owner_all);
  EXPECT_EQ(std::filesystem::status(store + "/service.sqlite").permissions(),
            perms::owner_read | perms::owner_write);
  {
    const auto log = open_sqlite_log(store);
    log->begin();
    log->add_token({http::secret_hash("x"), "boss", "", {"admin"}, {}, 0, std::nullopt});
    log->commit();
  }
  EXPECT_NE(refusal("0.0.0.0", false).find("without TLS"), std::string::npos);
  EXPECT_EQ(refusal("0.0.0.0", true), "");
  EXPECT_NE(refusal("nowhere", false).find("--listen"), std::string::npos);
}

}  // namespace
}  // namespace armature::service::test
