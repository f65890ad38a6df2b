#include "policies/baseline/round_robin.h"

namespace armature {

PolicyFacts RoundRobin::facts() {
  return {.name = "round-robin",
          .summary = "all actions in turn",
          .text = "Plays 0, 1, …, |A|-1 and starts over: uniform play without the randomness.",
          .section = "§5"};
}

leap::Plan RoundRobin::do_intend(Round rounds) {
  leap::Certain plan{{}, leap::Certain::Order::kMixed};
  plan.shares.reserve(actions_);
  const std::uint64_t more = rounds % actions_;  // arms from next_ on that get one more
  for (Arm a = 0; a < actions_; ++a) {
    const std::uint64_t turn = (a + actions_ - next_) % actions_;
    plan.shares.push_back({a, rounds / actions_ + (turn < more ? 1 : 0)});
  }
  return plan;
}

}  // namespace armature
