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
      rows_(std::make_shared<const MarginalRows>(*problem.marginals)),
      inverse_lows_(problem.contexts()),
      reach_(rows_->rows()),
      means_(problem.contexts()),
      scores_(*rows_) {
  const double floor = 1 / static_cast<double>(problem.horizon.value());
  for (std::uint32_t row = 0; row < rows_->rows(); ++row)
    for (Context z = 0; z < rows_->contexts(); ++z)
      if (rows_->at(row, z) > 0)
        reach_[row] += rows_->at(row, z) / std::max(rows_->column_low(z), floor);
  for (Context z = 0; z < rows_->contexts(); ++z)
    inverse_lows_[z] = 1 / std::max(rows_->column_low(z), floor);
  follow_all();
}

bool CausalUcb2::probabilities(std::span<double> out) const {
  put_all_on(out, best_at(static_cast<double>(rounds_ + 1)));
  return true;
}

Insights CausalUcb2::explain() const {
  const double bonus = bonus_at(static_cast<double>(rounds_ + 1));
  Insights told;
  tell_indices(
      told, Insight::Of::kActions, rows_->actions(),
      [&](Arm a) { return score_of(rows_->row(a), bonus); },
      [this](Arm a) { return rows_->sum(rows_->row(a), means_); });
  told.push_back({"context_mean", Insight::Of::kContexts, means_});
  return told;
}

void CausalUcb2::follow_all() {
  for (Context z = 0; z < contexts_.size(); ++z) means_[z] = contexts_.mean(z);
  scores_.reset([this](Context z) -> BlendedScores<2>::Parts {
    return {means_[z], inverse_lows_[z]};
  });
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
double CausalUcb2::bonus_at(double t) const {
  return scale_ * std::sqrt(portable::log(rows_->contexts() * t * t) / (2 * t));
}

double CausalUcb2::score_of(std::uint32_t row, double bonus) const {
  return rows_->sum(row, means_) + bonus * reach_[row];
}

Arm CausalUcb2::best_at(double t) const {
  const double bonus = bonus_at(t);
  const auto score_all = [&](std::span<double> out) {
    rows_->sums(means_, out);
    for (std::uint32_t row = 0; row < rows_->rows(); ++row) out[row] += bonus * reach_[row];
  };
  return rows_->action(scores_.best_row(
      {1, bonus}, [&](std::uint32_t row) { return score_of(row, bonus); }, score_all));
}

void CausalUcb2::visit_state(StateVisitor& visitor) {
  contexts_.visit_state(visitor, "visits", "reward_sums");
  visitor.field("rounds", rounds_);
  visitor.require(rounds_ >= outcomes(), "rounds");
  if (visitor.reading()) follow_all();
}

}  // namespace armature
