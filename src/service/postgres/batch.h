// What one commit of the log adds to a PostgreSQL store, and the one statement that does it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "service/log.h"
#include "service/postgres/connection.h"

namespace armature::service::postgres {

/// What was written to an experiment and is not sent yet.
struct Written {
  std::vector<Event> events;  // one after the other
  std::unordered_map<Sequence, Closing> closings;
  std::map<Sequence, Snapshot> snapshots;
};
struct Batch {
  std::map<ExperimentId, Written> of;
  std::vector<StoredExperiment> created;
  std::map<ExperimentId, std::vector<std::shared_ptr<const Epoch>>> archived;  // of those created
  std::set<ExperimentId> rests_on;           // and what is written to
  std::optional<std::vector<Token>> tokens;  // as they will be
  std::vector<Token> tokens_before;
  std::size_t events = 0;

  bool empty() const { return of.empty() && created.empty() && rests_on.empty() && !tokens; }
};

/// Epochs of those the batch rests on or writes to; what it creates has none yet.
using Held = std::map<ExperimentId, std::int64_t>;

struct Sent {
  bool done = false;
  std::set<ExperimentId> lost =
      {};  // not held in that epoch; of them all, and still not done: gaps
};
/// All of the batch, or nothing. What it creates becomes the node's; an empty name: nobody's.
/// Throws Failure.
Sent send(Connection& connection, const Batch& batch, const Held& held, const std::string& node);

}  // namespace armature::service::postgres
