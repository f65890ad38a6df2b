// The network that other tests break breaks where it is told to, and nowhere else.
#include "support/cutting_proxy.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <list>
#include <optional>
#include <thread>

#include "support/postgres_server.h"
#include "support/program.h"

namespace armature::test {
namespace {

using Way = CuttingProxy::Way;

// Says back whatever it hears, at a port of its own or at a socket's path.
class Echo {
 public:
  explicit Echo(const std::string& path = "") {
    listener_ = ::socket(path.empty() ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (path.empty()) {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t size = sizeof address;
      bind(listener_, reinterpret_cast<const sockaddr*>(&address), size);
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
      port_ = ntohs(address.sin_port);
    } else {
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      path.copy(address.sun_path, sizeof address.sun_path - 1);
      bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    listen(listener_, 64);
    thread_ = std::thread([this] {
      for (int peer = -1; (peer = accept(listener_, nullptr, nullptr)) >= 0;)
        peers_.emplace_back([this, peer] { say_back(peer); });
    });
  }
  ~Echo() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    for (std::thread& peer : peers_) peer.join();
    close(listener_);
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;
  unsigned short port() const { return port_; }

 private:
  void say_back(int peer) {
    char bytes[4096];
    for (ssize_t count = 0; (count = recv(peer, bytes, sizeof bytes, 0)) > 0;)
      for (ssize_t said = 0; said < count;) {
        const ssize_t more =
            send(peer, bytes + said, static_cast<std::size_t>(count - said), MSG_NOSIGNAL);
        if (more <= 0) break;
        said += more;
      }
    close(peer);
  }

  int listener_ = -1;
  unsigned short port_ = 0;
  std::thread thread_;
  std::list<std::thread> peers_;
};

// How a caller finds out.
enum class Ending { kNone, kEnd, kReset, kSilence };

class Caller {
 public:
  explicit Caller(unsigned short port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    wait_at_most(10'000);
  }
  ~Caller() { close(socket_); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  bool connected() const { return connected_; }
  void wait_at_most(int milliseconds) {
    const timeval patience{milliseconds / 1'000, milliseconds % 1'000 * 1'000};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  void say(const std::string& text) { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  void say_no_more() { shutdown(socket_, SHUT_WR); }
  /// So many bytes, or fewer and how it ended.
  std::string hear(std::size_t size) {
    std::string heard;
    ending = Ending::kNone;
    while (heard.size() < size && ending == Ending::kNone) {
      char bytes[4096];
      const ssize_t count = recv(socket_, bytes, std::min(sizeof bytes, size - heard.size()), 0);
      if (count > 0)
        heard.append(bytes, static_cast<std::size_t>(count));
      else
        ending = count == 0 ? Ending::kEnd : errno == EAGAIN ? Ending::kSilence : Ending::kReset;
    }
    return heard;
  }
  std::string told(const std::string& text) {
    say(text);
    return hear(text.size());
  }
  Ending ending = Ending::kNone;

 private:
  int socket_ = -1;
  bool connected_ = false;
};

void expect_reset(Caller& caller) {
  caller.hear(1);  // says nothing first: who writes is told, and who reads then finds an end
  EXPECT_EQ(caller.ending, Ending::kReset);
}

TEST(CuttingProxy, ForwardsToPortsAndSockets) {
  const TemporaryDirectory directory;
  Echo at_port;
  Echo at_path(directory.file("socket"));
  CuttingProxy to_port(at_port.port());
  CuttingProxy to_path(directory.file("socket"));
  const std::string much(1'000'000, 'x');
  for (CuttingProxy* proxy : {&to_port, &to_path}) {
    Caller caller(proxy->port());
    EXPECT_EQ(caller.told("hello"), "hello");
    std::thread other([&] { caller.say(much); });
    EXPECT_EQ(caller.hear(much.size()), much);
    other.join();
    EXPECT_EQ(proxy->passed(Way::kToServer), much.size() + 5);
    EXPECT_EQ(proxy->passed(Way::kFromServer), much.size() + 5);
    // Half an end is passed on as that.
    caller.say("last");
    caller.say_no_more();
    EXPECT_EQ(caller.hear(100), "last");
    EXPECT_EQ(caller.ending, Ending::kEnd);
    EXPECT_EQ(proxy->connections(), 0u);
    EXPECT_EQ(proxy->accepted(), 1u);
  }
}

TEST(CuttingProxy, CutsWhatThereIs) {
  Echo echo;
  CuttingProxy proxy(echo.port());
  Caller first(proxy.port());
  Caller second(proxy.port());
  EXPECT_EQ(first.told("a"), "a");
  EXPECT_EQ(second.told("b"), "b");
  proxy.cut();
  EXPECT_EQ(proxy.connections(), 0u);
  expect_reset(first);
  expect_reset(second);
  EXPECT_EQ(Caller(proxy.port()).told("c"), "c");
}

TEST(CuttingProxy, IsolatesUntilItIsHealed) {
  Echo echo;
  CuttingProxy proxy(echo.port());
  Caller before(proxy.port());
  EXPECT_EQ(before.told("a"), "a");
  for (int i = 0; i < 20; ++i) {
    proxy.isolate();
    EXPECT_FALSE(Caller(proxy.port()).connected());
    proxy.heal();
    EXPECT_EQ(Caller(proxy.port()).told("b"), "b");
  }
  expect_reset(before);
  proxy.heal();  // again: nothing to heal
  EXPECT_EQ(Caller(proxy.port()).told("c"), "c");
}

TEST(CuttingProxy, HoldsBackAndGoesOn) {
  Echo echo;
  CuttingProxy proxy(echo.port());
  Caller caller(proxy.port());
  EXPECT_EQ(caller.told("a"), "a");
  proxy.stall();
  Caller late(proxy.port());
  EXPECT_TRUE(late.connected());
  late.say("c");
  caller.say("b");
  caller.wait_at_most(100);
  EXPECT_EQ(caller.hear(1), "");
  EXPECT_EQ(caller.ending, Ending::kSilence);
  EXPECT_EQ(proxy.passed(Way::kToServer), 1u);
  proxy.go_on();
  caller.wait_at_most(10'000);
  EXPECT_EQ(caller.hear(1), "b");
  EXPECT_EQ(late.hear(1), "c");
  // What was cut while it stood still stays cut.
  proxy.stall();
  proxy.cut();
  proxy.go_on();
  expect_reset(caller);
}

TEST(CuttingProxy, CutsAfterSoManyBytes) {
  Echo echo;
  CuttingProxy proxy(echo.port());
  const std::string text(100, 'x');
  Caller before(proxy.port());
  EXPECT_EQ(before.told(text), text);
  proxy.cut_after(Way::kFromServer, 7);
  Caller caller(proxy.port());
  for (Caller* one : {&before, &caller}) {
    EXPECT_EQ(one->told(text).size(), 7u);
    EXPECT_EQ(one->ending, Ending::kReset);
  }
  proxy.cut_no_more();
  EXPECT_EQ(Caller(proxy.port()).told(text), text);
  const std::uint64_t passed = proxy.passed(Way::kToServer);
  proxy.cut_after(Way::kToServer, 5, CuttingProxy::Times::kOnce);
  Caller cut(proxy.port());
  EXPECT_LE(cut.told(text).size(), 5u);
  EXPECT_EQ(cut.ending, Ending::kReset);
  EXPECT_EQ(proxy.passed(Way::kToServer), passed + 5);
  EXPECT_EQ(Caller(proxy.port()).told(text), text);
}

TEST(CuttingProxy, ResetsWhomItCannotServe) {
  CuttingProxy proxy(std::string("/nowhere/at/all"));
  Caller caller(proxy.port());
  expect_reset(caller);
}

// As it is meant to be used.
TEST(CuttingProxy, StandsBeforePostgres) {
  PostgresServer server;
  CuttingProxy proxy(server.socket());
  const std::string url = PostgresServer::url_through(proxy.port());
  const auto answer = [&] { return PostgresServer::value_at(url, "SELECT 6 * 7"); };
  EXPECT_EQ(answer(), "42");
  proxy.cut_after(Way::kFromServer, proxy.passed(Way::kFromServer) - 3);
  EXPECT_THROW(answer(), std::runtime_error);
  proxy.cut_no_more();
  EXPECT_EQ(answer(), "42");
}

}  // namespace
}  // namespace armature::test
