// While the service runs its log is replayed beside it, from snapshot to snapshot, by whoever has
// the time: what is in memory must be what the log gives, at any moment and not only at a restart.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "service/log.h"

namespace armature::service {

class ReplayCheck {
 public:
  explicit ReplayCheck(std::unique_ptr<LogReader> log) : log_(std::move(log)) {}

  using Ours = std::function<bool(ExperimentId)>;
  /// Of every experiment of ours with a new snapshot: from the one before it, by replay, to its
  /// digest. What did not fit, a line each. Ends early when `stop` says so.
  std::vector<std::string> pass(const std::function<bool()>& stop, const Ours& ours);

 private:
  std::string news_of(const StoredExperiment& experiment, const std::function<bool()>& stop);
  std::string mismatch(const StoredExperiment& experiment, Sequence before, Sequence newest,
                       const std::function<bool()>& stop);

  std::unique_ptr<LogReader> log_;
  std::map<ExperimentId, Sequence> checked_;  // up to this snapshot
};

}  // namespace armature::service
