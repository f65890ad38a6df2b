#include "families/random_worlds.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = request.arguments.integer("actions");
  const auto contexts = request.arguments.integer("contexts");
  const double shift = request.arguments.real("shift");
  std::vector<RewardLaw> laws;
  for (const double own : uniform_means(request.stream, actions))
    laws.insert(laws.end(), contexts, RewardLaw::bernoulli((1 - shift) * 0.5 + shift * own));
  return Instance::general("all-confounded", uniform_marginals(actions, contexts), laws);
}

}  // namespace

Family all_confounded_family() {
  return {.name = "all-confounded",
          .summary = "every arm has a random mean of its own, and the contexts show none",
          .text =
              "As semi-benign, but all arms have the same uniform marginals and all contexts are "
              "alike: the mean is (1-shift)/2 + shift·s_a with s_a uniform on [0,1]. A fresh world "
              "in every replication. Against policies tuned to one odd arm: here all gaps occur, "
              "and the contexts are of no use at all.",
          .section = "§8",
          .parameters = {actions_key(), contexts_key(1, "2"),
                         Parameter::real("shift").defaults_to("0.3").closed(0, 1).help(
                             "λ: how far the arms' means are spread", "§8")},
          .random = true,
          .build = build};
}

}  // namespace armature
