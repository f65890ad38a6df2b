#include "simulate/step.h"

// The reference that leaping is held against: every round is played, and nothing is assumed about
// the policy but the five functions of its concept.
#include <algorithm>

#include "simulate/feedback.h"
#include "simulate/replication.h"

namespace armature {
namespace {

// How often `stop` is looked at: every few milliseconds. Parts of the caller's own may take a
// thousand times as long.
constexpr Round kRoundsBetweenLooks = 1 << 16;
constexpr Round kOwnRoundsBetweenLooks = 1 << 8;

class StepWalk final : public Walker {
 public:
  StepWalk(const Cell& cell, const World& world, AnyPolicy& policy, std::uint32_t replication)
      : prompt_(cell.feedback.prompt()),
        watch_(cell.watch),
        between_looks_(cell.make_policy || cell.make_environment ? kOwnRoundsBetweenLooks
                                                                 : kRoundsBetweenLooks),
        replication_(replication),
        policy_(policy),
        environment_(world.tables, cell.seed, replication),
        own_environment_(cell.make_environment ? cell.make_environment(replication) : nullptr),
        stream_({cell.seed, replication, Purpose::kPolicy}),
        feedback_(cell.feedback, cell.seed, replication),
        probabilities_(world.problem.actions()) {}

  Round advance(Round limit, std::span<std::uint64_t> pulls) override {
    const Round rounds = std::min(between_looks_, limit);
    // With prompt feedback the typed loop plays them all for one virtual call. The queue would lead
    // to the same decisions, but with a heap and two virtual calls in every round.
    if (prompt_ && !watch_ && !own_environment_)
      policy_.play(environment_, rounds, stream_, pulls);
    else
      play_one_by_one(rounds, pulls);
    return rounds;
  }

 private:
  // Sent first and delivered after: with a delay of 0 the outcome is there before the next choice,
  // as Feedback promises. What is still on its way at the horizon is never seen.
  void play_one_by_one(Round rounds, std::span<std::uint64_t> pulls) {
    for (Round i = 0; i < rounds; ++i) {
      ++round_;
      const bool told = watch_ && policy_.probabilities(probabilities_);  // before it chooses
      const Decision decision = policy_.choose(stream_);
      ARMATURE_CHECK(decision.arm < pulls.size(), "an arm of the instance is played");
      const Outcome outcome =
          own_environment_ ? own_environment_(decision.arm) : environment_.play(decision.arm);
      ++pulls[decision.arm];
      if (watch_) {
        std::optional<double> probability;
        if (told) probability = probabilities_[decision.arm];
        watch_({replication_, round_, decision.arm, probability, outcome});
      }
      feedback_.send(round_, decision, outcome);
      feedback_.deliver(round_, policy_, stream_);
    }
  }

  bool prompt_;
  const std::function<void(const PlayedRound&)>& watch_;
  Round between_looks_;
  std::uint32_t replication_;
  AnyPolicy& policy_;
  // Environment, policy and feedback draw from streams of their own purposes: how many numbers a
  // policy takes changes nothing of the luck it meets.
  Environment environment_;
  OutcomeSource own_environment_;  // played instead, where there is one
  Stream stream_;
  FeedbackQueue feedback_;
  std::vector<double> probabilities_;  // of the next choice, for who watches
  Round round_ = 0;                    // rounds sent to the queue
};

}  // namespace

std::optional<Replication> step_replication(const Cell& cell, const World& world,
                                            const std::string& policy_text,
                                            std::uint32_t replication,
                                            const std::atomic<bool>& stop) {
  // A new one each time: replications must not learn from each other.
  const std::unique_ptr<AnyPolicy> policy = cell.make_policy
                                                ? cell.make_policy(world.problem, replication)
                                                : make_policy(policy_text, world.problem);
  StepWalk walk(cell, world, *policy, replication);
  return walk_to_horizon(cell, world, *policy, walk, stop);
}

}  // namespace armature
