#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = request.arguments.integer("actions");
  const auto contexts = static_cast<std::uint32_t>(request.arguments.integer("contexts"));
  const double gap = request.arguments.real("gap");
  std::vector<double> mass(actions, 0.5);
  mass[0] = 0.5 + 2 * gap;
  std::vector<RewardLaw> laws(contexts, RewardLaw::bernoulli(0.25));
  std::fill_n(laws.begin(), first_block(contexts), RewardLaw::bernoulli(0.75));
  auto parts =
      Instance::benign("pareto-benign", two_block_marginals(contexts, mass), std::move(laws));
  note_large_gap(parts, gap);
  return parts;
}

}  // namespace

Family pareto_benign_family() {
  return {
      .name = "pareto-benign",
      .summary = "benign member of the frontier's hard pair: arm 0 best by gap",
      .text =
          "Contexts fall into two halves; the first pays Bernoulli(3/4), the second "
          "Bernoulli(1/4). Arm 0 reaches the first half with probability 1/2 + 2·gap, all others "
          "with 1/2. A causal learner needs the price of |Z| here; it has the same marginals as "
          "pareto-confounded.",
      .section = "§8, paper App. D.1",
      .parameters = {actions_key(), contexts_key(2, "2"),
                     Parameter::real("gap").defaults_to("0.02").closed(0, 0.25).help(
                         "Δ: how much better arm 0 is", "§8")},
      .build = build};
}

}  // namespace armature
