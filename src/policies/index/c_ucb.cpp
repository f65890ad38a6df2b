#include "policies/index/c_ucb.h"

#include "policies/tools/certainty.h"
#include "policies/tools/insights.h"
#include "policies/tools/ties.h"
#include "theory/coefficients.h"

namespace armature {

PolicyFacts CausalUcb::facts() {
  return {
      .name = "c-ucb",
      .summary = "upper confidence bounds on contexts, weighted by the given marginals",
      .text =
          "Learns what each post-action context is worth and plays the action whose given "
          "marginals reach the best contexts. In a benign world with exact marginals its regret is "
          "of order sqrt(|Z|·T), whatever the number of actions. Where the contexts do not carry "
          "the whole effect of the action it can be wrong for ever: linear regret.",
      .section = "§2, paper App. C",
      .needs_marginals = true,
      .parameters = index_parameters()};
}

std::optional<double> CausalUcb::coefficient(const Problem& problem, const Arguments& arguments) {
  if (!problem.horizon || !arguments.is_word("confidence", "paper")) return std::nullopt;
  return causal_ucb_coefficient(problem.contexts(), static_cast<double>(problem.horizon.value()),
                                paper_delta(problem, arguments));
}

CausalUcb::CausalUcb(const Problem& problem, const Arguments& arguments)
    : confidence_(confidence_for(confidence_family(problem, arguments), problem, arguments,
                                 problem.contexts())),
      random_ties_(arguments.is_word("ties", "random")),
      contexts_(problem.contexts()),
      rows_(std::make_shared<const MarginalRows>(*problem.marginals)),
      flights_(problem.actions(), arguments),
      visits_(problem.contexts()),
      scores_(*rows_, contexts_.upper(0, confidence_)),
      sums_(rows_->rows()) {}

Arm CausalUcb::random_best(Stream& stream) {
  rows_->sums(scores_.values(), sums_);
  return random_argmax(
      rows_->actions(), [this](Arm a) { return sums_[rows_->row(a)]; }, stream);
}

bool CausalUcb::probabilities(std::span<double> out) const {
  if (flights_.due()) count_last_play();
  if (random_ties_) {
    rows_->sums(scores_.values(), sums_);
    share_among_best(out, [this](Arm a) { return sums_[rows_->row(a)]; });
  } else {
    put_all_on(out, rows_->action(scores_.best_row()));
  }
  return true;
}

// The canonical sums: what decides wherever a faster way cannot.
Insights CausalUcb::explain() const {
  if (flights_.due()) count_last_play();
  const auto mean_of = [this](Context z) { return contexts_.mean(z); };
  const std::vector<double> means = listed(contexts_.size(), mean_of);
  Insights told;
  tell_indices(
      told, Insight::Of::kActions, rows_->actions(),
      [this](Arm a) { return rows_->sum(rows_->row(a), scores_.values()); },
      [&](Arm a) { return rows_->sum(rows_->row(a), means); });
  tell_indices(
      told, Insight::Of::kContexts, contexts_.size(),
      [this](Context z) { return scores_.values()[z]; }, mean_of);
  return told;
}

// A play in flight is expected to lead to every context of its row.
void CausalUcb::count_last_play() const {
  const Arm arm = flights_.settle();
  if (!flights_.any_counted()) return;
  visits_.add(*rows_, arm);
  update_all();
}

void CausalUcb::uncount_play(Arm arm) {
  if (flights_.ignored()) return;
  visits_.remove(*rows_, arm);
  update_all();
}

void CausalUcb::update_all() const {
  for (Context z = 0; z < contexts_.size(); ++z) update(z);
}

std::optional<lock_step::Rule> CausalUcb::rule() const {
  if (random_ties_ || confidence_.depends_on_mean()) return std::nullopt;
  return lock_step::ContextRule{
      [confidence = confidence_](std::uint64_t n) { return confidence.hoeffding(n); }, rows_};
}

bool CausalUcb::do_holds(const leap::Plan& plan, const leap::Box& box) const {
  check_contexts_told(box);
  const auto uppers = ranges_along(contexts_, box.contexts, confidence_, PathBound::kUpper);
  return leads_for_all(*rows_, rows_->row(leap::shares_of(plan).front().arm), uppers);
}

void CausalUcb::do_absorb(const leap::ShareOutcome& outcome) {
  check_contexts_told(outcome);
  for (Context z = 0; z < contexts_.size(); ++z) {
    if (outcome.visits[z] == 0) continue;
    contexts_.add(z, outcome.visits[z], outcome.sums[z]);
    update(z);
  }
}

void CausalUcb::visit_state(StateVisitor& visitor) {
  contexts_.visit_state(visitor, "visits", "reward_sums");
  flights_.visit_state(visitor);
  if (!visitor.reading()) return;
  visits_.recount(*rows_, flights_);
  std::vector<double> upper(contexts_.size());
  for (Context z = 0; z < contexts_.size(); ++z) upper[z] = upper_ahead(z);
  scores_.reset(upper);
}

}  // namespace armature
