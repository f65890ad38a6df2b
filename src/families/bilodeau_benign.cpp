#include <cmath>

#include "base/mathematics.h"
#include "families/family.h"

namespace armature {
namespace {

constexpr double kLeak = 0.0005;  // ε₀: how often an arm ends in the context that is not its own

Instance::Parts build(const FamilyRequest& request) {
  const auto actions = request.arguments.integer("actions");
  const auto asked = request.arguments.real_if("gap");
  double gap = 0;
  if (asked) {
    gap = *asked;
  } else {
    const auto horizon = static_cast<double>(horizon_for(request, "gap"));
    gap = std::min(0.5, std::sqrt(static_cast<double>(actions) * portable::log(horizon) / horizon));
  }
  Matrix marginals(actions, 2);
  for (std::size_t a = 0; a < actions; ++a) {
    marginals(a, 0) = a == 0 ? 1 - kLeak : kLeak;
    marginals(a, 1) = a == 0 ? kLeak : 1 - kLeak;
  }
  return Instance::benign("bilodeau-benign", std::move(marginals),
                          {RewardLaw::bernoulli(0.5 + gap), RewardLaw::bernoulli(0.5)});
}

}  // namespace

Family bilodeau_benign_family() {
  return {.name = "bilodeau-benign",
          .summary = "the benign experiment of Bilodeau et al. (2022)",
          .text =
              "Two contexts. Arm 0 almost always reaches the better one (1/2 + gap), every other "
              "arm almost always the other (1/2). A causal learner tells them apart after a few "
              "rounds; one that looks at actions alone must try them all.",
          .section = "§8",
          .parameters = {actions_key(), Parameter::real("gap")
                                            .automatic("min(1/2, sqrt(|A| log T/T))")
                                            .closed(0, 0.5)
                                            .help("Δ: the better context's lead", "§8")},
          .build = build};
}

}  // namespace armature
