// Warden in leaps: one action is played, followed or watched, for as long as it is certain that it
// stays the one and that neither test fires. Only its own statistics and those of the contexts
// move. Where two actions take turns, as they do while a conflict is settled with equal evidence,
// there is no certificate, and rounds are played one by one.
#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "policies/adaptive/warden.h"
#include "policies/tools/path_bounds.h"

namespace armature {

using leap::Range;
using leap::Share;
using leap::SumPath;

namespace {

// A share's tag: whom the contexts point at while another is watched, counted from 1; 0 if it is
// the one that is played.
bool watches(const Share& share) { return share.tag > 0; }

}  // namespace

// Where everything can be during a window.
struct Warden::Ranges {
  Arm played;
  Range upper;            // μ̂ + w of the played action
  Range lower;            // μ̂ − w
  Range watch;            // I
  RangeList uppers;       // U(z)
  RangeList means_above;  // μ̂(z) + w(z)
  RangeList means_below;  // μ̂(z) − w(z)
  Range bar;
};

double Warden::statistic(std::uint64_t plays, double rewards) const {
  return statistic_bound(plays, rewards, {});
}

double Warden::statistic_bound(std::uint64_t plays, double rewards, const SumPath& path) const {
  return range_along(plays, rewards, path, action_confidence_, PathBound::kLower).high;
}

// What is compared with the bar are the actions' μ̂ + w; after a rejection nothing is.
bool Warden::peak_settled() const {
  if (rejected_ || !(bar_bound_ > bar_)) return true;
  return std::none_of(uppers_.begin(), uppers_.end(), [&](double upper) {
    return upper >= bar_ - kCertificateMargin && upper <= bar_bound_ + kCertificateMargin;
  });
}

leap::Plan Warden::do_intend(Round limit) {
  take_stock();
  if (horizon_at(rounds_ + 1) != dial_.horizon) return leap::SingleRound{};
  if (!horizon_)
    limit = std::min(limit, static_cast<Round>(std::min(dial_.horizon, 0x1p62)) - rounds_);
  if (rejected_) {
    if (actions_.count(indices_.best()) == 0) return leap::SingleRound{};
    return leap::OneArm{{indices_.best(), limit}};
  }
  const Arm leader = causal_leader(bar_);
  const auto [arm, watched] = choice(bar_, false);
  if (leader == kNobody || actions_.count(arm) == 0) return leap::SingleRound{};
  if (!watched) return leap::OneArm{{arm, limit}, leap::Detail::kContexts};
  const double left = std::ceil(dial_.patience - static_cast<double>(watches_));
  limit = std::min({limit, static_cast<Round>(std::min(left, 0x1p62)), plays(leader) - plays(arm)});
  return leap::OneArm{{arm, limit, leader + 1u}, leap::Detail::kContexts};
}

bool Warden::do_holds(const leap::Plan& plan, const leap::Box& box) const {
  const Share& share = leap::shares_of(plan).front();
  const double rival = indices_.best_value_except(share.arm) + kCertificateMargin;
  if (rejected_) return direct_range(share.arm, box.arms.front()).low > rival;
  check_contexts_told(box);
  const Ranges ranges = ranges_in(share, box);
  if (watches(share) ? !(ranges.watch.low > rival) : !watch_stays_off(share, ranges)) return false;
  ARMATURE_CHECK(share.tag <= actions_count_, "a share that watches names the causal leader");
  const Arm leader = watches(share) ? static_cast<Arm>(share.tag - 1) : share.arm;
  return causal_leader_holds(leader, ranges) && (!causal_test_ || means_agree(ranges)) &&
         (!stratified_test_ || strata_.agrees_along(share.arm, box.contexts));
}

Warden::Ranges Warden::ranges_in(const Share& share, const leap::Box& box) const {
  const SumPath& path = box.arms.front();
  Ranges ranges{share.arm,
                range_along(actions_, share.arm, path, action_confidence_, PathBound::kUpper),
                range_along(actions_, share.arm, path, action_confidence_, PathBound::kLower),
                watch_range(share.arm, path),
                RangeList(contexts_.size()),
                ranges_along(contexts_, box.contexts, context_confidence_, PathBound::kUpper),
                ranges_along(contexts_, box.contexts, context_confidence_, PathBound::kLower),
                {bar_, std::max(bar_, bar_bound_)}};
  ranges.bar.high = std::max(ranges.bar.high, ranges.lower.high);
  for (Context z = 0; z < contexts_.size(); ++z)
    ranges.uppers[z] = context_range(z, box.contexts[z]);
  return ranges;
}

// J(a)
Range Warden::direct_range(Arm arm, const SumPath& path) const {
  const std::uint64_t n = actions_.count(arm);
  return upper_range_along(n, actions_.sum(arm), path, moss_factors(n, path, dial_.per_action));
}

// I(a) is the smaller one of J(a) and (Σ rewards + r)/n.
Range Warden::watch_range(Arm arm, const SumPath& path) const {
  const Range direct = direct_range(arm, path);
  const Range loss =
      upper_range_along(actions_.count(arm), actions_.sum(arm) + dial_.allowance, path, {0, 0});
  return {std::min(direct.low, loss.low), std::min(direct.high, loss.high)};
}

// U(z), which is 1 before the first visit.
Range Warden::context_range(Context z, const SumPath& path) const {
  const std::uint64_t n = contexts_.count(z);
  if (n == 0 && !(path.most > 0)) return {1, 1};
  const Range range =
      upper_range_along(n, contexts_.sum(z), path, moss_factors(n, path, dial_.per_context));
  if (n > 0) return range;
  return {std::min(1.0, range.low), std::max(1.0, range.high)};
}

// Nobody is watched in place of the action played: patience is over, or whoever may have a larger
// I has as many plays throughout.
bool Warden::watch_stays_off(const Share& share, const Ranges& ranges) const {
  if (static_cast<double>(watches_) >= dial_.patience) return true;
  const std::uint64_t most = plays(share.arm) + share.plays - 1;
  for (Arm a = 0; a < actions_count_; ++a)
    if (a != share.arm && plays(a) < most &&
        !(indices_.value(a) < ranges.watch.low - kCertificateMargin))
      return false;
  return true;
}

bool Warden::causal_leader_holds(Arm leader, const Ranges& ranges) const {
  const double upper = leader == ranges.played ? ranges.upper.low : uppers_[leader];
  if (!(upper > ranges.bar.high + kCertificateMargin)) return false;
  for (Arm a = 0; a < actions_count_; ++a)
    if (a != leader && !beats(leader, a, ranges)) return false;
  return true;
}

// The rival is below the bar, or min(μ̂ + w, C) of the leader is larger throughout. With identical
// rows C is the same to the bit: then the leader, lying at C, ties at worst, and wins if its I is
// larger.
bool Warden::beats(Arm leader, Arm rival, const Ranges& ranges) const {
  const auto range_of = [&](Arm a, const Range& moving, double still) {
    return a == ranges.played ? moving : Range{still, still};
  };
  const auto value_of = [&](Arm a) {
    return CappedValue{range_of(a, ranges.upper, uppers_[a]), rows_->row(a)};
  };
  const CappedValue mine = value_of(leader);
  const CappedValue other = value_of(rival);
  if (other.own.high < ranges.bar.low - kCertificateMargin) return true;
  if (mine.row == other.row && is_sum_for_all(*rows_, mine, ranges.uppers) &&
      range_of(leader, ranges.watch, indices_.value(leader)).low >
          range_of(rival, ranges.watch, indices_.value(rival)).high + kCertificateMargin)
    return true;
  return exceeds_for_all(*rows_, mine, other, ranges.uppers);
}

// The played action's own mean and its causal one, anywhere in the window.
bool Warden::means_agree(const Ranges& ranges) const {
  double least_above = epsilon_ / 2;
  double largest_below = -epsilon_ / 2;
  for (Context z = 0; z < contexts_.size(); ++z) {
    const double weight = rows_->at(rows_->row(ranges.played), z);
    least_above += weight * ranges.means_above[z].low;
    largest_below += weight * ranges.means_below[z].high;
  }
  return ranges.lower.high < least_above - kCertificateMargin &&
         ranges.upper.low > largest_below + kCertificateMargin;
}

void Warden::do_absorb(const leap::ShareOutcome& outcome) {
  const Share& share = outcome.share;
  if (!rejected_) check_contexts_told(outcome);
  rounds_ += share.plays;
  if (watches(share)) watches_ += share.plays;
  actions_.add(share.arm, share.plays, outcome.sum);
  update_action(share.arm);
  if (rejected_) return;
  for (Context z = 0; z < contexts_.size(); ++z) {
    if (outcome.visits[z] == 0) continue;
    contexts_.add(z, outcome.visits[z], outcome.sums[z]);
    update_context(z);
    strata_.add(share.arm, z, outcome.visits[z], outcome.sums[z]);
  }
}

}  // namespace armature
