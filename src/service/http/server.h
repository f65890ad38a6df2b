// The network: connections, their limits and their end. What is asked on them is the Api's
// business.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "service/http/api.h"
#include "service/http/metrics.h"

namespace armature::service::http {

struct ServerOptions {
  std::string address = "127.0.0.1";
  unsigned short port = 8600;  // 0: any that is free
  /// PEM files; both or none.
  std::string certificate = {};
  std::string key = {};
  /// The authority of other nodes' certificates, in PEM: who shows one of them is a node. Clients
  /// need not show any. A node's certificate must be good for both ends of a line.
  std::string peer_authority = {};
  /// Somebody else sees to TLS. Without it and without a certificate only this machine is served.
  bool behind_proxy = false;
  unsigned threads = 2;
  std::size_t most_connections = 4'096;
  std::uint64_t most_body_bytes = std::uint64_t{128} << 20;    // of all requests being read
  std::uint64_t most_answer_bytes = std::uint64_t{512} << 20;  // of all answers being sent
  const Clock* clock = &system_clock();                        // the times below go by it
  std::chrono::milliseconds header_time{10'000};  // from a request's first byte to its header's end
  std::chrono::milliseconds body_time{30'000};    // …and to its last byte
  std::chrono::milliseconds idle_time{60'000};    // between requests
  std::chrono::milliseconds write_time{60'000};   // for a client to take what it asked for
  std::chrono::milliseconds look_every{1'000};    // after slow clients, by the machine's clock
  std::chrono::milliseconds live_every{1'000};
};

/// Is it only this machine that reaches this address? Throws Error for what is none.
bool is_loopback(const std::string& address);
/// Is it all addresses of this machine, and so none that others could be told?
bool is_unspecified(const std::string& address);

class Server {
 public:
  /// Takes its address. Throws Error: an address that is none or taken, a certificate that is none,
  /// and an open door: off loopback without TLS and nobody who says there is a proxy.
  Server(RequestCounts& counts, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Listens and answers from now on.
  void start(Api& api);
  unsigned short port() const;
  std::string url() const;  // http://127.0.0.1:8600
  /// For new connections. Throws Error, and then the old certificate stays.
  void reload_certificate();

  /// Takes no new connections and no new requests; those under way are answered.
  void begin_stop();
  /// Waits until all answers are sent, but no longer than this.
  void drain(std::chrono::milliseconds most);

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace armature::service::http
