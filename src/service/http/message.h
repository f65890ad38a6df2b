// A request and its reply, without a network: what the reader makes of bytes, what the interface
// answers, what the server sends.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace armature::service::http {

/// As it came. Of its headers those that mean something here; a header that is not there is empty.
struct HttpRequest {
  std::string method;
  std::string target;  // path and query
  std::string body;
  std::string authorization;
  std::optional<std::string> idempotency_key;  // an empty one was sent, and is refused
  std::string host;
  std::string origin;
  std::string last_event_id;
  std::string forwarded_host;       // as a proxy was asked for
  bool forwarded = false;           // a proxy says that it stands between
  std::optional<std::string> peer;  // Armature-Peer: another node says that it asks for somebody
  bool peer_certified = false;      // it showed a certificate that nodes have
  bool keep_alive = true;
  bool head = false;  // asked with HEAD, which is GET here: the body is not sent
  bool old = false;   // HTTP/1.0: knows no body in pieces
};

/// A body that is made while it is sent.
class Pieces {
 public:
  struct Piece {
    enum class Kind { kMore, kEnd, kBroken } kind;  // broken: it must not look like the whole
    std::shared_ptr<const std::string> text = {};   // of kMore; many may be sent the same
  };
  /// Called on any thread, now or later, exactly once.
  using Ready = std::function<void(Piece)>;

  virtual ~Pieces() = default;
  virtual void next(Ready ready) = 0;
};

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::shared_ptr<Pieces> pieces = {};  // instead of the body
};

const char* status_words(int status);  // "Not Found"

}  // namespace armature::service::http
