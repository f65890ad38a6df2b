#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = request.arguments.integer("actions");
  Matrix marginals(actions, 2);
  std::vector<RewardLaw> laws;
  for (std::size_t a = 0; a < actions; ++a) {
    const bool lower_half = a < actions / 2;  // X = 0
    const double second_context = lower_half ? 6.0 / 8 : 7.0 / 8;
    const double success = lower_half ? 5.5 / 6 : 1.0 / 6;
    marginals(a, 0) = 1 - second_context;
    marginals(a, 1) = second_context;
    laws.push_back(RewardLaw::bernoulli(1 - success));
    laws.push_back(RewardLaw::bernoulli(success));
  }
  return Instance::general("bilodeau-confounded", std::move(marginals), laws);
}

}  // namespace

Family bilodeau_confounded_family() {
  return {.name = "bilodeau-confounded",
          .summary = "the confounded experiment of Bilodeau et al. (2022)",
          .text =
              "The lower half of the arms pays 0.708 on average, the upper half 0.25, and given a "
              "context the two halves pay in opposite ways. A learner that believes the context "
              "mixes the two for ever and pays about 0.28 per round.",
          .section = "§8",
          .parameters = {actions_key()},
          .build = build};
}

}  // namespace armature
