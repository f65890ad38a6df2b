// Clients that are slow, send half of what they say, too much, or nonsense: they are told or let
// go, and nobody else notices.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

#include "armature/random.h"
#include "service/http_serving.h"

namespace armature::service::test {
namespace {

using namespace std::chrono_literals;

TEST(HttpLimits, SizesAreSaid) {
  Serving serving;
  Client client(serving.port());
  create_mail(client);
  const std::string path = "/v1/experiments/mail/decide";
  expect_complaint(client.post(path, "{\"about\": \"" + std::string(65'536, 'x') + "\"}"), 413,
                   "body");
  expect_complaint(client.post("/v1/experiments", std::string((1 << 20) + 1, ' ')), 413, "body");
  expect_complaint(client.send("GET", "/v1/experiments", "{}"), 413, "body");
  expect_complaint(client.get("/v1/experiments/" + std::string(9'000, 'x')), 431, "header");
  expect_complaint(client.send("GET", "/healthz", "", "X: " + std::string(9'000, 'x') + "\r\n"),
                   431, "header");
  // Announced in chunks, which do not say how many will come.
  client.write("POST " + path +
               " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 17; ++i) client.write("1000\r\n" + std::string(4'096, ' ') + "\r\n");
  expect_complaint(client.read(), 413, "body");
  EXPECT_EQ(client.post(path).status, 200);
}

TEST(HttpLimits, ChunksAndContinueAreUnderstood) {
  Serving serving;
  Client client(serving.port());
  create_mail(client);
  client.write(
      "POST /v1/experiments/mail/decide HTTP/1.1\r\nHost: localhost\r\n"
      "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"key\r\n8\r\n\": \"a\"}\n\r\n0\r\n\r\n");
  EXPECT_EQ(client.read().status, 200);
  client.write(
      "POST /v1/experiments/mail/decide HTTP/1.1\r\nHost: localhost\r\n"
      "Expect: 100-continue\r\nContent-Length: 12\r\n\r\n");
  EXPECT_EQ(client.read_start().status, 100);
  client.write("{\"key\": \"a\"}");
  const Reply reply = client.read();
  EXPECT_EQ(reply.json().at("repeated"), true) << reply.body;
  // Many at once: answered one after the other.
  std::string many;
  for (int i = 0; i < 50; ++i) many += client.request("POST", "/v1/experiments/mail/decide", "");
  client.write(many);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.read().status, 200);
  client.write("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.read().body, "alive\n");
}

// What never comes to its end is not kept until it does.
TEST(HttpLimits, HeadersOfChunksEnd) {
  Serving serving;
  for (const char* start : {"1;", "1\r\n \r\n0\r\nX: "}) {
    Client client(serving.port());
    client.write(
        "POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\n"
        "Transfer-Encoding: chunked\r\n\r\n" +
        std::string(start) + std::string(20'000, 'a'));
    expect_complaint(client.read(), 431, "header");
  }
}

TEST(HttpLimits, HeadIsGetWithoutABody) {
  Serving serving;
  Client client(serving.port());
  create_mail(client);
  const std::string length = std::to_string(client.get("/").body.size());
  const auto head = [&](const std::string& target) {
    client.write(client.request("HEAD", target, ""));
    return client.read_start();
  };
  Reply page = head("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers["content-length"], length);
  EXPECT_EQ(head("/v1/experiments/mail/log").status, 200);
  EXPECT_EQ(head("/v1/experiments/mail/live").status, 200);
  EXPECT_EQ(head("/nowhere").status, 404);
  EXPECT_EQ(head("/v1/experiments/mail/decide").status, 405);
  // Had there been a body, it would stand before this.
  EXPECT_EQ(client.get("/healthz").body, "alive\n");
}

TEST(HttpLimits, OldClientsAreUnderstood) {
  Serving serving;
  Client client(serving.port());
  for (int i = 0; i < 2; ++i) {
    client.write("GET http://localhost/healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const Reply reply = client.read();
    EXPECT_EQ(reply.body, "alive\n");
    EXPECT_EQ(reply.headers.at("connection"), "keep-alive");
  }
  client.write("GET http://localhost?x=1 HTTP/1.0\r\n\r\n");
  const Reply last = client.read();
  EXPECT_EQ(last.status, 400);  // the page knows no x
  EXPECT_EQ(last.headers.at("connection"), "close");
}

// Who may not send a larger body is told before it has come; who may waits for room.
TEST(HttpLimits, LargeBodiesAreAskedForFirst) {
  http::HostOptions options;
  options.server.most_body_bytes = 100'000;
  Serving serving(options);
  const std::string header =
      "POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n";
  Client first(serving.port());
  first.write(header + "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(first.read_start().status, 100);
  Client second(serving.port());
  second.write(header + "Expect: 100-continue\r\n\r\n");
  const Reply busy = second.read();
  expect_complaint(busy, 503, "body");
  EXPECT_EQ(busy.headers.at("retry-after"), "1");
  first.write(std::string(90'000, ' '));
  EXPECT_EQ(first.read().status, 400);
  Client third(serving.port());
  third.write(header + "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(third.read_start().status, 100);
  third.disconnect();

  ASSERT_EQ(first.post("/v1/tokens", R"({"name": "boss", "roles": ["admin"]})").status, 201);
  for (const char* length : {"Content-Length: 90000", "Transfer-Encoding: chunked"}) {
    Client nobody(serving.port());
    nobody.write("POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\n" + std::string(length) +
                 "\r\n\r\n");
    EXPECT_EQ(nobody.read().status, 401);
  }
}

TEST(HttpLimits, AnswersShareTheirRoom) {
  http::HostOptions options;
  options.server.most_answer_bytes = 20'000;
  Serving serving(options);
  Client client(serving.port());
  expect_complaint(client.get("/"), 503, "answer");
  EXPECT_EQ(client.get("/healthz").status, 200);
}

// Fields behind the last chunk are nobody's header, wherever the packets end.
TEST(HttpLimits, TrailersAreNoHeaders) {
  Serving serving;
  Client boss(serving.port());
  create_mail(boss);
  const std::string token =
      boss.post("/v1/tokens", R"({"name": "boss", "roles": ["admin"]})").json().at("token");
  for (const bool split : {false, true}) {
    Client client(serving.port());
    client.write(
        "POST /v1/experiments/mail/decide HTTP/1.1\r\nHost: localhost\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n");
    if (split) client.write("Author");
    client.write(std::string(split ? "" : "Author") + "ization: Bearer " + token + "\r\n\r\n");
    EXPECT_EQ(client.read_start().status, 401) << split;
  }
  for (const bool split : {false, true}) {
    Client client(serving.port());
    client.write(
        "POST /v1/experiments/mail/decide HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
        "Bearer " +
        token + "\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n");
    if (split) client.write("Idem");
    client.write(std::string(split ? "" : "Idem") + "potency-Key: a\r\n\r\n");
    EXPECT_EQ(client.read_start().status, 200) << split;
  }
  for (const Event& event : serving.service().events("mail", 1, 10)) EXPECT_EQ(event.key, "");
}

TEST(HttpLimits, TwoLengthsAreNone) {
  Serving serving;
  for (const char* request :
       {"POST /v1/experiments HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/experiments HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: "
        "5\r\n\r\n{}  ",
        "POST /v1/experiments HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n",
        "POST /v1/experiments HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
        "POST /v1/experiments HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "POST /v1/experiments HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n"
        "Content-Length: 2\r\n\r\n{}",
        "POST /v1/experiments HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/experiments HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n", "GET /healthz\r\n\r\n", "\x16\x03\x01\r\n\r\n",
        "GET  /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "GET /healthz HTTP/1.1\nHost: x\n\n"}) {
    Client client(serving.port());
    client.write(request);
    EXPECT_EQ(client.read().status, 400) << request;
  }
}

// The times of requests go by a clock that stands until it is told to go on.
class HttpSlow : public testing::Test {
 protected:
  static http::HostOptions with_clock(const Clock& clock) {
    http::HostOptions options;
    options.service.clock = &clock;
    options.server.threads = 1;  // one look finds all who are too late
    return options;
  }
  // Minutes pass until all have been let go but who asks, whose connection begins after each step.
  template <class Meanwhile>
  void pass_until_alone(const Meanwhile& meanwhile) {
    for (int i = 0; i < 1'000; ++i) {
      Client client(serving_.port());
      if (metric(client, "connections") == 1) return;
      meanwhile();
      clock_.monotonic_ += 61 * kSecond;
    }
    FAIL() << "slow, and still there";
  }
  void pass_until_alone() {
    pass_until_alone([] {});
  }

  TestClock clock_;
  Serving serving_{with_clock(clock_)};
};

// They are let go by the time of a request, however they trickle; others are served meanwhile.
TEST_F(HttpSlow, AreLetGo) {
  std::vector<std::unique_ptr<Client>> slow;
  for (const char* start :
       {"", "G", "GET /healthz HTTP/1.1\r\nHost: x\r\n",
        "POST /v1/experiments HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"}) {
    slow.push_back(std::make_unique<Client>(serving_.port()));
    slow.back()->connect();
    slow.back()->write(start);
  }
  pass_until_alone();
  for (const auto& client : slow) EXPECT_TRUE(client->ends());
  // One byte after the other does not win time.
  Client trickle(serving_.port());
  trickle.write("GET /healthz HTTP/1.1\r\nX: ");
  const auto write_on = [&] {
    for (;;) {
      trickle.write("x");
      clock_.monotonic_ += kSecond;
      EXPECT_EQ(Client(serving_.port()).get("/healthz").status, 200);
    }
  };
  EXPECT_THROW(write_on(), Disconnected);
}

// Requests that come one behind the other have a time each.
TEST_F(HttpSlow, AreNotThoseWhoAskOften) {
  Client often(serving_.port());
  const std::string request = often.request("GET", "/healthz", "");
  const std::string half = request.substr(0, 10);
  often.write(half);
  Client slow(serving_.port());
  slow.write(half);
  for (int i = 0; i < 3; ++i) {
    often.write(request.substr(10) + half);
    EXPECT_EQ(often.read().status, 200);
    clock_.monotonic_ += 6 * kSecond;  // of ten
  }
  EXPECT_TRUE(slow.ends());
  often.write(request.substr(10));
  EXPECT_EQ(often.read().status, 200);
}

// Answers that nobody takes are not kept.
TEST_F(HttpSlow, DoNotReadAnswers) {
  Client slow(serving_.port());
  slow.read_slowly();
  slow.write(slow.request("GET", "/healthz", ""));
  EXPECT_EQ(slow.read().status, 200);
  std::string many;
  for (int i = 0; i < 500; ++i) many += slow.request("GET", "/", "");
  slow.write(many);
  pass_until_alone();
  EXPECT_TRUE(slow.ends());
}

TEST_F(HttpSlow, DoNotReadWhatTheyFollow) {
  Client client(serving_.port());
  const Reply created =
      client.post("/v1/experiments", R"({"name": "wide", "problem": {"format": "armature-problem",
        "version": 1, "actions": 300, "contexts": 100}, "policy": "ucb", "silence": "forget",
        "fallback": null})");
  ASSERT_EQ(created.status, 201) << created.body;
  client.disconnect();
  Client slow(serving_.port());
  slow.read_slowly();
  slow.write(slow.request("GET", "/v1/experiments/wide/live", ""));
  EXPECT_EQ(slow.read_start().status, 200);
  pass_until_alone([&] {
    Client again(serving_.port());
    decide(again, "wide");
  });
  EXPECT_TRUE(slow.ends());
}

TEST(HttpLimits, ConnectionsAreCounted) {
  http::HostOptions options;
  options.server.most_connections = 4;
  Serving serving(options);
  std::vector<std::unique_ptr<Client>> there;
  for (int i = 0; i < 4; ++i) {
    there.push_back(std::make_unique<Client>(serving.port()));
    EXPECT_EQ(there.back()->get("/healthz").status, 200);
  }
  Client more(serving.port());
  more.connect();
  const Reply refused = more.read();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(there[0]->get("/healthz").status, 200);
}

// As many as may come have a descriptor each, whatever the shell that started it allows at first.
TEST(HttpLimits, ConnectionsHaveDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit little = before;
  little.rlim_cur = 300;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &little), 0);
  const Serving serving;
  rlimit now{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &now), 0);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_GE(now.rlim_cur, std::min<rlim_t>(4'096, before.rlim_max));
}

// However many come at once.
TEST(HttpLimits, ConnectionsAreCountedAsTheyCome) {
  http::HostOptions options;
  options.server.most_connections = 4;
  Serving serving(options);
  std::vector<std::unique_ptr<Client>> many;
  for (int i = 0; i < 100; ++i) {
    many.push_back(std::make_unique<Client>(serving.port()));
    many.back()->connect();
  }
  int served = 0;
  for (const auto& client : many) {
    try {
      served += client->get("/healthz").status == 200 ? 1 : 0;
    } catch (const Disconnected&) {
    }
  }
  EXPECT_EQ(served, 4);
}

// A queue without room: refused at once, with a time to come again.
TEST(HttpLimits, FullQueuesAreSaid) {
  http::HostOptions options;
  options.service.queued_requests = 3;
  Serving serving(options);
  Client client(serving.port());
  create_mail(client);
  const Reply refused =
      client.post("/v1/experiments/mail/decide:batch", R"({"decides": [{}, {}, {}, {}]})");
  expect_complaint(refused, 503, "service");
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(client.post("/v1/experiments/mail/decide:batch", R"({"decides": [{}, {}, {}]})").status,
            200);
}

TEST(HttpLimits, FullDisksTakeReportsButNoDecisions) {
  std::atomic<std::uint64_t> room{std::uint64_t{1} << 40};
  http::HostOptions options;
  options.service.free_bytes = [&] { return room.load(); };
  TestClock clock;
  options.service.clock = &clock;
  Serving serving(options);
  Client client(serving.port());
  create_mail(client);
  const std::string decision = decide(client);
  room = 1 << 20;
  clock.monotonic_ += 2 * kSecond;
  // Though nobody has written since.
  EXPECT_EQ(client.get("/readyz").status, 503);
  EXPECT_EQ(metric(client, "ready"), 0);
  EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 507);
  EXPECT_EQ(client.post(path_of(decision) + "/outcome", R"({"context": 0, "reward": 1})").status,
            200);
  EXPECT_EQ(client.get("/readyz").status, 503);
  room = std::uint64_t{1} << 40;
  EXPECT_EQ(client.get("/readyz").status, 200);
  EXPECT_EQ(metric(client, "ready"), 1);
  clock.monotonic_ += 2 * kSecond;
  EXPECT_EQ(client.post("/v1/experiments/mail/decide").status, 200);
  EXPECT_EQ(client.get("/readyz").status, 200);
}

// Bytes changed, put in, taken out, said twice.
class Mutator {
 public:
  explicit Mutator(std::uint32_t number) : luck_({99, number, Purpose::kTest}) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(luck_.next_u64() % n); }
  std::string operator()(std::string text) {
    for (std::size_t i = 0; i <= below(3); ++i) {
      const std::size_t at = below(text.size() + 1);
      switch (below(4)) {
        case 0:
          text.insert(at, 1, static_cast<char>(below(256)));
          break;
        case 1:
          if (at < text.size()) text[at] = static_cast<char>(below(256));
          break;
        case 2:
          if (at < text.size()) text.erase(at, 1 + below(8));
          break;
        default:
          text.insert(at, text.substr(at, below(20)));
      }
    }
    return text;
  }

 private:
  Stream luck_;
};

// All of it is about decisions, problems and tokens that would be refused if they were well formed.
// Most requests are framed as they should be and keep the connection, some are cut off and break
// it: the server answers or closes, and goes on.
void send_malformed(unsigned short port, std::uint32_t number, int requests) {
  constexpr int kAtOnce = 50;
  const std::string bodies[] = {
      R"({"context": "bought", "reward": 0.5})",
      R"({"outcomes": [{"decision": "mail.1.0000", "reward": 2, "context": 7}]})",
      R"({"problem": {"format": "armature-problem", "version": 2}, "start": "again"})",
      R"({"name": "!", "roles": ["boss"], "experiments": ["a", "b"]})"};
  const std::string targets[] = {path_of(decision_id("mail", 1'000'000)) + "/outcome",
                                 "/v1/experiments/mail/outcomes:batch",
                                 "/v1/experiments/nothing/epochs", "/v1/tokens"};
  Mutator mutate(number);
  Client client(port);
  int answered = 0;
  for (int sent = 0; sent < requests; sent += kAtOnce) {
    std::string text;
    const bool break_frame = mutate.below(10) == 0;
    for (int i = 0; i < kAtOnce; ++i) {
      const std::size_t which = mutate.below(4);
      text += client.request("POST", targets[which], mutate(bodies[which]));
    }
    if (break_frame) text = mutate(text.substr(0, mutate.below(text.size()))) + "\r\n\r\n";
    try {
      client.write(text);
      for (int i = 0; i < (break_frame ? 1 : kAtOnce); ++i) {
        const Reply reply = client.read();
        EXPECT_TRUE(reply.status >= 200 && reply.status < 500) << reply.body;
        ++answered;
      }
    } catch (const Disconnected&) {
      EXPECT_TRUE(break_frame) << "cut off in good frames";
    }
    if (break_frame) client.disconnect();
  }
  EXPECT_GT(answered, requests / 2);
}

TEST(HttpMalformed, AHundredThousandRequests) {
  constexpr int kClients = 16;
  Serving serving;
  Client client(serving.port());
  create_mail(client);
  decide(client);
  const std::string before = serving.digests();
  std::vector<std::thread> clients;
  for (std::uint32_t i = 0; i < kClients; ++i)
    clients.emplace_back([&, i] { send_malformed(serving.port(), i, 100'000 / kClients); });
  for (std::thread& one : clients) one.join();
  EXPECT_EQ(client.get("/healthz").status, 200);
  EXPECT_EQ(serving.digests(), before);
  EXPECT_TRUE(serving.service().tokens()->empty());
}

}  // namespace
}  // namespace armature::service::test
