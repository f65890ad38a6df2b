// Several nodes on this machine: services with stores of their own, and somebody who says what is
// whose. And a node that does what no node should.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "service/cluster/places.h"
#include "service/http_serving.h"

namespace armature::service::test {

inline constexpr const char* kSecret = "a-secret-that-nodes-share";

/// Says what it was told to say.
class ToldPlaces final : public Places {
 public:
  Place of_experiment(const std::string& name) const override {
    const std::lock_guard lock(mutex_);
    const auto found = experiments_.find(name);
    return found == experiments_.end() ? Place{} : found->second;
  }
  Place of_new(const std::string&) const override {
    const std::lock_guard lock(mutex_);
    return new_;
  }
  Place of_tokens() const override {
    const std::lock_guard lock(mutex_);
    return tokens_;
  }
  void look_again(std::function<void()> then) override {
    ++looks;
    if (on_look) on_look();
    if (late) {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(then));
      return;
    }
    then();
  }

  void put(const std::string& name, Place place) {
    const std::lock_guard lock(mutex_);
    experiments_[name] = std::move(place);
  }
  /// All there is to be, and tokens.
  void put_new(Place place) {
    const std::lock_guard lock(mutex_);
    tokens_ = new_ = std::move(place);
  }
  /// Calls back those who were not called back at once.
  void tell() {
    std::vector<std::function<void()>> told;
    {
      const std::lock_guard lock(mutex_);
      told.swap(waiting_);
    }
    for (const auto& then : told) then();
  }

  std::atomic<int> looks{0};
  std::function<void()> on_look;  // set while nobody asks
  std::atomic<bool> late{false};

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Place> experiments_;
  Place new_;
  Place tokens_;
  std::vector<std::function<void()>> waiting_;
};

class Node {
 public:
  explicit Node(const std::string& name, http::HostOptions options = {}) : name_(name) {
    options.places = &places;
    options.peers.node = name;
    if (options.peers.secret.empty() && options.server.peer_authority.empty())
      options.peers.secret = kSecret;
    serving = std::make_unique<Serving>(options);
    url_ = serving->host().server().url();
    places.put_new(here());
  }
  const std::string& url() const { return url_; }
  unsigned short port() const { return serving->port(); }
  Place here() const { return {Place::Kind::kHere, name_, url()}; }
  /// As another node sees it.
  Place there() const { return {Place::Kind::kPeer, name_, url()}; }
  /// From now on that one's, as far as this one knows.
  void believe(const std::string& experiment, const Node& owner) {
    places.put(experiment, &owner == this ? here() : owner.there());
  }

  ToldPlaces places;  // before the service, which asks it
  std::unique_ptr<Serving> serving;

 private:
  std::string name_;
  std::string url_;
};

/// A front that owns nothing, and an owner of all; `mail` is created.
struct Pair {
  explicit Pair(const http::HostOptions& front_options = {},
                const http::HostOptions& owner_options = {})
      : owner("owner", owner_options), front("front", front_options) {
    front.places.put_new(owner.there());
    for (Node* node : {&owner, &front}) node->believe("mail", owner);
    Client client(owner.port());
    create_mail(client);
  }
  Node owner;
  Node front;
};

/// A node that only this test knows: it gets requests as bytes, and does with them as it is told.
class OddNode {
 public:
  /// What to do with the request of this number, counted over all lines from 0. False: it closes
  /// the line.
  using Answer = std::function<bool(int socket, int number, const std::string& request)>;

  explicit OddNode(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 128), 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { accept(); });
  }
  ~OddNode() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (const int line : lines_) ::shutdown(line, SHUT_RDWR);
    }
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    for (std::thread& line : threads_) line.join();
    for (const int line : lines_) ::close(line);
    ::close(listener_);
  }
  OddNode(const OddNode&) = delete;
  OddNode& operator=(const OddNode&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  Place there() const { return {Place::Kind::kPeer, "odd", url()}; }
  int requests() const { return requests_; }
  int lines() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(lines_.size());
  }
  /// Until so many requests have come.
  void await(int requests) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return requests_ >= requests; });
  }

  static bool say(int socket, std::string_view bytes) {
    return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  static bool say_ok(int socket, const std::string& body) {
    return say(socket, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                           std::to_string(body.size()) + "\r\n\r\n" + body);
  }

 private:
  void accept() {
    for (;;) {
      const int line = ::accept(listener_, nullptr, nullptr);
      const std::lock_guard lock(mutex_);
      if (line < 0 || stopping_) {
        if (line >= 0) ::close(line);
        return;
      }
      lines_.push_back(line);
      threads_.emplace_back([this, line] { serve(line); });
    }
  }
  void serve(int line) {
    std::string came;
    char bytes[16384];
    for (;;) {
      const std::size_t end = came.find("\r\n\r\n");
      const std::size_t length = came.find("Content-Length: ");
      const std::size_t whole =
          end == std::string::npos ? 0 : end + 4 + std::stoul(came.substr(length + 16));
      if (whole > 0 && came.size() >= whole) {
        int number = 0;
        {
          const std::lock_guard lock(mutex_);
          number = requests_++;
        }
        came_.notify_all();
        if (!answer_(line, number, came.substr(0, whole))) {
          ::shutdown(line, SHUT_RDWR);
          return;
        }
        came.erase(0, whole);
        continue;
      }
      const ssize_t count = ::recv(line, bytes, sizeof bytes, 0);
      if (count <= 0) return;
      came.append(bytes, static_cast<std::size_t>(count));
    }
  }

  const Answer answer_;
  int listener_ = -1;
  unsigned short port_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::vector<int> lines_;
  std::vector<std::thread> threads_;
  std::atomic<int> requests_{0};
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace armature::service::test
