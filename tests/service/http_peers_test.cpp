// The client that nodes ask each other with: every question is answered once, and what is said of
// it is certain.
#include <gtest/gtest.h>

#include "service/certificates.h"
#include "service/http/peers.h"
#include "service/http_nodes.h"

namespace armature::service::test {
namespace {

using http::PeerAnswer;
using Kind = PeerAnswer::Kind;
using std::chrono::milliseconds;

constexpr milliseconds kLong{10'000};

std::shared_ptr<http::HttpRequest> request_with(std::string body = "") {
  auto request = std::make_shared<http::HttpRequest>();
  request->method = "POST";
  request->target = "/v1/experiments/mail/decide";
  request->body = std::move(body);
  return request;
}

class HttpPeers : public testing::Test {
 protected:
  void start() {
    options_.node = "one";
    peers_ = std::make_unique<http::Peers>(counts_, options_);
  }
  std::future<PeerAnswer> send(const std::string& url, std::string body = "",
                               milliseconds timeout = kLong) {
    if (!peers_) start();
    auto promise = std::make_shared<std::promise<PeerAnswer>>();
    peers_->send(url, request_with(std::move(body)), false, timeout,
                 [promise](PeerAnswer answer) { promise->set_value(std::move(answer)); });
    return promise->get_future();
  }
  PeerAnswer ask(const std::string& url, std::string body = "", milliseconds timeout = kLong) {
    return send(url, std::move(body), timeout).get();
  }

  http::RequestCounts counts_;
  http::PeerOptions options_;
  std::unique_ptr<http::Peers> peers_;
};

TEST_F(HttpPeers, ReadAnswersHoweverTheyCome) {
  OddNode odd([](int line, int number, const std::string&) {
    const std::string whole =
        number == 0 ? "HTTP/1.1 409 Conflict\r\nContent-Type: a/b\r\nRetry-After: 7\r\n"
                      "X-Other: 1\r\nContent-Length: 5\r\n\r\nhello"
                    : "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
    for (const char& c : whole)
      if (!OddNode::say(line, {&c, 1})) return false;
    return true;
  });
  PeerAnswer answer = ask(odd.url());
  ASSERT_EQ(answer.kind, Kind::kAnswered) << answer.trouble;
  EXPECT_EQ(answer.reply.status, 409);
  EXPECT_EQ(answer.reply.type, "a/b");
  EXPECT_EQ(answer.reply.body, "hello");
  ASSERT_EQ(answer.reply.headers.size(), 1u);
  EXPECT_EQ(answer.reply.headers[0].second, "7");
  answer = ask(odd.url());
  ASSERT_EQ(answer.kind, Kind::kAnswered) << answer.trouble;
  EXPECT_EQ(answer.reply.body, "hello");
  EXPECT_EQ(odd.lines(), 1);
}

TEST_F(HttpPeers, SayWhoTheyAreAndWhatWasAsked) {
  std::string came;
  OddNode odd([&](int line, int, const std::string& request) {
    came = request;
    return OddNode::say_ok(line, "");
  });
  options_.secret = kSecret;
  start();
  auto request = request_with("body");
  request->authorization = "Bearer token";
  request->idempotency_key = "key";
  request->origin = "http://page";
  std::promise<void> done;
  peers_->send(odd.url(), request, false, kLong, [&](const PeerAnswer&) { done.set_value(); });
  done.get_future().wait();
  EXPECT_EQ(came, "POST /v1/experiments/mail/decide HTTP/1.1\r\nHost: " + odd.url().substr(7) +
                      "\r\nArmature-Peer: one " + kSecret +
                      "\r\nAuthorization: Bearer token\r\nIdempotency-Key: key\r\n"
                      "Content-Length: 4\r\n\r\nbody");
}

// What comes after a request was sent, and is no answer, leaves everything open.
TEST_F(HttpPeers, TakeNothingElseForAnAnswer) {
  options_.most_answer = 100;
  for (const std::string& bytes :
       {std::string("nonsense\r\n\r\n"), std::string("HTTP/1.1 200 OK\r\n\r\nto the end"),
        "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + std::string(101, 'x'),
        "HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n",
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal")}) {
    OddNode odd([&](int line, int, const std::string&) {
      OddNode::say(line, bytes);
      return false;
    });
    const PeerAnswer answer = ask(odd.url());
    EXPECT_EQ(answer.kind, Kind::kUnknown) << bytes.substr(0, 40);
    EXPECT_NE(answer.trouble, "");
  }
}

TEST_F(HttpPeers, KeepNoLineOnWhichMoreCameThanWasAsked) {
  OddNode odd([&](int line, int, const std::string&) {
    return OddNode::say(line, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n");
  });
  EXPECT_EQ(ask(odd.url()).kind, Kind::kAnswered);
  EXPECT_EQ(ask(odd.url()).kind, Kind::kAnswered);
  EXPECT_EQ(odd.lines(), 2);
}

TEST_F(HttpPeers, KnowThatNothingWasSent) {
  std::string gone;
  {
    OddNode odd([](int, int, const std::string&) { return false; });
    gone = odd.url();
  }
  for (const std::string& url : {gone, std::string("ftp://127.0.0.1:80"), std::string("http://"),
                                 std::string("http://a/b:80"), std::string("http://[::1:80"),
                                 std::string("http://localhost:port")}) {
    const PeerAnswer answer = ask(url);
    EXPECT_EQ(answer.kind, Kind::kUnsent) << url;
    EXPECT_NE(answer.trouble, "");
  }
}

TEST_F(HttpPeers, FindNodesByName) {
  OddNode odd([](int line, int, const std::string&) { return OddNode::say_ok(line, "here"); });
  const std::string url = odd.url();
  EXPECT_EQ(ask("http://localhost" + url.substr(url.rfind(':'))).reply.body, "here");
}

// A node that takes half of a request has not been asked.
TEST_F(HttpPeers, KnowThatNotAllWasSent) {
  options_.most_bytes = std::uint64_t{256} << 20;
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 8), 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const std::string url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const PeerAnswer answer = ask(url, std::string(std::size_t{64} << 20, 'x'), milliseconds(100));
  EXPECT_EQ(answer.kind, Kind::kUnsent);
  ::close(listener);
}

TEST_F(HttpPeers, HaveBounds) {
  options_.most_connections = 1;
  options_.most_waiting = 1;
  OddNode silent([](int, int, const std::string&) { return true; });
  auto first = send(silent.url());
  silent.await(1);
  auto second = send(silent.url(), "", milliseconds(50));
  auto third = send(silent.url());
  EXPECT_EQ(third.get().kind, Kind::kBusy);
  EXPECT_EQ(second.get().kind, Kind::kUnsent);  // it has waited in vain
  EXPECT_EQ(silent.requests(), 1);
  EXPECT_EQ(counts_.peer_connections, 1u);
  peers_->stop();
  EXPECT_EQ(first.get().kind, Kind::kUnknown);
  EXPECT_EQ(counts_.peer_connections, 0u);
}

TEST_F(HttpPeers, UseFewLinesForMany) {
  options_.most_connections = 3;
  OddNode odd([](int line, int number, const std::string&) {
    return OddNode::say_ok(line, std::to_string(number));
  });
  std::vector<std::future<PeerAnswer>> answers;
  for (int i = 0; i < 200; ++i) answers.push_back(send(odd.url()));
  for (auto& answer : answers) EXPECT_EQ(answer.get().kind, Kind::kAnswered);
  EXPECT_LE(odd.lines(), 3);
  EXPECT_EQ(odd.requests(), 200);
}

TEST_F(HttpPeers, CallEverybodyBackAtTheEnd) {
  options_.most_connections = 2;
  OddNode silent([](int, int, const std::string&) { return true; });
  std::vector<std::future<PeerAnswer>> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(send(silent.url()));
  silent.await(2);
  peers_->begin_stop();
  EXPECT_EQ(ask(silent.url()).kind, Kind::kUnsent);
  peers_->stop();
  int unknown = 0;
  for (auto& answer : answers) unknown += answer.get().kind == Kind::kUnknown;
  EXPECT_LE(unknown, 2);
  EXPECT_EQ(ask(silent.url()).kind, Kind::kUnsent);
  peers_->stop();
}

// --- TLS -----------------------------------------------------------------------------------------

class HttpPeerTls : public HttpPeers {
 protected:
  HttpPeerTls() {
    for (const char* name : {"owner", "one", "other"})
      write_certificate(file(name), folder_.file(std::string(name) + ".key"));
    host_.server.certificate = file("owner");
    host_.server.key = folder_.file("owner.key");
    host_.server.peer_authority = file("one");
    options_.authority = file("owner");
    options_.certificate = file("one");
    options_.key = folder_.file("one.key");
  }
  std::string file(const std::string& name) { return folder_.file(name + ".pem"); }
  void serve() {
    node_ = std::make_unique<Node>("owner", host_);
    node_->believe("mail", *node_);
    node_->serving->service().ask(Create{read_creation(kMail, "")});
    url_ = "https://localhost:" + std::to_string(node_->port());
  }
  /// Its status, or 0.
  int asked_as(const http::PeerOptions& options) {
    options_ = options;
    start();
    const PeerAnswer answer = ask(url_);
    EXPECT_NE(answer.kind, Kind::kUnknown) << answer.trouble;
    return answer.kind == Kind::kAnswered ? answer.reply.status : 0;
  }

  armature::test::TemporaryDirectory folder_;
  http::HostOptions host_;
  std::unique_ptr<Node> node_;
  std::string url_;
};

TEST_F(HttpPeerTls, CertificatesOfBothAreLookedAt) {
  serve();
  EXPECT_EQ(asked_as(options_), 200);
  const PeerAnswer again = ask(url_);  // on the line that was kept
  EXPECT_EQ(again.reply.status, 200);

  http::PeerOptions without = options_;
  without.certificate = without.key = "";
  EXPECT_EQ(asked_as(without), 403);
  http::PeerOptions another = without;
  another.certificate = file("other");
  another.key = folder_.file("other.key");
  EXPECT_EQ(asked_as(another), 0);
  http::PeerOptions doubting = without;
  doubting.authority = file("other");
  EXPECT_EQ(asked_as(doubting), 0);

  // It is for localhost, and for no address.
  url_ = "https://127.0.0.1:" + std::to_string(node_->port());
  EXPECT_EQ(asked_as(without), 0);
}

TEST_F(HttpPeerTls, WithASecretBothAreNeeded) {
  host_.peers.secret = kSecret;
  serve();
  http::PeerOptions both = options_;
  both.secret = kSecret;
  http::PeerOptions secret_alone = both;
  secret_alone.certificate = secret_alone.key = "";
  EXPECT_EQ(asked_as(options_), 403);
  EXPECT_EQ(asked_as(secret_alone), 403);
  EXPECT_EQ(asked_as(both), 200);
}

TEST_F(HttpPeerTls, CertificatesAreReadAgain) {
  serve();
  start();
  EXPECT_EQ(ask(url_).reply.status, 200);
  write_file(options_.certificate, "nonsense");
  EXPECT_THROW(peers_->reload_certificate(), Error);
  EXPECT_EQ(ask(url_).reply.status, 200);
  EXPECT_THROW(http::Peers(counts_, options_), Error);
}

// Nobody else needs a certificate, and sessions are taken up again.
TEST_F(HttpPeerTls, IsNothingToClients) {
  serve();
  const auto result = armature::test::run_shell(
      "python3 -c \"import socket, ssl\n"
      "context = ssl.create_default_context(cafile='owner.pem')\n"
      "session = None\n"
      "for i in range(2):\n"
      "  line = socket.create_connection(('localhost', " +
          std::to_string(node_->port()) +
          "), 10)\n"
          "  line = context.wrap_socket(line, server_hostname='localhost', session=session)\n"
          "  line.send(b'GET /healthz HTTP/1.0\\r\\n\\r\\n')\n"
          "  text = b''\n"
          "  while piece := line.recv(4096): text += piece\n"
          "  session = line.session\n"
          "  print(text[-6:], line.session_reused)\"",
      folder_.path());
  EXPECT_EQ(result.out, "b'alive\\n' False\nb'alive\\n' True\n") << result.err;
}

}  // namespace
}  // namespace armature::service::test
