#include "policies/index/moss.h"

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"

namespace armature {

PolicyFacts MossIndex::facts() {
  return {
      .name = "moss",
      .summary = "minimax-optimal upper confidence bounds on actions",
      .text =
          "Plays the action with the largest index, whose width shrinks to nothing once an action "
          "has had its share of T/|A| plays. Its worst-case regret is of order sqrt(|A|·T), "
          "without the logarithm of ucb. It ignores the contexts.",
      .section = "§5",
      .needs_horizon = true,
      .parameters = {scale_parameter("multiplies the widths; other than 1 there is no guarantee"),
                     inflight_parameter()}};
}

MossIndex::MossIndex(const Problem& problem, const Arguments& arguments)
    : horizon_per_action_(static_cast<double>(problem.horizon.value()) / problem.actions()),
      scale_(arguments.real("scale")) {}

double MossIndex::operator()(double mean, double n) const {
  return mean + scale_ * std::sqrt(std::max(0.0, portable::log(horizon_per_action_ / n)) / (2 * n));
}

leap::Range MossIndex::along(std::uint64_t count, double sum, const leap::SumPath& path) const {
  leap::Range factors = moss_factors(count, path, horizon_per_action_);
  factors = {scale_ * factors.low, scale_ * factors.high};
  return upper_range_along(count, sum, path, factors);
}

// The index of a mean of 0 is its width.
std::optional<lock_step::Rule> Moss::rule() const {
  return lock_step::ActionRule{
      [index = index_](std::uint64_t n) { return index(0, static_cast<double>(n)); }};
}

// Only the played arm's index moves: it must stay above the runner-up's.
bool Moss::do_holds(const leap::Plan& plan, const leap::Box& box) const {
  const Arm leader = leap::shares_of(plan).front().arm;
  return index_.along(actions_.count(leader), actions_.sum(leader), box.arms.front()).low >
         indices_.best_value_except(leader) + kCertificateMargin;
}

void Moss::do_absorb(const leap::ShareOutcome& outcome) {
  const auto& [arm, plays, tag] = outcome.share;
  actions_.add(arm, plays, outcome.sum);
  update(arm);
}

}  // namespace armature
