// Other nodes of the service, asked over HTTP: lines that are kept and used again, their limits and
// their end. Whom to ask, and what an answer means, is the Forwarder's business.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "service/http/message.h"
#include "service/http/metrics.h"

namespace armature::service::http {

struct PeerOptions {
  std::string node = {};    // this node's name, said to others: letters, digits, - and _
  std::string secret = {};  // that all nodes share; empty: certificates alone say who is one
  /// PEM files, for https: whose certificates are believed, and what this node shows of itself
  /// (both or none). By default those of the server; if that has none, whom the machine believes.
  std::string authority = {};
  std::string certificate = {};
  std::string key = {};
  std::size_t most_connections = 64;                    // to one node
  std::size_t most_waiting = 4'096;                     // for one of them
  std::uint64_t most_bytes = std::uint64_t{128} << 20;  // of all requests that are under way
  std::size_t most_answer = std::size_t{8} << 20;       // bytes of one
  std::chrono::milliseconds connect_time{2'000};        // name, line and TLS
  /// How long an answer is waited for: to what is a batch of the writer's, and to what may take as
  /// long as the log is.
  std::chrono::milliseconds short_time{10'000};
  std::chrono::milliseconds long_time{60'000};
  /// Lines that nobody used for so long are closed: before a node closes them (its idle_time), for
  /// then a request might be on its way.
  std::chrono::milliseconds idle_time{20'000};
};

/// Throws Error: a name or a secret that cannot be said in a header, or no way to prove anything.
void check_peers(const PeerOptions& options, bool certificates_prove);

/// What came of a question.
struct PeerAnswer {
  enum class Kind {
    kAnswered,
    kBusy,     // too much is under way already: it was not even tried
    kUnsent,   // it never had all of the request: nothing was done
    kUnknown,  // it had all of it, and no answer came: nobody knows whether it was done
  };
  Kind kind = Kind::kUnsent;
  HttpReply reply = {};      // of kAnswered
  std::string trouble = {};  // of the others, for people
};

class Peers {
 public:
  using Done = std::function<void(PeerAnswer)>;

  /// Throws Error: certificates that are none.
  Peers(RequestCounts& counts, PeerOptions options);
  ~Peers();  // stop()
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// Any thread. Calls back exactly once: on a thread of its own (do little there, and never wait),
  /// or at once on the caller's if there is no room for it or it stops. Until then nobody changes
  /// the request. A line that was kept may turn out to be cut: what may be done twice
  /// (`repeatable`) is then asked again on a new one; all else only if the node cannot have had all
  /// of it.
  void send(const std::string& url, std::shared_ptr<const HttpRequest> request, bool repeatable,
            std::chrono::milliseconds timeout, Done done);
  const PeerOptions& options() const;
  /// For new lines. Throws Error, and then the old one stays.
  void reload_certificate();
  /// Takes nothing new.
  void begin_stop();
  /// Calls back whoever still waits, and ends.
  void stop();

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace armature::service::http
