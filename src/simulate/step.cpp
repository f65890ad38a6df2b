#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "armature/simulate.h"
#include "simulate/feedback.h"

namespace armature {
namespace {

constexpr Round kRoundsBetweenLooks = 1 << 16;  // how often `stop` is looked at

std::string resolved_policy(const std::string& text, const Instance& instance) {
  return text == kOracle ? fmt::format("fixed:arm={}", instance.best_action()) : text;
}

double regret_of(const Instance& instance, const std::vector<std::uint64_t>& pulls) {
  double regret = 0;
  for (Arm a = 0; a < instance.actions(); ++a)
    regret += static_cast<double>(pulls[a]) * instance.gap(a);
  return regret;
}

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
  Run(const Cell& cell, const World& world, std::uint32_t replication)
      : cell_(cell),
        world_(world),
        policy_(make_policy(resolved_policy(cell.policy, *world.instance), world.problem)),
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
    const auto most = std::max_element(result_.pulls.begin(), result_.pulls.end());
    result_.simple_regret = world_.instance->gap(static_cast<Arm>(most - result_.pulls.begin()));
    result_.diagnostics = policy_->diagnostics();
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

std::string canonical_cell_policy(const std::string& text) {
  return text == kOracle ? text : canonical_policy(text);
}

BlockResult run_block(const Cell& cell, ReplicationRange range, const std::atomic<bool>& stop) {
  const auto start = std::chrono::steady_clock::now();
  BlockResult result;
  for (std::uint32_t i = 0; i < range.count && !stop.load(std::memory_order_relaxed); ++i) {
    const std::uint32_t replication = range.first + i;
    const std::shared_ptr<const World> world = cell.world(replication);
    Run run(cell, *world, replication);
    if (!run.finish(stop)) break;
    result.replications.push_back(run.take_result());
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace armature
