#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = static_cast<std::uint32_t>(request.arguments.integer("actions"));
  const auto contexts = static_cast<std::uint32_t>(request.arguments.integer("contexts"));
  const double gap = request.arguments.real("gap");
  std::vector<double> mass(actions);
  std::vector<RewardLaw> laws;
  laws.reserve(std::size_t{actions} * contexts);
  for (Arm a = 0; a < actions; ++a) {
    // By how much the contexts put the arm above 1/2, and by how much it truly is below.
    const double praise = gap * (0.5 - a / (actions - 1.0));
    mass[a] = 0.5 + 2 * praise;
    for (Context z = 0; z < contexts; ++z)
      laws.push_back(RewardLaw::bernoulli((z < first_block(contexts) ? 0.75 : 0.25) - 2 * praise));
  }
  return Instance::general("reversed", two_block_marginals(contexts, mass), laws);
}

}  // namespace

Family reversed_family() {
  return {
      .name = "reversed",
      .summary = "the contexts rank all arms backwards",
      .text =
          "The contexts of pareto-benign; from arm 0 to the last, the arms reach the better half "
          "less and less often, and pay more and more in every context, so that the true order "
          "is the contexts' order reversed. Against policies that drop one leader at a time: "
          "each one that falls leaves the stage to the next worst.",
      .section = "§8",
      .parameters = {actions_key(), contexts_key(2, "2"),
                     Parameter::real("gap").defaults_to("0.1").closed(0, 0.25).help(
                         "Δ: between the last arm, the best, and arm 0, the worst; neighbours "
                         "differ by Δ/(|A|-1)",
                         "§8")},
      .build = build};
}

}  // namespace armature
