// Nodes of the service on a PostgreSQL of their own, and everything between them that can break:
// each has a line to the store and a line on which the others reach it, while clients come straight
// to its port.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "armature/random.h"
#include "service/crowd.h"
#include "support/cutting_proxy.h"
#include "support/held_port.h"
#include "support/postgres_server.h"
#include "support/serve_process.h"

namespace armature::service::test {

using armature::test::CuttingProxy;
using armature::test::HeldPort;
using armature::test::PostgresServer;
using armature::test::ServeProcess;

inline constexpr std::chrono::seconds kPatience{90};  // sanitizers, a machine full of other tests
inline constexpr std::chrono::seconds kClientPatience{2};  // then another node is asked
inline constexpr std::chrono::milliseconds kPause{20};     // before asking again

class Cluster {
 public:
  using Environment = std::map<std::string, std::string>;

  /// So many nodes at work, called a, b, c…, and these experiments. An empty lease is the default.
  Cluster(std::size_t nodes, std::vector<std::string> experiments, std::string lease);

  std::size_t size() const { return nodes_.size(); }
  const std::vector<std::string>& experiments() const { return experiments_; }
  static std::string name(std::size_t node) {
    return std::string(1, static_cast<char>('a' + node));
  }
  unsigned short port(std::size_t node) const { return nodes_[node]->port.number(); }

  /// Begins it as whoever looks after it would: again until it serves.
  void start(std::size_t node, const Environment& environment = {});
  /// The wait status.
  int end(std::size_t node, int signal);
  void signal(std::size_t node, int number) { nodes_[node]->process->signal(number); }
  bool running(std::size_t node) { return nodes_[node]->process->running(); }
  std::string journal(std::size_t node) const { return nodes_[node]->process->journal(); }
  /// From a node to the store, and from other nodes to it.
  CuttingProxy& to_store(std::size_t node) { return nodes_[node]->to_store; }
  CuttingProxy& from_others(std::size_t node) { return nodes_[node]->from_others; }

  PostgresServer& database() { return database_; }
  void sql(const std::string& statement) const { database_.execute(statement, kDatabase); }
  std::string value(const std::string& query) const { return database_.value(query, kDatabase); }
  std::string url() const { return database_.url(kDatabase); }
  /// The node that owns it, if one does.
  std::optional<std::size_t> owner(const std::string& experiment) const;
  /// The node at that URL, as it is known to the others.
  std::optional<std::size_t> node_at(const std::string& url) const;

  /// Which of its lives it is in; none: it does not live.
  std::optional<int> life(std::size_t node) const;

  /// Asks this node until it decides: the URL of the owner, as it is known to the others. Empty: it
  /// does not, which has been said.
  std::string decide(std::size_t node, const std::string& experiment, const std::string& key,
                     Promises& promises) const;
  /// Waits until every experiment decides through every node, and all name the same owner. False:
  /// that does not come true; why has been said.
  bool settle(Promises& promises);
  /// All nodes end as they are told to.
  void stop();

  /// What is wrong in the store when all is over, beside what was promised: a line each.
  std::vector<std::string> wrong(const Promises& promises) const;

 private:
  static constexpr const char* kDatabase = "service";
  struct Node {
    explicit Node(const PostgresServer& database)
        : to_store(database.socket()), from_others(port.number()) {}
    HeldPort port;
    CuttingProxy to_store;
    CuttingProxy from_others;
    std::unique_ptr<ServeProcess> process;
    std::atomic<int> lives{0};  // begun and ended: odd while it lives
  };
  bool decides_everywhere(const std::string& experiment, Promises& promises) const;

  std::vector<std::string> experiments_;
  std::string lease_;
  PostgresServer database_;
  std::vector<std::unique_ptr<Node>> nodes_;
  int settled_ = 0;
};

/// A client's way to be answered by nodes that come and go: any of them, the owner at times, and
/// another one whenever one does not answer, or says that it cannot at the moment. Anything else is
/// for the client to judge. Where nodes are `polite` nobody is cut off but by one that has ended.
Insist any_node(const Cluster& cluster, std::uint32_t number, bool polite = false);

}  // namespace armature::service::test
