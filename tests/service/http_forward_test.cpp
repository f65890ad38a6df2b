// Nodes that ask each other: whatever a client asks any of them is done by the one that can, once,
// and the client is told what that one said.
#include <gtest/gtest.h>

#include <set>

#include "service/http/routes.h"
#include "service/http_nodes.h"

namespace armature::service::test {
namespace {

using Json = nlohmann::json;
using http::Where;

double forwarded(Client& client, const std::string& outcome) {
  return metric(client, "forwarded_total{outcome=\"" + outcome + "\"}");
}

std::string kind_of(const Reply& reply) { return reply.json().value("type", ""); }

/// Summaries may lag behind answers: until it has so many, which were answered for.
std::uint64_t decisions_at(Node& node, std::uint64_t answered) {
  for (;;) {
    const std::uint64_t decisions = node.serving->service().summary("mail")->decisions;
    if (decisions >= answered) return decisions;
    std::this_thread::yield();
  }
}

void expect_not_here(const Reply& reply) {
  EXPECT_EQ(reply.status, 503) << reply.body;
  EXPECT_EQ(kind_of(reply), "urn:armature:not-here");
  EXPECT_EQ(reply.headers.at("retry-after"), "1");
}

/// A token with this secret, as a node knows it.
void add_token(Node& node, const std::string& secret, std::vector<std::string> roles,
               std::vector<std::string> experiments = {}) {
  Token token;
  token.hash = http::secret_hash(secret);
  token.name = "token-" + secret;
  token.roles = std::move(roles);
  token.experiments = std::move(experiments);
  const Answer answer = node.serving->service().ask(AddToken{token});
  ASSERT_FALSE(std::holds_alternative<Refusal>(answer));
}

/// The first one must be able to make others.
void add_admin(Node& node) { add_token(node, "admin", {"admin"}); }

// --- What is done where --------------------------------------------------------------------------

class HttpForwarding : public testing::Test {
 protected:
  // By way of the front, which must have asked the owner for it.
  Reply ask(const std::string& method, const std::string& target, const std::string& body = "") {
    const http::Route* route = http::match_route(method, target).route;
    asked_.insert(route->verb);
    const double before = forwarded(client_, "answered");
    const Reply reply = client_.send(method, target, body);
    EXPECT_EQ(forwarded(client_, "answered"), before + 1) << target;
    EXPECT_LT(reply.status, 300) << method << " " << target << ": " << reply.body;
    EXPECT_EQ(reply.headers.contains("armature-owner"), route->where != Where::kTokens) << target;
    return reply;
  }
  Pair pair_;
  Client client_{pair_.front.port()};
  std::set<http::Verb> asked_;
};

TEST_F(HttpForwarding, IsOfEveryRouteThatIsNotForAnyNode) {
  const std::string base = "/v1/experiments/mail";
  ask("POST", "/v1/experiments", mail_named("letter"));
  const Reply decided = ask("POST", base + "/decide");
  EXPECT_EQ(decided.headers.at("armature-owner"), pair_.owner.url());
  const std::string decision = decided.json().at("decision");
  ask("GET", path_of(decision));
  ask("GET", path_of(decision) + "?propensity=exact");
  ask("POST", path_of(decision) + "/outcome", R"({"context": "opened", "reward": 1})");
  ask("POST", base + "/amend", R"({"decision": ")" + decision + R"(", "withdraw": true})");
  const Json batch = ask("POST", base + "/decide:batch", R"({"decides": [{}, {}]})").json();
  const std::string second = batch.at("results").at(0).at("decision");
  const std::string third = batch.at("results").at(1).at("decision");
  ask("POST", base + "/outcomes:batch",
      R"({"outcomes": [{"decision": ")" + second + R"(", "forget": true}]})");
  ask("POST", path_of(third) + "/forget");
  ask("POST", base + "/pause");
  ask("POST", base + "/resume");
  ask("POST", base + "/shadows", R"({"policy": "ucb"})");
  ask("DELETE", base + "/shadows?policy=ucb");
  ask("POST", base + "/epochs", R"({"policy": "ucb"})");
  ask("POST", base + "/finish");
  // From then on everybody needs one at the owner; the front does not know of it, and lets all in.
  const Reply ruler = ask("POST", "/v1/tokens", R"({"name": "first", "roles": ["admin"]})");
  Client admin(pair_.front.port(), ruler.json().at("token"));
  const Reply reader = admin.post("/v1/tokens", R"({"name": "second", "roles": ["read"]})");
  const std::string id = reader.json().at("id");
  EXPECT_EQ(admin.send("DELETE", "/v1/tokens/" + id, "").status, 200);
  asked_.insert(http::Verb::kRemoveToken);
  EXPECT_EQ(pair_.owner.serving->service().tokens()->size(), 1u);
  EXPECT_TRUE(pair_.front.serving->service().tokens()->empty());

  for (const http::Route& route : http::routes()) {
    const bool any = route.where == Where::kAnywhere || route.where == Where::kShown;
    EXPECT_EQ(any, !asked_.contains(route.verb)) << route.method << " " << route.path;
    EXPECT_TRUE(!any || std::string_view(route.method) == "GET") << route.path;
  }
  EXPECT_TRUE(pair_.front.serving->service().summaries().empty());
  EXPECT_EQ(pair_.owner.serving->service().summaries().size(), 2u);
  EXPECT_EQ(decisions_at(pair_.owner, 3), 3u);
}

TEST_F(HttpForwarding, RelaysWhatWasAnsweredByteForByte) {
  const std::string decision = ask("POST", "/v1/experiments/mail/decide").json().at("decision");
  Client direct(pair_.owner.port());
  const struct {
    const char* method;
    std::string target;
    std::string body;
    int status;
  } kAsked[] = {
      {"GET", path_of(decision), "", 200},
      {"POST", path_of(decision) + "/outcome", R"({"reward": 2})", 400},
      {"POST", path_of(decision) + "/outcome", "nonsense", 400},
      {"GET", "/v1/experiments/mail/decisions/mail.7.0000", "", 400},
      {"POST", "/v1/experiments/mail/decide?x=1", "", 400},
      {"POST", "/v1/experiments", mail_named("mail"), 200},
  };
  for (const auto& one : kAsked) {
    const Reply straight = direct.send(one.method, one.target, one.body);
    const Reply relayed = client_.send(one.method, one.target, one.body);
    EXPECT_EQ(straight.status, one.status) << straight.body;
    EXPECT_EQ(relayed.status, straight.status) << one.target;
    EXPECT_EQ(relayed.body, straight.body);
    EXPECT_EQ(relayed.headers.at("content-type"), straight.headers.at("content-type"));
    EXPECT_EQ(straight.headers.at("armature-owner"), pair_.owner.url());
    EXPECT_EQ(relayed.headers.at("armature-owner"), pair_.owner.url());
  }
  // HEAD is GET without the body.
  client_.write(client_.request("HEAD", path_of(decision), ""));
  const Reply head = client_.read_start();
  EXPECT_EQ(head.headers.at("content-length"),
            std::to_string(direct.get(path_of(decision)).body.size()));
}

TEST_F(HttpForwarding, CarriesTheKey) {
  const std::string key = "Idempotency-Key: visitor-1\r\n";
  const Reply first = client_.post("/v1/experiments/mail/decide", "", key);
  const Reply again = client_.post("/v1/experiments/mail/decide", "", key);
  Client direct(pair_.owner.port());
  const Reply straight = direct.post("/v1/experiments/mail/decide", "", key);
  EXPECT_EQ(again.json().at("decision"), first.json().at("decision"));
  EXPECT_EQ(straight.json().at("decision"), first.json().at("decision"));
  EXPECT_EQ(client_.post("/v1/experiments/mail/decide", "", "Idempotency-Key: \r\n").status, 400);
  EXPECT_EQ(decisions_at(pair_.owner, 1), 1u);
}

// What a page of another site makes a browser ask is refused by who is asked first; the owner does
// not see where it came from.
TEST_F(HttpForwarding, LooksAtTheSiteOnce) {
  EXPECT_EQ(client_.post("/v1/experiments/mail/decide", "", "Origin: http://evil\r\n").status, 403);
  EXPECT_EQ(client_.post("/v1/experiments/mail/decide", "", "Origin: http://localhost\r\n").status,
            200);
}

// --- What is here, nowhere, or not known yet -----------------------------------------------------

TEST(HttpPlaces, OwnIsDoneHereAndSaysSo) {
  Pair pair;
  Client client(pair.owner.port());
  const Reply reply = client.post("/v1/experiments/mail/decide");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("armature-owner"), pair.owner.url());
  EXPECT_FALSE(client.get("/v1/experiments/mail").headers.contains("armature-owner"));
  EXPECT_EQ(pair.owner.places.looks, 0);
}

// Alone there is nobody to ask, and nothing to say about it.
TEST(HttpPlaces, WithoutOthersNothingIsDifferent) {
  Serving serving;
  Client client(serving.port());
  create_mail(client);
  EXPECT_FALSE(client.post("/v1/experiments/mail/decide").headers.contains("armature-owner"));
}

TEST(HttpPlaces, UnknownIsLookedForOnceAndThenRefusedAsEverywhere) {
  Pair pair;
  Serving single;
  Client client(pair.front.port());
  Client alone(single.port());
  for (const http::Route& route : http::routes()) {
    if (route.where != Where::kOwner && route.where != Where::kShown) continue;
    std::string target = route.path;
    target.replace(target.find("{experiment}"), 12, "nothing");
    if (const auto at = target.find("{decision}"); at != std::string::npos)
      target.replace(at, 10, "nothing.1.0000");
    if (route.verb == http::Verb::kRemoveShadow) target += "?policy=ucb";
    for (const std::string body : {R"({"decision": "nothing.1.0000", "withdraw": true})", "x",
                                   R"({"policy": "ucb"})", R"({"reward": 1})", ""}) {
      if (std::string_view(route.method) != "POST" && !body.empty()) continue;
      pair.front.places.looks = 0;
      const Reply ours = client.send(route.method, target, body);
      const Reply theirs = alone.send(route.method, target, body);
      EXPECT_EQ(ours.status, theirs.status) << route.path;
      EXPECT_EQ(ours.body, theirs.body) << route.path;
      EXPECT_FALSE(ours.headers.contains("armature-owner"));
      EXPECT_EQ(pair.front.places.looks, 1);
    }
  }
}

TEST(HttpPlaces, AreFoundByLookingAgain) {
  Pair pair;
  pair.front.places.put("mail", {});
  pair.front.places.on_look = [&] { pair.front.believe("mail", pair.owner); };
  Client client(pair.front.port());
  EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 200);
  EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 200);
  EXPECT_EQ(pair.front.places.looks, 1);
}

