#include "policies/index/c_ucb_2.h"

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "policies/tools/certainty.h"
#include "policies/tools/insights.h"

namespace armature {

PolicyFacts CausalUcb2::facts() {
  return {
      .name = "c-ucb-2",
      .summary = "c-ucb with one bonus for all rounds so far",
      .text =
          "Estimates the contexts from every round, whatever was played, and adds a bonus that "
          "falls with the number of rounds alone. It does well where every action reaches every "
          "context often, and badly where some context is rare for some action. Like c-ucb it "
          "believes the contexts.",
      .section = "§5",
      .needs_horizon = true,
      .needs_marginals = true,
      .parameters = {scale_parameter("multiplies the bonus; other than 1 there is no guarantee")}};
}

CausalUcb2::CausalUcb2(const Problem& problem, const Arguments& arguments)
    : scale_(arguments.real("scale")),
      contexts_(problem.contexts()),
      rows_(*problem.marginals),
      reach_(rows_.rows()),
      means_(problem.contexts()),
      sums_(rows_.rows()) {
  const double floor = 1 / static_cast<double>(problem.horizon.value());
  for (std::uint32_t row = 0; row < rows_.rows(); ++row)
    for (Context z = 0; z < rows_.contexts(); ++z)
      if (rows_.at(row, z) > 0)
        reach_[row] += rows_.at(row, z) / std::max(rows_.column_low(z), floor);
}

bool CausalUcb2::probabilities(std::span<double> out) const {
  put_all_on(out, best_at(static_cast<double>(rounds_ + 1)));
  return true;
}

Insights CausalUcb2::explain() const {
  score_at(static_cast<double>(rounds_ + 1));
  Insights told;
  tell_indices(
      told, Insight::Of::kActions, rows_.actions(), [this](Arm a) { return sums_[rows_.row(a)]; },
      [this](Arm a) { return rows_.sum(rows_.row(a), means_); });
  told.push_back({"context_mean", Insight::Of::kContexts, means_});
  return told;
}

std::uint64_t CausalUcb2::outcomes() const {
  std::uint64_t known = 0;
  for (Context z = 0; z < contexts_.size(); ++z) known += contexts_.count(z);
  return known;
}

// The bonus is for all that will have been learned: a round that teaches nothing is taken back.
void CausalUcb2::forget(Decision) {
  ARMATURE_CHECK(rounds_ > outcomes(), "a decision is outstanding when it is given up");
  --rounds_;
}

// t counts plays in flight, so that there is no other width for them to narrow.
void CausalUcb2::score_at(double t) const {
  const double bonus = scale_ * std::sqrt(portable::log(rows_.contexts() * t * t) / (2 * t));
  rows_.sums(means_, sums_);
  for (std::uint32_t row = 0; row < rows_.rows(); ++row) sums_[row] += bonus * reach_[row];
}

Arm CausalUcb2::best_at(double t) const {
  score_at(t);
  return rows_.action(first_largest(sums_));
}

void CausalUcb2::visit_state(StateVisitor& visitor) {
  contexts_.visit_state(visitor, "visits", "reward_sums");
  visitor.field("rounds", rounds_);
  visitor.require(rounds_ >= outcomes(), "rounds");
  if (!visitor.reading()) return;
  for (Context z = 0; z < contexts_.size(); ++z) means_[z] = contexts_.mean(z);
}

}  // namespace armature
