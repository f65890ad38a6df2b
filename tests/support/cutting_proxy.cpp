#include "support/cutting_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace armature::test {
namespace {

constexpr std::size_t kPiece = 65'536;

int require(int result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
  return result;
}

sockaddr_in local_address(unsigned short port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void send_at_once(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

CuttingProxy::CuttingProxy(unsigned short server) : server_port_(server) { begin(); }
CuttingProxy::CuttingProxy(std::string server) : socket_path_(std::move(server)) {
  if (socket_path_.size() >= sizeof sockaddr_un{}.sun_path)
    throw std::runtime_error("too long for a socket's path: " + socket_path_);
  begin();
}

CuttingProxy::~CuttingProxy() {
  ask([this] {
    reset_all();
    stopping_ = true;
  });
  thread_.join();
  if (listener_ >= 0) close(listener_);
  close(wake_);
}

void CuttingProxy::begin() {
  wake_ = require(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  listen();
  thread_ = std::thread([this] { run(); });
}

void CuttingProxy::listen() {
  if (listener_ >= 0) return;
  listener_ = bound_socket(port());
  require(::listen(listener_, 256), "listen");
}

void CuttingProxy::cut() {
  ask([this] { reset_all(); });
}

void CuttingProxy::isolate() {
  ask([this] {
    if (listener_ >= 0) close(listener_);
    listener_ = -1;
    reset_all();
  });
}
void CuttingProxy::heal() {
  ask([this] { listen(); });
}

void CuttingProxy::stall() {
  ask([this] { stalled_ = true; });
}
void CuttingProxy::go_on() {
  ask([this] { stalled_ = false; });
}

void CuttingProxy::cut_after(Way way, std::uint64_t bytes, Times times) {
  ask([this, way, bytes, times] {
    times_ = times;
    limits_[static_cast<std::size_t>(way)] = bytes;
    for (Connection& connection : connections_) {
      Stream& stream = connection.ways[static_cast<std::size_t>(way)];
      stream.left = std::max<std::uint64_t>(bytes, stream.held.size());  // they are on their way
    }
  });
}
void CuttingProxy::cut_no_more() {
  ask([this] {
    for (std::uint64_t& limit : limits_) limit = kNever;
    for (Connection& connection : connections_)
      for (Stream& stream : connection.ways) stream.left = kNever;
  });
}

std::size_t CuttingProxy::connections() {
  std::size_t count = 0;
  ask([&] { count = connections_.size(); });
  return count;
}
std::uint64_t CuttingProxy::accepted() {
  std::uint64_t count = 0;
  ask([&] { count = accepted_; });
  return count;
}
std::uint64_t CuttingProxy::passed(Way way) {
  std::uint64_t count = 0;
  ask([&] { count = passed_[static_cast<std::size_t>(way)]; });
  return count;
}

// Done by the thread that owns the connections: a socket that somebody polls is not closed by
// whoever closes it.
void CuttingProxy::ask(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  asked_.push_back(std::move(work));
  const std::uint64_t number = ++asked_count_;
  eventfd_write(wake_, 1);
  done_.wait(lock, [&] { return done_count_ >= number; });
}

void CuttingProxy::do_what_was_asked() {
  eventfd_t ignored = 0;
  eventfd_read(wake_, &ignored);
  const std::lock_guard lock(mutex_);
  for (const std::function<void()>& work : asked_) work();
  done_count_ += asked_.size();
  asked_.clear();
  done_.notify_all();
}

void CuttingProxy::run() {
  std::vector<pollfd> polled;
  while (!stopping_) {
    polled.assign(1, {wake_, POLLIN, 0});
    const bool listening = listener_ >= 0 && !stalled_;
    if (listening) polled.push_back({listener_, POLLIN, 0});
    const std::size_t first = polled.size();
    if (!stalled_)
      for (const Connection& connection : connections_) {
        const auto& [to_server, from_server] = connection.ways;
        // Who is not waited for is left out: of a closed one poll would tell all the time.
        const auto wanted = [](int socket, const Stream& in, const Stream& out) {
          const int events =
              (!in.ended && in.held.empty() ? POLLIN : 0) | (!out.held.empty() ? POLLOUT : 0);
          return pollfd{events == 0 ? -1 : socket, static_cast<short>(events), 0};
        };
        polled.push_back(wanted(connection.client, to_server, from_server));
        polled.push_back(wanted(connection.server, from_server, to_server));
      }
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    std::size_t at = first;
    if (!stalled_)
      for (auto one = connections_.begin(); one != connections_.end();) {
        const short client = polled[at].revents;
        const short server = polled[at + 1].revents;
        at += 2;
        constexpr short kIn = POLLIN | POLLHUP | POLLERR;
        constexpr short kOut = POLLOUT | POLLHUP | POLLERR;
        const bool lives = move(*one, 0, (client & kIn) != 0, (server & kOut) != 0) &&
                           move(*one, 1, (server & kIn) != 0, (client & kOut) != 0);
        if (lives && !(one->ways[0].told && one->ways[1].told)) {
          ++one;
          continue;
        }
        if (lives) {
          close(one->client);
          close(one->server);
        } else {
          reset(*one);
        }
        one = connections_.erase(one);
      }
    if (listening && polled[1].revents != 0) accept();
    if (polled[0].revents != 0) do_what_was_asked();
  }
}

int CuttingProxy::connect_to_server() const {
  const int family = socket_path_.empty() ? AF_INET : AF_UNIX;
  const int made = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  int result = 0;
  if (family == AF_UNIX) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_path_.copy(address.sun_path, sizeof address.sun_path - 1);
    result = ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } else {
    const sockaddr_in address = local_address(server_port_);
    result = ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    send_at_once(made);
  }
  if (result == 0 || errno == EINPROGRESS) return made;
  close(made);
  return -1;
}

void CuttingProxy::accept() {
  for (;;) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    send_at_once(client);
    ++accepted_;
    Connection connection;
    connection.client = client;
    connection.server = connect_to_server();
    connection.ways[0] = {client, connection.server, "", false, false, limits_[0]};
    connection.ways[1] = {connection.server, client, "", false, false, limits_[1]};
    if (connection.server < 0)
      reset(connection);
    else
      connections_.push_back(connection);
  }
}

bool CuttingProxy::move(Connection& connection, std::size_t way, bool readable, bool writable) {
  Stream& stream = connection.ways[way];
  if (readable && !stream.ended && stream.held.empty() && stream.left > 0) {
    char piece[kPiece];
    const ssize_t count = recv(stream.from, piece, std::min<std::uint64_t>(kPiece, stream.left), 0);
    if (count < 0 && errno != EAGAIN) return false;
    stream.ended = count == 0;
    if (count > 0) {
      stream.held.assign(piece, static_cast<std::size_t>(count));
      writable = true;  // most likely
    }
  }
  if (writable && !stream.held.empty()) {
    const ssize_t count = send(stream.to, stream.held.data(), stream.held.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN) return false;
    if (count > 0) {
      stream.held.erase(0, static_cast<std::size_t>(count));
      passed_[way] += static_cast<std::uint64_t>(count);
      if (stream.left != kNever) stream.left -= static_cast<std::uint64_t>(count);
    }
  }
  if (stream.left == 0) {
    if (times_ == Times::kOnce) {
      limits_[way] = kNever;
      for (Connection& other : connections_) other.ways[way].left = kNever;
    }
    return false;
  }
  if (stream.ended && stream.held.empty() && !stream.told) {
    shutdown(stream.to, SHUT_WR);
    stream.told = true;
  }
  return true;
}

// A reset, not an end: nobody may take what came for all there was.
void CuttingProxy::reset(Connection& connection) {
  const linger at_once{1, 0};
  for (const int socket : {connection.client, connection.server}) {
    if (socket < 0) continue;
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(socket);
  }
}

void CuttingProxy::reset_all() {
  for (Connection& connection : connections_) reset(connection);
  connections_.clear();
}

}  // namespace armature::test
