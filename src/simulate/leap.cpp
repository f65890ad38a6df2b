#include "simulate/leap.h"

#include "simulate/leap_balance.h"
#include "simulate/leap_walk.h"
#include "simulate/result.h"

namespace armature {

std::optional<Replication> leap_replication(const Cell& cell, const World& world,
                                            const std::string& policy_text,
                                            std::uint32_t replication,
                                            const std::atomic<bool>& stop) {
  const LeapLaws laws(*world.instance);
  const std::unique_ptr<AnyPolicy> policy = make_policy(policy_text, world.problem);
  LeapContext context{laws,
                      Environment(world.tables, cell.seed, replication),
                      Stream({cell.seed, replication, Purpose::kPolicy}),
                      Stream({cell.seed, replication, Purpose::kLeap}),
                      LeapLedger(cell.leap_tolerance),
                      0,
                      0,
                      cell.max_events};
  std::optional<LeapWalk> walk;
  std::optional<LeapBalance> balance;
  if (LeapBalancer* const balancer = policy->balancer())
    balance.emplace(*balancer, context, cell.horizon);
  else
    walk.emplace(*policy, context);
  Replication result;
  result.engine = Engine::kLeap;
  result.pulls.resize(world.instance->actions());
  Round round = 0;
  for (const Round checkpoint : cell.checkpoints) {
    while (round < checkpoint) {
      if (stop.load(std::memory_order_relaxed)) return std::nullopt;
      round += walk ? walk->advance(checkpoint - round, result.pulls)
                    : balance->advance(checkpoint - round, result.pulls);
    }
    result.regret.push_back(regret_of(*world.instance, result.pulls));
  }
  finish_result(*world.instance, *policy, result);
  result.events = context.events;
  result.rounds_stepped = context.rounds_stepped;
  result.leap_error = context.ledger.spent();
  result.diagnostics.push_back({"events", static_cast<double>(result.events)});
  result.diagnostics.push_back({"rounds_stepped", static_cast<double>(result.rounds_stepped)});
  result.diagnostics.push_back({"leap_error", result.leap_error});
  return result;
}

}  // namespace armature
