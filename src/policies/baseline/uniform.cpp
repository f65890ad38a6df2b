#include "policies/baseline/uniform.h"

namespace armature {

PolicyFacts UniformPolicy::facts() {
  return {
      .name = "uniform",
      .summary = "every action with the same probability",
      .text = "Plays at random and learns nothing: the mean gap per round, a line to be beaten.",
      .section = "§5"};
}

}  // namespace armature
