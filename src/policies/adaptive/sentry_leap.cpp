// Sentry in leaps (docs/leap.md, "Sentry"): exploration comes at known times, so a window holds
// a known number of plays of the explored action, and the rest are of the one the contexts point
// at.
#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "policies/adaptive/sentry.h"
#include "policies/tools/path_bounds.h"

namespace armature {

using leap::Range;
using leap::Share;

// A share's tag: how many of its plays explore. The others follow the contexts.
namespace {
bool explores(const Share& share) { return share.tag > 0; }
bool follows(const Share& share) { return share.tag < share.plays; }
}  // namespace

// What can be said of exploration in the next rounds.
struct Sentry::Outlook {
  Round rounds;  // of how many rounds
  std::uint64_t explorations;
  double unevenness = 0;  // how far they are from coming at an even rate
};

// Where everything can be during a window.
struct Sentry::Ranges {
  std::span<const Share> shares;
  RangeList action_uppers;  // per share
  RangeList action_lowers;
  RangeList context_uppers;  // per context
  RangeList context_lowers;
  Range bar;

  // UCB(a) of a played action, or of one that stays where it is.
  Range upper(Arm a, double still) const {
    for (std::size_t i = 0; i < shares.size(); ++i)
      if (shares[i].arm == a) return action_uppers[i];
    return {still, still};
  }
};

std::string Sentry::obstacle() const {
  if (regression_) return "proposal=cl-ucb has no certificate";
  return index_leap_obstacle(action_confidence_, false);
}

double Sentry::statistic(std::uint64_t plays, double rewards) const {
  return range_along(plays, rewards, {}, action_confidence_, PathBound::kLower).high;
}

double Sentry::statistic_bound(std::uint64_t plays, double rewards,
                               const leap::SumPath& path) const {
  return range_along(plays, rewards, path, action_confidence_, PathBound::kLower).high;
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
Sentry::Outlook Sentry::outlook(Round rounds) const {
  const auto spent = static_cast<double>(explorations_);
  if (!(uppers_.best_value() > bar_ + tolerance_)) return {rounds, 0};
  const double behind = allowance(rounds_ + 1) - spent;
  const bool every_round = schedule_ == Schedule::kSpread && budget_ >= *horizon_;
  if (every_round || behind > 1 || (schedule_ == Schedule::kFirst && behind > 0)) {
    if (!every_round)
      rounds = std::min(rounds, static_cast<Round>(std::min(std::ceil(behind), 0x1p62)));
    return {rounds, rounds};
  }
  if (schedule_ == Schedule::kFirst) return {rounds, 0};
  // The free schedule may still grow by more than 1 a round: nothing can be said.
  if (rounds_ < actions_count_) return {0, 0};
  const double end = std::min(std::max(spent, std::ceil(allowance(rounds_ + rounds))), 0x1p63);
  return {rounds, static_cast<std::uint64_t>(end) - explorations_, unevenness(rounds)};
}

// A concave curve leaves its chord by at most a quarter of the slopes' difference times the length;
// 3 more for what is rounded.
double Sentry::unevenness(Round rounds) const {
  if (schedule_ != Schedule::kFree) return 3;
  const auto slope = [&](double t) {
    return portable::cbrt(static_cast<double>(actions_count_) / t) * 2 / 3;
  };
  const auto from = static_cast<double>(rounds_);
  const auto length = static_cast<double>(rounds);
  return 3 + (slope(from) - slope(from + length)) * length / 4;
}

leap::Plan Sentry::do_intend(Round limit) {
  take_stock();
  if (rejected_) return leap::OneArm{{uppers_.best(), limit}};
  const auto [rounds, explorations, unevenness] = outlook(limit);
  if (rounds == 0 || uppers_.best_value() < bar_) return leap::SingleRound{};
  const Arm explored = uppers_.best();
  const Arm followed = explorations < rounds ? causal_choice(bar_) : explored;
  if (explorations == 0 || followed == explored)
    return leap::OneArm{{followed, rounds, explorations}, leap::Detail::kContexts};
  return leap::SideBySide{
      {{explored, explorations, explorations}, {followed, rounds - explorations}}, unevenness};
}

bool Sentry::do_holds(const leap::Plan& plan, const leap::Box& box) const {
  const std::span<const Share> shares = leap::shares_of(plan);
  if (rejected_) {
    const Arm leader = shares.front().arm;
    return least_upper_along(actions_, leader, box.arms.front(), action_confidence_) >
           uppers_.best_value_except(leader) + kCertificateMargin;
  }
  check_contexts_told(box);
  const Ranges ranges = ranges_in(shares, box);
  // The explored arm stands first, the followed one last; one share may be both.
  const Share& first = shares.front();
  const Share& last = shares.back();
  if (explores(first) ? !exploration_holds(first.arm, ranges) : !exploration_stays_off(ranges))
    return false;
  if (follows(last) && !causal_choice_holds(last.arm, ranges)) return false;
  for (const Share& share : shares)
    if (may_reject_ && !test_passes(share.arm, ranges)) return false;
  return true;
}

Sentry::Ranges Sentry::ranges_in(std::span<const Share> shares, const leap::Box& box) const {
  Ranges ranges{shares,
                RangeList(shares.size()),
                RangeList(shares.size()),
                ranges_along(contexts_, box.contexts, context_confidence_, PathBound::kUpper),
                ranges_along(contexts_, box.contexts, context_confidence_, PathBound::kLower),
                {bar_, std::max(bar_, bar_bound_)}};
  const auto action_range = [&](std::size_t i, PathBound bound) {
    return range_along(actions_, shares[i].arm, box.arms[i], action_confidence_, bound);
  };
  for (std::size_t i = 0; i < shares.size(); ++i) {
    ranges.action_uppers[i] = action_range(i, PathBound::kUpper);
    ranges.action_lowers[i] = action_range(i, PathBound::kLower);
    ranges.bar.high = std::max(ranges.bar.high, ranges.action_lowers[i].high);
  }
  return ranges;
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
  const std::uint64_t end = rounds_ + leap::total_plays(ranges.shares);
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

// The rival is below the bar, or min(UCB, C) of the chosen one is larger throughout. With identical
// rows C is the same to the bit: then the chosen one, lying at C, ties at worst, and wins if its
// index is lower.
bool Sentry::beats(Arm chosen, Arm rival, const Ranges& ranges) const {
  const auto value_of = [&](Arm a) {
    return CappedValue{ranges.upper(a, uppers_.value(a)), rows_->row(a)};
  };
  const CappedValue mine = value_of(chosen);
  const CappedValue other = value_of(rival);
  if (other.own.high < ranges.bar.low - kCertificateMargin) return true;
  if (mine.row == other.row && chosen < rival &&
      is_sum_for_all(*rows_, mine, ranges.context_uppers))
    return true;
  return exceeds_for_all(*rows_, mine, other, ranges.context_uppers);
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
  for (std::size_t i = 0; i < ranges.shares.size(); ++i) {
    if (ranges.shares[i].arm != a) continue;
    if (!(ranges.action_lowers[i].high < least_upper - kCertificateMargin)) return false;
    if (!(ranges.action_uppers[i].low > largest_lower + kCertificateMargin)) return false;
  }
  return true;
}

void Sentry::do_absorb(const leap::ShareOutcome& outcome) {
  const auto& [arm, plays, explorations] = outcome.share;
  ARMATURE_CHECK(explorations <= plays, "a share explores in some of its plays");
  if (!rejected_) check_contexts_told(outcome);
  rounds_ += plays;
  explorations_ += explorations;
  actions_.add(arm, plays, outcome.sum);
  update_action(arm);
  touch(arm);
  if (rejected_) return;
  for (Context z = 0; z < contexts_.size(); ++z) {
    if (outcome.visits[z] == 0) continue;
    contexts_.add(z, outcome.visits[z], outcome.sums[z]);
    update_context(z);
    scores_.set(z, context_upper(z));
  }
}

}  // namespace armature
