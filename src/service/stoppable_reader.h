// A reader for work that takes as long as the log is: ends when it is told to.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "service/log.h"

namespace armature::service {

/// Walks throw Refusal (kStopping) once `stop` is true; it outlives the reader.
class StoppableReader final : public LogReader {
 public:
  StoppableReader(std::unique_ptr<LogReader> log, const std::atomic<bool>& stop)
      : log_(std::move(log)), stop_(stop) {}

  std::vector<StoredExperiment> experiments() override { return log_->experiments(); }
  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId experiment) override {
    return log_->epochs(experiment);
  }
  Sequence first(ExperimentId experiment) override { return log_->first(experiment); }
  Sequence last(ExperimentId experiment) override { return log_->last(experiment); }
  std::optional<Event> event(ExperimentId experiment, Sequence seq) override {
    return log_->event(experiment, seq);
  }
  void walk(ExperimentId experiment, Sequence from, Sequence before, const Visit& visit) override {
    log_->walk(experiment, from, before, [&](const Event& event) {
      go_on();
      visit(event);
    });
  }
  void walk_keys(ExperimentId experiment, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit) override {
    log_->walk_keys(experiment, last, [&](const KeyedDecision& one) {
      go_on();
      return visit(one);
    });
  }
  std::optional<Closing> closing(ExperimentId experiment, Sequence decision) override {
    return log_->closing(experiment, decision);
  }
  std::vector<Sequence> snapshots(ExperimentId experiment) override {
    return log_->snapshots(experiment);
  }
  std::optional<Snapshot> snapshot(ExperimentId experiment, Sequence seq) override {
    return log_->snapshot(experiment, seq);
  }
  std::vector<Token> tokens() override { return log_->tokens(); }

 private:
  void go_on() const {
    if (stop_) throw Refusal(RefusalKind::kStopping, {"", "service", "stopping", "a restart"});
  }
  std::unique_ptr<LogReader> log_;
  const std::atomic<bool>& stop_;
};

}  // namespace armature::service
