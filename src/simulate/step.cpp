#include "simulate/step.h"

#include <algorithm>

#include "simulate/feedback.h"
#include "simulate/result.h"

namespace armature {
namespace {

constexpr Round kRoundsBetweenLooks = 1 << 16;  // how often `stop` is looked at

// What a balancer tells of its base learners; nothing of other policies.
Diagnostics shares_of(const AnyPolicy& policy) {
  Diagnostics shares;
  for (Diagnostic& diagnostic : policy.diagnostics())
    if (diagnostic.name.starts_with("share(")) shares.push_back(std::move(diagnostic));
  return shares;
}

// One replication in progress.
class Run {
 public:
  Run(const Cell& cell, const World& world, const std::string& policy, std::uint32_t replication)
      : cell_(cell),
        world_(world),
        policy_(make_policy(policy, world.problem)),
        environment_(world.tables, cell.seed, replication),
        stream_({cell.seed, replication, Purpose::kPolicy}),
        feedback_(cell.feedback, cell.seed, replication) {
    result_.pulls.resize(world.instance->actions());
  }

  /// False if it was stopped before the horizon.
  bool finish(const std::atomic<bool>& stop) {
    for (const Round checkpoint : cell_.checkpoints) {
      while (round_ < checkpoint) {
        if (stop.load(std::memory_order_relaxed)) return false;
        advance(std::min(kRoundsBetweenLooks, checkpoint - round_));
      }
      result_.regret.push_back(regret_of(*world_.instance, result_.pulls));
      if (cell_.follow_shares) result_.shares.push_back(shares_of(*policy_));
    }
    finish_result(*world_.instance, *policy_, result_);
    return true;
  }

  Replication take_result() { return std::move(result_); }

 private:
  void advance(Round rounds) {
    if (cell_.feedback.prompt()) {
      policy_->play(environment_, rounds, stream_, result_.pulls);
      round_ += rounds;
      return;
    }
    for (Round i = 0; i < rounds; ++i) {
      ++round_;
      const Decision decision = policy_->choose(stream_);
      ++result_.pulls[decision.arm];
      feedback_.send(round_, decision, environment_.play(decision.arm));
      feedback_.deliver(round_, *policy_, stream_);
    }
  }

  const Cell& cell_;
  const World& world_;
  std::unique_ptr<AnyPolicy> policy_;
  Environment environment_;
  Stream stream_;
  FeedbackQueue feedback_;
  Round round_ = 0;  // rounds played
  Replication result_;
};

}  // namespace

std::optional<Replication> step_replication(const Cell& cell, const World& world,
                                            const std::string& policy, std::uint32_t replication,
                                            const std::atomic<bool>& stop) {
  Run run(cell, world, policy, replication);
  if (!run.finish(stop)) return std::nullopt;
  return run.take_result();
}

}  // namespace armature
