#include "families/random_worlds.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const double shift = request.arguments.real("shift");
  Matrix marginals = random_marginals(request);
  const auto context_means = uniform_means(request.stream, marginals.columns());
  const auto coins = uniform_means(request.stream, marginals.rows());
  std::vector<RewardLaw> laws;
  for (const double coin : coins)
    for (const double shared : context_means)
      laws.push_back(RewardLaw::bernoulli((1 - 2 * shift) * shared + (coin < 0.5 ? 0 : 2 * shift)));
  return Instance::general("nearly-benign", std::move(marginals), laws);
}

}  // namespace

Family nearly_benign_family() {
  auto keys = random_world_keys("2");
  keys.push_back(Parameter::real("shift").defaults_to("0.02").closed(0, 0.5).help(
      "x: every arm is better or worse by x than the contexts say", "§8"));
  return {
      .name = "nearly-benign",
      .summary = "random world a hair's breadth from benign: every arm off by ±shift",
      .text =
          "As random-benign, with context means uniform on [shift, 1-shift], but every arm pays "
          "shift more or shift less than the contexts say, by the toss of a coin. Against "
          "policies that give up the contexts for any error: for a long time the contexts are "
          "the better guide, in the end they are not.",
      .section = "§8",
      .parameters = std::move(keys),
      .random = true,
      .build = build};
}

}  // namespace armature
