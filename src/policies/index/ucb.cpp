#include "policies/index/ucb.h"

#include "policies/tools/certainty.h"
#include "policies/tools/insights.h"
#include "policies/tools/ties.h"
#include "theory/coefficients.h"

namespace armature {

PolicyFacts Ucb::facts() {
  return {.name = "ucb",
          .summary = "upper confidence bounds on actions; ignores the contexts",
          .text =
              "Plays the action with the largest upper confidence bound on its own mean reward. "
              "Its regret is of order sqrt(|A|·T) in every world, benign or not. It never looks at "
              "the contexts, so it pays for |A| actions even where |Z| contexts would tell all.",
          .section = "§2, paper App. C",
          .parameters = index_parameters()};
}

std::optional<double> Ucb::coefficient(const Problem& problem, const Arguments& arguments) {
  if (!problem.horizon || !arguments.is_word("confidence", "paper")) return std::nullopt;
  return ucb_coefficient(problem.actions(), static_cast<double>(problem.horizon.value()),
                         paper_delta(problem, arguments));
}

Ucb::Ucb(const Problem& problem, const Arguments& arguments)
    : confidence_(confidence_for(confidence_family(problem, arguments), problem, arguments,
                                 problem.actions())),
      random_ties_(arguments.is_word("ties", "random")),
      actions_(problem.actions()),
      flights_(problem.actions(), arguments),
      indices_(problem.actions()) {
  rebuild();
}

void Ucb::rebuild() {
  for (Arm a = 0; a < actions_.size(); ++a) update(a);
}

bool Ucb::probabilities(std::span<double> out) const {
  if (flights_.due()) update(flights_.settle());
  if (random_ties_)
    share_among_best(out, [this](Arm a) { return indices_.value(a); });
  else
    put_all_on(out, indices_.best());
  return true;
}

Insights Ucb::explain() const {
  if (flights_.due()) update(flights_.settle());
  Insights told;
  tell_indices(
      told, Insight::Of::kActions, actions_.size(), [this](Arm a) { return indices_.value(a); },
      [this](Arm a) { return actions_.mean(a); });
  return told;
}

Arm Ucb::random_best(Stream& stream) const {
  return random_argmax(
      actions_.size(), [this](Arm a) { return indices_.value(a); }, stream);
}

std::optional<lock_step::Rule> Ucb::rule() const {
  if (random_ties_ || confidence_.depends_on_mean()) return std::nullopt;
  return lock_step::ActionRule{
      [confidence = confidence_](std::uint64_t n) { return confidence.hoeffding(n); }};
}

// Only the played arm's index moves: it must stay above the runner-up's.
bool Ucb::do_holds(const leap::Plan& plan, const leap::Box& box) const {
  const Arm leader = leap::shares_of(plan).front().arm;
  return least_upper_along(actions_, leader, box.arms.front(), confidence_) >
         indices_.best_value_except(leader) + kCertificateMargin;
}

void Ucb::do_absorb(const leap::ShareOutcome& outcome) {
  const auto& [arm, plays, tag] = outcome.share;
  actions_.add(arm, plays, outcome.sum);
  update(arm);
}

void Ucb::visit_state(StateVisitor& visitor) {
  actions_.visit_state(visitor, "plays", "reward_sums");
  flights_.visit_state(visitor);
  if (visitor.reading()) rebuild();
}

}  // namespace armature
