#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = request.arguments.integer("actions");
  const auto contexts = request.arguments.integer("contexts");
  const double gap = request.arguments.real("gap");
  std::vector<RewardLaw> laws;
  for (std::size_t a = 0; a < actions; ++a)
    laws.insert(laws.end(), contexts, RewardLaw::bernoulli(a + 1 == actions ? 0.5 + gap : 0.5));
  return Instance::general("hidden-arm", uniform_marginals(actions, contexts), laws);
}

}  // namespace

Family hidden_arm_family() {
  return {
      .name = "hidden-arm",
      .summary = "the best arm leaves no trace in the contexts",
      .text =
          "All arms have the same uniform marginals; all pay 1/2 but the last, which pays 1/2 "
          "+ gap in every context. Whoever follows the contexts plays arm 0 for ever; only plays "
          "of the last arm can tell. HAC-UCB has those of its sweeps, about sqrt(T)/|A|: it "
          "notices once sqrt(|A| log T)·T^(-1/4) is below the gap, and is linear until then.",
      .section = "§8",
      .parameters = {actions_key(), contexts_key(1, "2"),
                     Parameter::real("gap").defaults_to("0.2").closed(0, 0.5).help(
                         "Δ: the last arm's lead", "§8")},
      .build = build};
}

}  // namespace armature