TEST(HttpPlaces, NobodysIsForLater) {
  Pair pair;
  pair.front.places.put("mail", {Place::Kind::kNobody});
  pair.front.places.put_new({Place::Kind::kNobody});
  Client client(pair.front.port());
  expect_not_here(client.post("/v1/experiments/mail/decide"));
  expect_not_here(client.post("/v1/experiments", mail_named("other")));
  expect_not_here(client.post("/v1/tokens", R"({"name": "first", "roles": ["admin"]})"));
}

TEST(HttpPlaces, WhatIsNotShownYetIsForLater) {
  Pair pair;
  Client client(pair.front.port());
  for (const char* what : {"", "/shadows", "/log", "/snapshot", "/live"}) {
    pair.front.places.looks = 0;
    const Reply reply = client.get(std::string("/v1/experiments/mail") + what);
    expect_not_here(reply);
    EXPECT_EQ(pair.front.places.looks, 1);
  }
  // It is shown while the store is looked at.
  pair.front.places.on_look = [&] {
    pair.front.serving->service().ask(Create{read_creation(kMail, "")});
  };
  EXPECT_EQ(client.get("/v1/experiments/mail").status, 200);
  EXPECT_EQ(client.get("/v1/experiments/mail/shadows").status, 200);
}

// --- Who may
// --------------------------------------------------------------------------------------

