#pragma once

#include "armature/policy.h"
#include "policies/tools/argmax_tree.h"
#include "policies/tools/confidence.h"
#include "policies/tools/path_bounds.h"

namespace armature {

/// UCB(δ): play argmax_a μ̂(a) + sqrt(L_A/(2n(a))), L_A = log(2|A|T/δ) (spec §2, paper App. C).
/// Promises Reg(t) ≤ sqrt(8|A|L_A·t) for all t ≤ T together, with probability 1-δ, in every world.
/// Caveat: it never looks at the contexts, so it pays for |A| where |Z| would do.
class Ucb : public leap::Planner {
 public:
  static PolicyFacts facts();
  static std::optional<double> coefficient(const Problem& problem, const Arguments& arguments);
  Ucb(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream) { return {random_ties_ ? random_best(stream) : indices_.best()}; }
  void observe(Decision decision, Outcome outcome, Stream&) {
    actions_.add(decision.arm, outcome.reward);
    indices_.set(decision.arm, actions_.upper(decision.arm, confidence_));
  }
  void forget(Decision) {}
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }

  std::string obstacle() const override { return index_leap_obstacle(confidence_, random_ties_); }

 private:
  leap::Plan do_intend(Round rounds) override { return leap::OneArm{{indices_.best(), rounds}}; }
  bool do_holds(const leap::Plan& plan, const leap::Box& box) const override;
  void do_absorb(const leap::ShareOutcome& outcome) override;

  Arm random_best(Stream& stream) const;
  void rebuild();

  Confidence confidence_;
  bool random_ties_;
  Statistics actions_;
  ArgmaxTree indices_;  // only the played arm's index changes
};

}  // namespace armature
