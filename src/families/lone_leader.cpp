#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = static_cast<std::uint32_t>(request.arguments.integer("actions"));
  const auto contexts = static_cast<std::uint32_t>(request.arguments.integer("contexts"));
  const double gap = request.arguments.real("gap");
  const double lead = request.arguments.real("lead");
  const std::optional<Arm> odd = odd_arm(request.arguments);
  std::vector<double> mass(actions, 0);
  mass[0] = 1;
  std::vector<RewardLaw> laws;
  laws.reserve(std::size_t{actions} * contexts);
  for (Arm a = 0; a < actions; ++a)
    for (Context z = 0; z < contexts; ++z)
      laws.push_back(RewardLaw::bernoulli(a == odd                    ? 0.5 + gap
                                          : z < first_block(contexts) ? 0.5
                                                                      : 0.5 - lead));
  return Instance::general("lone-leader", two_block_marginals(contexts, mass), laws);
}

}  // namespace

Family lone_leader_family() {
  return {.name = "lone-leader",
          .summary = "a hidden arm just above a lone leader, all others far below",
          .text =
              "Arm 0 always reaches the first half of the contexts and pays 1/2; all others always "
              "reach the second half, where they pay lead less, but for arm a0, which pays gap "
              "more than arm 0. Whoever looks at actions alone soon has two left to compare; "
              "against policies that watch every arm alike, however few can still matter.",
          .section = "§8",
          // Of two arms with no context in common neither can be said to be hidden.
          .parameters = {actions_key(3), contexts_key(2, "2"),
                         Parameter::real("gap").defaults_to("0.05").closed(0, 0.5).help(
                             "Δ: arm a0's lead over arm 0", "§8"),
                         Parameter::real("lead").defaults_to("0.2").closed(0, 0.5).help(
                             "λ: arm 0's lead over the others", "§8"),
                         odd_arm_key()},
          .build = build};
}

}  // namespace armature
