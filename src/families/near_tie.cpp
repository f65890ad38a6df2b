#include <fmt/format.h>

#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const Arguments& arguments = request.arguments;
  const auto actions = static_cast<std::uint32_t>(arguments.integer("actions"));
  const auto contexts = static_cast<std::uint32_t>(arguments.integer("contexts"));
  const double gap = arguments.real("gap");
  const double tie = arguments.real("tie");
  const std::optional<Arm> odd = odd_arm(arguments);
  if (gap + tie > 0.25)
    arguments.reject("gap",
                     fmt::format("at most {:.6g}, so that gap + tie is at most 1/4", 0.25 - tie));
  std::vector<double> mass(actions, 0.5);
  mass[0] = 0.5 + 2 * tie;
  std::vector<RewardLaw> laws;
  laws.reserve(std::size_t{actions} * contexts);
  for (Arm a = 0; a < actions; ++a)
    for (Context z = 0; z < contexts; ++z)
      laws.push_back(RewardLaw::bernoulli((z < first_block(contexts) ? 0.75 : 0.25) +
                                          (a == odd ? tie + gap : 0)));
  return Instance::general("near-tie", two_block_marginals(contexts, mass), laws);
}

}  // namespace

Family near_tie_family() {
  return {.name = "near-tie",
          .summary = "the contexts' favourite leads by a hair, a hidden arm by much more",
          .text =
              "The contexts of pareto-benign, where arm 0 leads by no more than tie; arm a0 looks "
              "like all the others and pays tie + gap more in every context. Against policies that "
              "spare an arm because the contexts put it behind: here a whole field is behind by "
              "next to nothing, and the best arm is in it.",
          .section = "§8",
          .parameters = {actions_key(), contexts_key(2, "2"),
                         Parameter::real("gap").defaults_to("0.2").closed(0, 0.25).help(
                             "Δ: arm a0's lead over arm 0", "§8"),
                         Parameter::real("tie").defaults_to("0.01").closed(0, 0.25).help(
                             "τ: arm 0's lead over the others", "§8"),
                         odd_arm_key()},
          .build = build};
}

}  // namespace armature
