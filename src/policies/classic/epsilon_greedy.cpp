#include "policies/classic/epsilon_greedy.h"

#include <algorithm>
#include <limits>

#include "policies/tools/insights.h"

namespace armature {

PolicyFacts EpsilonGreedy::facts() {
  return {
      .name = "epsilon-greedy",
      .summary = "the best mean so far, now and then an action at random",
      .text =
          "With probability ε it plays an action drawn uniformly, else the one with the "
          "largest mean so far. With a fixed ε its regret grows in proportion to T. With the "
          "decaying default, ε = min(1, c·|A|/t), it grows with log T if c is large enough for "
          "the smallest gap (of the order of 1/gap²), and can be linear if not: the textbook's "
          "first policy, not a recommendation. It ignores the contexts.",
      .section = "§5",
      .parameters = {Parameter::real("epsilon")
                         .automatic("min(1, c·|A|/t)")
                         .closed(0, 1)
                         .help("ε: how often an action is drawn, the same in every round", "§5"),
                     Parameter::real("c").defaults_to("5").above(0).help(
                         "how slowly ε decays, where it is not fixed", "§5")}};
}

EpsilonGreedy::EpsilonGreedy(const Problem& problem, const Arguments& arguments)
    : fixed_(arguments.real_if("epsilon")),
      decay_(arguments.real("c") * problem.actions()),
      ledger_(problem.actions()),
      values_(problem.actions()) {
  if (fixed_ && arguments.given("c")) arguments.reject("c", "no c beside a fixed epsilon");
  for (Arm a = 0; a < ledger_.size(); ++a) update(a);
}

// t counts outcomes known, witnessed ones too, and plays in flight.
double EpsilonGreedy::epsilon() const {
  if (fixed_) return *fixed_;
  return std::min(1.0, decay_ / static_cast<double>(ledger_.total_sent() + 1));
}

void EpsilonGreedy::update(Arm arm) {
  const bool untried = ledger_.sent(arm) == 0;
  values_.set(arm, untried ? std::numeric_limits<double>::infinity() : ledger_.mean(arm));
}

bool EpsilonGreedy::probabilities(std::span<double> out) const {
  const double by_chance = epsilon();
  std::fill(out.begin(), out.end(), by_chance / ledger_.size());
  out[values_.best()] += 1 - by_chance;
  return true;
}

Insights EpsilonGreedy::explain() const {
  Insights told;
  tell(told, "index", Insight::Of::kActions, ledger_.size(),
       [this](Arm a) { return values_.value(a); });
  tell(told, "mean", Insight::Of::kActions, ledger_.size(),
       [this](Arm a) { return ledger_.mean(a); });
  tell_number(told, "epsilon", epsilon());
  tell_whether(told, "by_index", epsilon() == 0);
  return told;
}

void EpsilonGreedy::visit_state(StateVisitor& visitor) {
  ledger_.visit_state(visitor);
  if (!visitor.reading()) return;
  for (Arm a = 0; a < ledger_.size(); ++a) update(a);
}

}  // namespace armature
