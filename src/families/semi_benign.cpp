#include "families/random_worlds.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const double shift = request.arguments.real("shift");
  Matrix marginals = random_marginals(request);
  const auto context_means = uniform_means(request.stream, marginals.columns());
  const auto own_means = uniform_means(request.stream, marginals.rows());
  std::vector<RewardLaw> laws;
  for (const double own : own_means)
    for (const double shared : context_means)
      laws.push_back(RewardLaw::bernoulli((1 - shift) * shared + shift * own));
  return Instance::general("semi-benign", std::move(marginals), laws);
}

}  // namespace

Family semi_benign_family() {
  auto keys = random_world_keys();
  keys.push_back(Parameter::real("shift").defaults_to("0.3").closed(0, 1).help(
      "λ: how much of the mean is the action's own, past the contexts", "§8"));
  return {.name = "semi-benign",
          .summary = "random world between benign (shift 0) and context-free (shift 1)",
          .text =
              "As random-benign, but the mean is (1-shift)·μ(z) + shift·s_a with s_a uniform on "
              "[0,1]: a direct effect of the action that the contexts do not carry.",
          .section = "§8",
          .parameters = std::move(keys),
          .random = true,
          .build = build};
}

}  // namespace armature
