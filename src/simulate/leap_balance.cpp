#include "simulate/leap_balance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/discrete.h"

namespace armature {

LeapBalance::LeapBalance(LeapBalancer& balancer, LeapContext& context, Round horizon)
    : balancer_(balancer),
      context_(context),
      horizon_(horizon),
      plays_(balancer.learners()),
      means_(balancer.learners()),
      sums_(balancer.learners()) {
  for (std::size_t i = 0; i < balancer.learners(); ++i)
    lanes_.push_back({LeapWalk(balancer.learner(i), context), {}, 0, 0, 0, 0});
}

// --- Windows

// The window that ends with learner `last`'s play number `plays` from now. The others have by then
// played whatever stands at a lower level.
void LeapBalance::lay_out(std::size_t last, std::uint64_t plays) {
  const auto played = [&](std::size_t i) { return lanes_[i].count + lanes_[i].taken; };
  const double bar = balancer_.level(last, played(last) + plays - 1);
  rounds_ = 0;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    plays_[i] = 0;
    if (!balancer_.active(i)) continue;
    const std::uint64_t below = balancer_.plays_below(i, bar, i < last);
    plays_[i] = i == last ? plays : below > played(i) ? below - played(i) : 0;
    rounds_ += plays_[i];
  }
}

// As far as every active learner's own walk has gone.
void LeapBalance::widest_window() {
  std::size_t last = lanes_.size();
  double bar = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!balancer_.active(i)) continue;
    Lane& lane = lanes_[i];
    while (lane.queued == 0) {
      lane.walk.advance(horizon_ - round_, lane.segments);
      for (const Segment& segment : lane.segments) lane.queued += segment.plays;
    }
    const double end = balancer_.level(i, lane.count + lane.taken + lane.queued - 1);
    if (end < bar) {
      bar = end;
      last = i;
    }
  }
  lay_out(last, lanes_[last].queued);
}

// Half of what the busiest learner plays; false if the window is a single round.
bool LeapBalance::halve() {
  if (rounds_ == 1) return false;
  const auto busiest = std::max_element(plays_.begin(), plays_.end());
  if (*busiest > 1) {
    lay_out(static_cast<std::size_t>(busiest - plays_.begin()), *busiest / 2);
    return true;
  }
  // One play each: the first of them alone.
  std::size_t first = lanes_.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!balancer_.active(i)) continue;
    const double level = balancer_.level(i, lanes_[i].count + lanes_[i].taken);
    if (level < least) {
      least = level;
      first = i;
    }
  }
  std::fill(plays_.begin(), plays_.end(), 0);
  plays_[first] = rounds_ = 1;
  return true;
}

bool LeapBalance::certified() {
  std::size_t segments = 0;
  for (const Lane& lane : lanes_) segments += lane.segments.size();
  // Two sides and two halves of each bridge.
  const double log_inverse =
      context_.ledger.log_inverse() +
      std::log(4.0 * static_cast<double>(std::max<std::size_t>(segments, 1)));
  bridged_ = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    means_[i] = means_of(lanes_[i], plays_[i], log_inverse);
  return balancer_.stays({rounds_, plays_, means_});
}

