#include <fmt/format.h>

#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = static_cast<std::uint32_t>(request.arguments.integer("actions"));
  const auto contexts = static_cast<std::uint32_t>(request.arguments.integer("contexts"));
  const double gap = request.arguments.real("gap");
  if (actions <= contexts)
    request.arguments.reject("actions", fmt::format("more actions than the {} contexts", contexts));
  const Arm star = request.arguments.is_word("place", "first") ? 0 : contexts;
  const Arm first_sure =
      star == 0 ? 1 : 0;  // a_1; a_i follows in order, copies of a_1 fill the rest

  Matrix marginals(actions, contexts);
  std::vector<RewardLaw> laws;
  laws.reserve(std::size_t{actions} * contexts);
  for (Arm a = 0; a < actions; ++a) {
    if (a == star) {
      marginals(a, 0) = marginals(a, 1) = 0.5;
      laws.insert(laws.end(), contexts, RewardLaw::point(1));
      continue;
    }
    const bool copy = a > contexts;
    const Context z = copy ? 0 : a - first_sure;
    marginals(a, z) = 1;
    laws.insert(laws.end(), contexts, RewardLaw::point(z + 1 == contexts ? 1 - gap : 0));
  }
  return Instance::general("pe-trap", std::move(marginals), laws);
}

}  // namespace

Family pe_trap_family() {
  return {
      .name = "pe-trap",
      .summary =
          "deterministic world where exact-design phased elimination never plays the best arm",
      .text =
          "Arm a_i always leads to context z_i and pays nothing, but for the last, which pays 1 - "
          "gap. The best arm mixes z_1 and z_2 and pays 1: in the span of the others it looks "
          "worthless. Phased elimination with an exact design never tries it and pays gap per "
          "round for ever.",
      .section = "§8, paper Prop. E.1",
      .parameters = {actions_key(4), contexts_key(3, "3"),
                     Parameter::real("gap").defaults_to("0.2").open(0, 1).help(
                         "Δ: the best arm's lead over the last of the others", "§8"),
                     Parameter::choice("place", {"last", "first"})
                         .help("where the best arm stands: after the a_i, or before them", "§8")},
      .build = build};
}

}  // namespace armature
