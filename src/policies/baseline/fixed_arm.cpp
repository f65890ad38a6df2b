#include "policies/baseline/fixed_arm.h"

#include <fmt/format.h>

namespace armature {

PolicyFacts FixedArm::facts() {
  return {.name = "fixed",
          .summary = "one action for ever",
          .text =
              "Plays one action and learns nothing. The word `oracle` stands for it at the best "
              "action of each instance, filled in by the simulator: regret 0, a check of the "
              "bookkeeping.",
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