TEST(HttpForwardTokens, AreCheckedByTheOwner) {
  Pair pair;
  for (Node* node : {&pair.front, &pair.owner}) add_admin(*node);
  add_token(pair.front, "wide", {"decide"});
  add_token(pair.owner, "wide", {"read"});
  add_token(pair.front, "narrow", {"decide"});
  add_token(pair.owner, "narrow", {"decide"}, {"other"});
  add_token(pair.front, "unknown", {"decide"});
  add_token(pair.front, "elsewhere", {"decide"}, {"other"});
  const auto decide_with = [&](const std::string& secret) {
    return Client(pair.front.port(), secret).post("/v1/experiments/mail/decide");
  };
  EXPECT_EQ(decide_with("admin").status, 200);
  const Reply wide = decide_with("wide");
  EXPECT_EQ(wide.status, 403);
  EXPECT_EQ(kind_of(wide), "urn:armature:forbidden");
  const Reply narrow = decide_with("narrow");
  EXPECT_EQ(narrow.status, 404);
  EXPECT_FALSE(narrow.headers.contains("armature-owner"));
  const Reply unknown = decide_with("unknown");
  EXPECT_EQ(unknown.status, 401);
  EXPECT_TRUE(unknown.headers.contains("www-authenticate"));
  EXPECT_FALSE(unknown.headers.contains("armature-owner"));

  // Who may not see it learns nothing, not even that there is an owner who does not answer.
  const Reply elsewhere = decide_with("elsewhere");
  EXPECT_EQ(elsewhere.status, 404);
  pair.owner.serving->stop();
  EXPECT_EQ(decide_with("elsewhere").body, elsewhere.body);
  const Reply away = decide_with("admin");
  expect_not_here(away);
  EXPECT_EQ(away.headers.at("armature-owner"), pair.owner.url());
}

