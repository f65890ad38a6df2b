#include "service/http/host.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

namespace armature::service::http {
namespace {

constexpr unsigned kLongThreads = 2;
constexpr std::size_t kMostLong = 16;      // that wait: each may hold a megabyte
constexpr rlim_t kOtherDescriptors = 256;  // the store, its readers, and whatever else is open

// Most systems begin with 1,024, and let whoever asks have more.
void raise_descriptor_limit(std::size_t connections, Journal* journal) {
  const rlim_t needed = connections + kOtherDescriptors;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < needed && journal != nullptr)
    journal->note("descriptors", fmt::format("{}: {} are needed for {} connections", limit.rlim_cur,
                                             needed, connections));
}

// Who asks for a door that must be closed is refused before anything is written.
void require_tokens(const std::string& directory, const ServerOptions& server, const Clock& clock) {
  const bool here_only = is_loopback(server.address);
  if (here_only && !server.behind_proxy) return;
  if (std::filesystem::exists(directory + "/service.sqlite"))
    for (const Token& token : read_sqlite_log(directory)->tokens())
      if (!token.expires || *token.expires > clock.wall()) return;
  throw Error({"", here_only ? "--behind-proxy" : "--listen",
               here_only ? "a proxy without tokens" : "'" + server.address + "' without tokens",
               "armature service token " + directory + " --name admin --role admin first"});
}

}  // namespace

Host::Host(const std::string& directory, HostOptions options) : drain_(options.drain) {
  options.server.clock = options.service.clock;
  counts_.bodies.most = options.server.most_body_bytes;
  counts_.answers.most = options.server.most_answer_bytes;
  const bool here_only = is_loopback(options.server.address);
  const bool behind_proxy = options.server.behind_proxy;
  if (options.places != nullptr) {
    // What a node shows of itself to clients it shows to other nodes, unless it was given more.
    if (options.peers.certificate.empty()) {
      options.peers.certificate = options.server.certificate;
      options.peers.key = options.server.key;
    }
    if (options.peers.authority.empty()) options.peers.authority = options.server.peer_authority;
    check_peers(options.peers, !options.server.peer_authority.empty());
    peers_ = std::make_unique<Peers>(counts_, options.peers);
  }
  raise_descriptor_limit(options.server.most_connections, options.journal);
  server_ = std::make_unique<Server>(counts_, options.server);
  require_tokens(directory, options.server, *options.service.clock);
  if (!options.service.free_bytes)
    options.service.free_bytes = [directory] { return free_bytes_in(directory); };
  const Clock* clock = options.service.clock;
  service_ = std::make_unique<Service>(open_sqlite_log(directory), std::move(options.service));
  aside_ = std::make_unique<Aside>();
  long_aside_ = std::make_unique<Aside>(kLongThreads, kMostLong);
  Api::Options api;
  // Behind a proxy everybody comes from loopback.
  api.guard = {here_only && !behind_proxy, options.requests_per_second, clock, behind_proxy};
  api.open_log = [directory] { return read_sqlite_log(directory); };
  api.aside = [this](std::function<void()> work) { aside_->run(std::move(work)); };
  api.long_aside = [this](std::function<void()> work) { return long_aside_->run(std::move(work)); };
  api.journal = options.journal;
  if (peers_) {
    api.guard.peer_secret = options.peers.secret;
    api.guard.peers_certified = !options.server.peer_authority.empty();
    api.places = options.places;
    api.peers = peers_.get();
  }
  api_ = std::make_unique<Api>(*service_, counts_, std::move(api));
  server_->start(*api_);
}

void Host::reload_certificate() {
  server_->reload_certificate();
  if (peers_) peers_->reload_certificate();
}

Host::~Host() { stop(); }

// From the outside in; whoever may still call somebody goes before that one.
void Host::stop() {
  if (!server_) return;
  api_->begin_stop();
  server_->begin_stop();
  service_->stop();
  server_->drain(drain_);
  if (peers_) peers_->stop();  // what waited for another node so long is told so
  api_->end_forwarding();
  long_aside_->stop();
  aside_->stop();  // slow clients may still ask it for pieces: it outlives the server
  server_.reset();
}

}  // namespace armature::service::http
