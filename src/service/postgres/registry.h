// Who is at work on a PostgreSQL store, and what they show each other. Time is the server's: the
// clocks of nodes are never asked. One thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/cluster/placement.h"
#include "service/postgres/connection.h"
#include "service/requests.h"
#include "service/summary.h"

namespace armature::service::postgres {

class Registry {
 public:
  struct Options {
    std::string store;  // postgresql://…
    std::string node;
    std::string url;  // where other nodes reach this one
    std::chrono::milliseconds lease{10'000};
  };
  explicit Registry(Options options);

  /// This process is the node of its name from now on: at once if the one before was at this
  /// address (it cannot be there any more), or is gone; else when its lease has ended. Throws Error
  /// if that one is alive, and Failure.
  void enter();
  /// For another lease. False: another process has the name by now.
  bool renew(bool accepts);
  /// Whatever is still written down as this node's is nobody's: for one that means to own nothing.
  void disown_all();
  /// Nobody waits for this node.
  void leave();

  // All throw Failure, and then begin with a new connection the next time.
  ClusterView view();
  std::vector<Token> tokens();
  /// For the others to show; not synced, as it can be made anew. What is older is not taken.
  void show(const std::vector<std::shared_ptr<const Summary>>& summaries);
  /// What others have shown since the last time. What cannot be read is left out.
  std::vector<std::pair<ExperimentId, Summary>> shown();

  /// What has changed since the last time, as far as anybody has said.
  struct News {
    bool hands = false;  // nodes, owners, experiments or tokens
    bool summaries = false;
  };
  News news();
  /// Until there are some, or bytes on that descriptor, or so long.
  void wait(std::chrono::milliseconds most, int descriptor);

 private:
  Connection& connected();

  Options options_;
  std::int64_t run_;  // tells this process from others of the same name
  std::unique_ptr<Connection> connection_;
  std::map<ExperimentId, std::int64_t> seen_;  // stamps of summaries, as they were read…
  std::map<ExperimentId, std::int64_t> own_;   // …and of those that this node has shown
};

/// The secret that nodes of this store show each other. Throws Failure.
std::string peer_secret_of(const std::string& url);

}  // namespace armature::service::postgres
