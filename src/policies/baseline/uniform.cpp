#include "policies/baseline/uniform.h"

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

}  // namespace armature
