#include "simulate/leap.h"

// Puts a leaping replication together: its streams, its ledger of errors, and who walks. How far a
// leap goes is decided in leap_walk.cpp, for balancers in leap_balance.cpp.
#include "armature/error.h"
#include "simulate/leap_balance.h"
#include "simulate/leap_walk.h"
#include "simulate/replication.h"

namespace armature {
namespace {

// A policy by itself: of its walk only the pulls count, not their order.
class LoneWalk final : public Walker {
 public:
  LoneWalk(AnyPolicy& policy, leap::Resources& resources) : walk_(policy, resources) {}

  Round advance(Round limit, std::span<std::uint64_t> pulls) override {
    leap::PullCounts journal(pulls);
    return walk_.advance(limit, journal);
  }
  void finish() override { walk_.finish(); }

 private:
  leap::PolicyWalk walk_;
};

// A balancer lays out no plans: its learners walk ahead by themselves, up to `horizon` at most, and
// are merged by its schedule.
std::unique_ptr<Walker> walker_for(AnyPolicy& policy, leap::Resources& resources, Round horizon) {
  if (leap::Balancer* const balancer = policy.leaper()->balancer())
    return std::make_unique<leap::BalancerWalk>(*balancer, resources, horizon);
  return std::make_unique<LoneWalk>(policy, resources);
}

// As fields for the record, and as diagnostics too, so that they are averaged, printed and exported
// without anyone knowing of leaping.
void tell_cost(const leap::Resources& resources, Replication& result) {
  result.engine = Engine::kLeap;
  result.events = resources.events;
  result.rounds_stepped = resources.rounds_stepped;
  result.leap_error = resources.error();
  result.diagnostics.push_back({"events", static_cast<double>(result.events)});
  result.diagnostics.push_back({"rounds_stepped", static_cast<double>(result.rounds_stepped)});
  result.diagnostics.push_back({"leap_error", result.leap_error});
}

}  // namespace

std::optional<Replication> leap_replication(const Cell& cell, const World& world,
                                            const std::string& policy_text,
                                            std::uint32_t replication,
                                            const std::atomic<bool>& stop) {
  const leap::Laws laws(*world.instance);
  const std::unique_ptr<AnyPolicy> policy = make_policy(policy_text, world.problem);
  // A leaper whose arguments stand against leaping would give another law without a word.
  ARMATURE_CHECK(leap::obstacle(*policy).empty(), "engine_for has chosen to leap");
  // Outcomes and the policy's own draws have the step engine's keys: a round played by itself meets
  // the luck it would meet there. Draws of many rounds at once have a purpose of their own.
  leap::Resources resources{.laws = laws,
                            .environment = Environment(world.tables, cell.seed, replication),
                            .policy_stream = Stream({cell.seed, replication, Purpose::kPolicy}),
                            .stream = Stream({cell.seed, replication, Purpose::kLeap}),
                            .ledger = leap::ErrorLedger(cell.leap_tolerance),
                            .max_events = cell.max_events};
  const std::unique_ptr<Walker> walker = walker_for(*policy, resources, cell.horizon);
  std::optional<Replication> result = walk_to_horizon(cell, world, *policy, *walker, stop);
  if (result) tell_cost(resources, *result);
  return result;
}

}  // namespace armature
