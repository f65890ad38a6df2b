// Sentry in leaps (docs/leap.md, "Sentry"): exploration comes at known times, so a window holds so
// many plays of the explored action and so many of the one the contexts point at.
#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "policies/adaptive/sentry.h"
#include "policies/tools/path_bounds.h"

namespace armature {

// Where everything can be during a window.
struct Sentry::Ranges {
  const Plan& plan;
  std::vector<Range> action_uppers;   // per share
  std::vector<Range> action_lowers;   // per share
  std::vector<Range> context_uppers;  // per context
  std::vector<Range> context_lowers;
  Range bar;

  // UCB(a) of a played action, or of one that stays where it is.
  Range upper(Arm a, double still) const {
    for (std::size_t i = 0; i < plan.shares.size(); ++i)
      if (plan.shares[i].arm == a) return action_uppers[i];
    return {still, still};
  }
};

std::string Sentry::leap_obstacle() const {
  if (regression_) return "proposal=cl-ucb has no certificate";
  return index_leap_obstacle(action_confidence_, false);
}

double Sentry::statistic(std::uint64_t plays, double rewards) const {
  return range_along(plays, rewards, {}, action_confidence_, Bound::kLower).high;
}

double Sentry::statistic_bound(std::uint64_t plays, double rewards, const Path& path) const {
  return range_along(plays, rewards, path, action_confidence_, Bound::kLower).high;
}

// What is compared with the bar: every UCB, and the largest of them less τ. After a rejection only
// the number of candidates is, at the very end.
bool Sentry::peak_settled() const {
  if (!(bar_bound_ > bar_)) return true;
  const double highest = uppers_.best_value() - tolerance_;
  if (highest > bar_ - kCertificateMargin && highest <= bar_bound_ + kCertificateMargin)
    return false;
  for (Arm a = 0; a < actions_count_; ++a)
    if (uppers_.value(a) >= bar_ && uppers_.value(a) <= bar_bound_) return false;
  return true;
}

// How many of the next rounds explore, and of how many rounds that can be said. Once exploration is
// up to its allowance, e = ceil(E(t)) after every round t, as E grows by at most 1 a round.
std::uint64_t Sentry::explorations_in(Round& rounds, Plan& plan) const {
  const auto spent = static_cast<double>(explorations_);
  if (!(uppers_.best_value() > bar_ + tolerance_)) return 0;
  const double behind = allowance(rounds_ + 1) - spent;
  const bool every_round = schedule_ == Schedule::kSpread && budget_ >= *horizon_;
  if (every_round || behind > 1 || (schedule_ == Schedule::kFirst && behind > 0)) {
    if (!every_round) rounds = std::min(rounds, static_cast<Round>(std::ceil(behind)));
    return rounds;
  }
  if (schedule_ == Schedule::kFirst) return 0;
  if (rounds_ < actions_count_) {  // the free schedule may still grow by more than 1 a round
    rounds = 0;
    return 0;
  }
  const double end = std::max(spent, std::ceil(allowance(rounds_ + rounds)));
  plan.unevenness = 3;
  if (schedule_ == Schedule::kFree) {
    // A concave curve leaves its chord by at most a quarter of the slopes' difference times the
    // length.
    const auto slope = [&](double t) {
      return portable::cbrt(static_cast<double>(actions_count_) / t) * 2 / 3;
    };
    const auto from = static_cast<double>(rounds_);
    const auto length = static_cast<double>(rounds);
    plan.unevenness += (slope(from) - slope(from + length)) * length / 4;
  }
  return static_cast<std::uint64_t>(end) - explorations_;
}

void Sentry::intend(Round rounds, Plan& plan) {
  take_stock();
  explored_.reset();
  followed_.reset();
  planned_explorations_ = 0;
  if (rejected_) {
    plan.shares.push_back({uppers_.best(), rounds});
    return;
  }
  plan.contexts = true;
  planned_explorations_ = explorations_in(rounds, plan);
  if (rounds == 0 || uppers_.best_value() < bar_) return;
  if (planned_explorations_ > 0) explored_ = uppers_.best();
  if (planned_explorations_ < rounds) followed_ = causal_choice();
  if (explored_ == followed_ || !explored_ || !followed_) {
    plan.shares.push_back({explored_ ? *explored_ : *followed_, rounds});
    return;
  }
  plan.shares.push_back({*explored_, planned_explorations_});
  plan.shares.push_back({*followed_, rounds - planned_explorations_});
}

bool Sentry::holds(const Plan& plan, const Box& box) const {
  const Arm first = plan.shares.front().arm;
  if (rejected_)
    return least_upper_along(actions_, first, box.arms.front(), action_confidence_) >
           uppers_.best_value_except(first) + kCertificateMargin;
  Ranges ranges{plan, {}, {}, {}, {}, {bar_, std::max(bar_, bar_bound_)}};
  for (std::size_t i = 0; i < plan.shares.size(); ++i) {
    const Arm a = plan.shares[i].arm;
    ranges.action_uppers.push_back(
        range_along(actions_, a, box.arms[i], action_confidence_, Bound::kUpper));
    ranges.action_lowers.push_back(
        range_along(actions_, a, box.arms[i], action_confidence_, Bound::kLower));
    ranges.bar.high = std::max(ranges.bar.high, ranges.action_lowers.back().high);
  }
  for (Context z = 0; z < contexts_.size(); ++z) {
    ranges.context_uppers.push_back(
        range_along(contexts_, z, box.contexts[z], context_confidence_, Bound::kUpper));
    ranges.context_lowers.push_back(
        range_along(contexts_, z, box.contexts[z], context_confidence_, Bound::kLower));
  }
  if (explored_ ? !exploration_holds(*explored_, ranges) : !exploration_stays_off(ranges))
    return false;
  if (followed_ && !causal_choice_holds(*followed_, ranges)) return false;
  for (const Share& share : plan.shares)
    if (may_reject_ && !test_passes(share.arm, ranges)) return false;
  return true;
}

// The explored action keeps the largest UCB, and that stays above the bar.
bool Sentry::exploration_holds(Arm explored, const Ranges& ranges) const {
  const double low = ranges.upper(explored, 0).low - kCertificateMargin;
  if (!(low > ranges.bar.high + tolerance_)) return false;
  for (Arm b = 0; b < actions_count_; ++b)
    if (b != explored && !(low > ranges.upper(b, uppers_.value(b)).high)) return false;
  return true;
}

// Nothing explores in the window: the allowance lets nothing be explored in any of its rounds, or
// no UCB rises above the bar.
bool Sentry::exploration_stays_off(const Ranges& ranges) const {
  const std::uint64_t end = rounds_ + ranges.plan.rounds();
  if (static_cast<double>(explorations_) >= allowance(end)) return true;
  for (Arm b = 0; b < actions_count_; ++b)
    if (!(ranges.upper(b, uppers_.value(b)).high <
          ranges.bar.low + tolerance_ - kCertificateMargin))
      return false;
  return true;
}

bool Sentry::causal_choice_holds(Arm chosen, const Ranges& ranges) const {
  if (!(ranges.upper(chosen, uppers_.value(chosen)).low > ranges.bar.high + kCertificateMargin))
    return false;
  for (Arm b = 0; b < actions_count_; ++b)
    if (b != chosen && !beats(chosen, b, ranges)) return false;
  return true;
}

// The rival is below the bar, or min(UCB, C) of the chosen one is larger throughout: each of its
// two parts above one of the rival's. With identical rows C is the same to the bit: then the chosen
// one, lying at C, ties at worst, and wins if its index is lower.
bool Sentry::beats(Arm chosen, Arm rival, const Ranges& ranges) const {
  const Range mine = ranges.upper(chosen, uppers_.value(chosen));
  const Range other = ranges.upper(rival, uppers_.value(rival));
  if (other.high < ranges.bar.low - kCertificateMargin) return true;
  const std::uint32_t my_row = rows_->row(chosen);
  const std::uint32_t other_row = rows_->row(rival);
  Range mine_causal{0, 0};
  double other_causal_high = 0;
  double lead = 0;
  for (Context z = 0; z < contexts_.size(); ++z) {
    const Range& upper = ranges.context_uppers[z];
    const double my_weight = rows_->at(my_row, z);
    const double other_weight = rows_->at(other_row, z);
    mine_causal.low += my_weight * upper.low;
    mine_causal.high += my_weight * upper.high;
    other_causal_high += other_weight * upper.high;
    const double difference = my_weight - other_weight;
    lead += difference * (difference > 0 ? upper.low : upper.high);
  }
  if (my_row == other_row && chosen < rival && mine_causal.high < mine.low - kCertificateMargin)
    return true;
  const bool upper_wins = mine.low > other.high + kCertificateMargin ||
                          mine.low > other_causal_high + kCertificateMargin;
  const bool causal_wins =
      lead > kCertificateMargin || mine_causal.low > other.high + kCertificateMargin;
  return upper_wins && causal_wins;
}

// No contradiction between the action's own mean and its causal one, anywhere in the window.
bool Sentry::test_passes(Arm a, const Ranges& ranges) const {
  double least_upper = epsilon_ / 2;
  double largest_lower = -epsilon_ / 2;
  for (Context z = 0; z < contexts_.size(); ++z) {
    const double weight = rows_->at(rows_->row(a), z);
    least_upper += weight * ranges.context_uppers[z].low;
    largest_lower += weight * ranges.context_lowers[z].high;
  }
  for (std::size_t i = 0; i < ranges.plan.shares.size(); ++i) {
    if (ranges.plan.shares[i].arm != a) continue;
    if (!(ranges.action_lowers[i].high < least_upper - kCertificateMargin)) return false;
    if (!(ranges.action_uppers[i].low > largest_lower + kCertificateMargin)) return false;
  }
  return true;
}

void Sentry::absorb(const Block& block) {
  rounds_ += block.plays;
  explorations_ += planned_explorations_;
  planned_explorations_ = 0;
  actions_.add(block.arm, block.plays, block.sum);
  update_action(block.arm);
  const auto place = std::lower_bound(touched_.begin(), touched_.end(), block.arm);
  if (place == touched_.end() || *place != block.arm) touched_.insert(place, block.arm);
  if (rejected_) return;
  for (Context z = 0; z < contexts_.size(); ++z) {
    if (block.visits[z] == 0) continue;
    contexts_.add(z, block.visits[z], block.sums[z]);
    update_context(z);
    scores_.set(z, means_[z] + ups_[z]);
  }
}

}  // namespace armature