TEST(HttpForwardTokens, RateIsSpentWhereTheClientAsked) {
  TestClock clock;
  http::HostOptions limited;
  limited.requests_per_second = 2;
  limited.service.clock = &clock;
  {
    Pair pair({}, limited);  // creating it has spent one of the owner's
    Client client(pair.front.port());
    for (int i = 0; i < 5; ++i) EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 200);
  }
  Pair pair(limited, {});
  Client client(pair.front.port());
  EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 200);
  EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 200);
  EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 429);
}

TEST(HttpPeerProof, IsAskedOfWhoSaysToBeANode) {
  Pair pair;
  Serving single;
  const std::string right = std::string("Armature-Peer: other ") + kSecret + "\r\n";
  for (const std::string& header :
       {std::string("Armature-Peer: other wrong\r\n"), std::string("Armature-Peer: other\r\n"),
        std::string("Armature-Peer: \r\n"), std::string("Armature-Peer:  ") + kSecret + "\r\n",
        std::string("Armature-Peer: other ") + kSecret + "x\r\n"}) {
    for (const char* path : {"/v1/experiments/mail/decide", "/v1/experiments/nothing/decide"}) {
      const Reply reply = Client(pair.owner.port()).post(path, "", header);
      EXPECT_EQ(reply.status, 403) << header;
      EXPECT_EQ(kind_of(reply), "urn:armature:peer");
    }
    EXPECT_EQ(Client(pair.owner.port()).send("GET", "/healthz", "", header).status, 403);
  }
  EXPECT_EQ(Client(pair.owner.port()).post("/v1/experiments/mail/decide", "", right).status, 200);
  EXPECT_EQ(Client(single.port()).send("GET", "/healthz", "", right).status, 403);

  // What a node was asked for is not handed on.
  const Reply reply = Client(pair.front.port()).post("/v1/experiments/mail/decide", "", right);
  expect_not_here(reply);
  EXPECT_EQ(reply.headers.at("armature-owner"), pair.owner.url());
  expect_not_here(Client(pair.front.port()).post("/v1/experiments/nothing/decide", "", right));
}

TEST(HttpPeerProof, WithAnotherSecretNothingIsForwarded) {
  http::HostOptions options;
  options.peers.secret = "another-secret-of-nodes";
  Pair pair(options);
  Client client(pair.front.port());
  expect_not_here(client.post("/v1/experiments/mail/decide"));
}

TEST(HttpPeerProof, IsNeeded) {
  ToldPlaces places;
  const armature::test::TemporaryDirectory folder;
  http::HostOptions options;
  options.server.port = 0;
  options.places = &places;
  options.peers.node = "one";
  EXPECT_THROW(http::Host(folder.path(), options), Error);
  options.peers.secret = "short";
  EXPECT_THROW(http::Host(folder.path(), options), Error);
  options.peers.secret = "with a blank in it, which is none";
  EXPECT_THROW(http::Host(folder.path(), options), Error);
  options.peers.secret = kSecret;
  options.peers.node = "two words";
  EXPECT_THROW(http::Host(folder.path(), options), Error);
  options.peers.node = "one";
  http::Host(folder.path(), options).stop();
}

// --- Owners that are not there -------------------------------------------------------------------

