// A decision service on the network: the store, the service, its interface and its server, and its
// place among others where there are several nodes; begun and ended in the right order.
#pragma once

#include <memory>
#include <string>

#include "service/cluster/keeper.h"
#include "service/http/aside.h"
#include "service/http/server.h"

namespace armature::service::http {

/// One of several on a database.
struct NodeOptions {
  std::string name = {};     // empty: after the machine and the port
  std::string address = {};  // HOST:PORT, where other nodes reach this one; empty: where it listens
  std::string read_store = {};  // a standby for downloads; empty: the store
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds hand_over{10'000};  // to others at the end, at most
  std::function<void()> on_replaced;            // another process has its name: end this one
};

struct HostOptions {
  Options service;
  ServerOptions server;
  double requests_per_second = 0;  // of one token; 0: no limit
  Journal* journal = nullptr;
  NodeOptions node = {};   // on a database
  PeerOptions peers = {};  // the same; a secret is kept in the store
  /// For tests of several nodes without a database: where what belongs; outlives the host.
  Places* places = nullptr;
  std::chrono::milliseconds drain{5'000};  // for answers under way, at the end
};

class Host {
 public:
  /// Opens the store, a directory or a database, recovers what is there (of a database what is this
  /// node's), and listens. Throws Error: a store on a network's file system, which loses what
  /// SQLite believes to be stored; an open door (off loopback without tokens or without TLS); and
  /// what the store and the server throw.
  Host(const std::string& store, HostOptions options);
  ~Host();  // stop()
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Service& service() { return *service_; }
  Server& server() { return *server_; }
  /// For new connections, from clients and to other nodes. Throws Error, and then the old one
  /// stays.
  void reload_certificate();
  const std::string& node() const { return node_; }  // its name; empty: there is only this one
  /// Hands over to other nodes, answers what was asked, keeps snapshots, leaves one plain file.
  void stop();

 private:
  std::unique_ptr<Log> join_nodes(const std::string& store, HostOptions& options);

  std::string node_;
  std::chrono::milliseconds hand_over_;
  std::unique_ptr<Keeper> keeper_;  // null: there are no other nodes
  std::unique_ptr<Service> service_;
  RequestCounts counts_;
  std::chrono::milliseconds drain_;
  std::unique_ptr<Peers> peers_;  // null: there are none
  std::unique_ptr<Aside> aside_;
  std::unique_ptr<Aside> long_aside_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<Server> server_;
};

}  // namespace armature::service::http
