#pragma once

#include "armature/policy.h"
#include "policies/tools/argmax_tree.h"
#include "policies/tools/confidence.h"
#include "policies/tools/flights.h"
#include "policies/tools/lock_step.h"
#include "policies/tools/path_bounds.h"

namespace armature {

/// UCB(δ): play argmax_a μ̂(a) + sqrt(L_A/(2n(a))), L_A = log(2|A|T/δ) (spec §2, paper App. C).
/// Promises Reg(t) ≤ sqrt(8|A|L_A·t) for all t ≤ T together, with probability 1-δ, in every world.
/// Caveat: it never looks at the contexts, so it pays for |A| where |Z| would do.
class Ucb : public leap::Planner, public lock_step::Follower {
 public:
  static PolicyFacts facts();
  static std::optional<double> coefficient(const Problem& problem, const Arguments& arguments);
  Ucb(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream) {
    if (flights_.due()) [[unlikely]]
      update(flights_.settle());
    const Arm arm = random_ties_ ? random_best(stream) : indices_.best();
    flights_.send(arm);
    return {arm};
  }
  void observe(Decision decision, Outcome outcome, Stream&) {
    flights_.land(decision.arm);
    actions_.add(decision.arm, outcome.reward);
    update(decision.arm);
  }
  void forget(Decision decision) {
    if (flights_.land(decision.arm)) update(decision.arm);
  }
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void witness(const Tally& tally, Stream&) {
    actions_.add(tally.arm, tally.plays, tally.rewards);
    update(tally.arm);
  }
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }

  std::string obstacle() const override { return index_leap_obstacle(confidence_, random_ties_); }
  const Confidence& confidence() const { return confidence_; }
  bool random_ties() const { return random_ties_; }
  std::optional<lock_step::Rule> rule() const override;

 private:
  leap::Plan do_intend(Round rounds) override { return leap::OneArm{{indices_.best(), rounds}}; }
  bool do_holds(const leap::Plan& plan, const leap::Box& box) const override;
  void do_absorb(const leap::ShareOutcome& outcome) override;

  Arm random_best(Stream& stream) const;
  void update(Arm a) const {
    indices_.set(a, flights_.any_counted() ? upper_ahead(a) : actions_.upper(a, confidence_));
  }
  double upper_ahead(Arm a) const {
    return actions_.upper_ahead(a, static_cast<double>(flights_.counted(a)), confidence_);
  }
  void rebuild();

  Confidence confidence_;
  bool random_ties_;
  Statistics actions_;
  // Mutable, as the last play may be counted by a mere look at what comes next.
  mutable Flights flights_;
  mutable ArgmaxTree indices_;  // only the played arm's index changes
};

}  // namespace armature
