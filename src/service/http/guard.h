// Who may do what: tokens with roles, for all or some experiments, and how often.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/clock.h"
#include "service/http/message.h"
#include "service/service.h"

namespace armature::service::http {

/// What a token must have for a route; an admin may do everything.
enum class Role { kNone, kDecide, kReport, kRead, kAdmin };
const char* role_name(Role role);  // none, decide, report, read, admin
std::optional<Role> role_named(std::string_view name);

/// A secret that nobody has seen yet: 256 random bits. Shown once; kept is its hash.
std::string new_secret();
std::string secret_hash(std::string_view secret);

/// What is wrong with a token that somebody asks for: throws Error naming the field.
void check_token(const Token& token);

/// Whoever asks. Without tokens on loopback: anybody, for everything.
struct Caller {
  std::optional<Token> token;  // none: nobody needs one here
  bool by_peer = false;        // another node asks for it, whom it asked first

  bool may_do(Role role) const;
  /// Of all tenants and experiments: who may hand out tokens.
  bool unlimited() const;
  bool may_see(const ExperimentFacts& facts) const;
  bool may_create(const std::string& experiment, const std::string& tenant) const;
};

class Guard {
 public:
  struct Options {
    /// Where only this machine can reach the server, nobody needs a token until one was made.
    bool open_without_tokens = true;
    double requests_per_second = 0;  // of one token, a second's worth at once; 0: no limit
    const Clock* clock = &system_clock();
    /// A proxy asks for others: who looks at a page of its name is one of ours.
    bool behind_proxy = false;
    /// How a node proves that it is one: what is set here, and both if both are. If nothing is,
    /// nobody is one.
    std::string peer_secret = {};
    bool peers_certified = false;  // by a certificate that it shows
  };
  Guard(const Service& service, Options options) : service_(service), options_(options) {}

  /// Throws HttpRefusal: 401 without a token that is known and not expired, 403 where its role is
  /// another, where a page of another site asks through somebody's browser, or where somebody is no
  /// node who says that it is one; 429 beyond the rate. For a node the token is that of its client,
  /// whose site and rate it has looked at itself.
  /// A token is looked for among those of the service at every request: what is revoked is revoked
  /// at once.
  Caller admit(const HttpRequest& request, Role role);
  /// The same, but it is not counted: the request may never come to its end.
  Caller identify(const HttpRequest& request, Role role) const;
  /// Is that caller's token still there and not expired?
  bool still_admits(const Caller& caller) const;

 private:
  struct Bucket {
    double left = 0;
    Time at = 0;
  };
  bool by_peer(const HttpRequest& request) const;
  std::optional<Token> known_token(const std::string& authorization) const;
  bool open() const;
  bool has_expired(const Token& token) const;
  void spend(const std::string& hash);

  const Service& service_;
  Options options_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;  // by hash; of tokens that are known only
};

}  // namespace armature::service::http
