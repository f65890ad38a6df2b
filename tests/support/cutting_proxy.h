// A network that breaks when it is told to: a port of this machine that forwards to a server's port
// or socket.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/held_port.h"

namespace armature::test {

/// Whatever is asked of it has happened when the call returns.
class CuttingProxy {
 public:
  /// To a port of 127.0.0.1, or to a socket's path.
  explicit CuttingProxy(unsigned short server);
  explicit CuttingProxy(std::string server);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  unsigned short port() const { return port_.number(); }

  /// Resets all connections. New ones go through.
  void cut();
  /// Resets all connections and refuses new ones, until it is healed.
  void isolate();
  void heal();
  /// Holds back all bytes in both directions, and closes nothing, until it may go on.
  void stall();
  void go_on();

  enum class Way { kToServer, kFromServer };
  enum class Times { kOnce, kAlways };
  /// Resets a connection when so many bytes have gone that way, and not one more: counted from now
  /// on, or from its beginning. Every connection, or only the first that comes so far.
  void cut_after(Way way, std::uint64_t bytes, Times times = Times::kAlways);
  void cut_no_more();

  /// So many are open; were there ever; bytes have gone that way.
  std::size_t connections();
  std::uint64_t accepted();
  std::uint64_t passed(Way way);

 private:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  // What goes one way through a connection.
  struct Stream {
    int from = -1;
    int to = -1;
    std::string held;             // read, and not yet written
    bool ended = false;           // nothing more is read
    bool told = false;            // …and the other side knows
    std::uint64_t left = kNever;  // bytes until it is cut
  };
  struct Connection {
    int client = -1;
    int server = -1;
    Stream ways[2];
  };

  void begin();
  void listen();
  void run();
  void ask(std::function<void()> work);
  void do_what_was_asked();
  void accept();
  int connect_to_server() const;
  /// False: the connection is over.
  bool move(Connection& connection, std::size_t way, bool readable, bool writable);
  void reset(Connection& connection);
  void reset_all();

  std::string socket_path_;  // of the server; empty: it has a port
  unsigned short server_port_ = 0;
  HeldPort port_;
  int listener_ = -1;  // none: isolated
  int wake_ = -1;
  std::mutex mutex_;
  std::condition_variable done_;
  std::vector<std::function<void()>> asked_;
  std::uint64_t asked_count_ = 0;
  std::uint64_t done_count_ = 0;
  // The thread's own.
  std::list<Connection> connections_;
  bool stalled_ = false;
  bool stopping_ = false;
  std::uint64_t limits_[2] = {kNever, kNever};
  Times times_ = Times::kAlways;
  std::uint64_t accepted_ = 0;
  std::uint64_t passed_[2] = {0, 0};
  std::thread thread_;
};

}  // namespace armature::test
