#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = static_cast<std::uint32_t>(request.arguments.integer("actions"));
  const auto contexts = static_cast<std::uint32_t>(request.arguments.integer("contexts"));
  const double gap = request.arguments.real("gap");
  const std::optional<Arm> odd = odd_arm(request.arguments);
  std::vector<double> mass(actions, 0.5);
  mass[0] = 0.5 + 2 * gap;
  std::vector<RewardLaw> laws;
  laws.reserve(std::size_t{actions} * contexts);
  for (Arm a = 0; a < actions; ++a)
    for (Context z = 0; z < contexts; ++z)
      laws.push_back(RewardLaw::bernoulli(z >= first_block(contexts) ? 0.25
                                          : a == odd                 ? 0.75 + 4 * gap
                                                                     : 0.75));
  auto parts = Instance::general("pareto-confounded", two_block_marginals(contexts, mass), laws);
  note_large_gap(parts, gap);
  return parts;
}

}  // namespace

Family pareto_confounded_family() {
  return {.name = "pareto-confounded",
          .summary = "confounded member of the frontier's hard pair: one arm better than Z shows",
          .text =
              "As pareto-benign, with the same marginals, but arm a0 pays 3/4 + 4·gap on the first "
              "half: its mean is 1/2 + 2·gap, twice as far ahead as arm 0, and the contexts do not "
              "show it. A policy that believes Z plays arm 0 for ever and pays gap per round.",
          .section = "§8, paper App. D.1",
          .parameters = {actions_key(), contexts_key(2, "2"),
                         Parameter::real("gap").defaults_to("0.02").closed(0, 0.0625).help(
                             "Δ: arm 0 leads by Δ, arm a0 by 2Δ", "§8"),
                         odd_arm_key()},
          .build = build};
}

}  // namespace armature
