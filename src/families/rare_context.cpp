#include <fmt/format.h>

#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const Arguments& arguments = request.arguments;
  const auto actions = static_cast<std::uint32_t>(arguments.integer("actions"));
  const auto contexts = static_cast<std::uint32_t>(arguments.integer("contexts"));
  const double gap = arguments.real("gap");
  const double probability = arguments.real("probability");
  const std::optional<Arm> odd = odd_arm(arguments);
  if (gap > probability)
    arguments.reject("gap",
                     fmt::format("at most the rare context's probability, {:.6g}", probability));
  const Context rare = contexts - 1;
  Matrix marginals(actions, contexts);
  std::vector<RewardLaw> laws;
  laws.reserve(std::size_t{actions} * contexts);
  for (Arm a = 0; a < actions; ++a) {
    for (Context z = 0; z < rare; ++z) marginals(a, z) = (1 - probability) / rare;
    marginals(a, rare) = probability;
    laws.insert(laws.end(), rare, RewardLaw::bernoulli(0.5));
    laws.push_back(RewardLaw::bernoulli(a == odd ? gap / probability : 0));
  }
  return Instance::general("rare-context", std::move(marginals), laws);
}

}  // namespace

Family rare_context_family() {
  return {.name = "rare-context",
          .summary = "the best arm is better only in a context that hardly ever comes",
          .text =
              "All arms have the same marginals and pay 1/2, but in the last context, which comes "
              "with a small probability and pays nothing; there arm a0 pays gap/probability. "
              "Against tests that compare an arm with the others context by context: nearly all "
              "they compare agrees.",
          .section = "§8",
          .parameters = {actions_key(), contexts_key(2, "2"),
                         Parameter::real("gap").defaults_to("0.05").closed(0, 1).help(
                             "Δ: arm a0's lead, at most the rare context's probability", "§8"),
                         Parameter::real("probability")
                             .defaults_to("0.1")
                             .open(0, 1)
                             .help("p: how often the rare context comes", "§8"),
                         odd_arm_key()},
          .build = build};
}

}  // namespace armature