// Where the learner's mean reward can be over its next plays, those before them included. A segment
// whose ends are known is a bridge: rewards in random order, so that after k of its L plays the sum
// is off the chord by less than sqrt(L(1 + 2/L)·H/2) (docs/leap.md), and by no more than all its
// rewards, or all that is missing to L.
Range LeapBalance::means_of(const Lane& lane, std::uint64_t plays, double log_inverse) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  auto count = static_cast<double>(lane.count);
  double sum = lane.sum;
  const auto see = [&](double at, double rewards, double slack) {
    if (at <= 0) return;
    range.low = std::min(range.low, (rewards - slack) / at);
    range.high = std::max(range.high, (rewards + slack) / at);
  };
  if (lane.segments.empty() || (lane.taken == 0 && plays == 0)) see(count, sum, 0);
  std::uint64_t from = lane.taken;
  std::uint64_t left = lane.taken + plays;
  for (const Segment& segment : lane.segments) {
    if (left == 0) break;
    const std::uint64_t to = std::min(segment.plays, left);
    const auto length = static_cast<double>(segment.plays);
    double slack = 0;
    if (segment.plays > 1) {
      bridged_ = true;
      slack =
          std::min({std::sqrt((length + 2) * log_inverse / 2), segment.sum, length - segment.sum});
    }
    const double rate = segment.sum / length;
    for (const std::uint64_t k : {from, to})
      see(count + static_cast<double>(k), sum + static_cast<double>(k) * rate, slack);
    count += length;
    sum += segment.sum;
    left -= to;
    from = 0;
  }
  return range;
}

// --- Cutting

// Makes a boundary after so many plays from the first segment's start. Which of a segment's plays
// come first is a uniform choice, so the values among them are hypergeometric.
void LeapBalance::cut(Lane& lane, std::uint64_t place) {
  auto at = lane.segments.begin();
  while (at != lane.segments.end() && place >= at->plays) {
    place -= at->plays;
    ++at;
  }
  if (place == 0 || at == lane.segments.end()) return;
  Segment head{at->arm, place, 0, at->value_counts};
  std::uint64_t others = at->plays;
  std::uint64_t draws = place;
  for (std::size_t v = 0; v < head.value_counts.size(); ++v) {
    const std::uint64_t marked = at->value_counts[v];
    others -= marked;
    head.value_counts[v] = hypergeometric(context_.stream, marked, others, draws);
    draws -= head.value_counts[v];
    at->value_counts[v] -= head.value_counts[v];
  }
  head.sum = context_.laws.sum(head.value_counts);
  at->plays -= place;
  at->sum = context_.laws.sum(at->value_counts);
  lane.segments.insert(at, std::move(head));
  context_.count_events(1);
}

// Boundaries where each learner stands now and where the window ends.
void LeapBalance::cut_at_window() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    cut(lanes_[i], lanes_[i].taken);
    cut(lanes_[i], lanes_[i].taken + plays_[i]);
    if (lanes_[i].taken == 0 || lanes_[i].taken < lanes_[i].segments.front().plays) continue;
    // The first segment is now behind the learner.
    lanes_[i].count += lanes_[i].segments.front().plays;
    lanes_[i].sum += lanes_[i].segments.front().sum;
    lanes_[i].segments.pop_front();
    lanes_[i].taken = 0;
  }
}

// --- Going on

void LeapBalance::take(std::span<std::uint64_t> pulls) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    lane.queued -= plays_[i];
    std::uint64_t left = plays_[i];
    while (left > 0) {
      const Segment& segment = lane.segments.front();
      const std::uint64_t now = std::min(left, segment.plays - lane.taken);
      pulls[segment.arm] += now;
      lane.taken += now;
      left -= now;
      if (lane.taken < segment.plays) break;
      lane.count += segment.plays;
      lane.sum += segment.sum;
      lane.taken = 0;
      lane.segments.pop_front();
    }
  }
  balancer_.pass(rounds_, plays_);
  round_ += rounds_;
}

void LeapBalance::settle() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) sums_[i] = lanes_[i].sum;
  balancer_.settle(sums_);
}

Round LeapBalance::advance(Round limit, std::span<std::uint64_t> pulls) {
  widest_window();
  while (rounds_ > limit || rounds_ / 4 > guess_) halve();
  bool stays = certified();
  while (!stays && halve()) {
    cut_at_window();
    stays = certified();
  }
  if (stays && bridged_) context_.ledger.spend();
  context_.count_events(1);
  guess_ = rounds_;
  if (!stays) cut_at_window();
  take(pulls);
  if (!stays && round_ < horizon_) settle();
  return rounds_;
}

}  // namespace armature
