// A client as others would write it: one blocking socket, HTTP/1.1, nothing hidden.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace armature::service::test {

struct Reply {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in small letters
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body); }
};

/// The other side has gone…
struct Disconnected : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// … by a reset, which nobody takes for the end of what was sent…
struct Reset : Disconnected {
  using Disconnected::Disconnected;
};
/// … or is still there, and has said nothing for as long as one waits.
struct Silence : Disconnected {
  using Disconnected::Disconnected;
};

class Client {
 public:
  explicit Client(unsigned short port, std::string token = "",
                  std::chrono::seconds patience = std::chrono::seconds(10))
      : port_(port), token_(token), patience_(patience) {}
  ~Client() { disconnect(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Reply get(const std::string& target) { return send("GET", target, ""); }
  Reply post(const std::string& target, const std::string& body = "",
             const std::string& headers = "") {
    return send("POST", target, body, headers);
  }
  Reply send(const std::string& method, const std::string& target, const std::string& body,
             const std::string& headers = "") {
    write(request(method, target, body, headers));
    return read();
  }
  std::string request(const std::string& method, const std::string& target, const std::string& body,
                      const std::string& headers = "") const {
    std::string text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
    if (!token_.empty()) text += "Authorization: Bearer " + token_ + "\r\n";
    if (!body.empty() || method == "POST")
      text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + body;
  }

  /// Bytes as they are. Throws Disconnected.
  void write(std::string_view bytes) {
    if (socket_ < 0) connect();
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) fail("write");
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// The next reply, whole.
  Reply read() {
    while (pending_.find("\r\n\r\n") == std::string::npos) more();
    Reply reply = read_head();
    if (reply.headers.contains("content-length")) {
      const std::size_t size = std::stoul(reply.headers["content-length"]);
      while (pending_.size() < size) more();
      reply.body = pending_.substr(0, size);
      pending_.erase(0, size);
    } else if (reply.headers["transfer-encoding"] == "chunked") {
      while (const std::optional<std::string> piece = read_chunk()) reply.body += *piece;
    }
    if (reply.headers.contains("connection") && reply.headers["connection"] == "close")
      disconnect();
    return reply;
  }
  /// The start of a reply whose body comes in pieces.
  Reply read_start() {
    while (pending_.find("\r\n\r\n") == std::string::npos) more();
    return read_head();
  }
  /// None: that was all.
  std::optional<std::string> read_chunk() {
    while (pending_.find("\r\n") == std::string::npos) more();
    const std::size_t size = std::stoul(pending_, nullptr, 16);
    const std::size_t start = pending_.find("\r\n") + 2;
    while (pending_.size() < start + size + 2) more();
    const std::string piece = pending_.substr(start, size);
    pending_.erase(0, start + size + 2);
    return size == 0 ? std::nullopt : std::optional(piece);
  }
  /// Whatever comes; throws how it ends.
  [[noreturn]] void read_to_end() {
    for (;;) {
      more();
      pending_.clear();
    }
  }
  /// Is the connection closed by the other side, once all it sent is read?
  bool ends() {
    try {
      read_to_end();
    } catch (const Silence&) {
      return false;
    } catch (const Disconnected&) {
      return true;
    }
  }
  /// Half of what is not read soon stays with the other side. Before connecting.
  void read_slowly() { slow_ = true; }
  void disconnect() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
    pending_.clear();
  }
  void connect() {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const int little = 4'096;
    if (slow_) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    const timeval patience{static_cast<std::time_t>(patience_.count()), 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      fail("connect");
  }

 private:
  [[noreturn]] void fail(const char* what) {
    disconnect();
    throw Disconnected(what);
  }
  void more() {
    char bytes[16384];
    if (socket_ < 0) fail("not connected");
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    const int error = count < 0 ? errno : 0;
    if (error == EAGAIN) {
      disconnect();
      throw Silence("silence");
    }
    if (error == ECONNRESET) {
      disconnect();
      throw Reset("reset");
    }
    if (count <= 0) fail("read");
    pending_.append(bytes, static_cast<std::size_t>(count));
  }
  Reply read_head() {
    Reply reply;
    const std::size_t end = pending_.find("\r\n\r\n");
    const std::string head = pending_.substr(0, end);
    pending_.erase(0, end + 4);
    reply.status = std::stoi(head.substr(9, 3));
    for (std::size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at)) {
      at += 2;
      const std::size_t colon = head.find(": ", at);
      std::string name = head.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return std::tolower(c); });
      reply.headers[name] = head.substr(colon + 2, head.find("\r\n", colon) - colon - 2);
    }
    return reply;
  }

  unsigned short port_;
  std::string token_;
  std::chrono::seconds patience_;
  int socket_ = -1;
  std::string pending_;
  bool slow_ = false;
};

}  // namespace armature::service::test
