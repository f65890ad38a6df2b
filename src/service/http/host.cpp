#include "service/http/host.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "service/postgres/postgres_log.h"
#include "service/sqlite_log.h"
#include "service/store.h"

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
void require_tokens(const std::string& store, const ServerOptions& server, const Clock& clock) {
  const bool here_only = is_loopback(server.address);
  if (here_only && !server.behind_proxy) return;
  if (is_database(store) || std::filesystem::exists(store + "/service.sqlite"))
    for (const Token& token : read_store(store)->tokens())
      if (!token.expires || *token.expires > clock.wall()) return;
  throw Error(
      {"", here_only ? "--behind-proxy" : "--listen",
       here_only ? "a proxy without tokens" : "'" + server.address + "' without tokens",
       "armature service token " + shown_store(store) + " --name admin --role admin first"});
}

// What PeerOptions takes as a name.
std::string name_of_machine(unsigned short port) {
  char host[256] = "node";
  gethostname(host, sizeof host - 1);
  std::string name = fmt::format("{}-{}", host, port);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  return name;
}

// Of a database what is too large for one statement is replayed instead.
constexpr std::uint64_t kLargestSnapshotSent = std::uint64_t{200} << 20;

}  // namespace

// The server has its address by now: others are told it.
std::unique_ptr<Log> Host::join_nodes(const std::string& store, HostOptions& options) {
  const ServerOptions& server = options.server;
  NodeOptions& node = options.node;
  node_ = node.name.empty() ? name_of_machine(server_->port()) : node.name;
  options.peers.node = node_;
  if (server.peer_authority.empty() && options.peers.secret.empty())
    options.peers.secret = postgres::peer_secret_of(store);
  check_peers(options.peers, !server.peer_authority.empty());
  if (node.address.empty() && is_unspecified(server.address))
    throw Error({"", "--address", "nothing",
                 "HOST:PORT where other nodes reach this one, which listens at " + server.address});
  std::unique_ptr<Log> log = open_postgres_log({store, node_});  // and if it may not be used: Error
  Keeper::Options keeper;
  keeper.registry = {store, node.read_store, node_,
                     node.address.empty()
                         ? server_->url()
                         : (server.certificate.empty() ? "http://" : "https://") + node.address,
                     node.lease};
  keeper.tell = [journal = options.journal](const std::string& what, const std::string& detail) {
    if (journal != nullptr) journal->note(what, detail);
  };
  keeper.on_replaced = node.on_replaced ? node.on_replaced : [] {};
  hand_over_ = node.hand_over;
  keeper_ = std::make_unique<Keeper>(std::move(keeper));
  options.places = keeper_.get();
  options.service.largest_snapshot =
      std::min(options.service.largest_snapshot, kLargestSnapshotSent);
  options.service.on_summary = [this](std::shared_ptr<const Summary> summary) {
    keeper_->note_summary(std::move(summary));
  };
  options.service.on_hands_trouble = [journal = options.journal](const std::string& why) {
    if (journal != nullptr) journal->note("hands", why);
  };
  options.service.on_hands_changed = [this] { keeper_->note_hands(); };
  return log;
}

Host::Host(const std::string& store, HostOptions options) : hand_over_(0), drain_(options.drain) {
  options.server.clock = options.service.clock;
  counts_.bodies.most = options.server.most_body_bytes;
  counts_.answers.most = options.server.most_answer_bytes;
  const bool here_only = is_loopback(options.server.address);
  const bool behind_proxy = options.server.behind_proxy;
  raise_descriptor_limit(options.server.most_connections, options.journal);
  server_ = std::make_unique<Server>(counts_, options.server);
  require_tokens(store, options.server, *options.service.clock);
  std::unique_ptr<Log> log;
  if (is_database(store)) log = join_nodes(store, options);
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
  if (!options.service.free_bytes && !is_database(store))
    options.service.free_bytes = [store] { return free_bytes_in(store); };
  const Clock* clock = options.service.clock;
  if (!log) log = open_sqlite_log(store);
  service_ = std::make_unique<Service>(std::move(log), std::move(options.service));
  aside_ = std::make_unique<Aside>();
  long_aside_ = std::make_unique<Aside>(kLongThreads, kMostLong);
  Api::Options api;
  // Behind a proxy everybody comes from loopback.
  api.guard = {here_only && !behind_proxy, options.requests_per_second, clock, behind_proxy};
  const std::string& read = options.node.read_store;
  api.open_log = [store = read.empty() ? store : read] { return read_store(store); };
  api.aside = [this](std::function<void()> work) { aside_->run(std::move(work)); };
  api.long_aside = [this](std::function<void()> work) { return long_aside_->run(std::move(work)); };
  api.journal = options.journal;
  if (peers_) {
    api.guard.peer_secret = options.peers.secret;
    api.guard.peers_certified = !options.server.peer_authority.empty();
    api.places = options.places;
    api.peers = peers_.get();
  }
  if (keeper_) {
    api.node = node_;
    api.node_trouble = [this] { return keeper_->trouble(); };
  }
  api_ = std::make_unique<Api>(*service_, counts_, std::move(api));
  if (keeper_) keeper_->start(*service_);
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
  // Who asks meanwhile is led to those who have it by now.
  if (keeper_) keeper_->hand_over(hand_over_);
  api_->begin_stop();
  server_->begin_stop();
  service_->stop();
  if (keeper_) keeper_->stop();
  server_->drain(drain_);
  if (peers_) peers_->stop();  // what waited for another node so long is told so
  api_->end_forwarding();
  long_aside_->stop();
  aside_->stop();  // slow clients may still ask it for pieces: it outlives the server
  server_.reset();
}

}  // namespace armature::service::http
