#include <fmt/format.h>

#include "families/family.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  const Arguments& arguments = request.arguments;
  const auto actions = arguments.integer("actions");
  const auto contexts = arguments.integer("contexts");
  const double gap = arguments.real("gap");
  const std::uint64_t hidden = arguments.integer_if("hidden").value_or(actions / 2);
  if (hidden >= actions)
    arguments.reject("hidden", fmt::format("fewer than the {} actions", actions));
  std::vector<RewardLaw> laws;
  for (std::size_t a = 0; a < actions; ++a)
    laws.insert(laws.end(), contexts,
                RewardLaw::bernoulli(a + hidden >= actions ? 0.5 + gap : 0.5));
  return Instance::general("many-hidden", uniform_marginals(actions, contexts), laws);
}

}  // namespace

Family many_hidden_family() {
  return {.name = "many-hidden",
          .summary = "half of the arms are better, and none leaves a trace in the contexts",
          .text =
              "As hidden-arm, but the last half of the arms pay 1/2 + gap. Whoever draws arms at "
              "random finds a good one at once; against policies that search for the one hidden "
              "arm, and pay for telling good ones apart.",
          .section = "§8",
          .parameters = {actions_key(), contexts_key(1, "2"),
                         Parameter::real("gap").defaults_to("0.03").closed(0, 0.5).help(
                             "Δ: the hidden arms' lead", "§8"),
                         Parameter::integer("hidden").automatic("⌊|A|/2⌋").at_least(1).help(
                             "how many arms are hidden: the last ones, fewer than |A|", "§8")},
          .build = build};
}

}  // namespace armature
