#include <cmath>

#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = static_cast<std::uint32_t>(request.arguments.integer("actions"));
  const auto contexts = static_cast<std::uint32_t>(request.arguments.integer("contexts"));
  const std::optional<Arm> odd = odd_arm(request.arguments);
  const auto asked = request.arguments.real_if("gap");
  const double gap =
      asked
          ? *asked
          : std::min(
                0.125,
                std::sqrt((actions - 1.0) / static_cast<double>(horizon_for(request, "gap"))) / 40);
  std::vector<double> mass(actions, 0.5);
  mass[0] = 0.5 + 2 * gap;
  const Matrix base = two_block_marginals(contexts, mass);
  if (odd) mass[*odd] = 0.5 + 4 * gap;
  std::vector<RewardLaw> laws(contexts, RewardLaw::bernoulli(0.25));
  std::fill_n(laws.begin(), first_block(contexts), RewardLaw::bernoulli(0.75));
  auto parts = Instance::benign("agnostic", two_block_marginals(contexts, mass), std::move(laws));
  Problem given;
  given.action_names = numbered_names('a', actions);
  given.context_names = numbered_names('z', contexts);
  given.marginals = std::make_shared<const Matrix>(base);
  parts.given = std::move(given);
  note_large_gap(parts, gap);
  return parts;
}

}  // namespace

Family agnostic_family() {
  return {.name = "agnostic",
          .summary = "benign, but the given marginals are those of another member",
          .text =
              "A benign world whose best arm a0 reaches the good contexts with probability 1/2 + "
              "4·gap, while policies are always told the base member's marginals, where a0 looks "
              "like the rest. The paper's lower bound for learners that know nothing about the "
              "marginals.",
          .section = "§8, paper App. D.2",
          .parameters = {actions_key(), contexts_key(2, "2"),
                         Parameter::real("gap")
                             .automatic("(1/40)·sqrt((|A|-1)/T)")
                             .closed(0, 0.125)
                             .help("Δ: arm 0 leads by Δ, arm a0 by 2Δ", "§8"),
                         odd_arm_key()},
          .build = build};
}

}  // namespace armature
