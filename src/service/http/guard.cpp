#include "service/http/guard.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/sha256.h"
#include "base/text.h"
#include "service/http/complaint.h"

namespace armature::service::http {
namespace {

constexpr std::array<Role, 4> kRoles = {Role::kDecide, Role::kReport, Role::kRead, Role::kAdmin};
constexpr std::string_view kPrefix = "armature_";  // so that a leaked one is found by scanners
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostExperiments = 1'000;

bool same_in_constant_time(const std::string& one, const std::string& other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

// "http://host:port" → "host:port".
std::string_view host_of(std::string_view origin) {
  const std::size_t slashes = origin.find("://");
  return slashes == std::string_view::npos ? origin : origin.substr(slashes + 3);
}

// An address, and nothing that only begins like one: 127.evil.example is anybody's name.
bool is_loopback_name(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  const std::string name(host.substr(0, end));
  in_addr address{};
  return name == "localhost" || name == "[::1]" ||
         (inet_pton(AF_INET, name.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

[[noreturn]] void refuse_site(const char* field, const std::string& value, const char* expected) {
  throw HttpRefusal(403, "other-site", {"", field, "'" + value + "'", expected});
}

}  // namespace

const char* role_name(Role role) {
  switch (role) {
    case Role::kNone:
      return "none";
    case Role::kDecide:
      return "decide";
    case Role::kReport:
      return "report";
    case Role::kRead:
      return "read";
    case Role::kAdmin:
      return "admin";
  }
  return "";
}

std::optional<Role> role_named(std::string_view name) {
  for (const Role role : kRoles)
    if (name == role_name(role)) return role;
  return std::nullopt;
}

std::string new_secret() {
  std::array<unsigned char, 32> bytes;
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw Error({"", "token", "no random bits", "a machine that has them"});
  std::string secret(kPrefix);
  for (const unsigned char byte : bytes) secret += fmt::format("{:02x}", byte);
  return secret;
}

// Of 256 random bits: nobody tries them all, so that the hash need not be slow.
std::string secret_hash(std::string_view secret) { return hexadecimal(sha256(secret)); }

void check_token(const Token& token) {
  const auto require_name = [](const std::string& field, const std::string& name) {
    if (!is_name(name) || name.size() > kLongestName)
      throw Error({"", field, "'" + name + "'",
                   fmt::format("at most {} letters, digits, - and _", kLongestName)});
  };
  require_name("name", token.name);
  if (!token.tenant.empty()) require_name("tenant", token.tenant);
  if (token.roles.empty())
    throw Error({"", "roles", "none", "some of decide, report, read, admin"});
  for (std::size_t i = 0; i < token.roles.size(); ++i) {
    const std::string place = fmt::format("roles[{}]", i);
    if (!role_named(token.roles[i]))
      throw Error({"", place, "'" + token.roles[i] + "'", "decide, report, read or admin"});
    if (std::count(token.roles.begin(), token.roles.end(), token.roles[i]) > 1)
      throw Error({"", place, "'" + token.roles[i] + "' twice", "each role once"});
  }
  if (token.experiments.size() > kMostExperiments)
    throw Error({"", "experiments", fmt::format("{}", token.experiments.size()),
                 fmt::format("at most {}", kMostExperiments)});
  for (std::size_t i = 0; i < token.experiments.size(); ++i)
    require_name(fmt::format("experiments[{}]", i), token.experiments[i]);
}

bool Caller::may_do(Role role) const {
  if (!token || role == Role::kNone) return true;
  const auto has = [&](Role one) {
    return std::find(token->roles.begin(), token->roles.end(), role_name(one)) !=
           token->roles.end();
  };
  return has(role) || has(Role::kAdmin);
}

bool Caller::unlimited() const {
  return !token || (token->tenant.empty() && token->experiments.empty());
}

bool Caller::may_create(const std::string& experiment, const std::string& tenant) const {
  if (!token) return true;
  if (!token->tenant.empty() && token->tenant != tenant) return false;
  return token->experiments.empty() ||
         std::find(token->experiments.begin(), token->experiments.end(), experiment) !=
             token->experiments.end();
}

bool Caller::may_see(const ExperimentFacts& facts) const {
  return may_create(facts.name, facts.tenant);
}

bool Guard::open() const { return options_.open_without_tokens && service_.tokens()->empty(); }

// Every stored hash is compared, in a time that does not tell how much of it was right.
std::optional<Token> Guard::known_token(const std::string& authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  if (!starts_with_ignoring_case(authorization, kScheme)) return std::nullopt;
  const std::string hash = secret_hash(std::string_view(authorization).substr(kScheme.size()));
  std::optional<Token> found;
  for (const Token& token : *service_.tokens())
    if (same_in_constant_time(token.hash, hash)) found = token;
  return found;
}

bool Guard::has_expired(const Token& token) const {
  return token.expires && *token.expires <= options_.clock->wall();
}

bool Guard::still_admits(const Caller& caller) const {
  if (!caller.token) return open();
  const auto tokens = service_.tokens();
  return !has_expired(*caller.token) &&
         std::any_of(tokens->begin(), tokens->end(),
                     [&](const Token& token) { return token.hash == caller.token->hash; });
}

Caller Guard::admit(const HttpRequest& request, Role role) {
  Caller caller = identify(request, role);
  if (role != Role::kNone && !caller.by_peer) spend(caller.token ? caller.token->hash : "");
  return caller;
}

// "node secret", or "node" where a certificate is enough. Hashes are compared, so that the time
// does not even tell how long the secret is.
bool Guard::by_peer(const HttpRequest& request) const {
  if (!request.peer) return false;
  const std::string& said = *request.peer;
  const std::size_t blank = said.find(' ');
  const std::string secret = blank == std::string::npos ? "" : said.substr(blank + 1);
  const bool has_secret =
      same_in_constant_time(secret_hash(secret), secret_hash(options_.peer_secret));
  const bool proven = (!options_.peer_secret.empty() || options_.peers_certified) && has_secret &&
                      (!options_.peers_certified || request.peer_certified);
  if (!proven || !is_name(said.substr(0, blank)))
    throw HttpRefusal(403, "peer", {"", "Armature-Peer", "no proof", "a node of this service"});
  return true;
}

Caller Guard::identify(const HttpRequest& request, Role role) const {
  const bool node = by_peer(request);
  // A browser sends Origin along with what a page of another site makes it ask. A page that came
  // through a proxy is of the proxy's name.
  const std::string_view site = host_of(request.origin);
  if (!node && !request.origin.empty() && site != request.host &&
      !(options_.behind_proxy && site == request.forwarded_host))
    refuse_site("Origin", request.origin, "a page of this server");
  if (role == Role::kNone || (node && open())) return {std::nullopt, node};
  if (open()) {
    // Everybody comes from loopback through a proxy on it.
    if (request.forwarded)
      throw HttpRefusal(403, "forwarded",
                        {"", "request", "one from a proxy", "tokens, and --behind-proxy"});
    // A name of somebody else's that leads to this machine (DNS rebinding) is a page's way around
    // the origin.
    if (!is_loopback_name(request.host))
      refuse_site("Host", request.host, "localhost, 127.0.0.1 or [::1] while there are no tokens");
    return {};
  }
  const std::optional<Token> token = known_token(request.authorization);
  const auto refuse = [](const char* got) {
    throw HttpRefusal(401, "unauthorized",
                      {"", "Authorization", got, "Bearer and a token of this service"});
  };
  if (!token) refuse(request.authorization.empty() ? "nothing" : "a token that is not known here");
  if (has_expired(*token)) refuse("a token that expired");
  Caller caller{token, node};
  if (!caller.may_do(role))
    throw HttpRefusal(403, "forbidden",
                      {"", "Authorization", "a token for " + join(token->roles, ", "),
                       fmt::format("one for {}", role_name(role))});
  return caller;
}

void Guard::spend(const std::string& hash) {
  const double rate = options_.requests_per_second;
  if (rate <= 0) return;
  const std::lock_guard lock(mutex_);
  const Time now = options_.clock->monotonic();
  const double most = std::max(rate, 1.0);
  const auto [bucket, is_new] = buckets_.try_emplace(hash, Bucket{most, now});
  Bucket& own = bucket->second;
  own.left = std::min(most, own.left + rate * static_cast<double>(now - own.at) / kSecond);
  own.at = now;
  if (own.left < 1)
    throw HttpRefusal(429, "rate",
                      {"", "request", fmt::format("more than {} a second", rate),
                       "the same again, a little later"},
                      static_cast<unsigned>(std::ceil((1 - own.left) / rate)));
  own.left -= 1;
}

}  // namespace armature::service::http
