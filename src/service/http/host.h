// A decision service on the network: the store, the service, its interface and its server, begun
// and ended in the right order.
#pragma once

#include <memory>
#include <string>

#include "service/http/aside.h"
#include "service/http/server.h"
#include "service/sqlite_log.h"

namespace armature::service::http {

struct HostOptions {
  Options service;
  ServerOptions server;
  double requests_per_second = 0;  // of one token; 0: no limit
  Journal* journal = nullptr;
  /// Of several nodes on one store: where what belongs; outlives the host. Null: this is the only
  /// one, and the peers mean nothing.
  Places* places = nullptr;
  PeerOptions peers = {};
  std::chrono::milliseconds drain{5'000};  // for answers under way, at the end
};

class Host {
 public:
  /// Opens the store in this directory, recovers what is there, and listens. Throws Error: a store
  /// on a network's file system, which loses what SQLite believes to be stored; an open door (off
  /// loopback without tokens or without TLS); and what the store and the server throw.
  Host(const std::string& directory, HostOptions options);
  ~Host();  // stop()
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Service& service() { return *service_; }
  Server& server() { return *server_; }
  /// For new connections, from clients and to other nodes. Throws Error, and then the old one
  /// stays.
  void reload_certificate();
  /// Answers what was asked, keeps snapshots, leaves one plain file.
  void stop();

 private:
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