TEST(HttpForwardFailures, TwoThatEachBelieveInTheOtherAnswerAtOnce) {
  Node one("one");
  Node two("two");
  one.believe("mail", two);
  two.believe("mail", one);
  Client client(one.port());
  const Reply reply = client.post("/v1/experiments/mail/decide");
  expect_not_here(reply);
  EXPECT_EQ(one.places.looks, 1);
  EXPECT_EQ(two.places.looks, 0);
  EXPECT_EQ(forwarded(client, "answered"), 1);
}

TEST(HttpForwardFailures, AnOwnerThatIsGoneIsLookedForOnce) {
  Pair pair;
  Node heir("heir");
  heir.believe("mail", heir);
  Client at_heir(heir.port());
  create_mail(at_heir);
  Client client(pair.front.port());
  EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 200);  // a line is kept
  pair.owner.serving->stop();
  const Reply away = client.post("/v1/experiments/mail/decide");
  expect_not_here(away);
  EXPECT_EQ(away.headers.at("armature-owner"), pair.owner.url());
  EXPECT_EQ(pair.front.places.looks, 1);
  EXPECT_EQ(forwarded(client, "unreachable"), 1);

  pair.front.places.on_look = [&] { pair.front.believe("mail", heir); };
  const Reply found = client.post("/v1/experiments/mail/decide");
  EXPECT_EQ(found.status, 200) << found.body;
  EXPECT_EQ(found.headers.at("armature-owner"), heir.url());
}

TEST(HttpForwardFailures, WhatHasComeHereMeanwhileIsDoneHere) {
  Pair pair;
  pair.owner.places.put("mail", {Place::Kind::kNobody});  // it has let go of it
  Client client(pair.front.port());
  expect_not_here(client.post("/v1/experiments/mail/decide"));
  {
    Client direct(pair.front.port());
    pair.front.believe("mail", pair.front);
    create_mail(direct);
    pair.front.believe("mail", pair.owner);
  }
  pair.front.places.on_look = [&] { pair.front.believe("mail", pair.front); };
  const Reply reply = client.post("/v1/experiments/mail/decide", R"({"about": "x"})");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.headers.at("armature-owner"), pair.front.url());
  EXPECT_EQ(decisions_at(pair.front, 1), 1u);
}

TEST(HttpForwardFailures, OneThatNeverAnswersIsNotWaitedForLong) {
  http::HostOptions options;
  options.peers.short_time = std::chrono::milliseconds(50);
  Node front("front", options);
  OddNode silent([](int, int, const std::string&) { return true; });
  front.places.put("mail", silent.there());
  Client client(front.port());
  const Reply reply = client.post("/v1/experiments/mail/decide");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(kind_of(reply), "urn:armature:store");
  EXPECT_NE(reply.body.find("nobody knows"), std::string::npos) << reply.body;
  EXPECT_EQ(reply.headers.at("retry-after"), "1");
  EXPECT_EQ(silent.requests(), 1);
  EXPECT_EQ(forwarded(client, "unknown"), 1);
}

// The owner closes lines that nobody uses: no request is lost by it.
TEST(HttpForwardFailures, ClosedLinesAreNoticed) {
  TestClock clock;
  http::HostOptions options;
  options.service.clock = &clock;
  Pair pair({}, options);
  Client client(pair.front.port());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 200);
    EXPECT_EQ(metric(client, "peer_connections"), 1);
    while (metric(client, "peer_connections") != 0) clock.monotonic_ += 100 * kSecond;
  }
  EXPECT_EQ(forwarded(client, "answered"), 5);
}

// A line is cut after a second request was sent on it: only what may be done twice is sent again.
TEST(HttpForwardFailures, OnlyWhatMayBeRepeatedIs) {
  const struct {
    const char* target;
    const char* headers;
    bool repeated;
  } kAsked[] = {
      {"/v1/experiments/mail/decide", "", false},
      {"/v1/experiments/mail/decide", "Idempotency-Key: k\r\n", true},
      {"/v1/experiments/mail/decide:batch", "", false},
      {"/v1/experiments/mail/decisions/mail.1.0000/outcome", "", true},
      {"/v1/experiments/mail/outcomes:batch", "", true},
      {"/v1/experiments/mail/decisions/mail.1.0000/forget", "", true},
      {"/v1/experiments/mail/pause", "", false},
      {"/v1/experiments/mail/amend", "", false},
  };
  for (const auto& one : kAsked) {
    Node front("front");
    OddNode odd([](int line, int number, const std::string&) {
      return number != 1 && OddNode::say_ok(line, std::to_string(number));
    });
    front.places.put("mail", odd.there());
    Client client(front.port());
    EXPECT_EQ(client.post(one.target, "", one.headers).body, "0");
    const Reply reply = client.post(one.target, "", one.headers);
    EXPECT_EQ(reply.status, one.repeated ? 200 : 503) << one.target;
    EXPECT_EQ(one.repeated ? reply.body : kind_of(reply),
              one.repeated ? "2" : "urn:armature:store");
    EXPECT_EQ(odd.requests(), one.repeated ? 3 : 2);
  }
}

