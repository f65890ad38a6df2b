#include "policies/baseline/simple.h"

#include <fmt/format.h>

namespace armature {

PolicyFacts UniformPolicy::facts() {
  return {
      .name = "uniform",
      .summary = "every action with the same probability",
      .text = "Plays at random and learns nothing: the mean gap per round, a line to be beaten.",
      .section = "§5"};
}

// The engine draws how often each arm comes up: the plays here only say how many there are.
void UniformPolicy::intend(Round rounds, Plan& plan) const {
  plan.certain = plan.at_random = true;
  for (Arm a = 0; a < actions_; ++a) plan.shares.push_back({a, a == 0 ? rounds : 0});
}

PolicyFacts RoundRobin::facts() {
  return {.name = "round-robin",
          .summary = "all actions in turn",
          .text = "Plays 0, 1, …, |A|-1 and starts over: uniform play without the randomness.",
          .section = "§5"};
}

void RoundRobin::intend(Round rounds, Plan& plan) const {
  plan.certain = true;
  const std::uint64_t more = rounds % actions_;  // arms from next_ on that get one more
  for (Arm a = 0; a < actions_; ++a) {
    const std::uint64_t turn = (a + actions_ - next_) % actions_;
    plan.shares.push_back({a, rounds / actions_ + (turn < more ? 1 : 0)});
  }
}

PolicyFacts FixedArm::facts() {
  return {.name = "fixed",
          .summary = "one action for ever",
          .text =
              "Plays one action and learns nothing. The word `oracle` stands for it at the best "
              "action of "
              "each instance, filled in by the simulator: regret 0, a check of the bookkeeping.",
          .section = "§5",
          .parameters = {Parameter::integer("arm").defaults_to("0").at_least(0).help(
              "the action to play, counted from 0", "§5")}};
}

FixedArm::FixedArm(const Problem& problem, const Arguments& arguments)
    : arm_(static_cast<Arm>(arguments.integer("arm"))) {
  if (arguments.integer("arm") >= problem.actions())
    arguments.reject("arm", fmt::format("an action from 0 to {}", problem.actions() - 1));
}

}  // namespace armature