TEST(HttpForwardFailures, MoreThanThereIsRoomForIsRefused) {
  http::HostOptions options;
  options.peers.most_bytes = 2'000;
  Pair pair(options);
  Client client(pair.front.port());
  EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 200);
  const Reply reply = client.post("/v1/experiments/mail/decide",
                                  R"({"about": ")" + std::string(1'000, 'x') + "\"}");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(kind_of(reply), "urn:armature:busy");
}

// --- Many, and the end ---------------------------------------------------------------------------

TEST(HttpForwardMany, ClientsAtATime) {
  Pair pair;
  constexpr int kClients = 256;
  constexpr int kEach = 4;
  std::mutex mutex;
  std::set<std::string> decisions;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i)
    clients.emplace_back([&] {
      Client client(pair.front.port());
      for (int j = 0; j < kEach; ++j) {
        const std::string decision = decide(client);
        const std::lock_guard lock(mutex);
        decisions.insert(decision);
      }
    });
  for (std::thread& client : clients) client.join();
  ASSERT_EQ(decisions.size(), static_cast<std::size_t>(kClients * kEach));
  EXPECT_EQ(decisions_at(pair.owner, decisions.size()), decisions.size());
  Client client(pair.front.port());
  EXPECT_LE(metric(client, "peer_connections"), 64);
}

/// Decides through that node until it is gone; what was answered with 200 is counted.
class Load {
 public:
  explicit Load(unsigned short port) {
    for (int i = 0; i < 16; ++i)
      threads_.emplace_back([this, port] {
        try {
          for (Client client(port); !ended_;) {
            const Reply reply = client.post("/v1/experiments/mail/decide");
            EXPECT_TRUE(reply.status == 200 || reply.status == 503) << reply.body;
            (reply.status == 200 ? decided : refused) += 1;
          }
        } catch (const Disconnected&) {
        }
      });
  }
  ~Load() { end(); }
  void end() {
    ended_ = true;
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  std::atomic<std::uint64_t> decided{0};
  std::atomic<std::uint64_t> refused{0};

 private:
  std::atomic<bool> ended_{false};
  std::vector<std::thread> threads_;
};

TEST(HttpForwardEnd, OfTheOneThatForwards) {
  Pair pair;
  Load load(pair.front.port());
  while (load.decided < 200) std::this_thread::yield();
  pair.front.serving->stop();
  load.end();
  EXPECT_GE(decisions_at(pair.owner, load.decided), load.decided);
}

TEST(HttpForwardEnd, OfTheOwner) {
  Pair pair;
  Load load(pair.front.port());
  while (load.decided < 200) std::this_thread::yield();
  pair.owner.serving->stop();
  const std::uint64_t refused = load.refused;
  while (load.refused < refused + 20) std::this_thread::yield();
  load.end();
  EXPECT_GE(check_log(*pair.owner.serving->log()).at(0).events, load.decided);
}

// Who waits for a look at the store, or for an owner who does not answer, is answered at the end;
// and Places may call back much later.
TEST(HttpForwardEnd, AnswersWhoStillWaits) {
  http::HostOptions options;
  options.drain = std::chrono::milliseconds(0);
  Node front("front", options);
  OddNode silent([](int, int, const std::string&) { return true; });
  front.places.put("mail", silent.there());
  front.places.late = true;
  Client looking(front.port());
  Client asking(front.port());
  looking.write(looking.request("POST", "/v1/experiments/other/decide", ""));
  asking.write(asking.request("POST", "/v1/experiments/mail/decide", ""));
  silent.await(1);
  while (front.places.looks == 0) std::this_thread::yield();
  front.serving->stop();
  for (Client* client : {&looking, &asking}) {
    try {
      EXPECT_EQ(client->read().status, 503);
    } catch (const Disconnected&) {  // nobody waits for who is slow to read
    }
  }
  front.places.tell();
}

}  // namespace
}  // namespace armature::service::test
