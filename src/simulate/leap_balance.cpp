#include "simulate/leap_balance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"

namespace armature::leap {

BalancerWalk::BalancerWalk(Balancer& balancer, Resources& resources, Round horizon)
    : balancer_(balancer),
      resources_(resources),
      horizon_(horizon),
      plays_(balancer.learners()),
      means_(balancer.learners()),
      sums_(balancer.learners()) {
  for (std::size_t i = 0; i < balancer.learners(); ++i)
    lanes_.push_back({PolicyWalk(balancer.learner(i), resources), {}, 0, 0, 0, 0});
}

namespace {

constexpr Round kLongest = Round{1} << 62;

}  // namespace

// --- Windows

// The window that ends with learner `last`'s play number `plays` from now. The others have by then
// played whatever stands at a lower level: while the active set stays, the schedule is a function
// of the counts alone, so that no round has to be looked at. An equal level goes to the lower
// index.
void BalancerWalk::lay_out(std::size_t last, std::uint64_t plays) {
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

// Several advances at once, so that one test covers many short segments. What lies beyond the
// horizon can never be taken: the learner does not go there.
void BalancerWalk::walk_ahead(Lane& lane) {
  constexpr int kAdvances = 16;
  SegmentList journal(lane.segments);
  for (int i = 0; i < kAdvances && lane.queued < horizon_ - round_; ++i)
    lane.queued += lane.walk.advance(horizon_ - round_ - lane.queued, journal);
}

// As far as every active learner's own walk has gone: the first of them to run out ends it.
void BalancerWalk::widest_window() {
  std::size_t last = lanes_.size();
  double bar = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!balancer_.active(i)) continue;
    Lane& lane = lanes_[i];
    if (lane.queued == 0) walk_ahead(lane);
    const double end = balancer_.level(i, lane.count + lane.taken + lane.queued - 1);
    if (end < bar) {
      bar = end;
      last = i;
    }
  }
  lay_out(last, lanes_[last].queued);
}

std::size_t BalancerWalk::next_learner() const {
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
  return first;
}

// Half of what the busiest learner plays, as most of the window is its plays; false if the window
// is a single round.
bool BalancerWalk::halve() {
  if (rounds_ == 1) return false;
  const auto busiest = std::max_element(plays_.begin(), plays_.end());
  if (*busiest > 1) {
    lay_out(static_cast<std::size_t>(busiest - plays_.begin()), *busiest / 2);
    return true;
  }
  // One play each: the first of them alone.
  const std::size_t first = next_learner();
  std::fill(plays_.begin(), plays_.end(), 0);
  plays_[first] = rounds_ = 1;
  return true;
}

bool BalancerWalk::certified() {
  std::size_t segments = 1;
  for (const Lane& lane : lanes_) segments += lane.segments.size();
  // Two sides and two halves of each bridge; one more segment than there are, so that none at all
  // has a probability to share too.
  return passes(resources_.ledger.log_inverse() +
                portable::log(4.0 * static_cast<double>(segments)));
}

// Does the test pass throughout if bridges stray as far as that?
bool BalancerWalk::passes(double log_inverse) {
  bridged_ = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    means_[i] = means_of(lanes_[i], plays_[i], log_inverse);
  return balancer_.stays({rounds_, plays_, means_});
}

// A failed window is cut at its ends if it is for not knowing more that it failed (with no slack at
// all it would pass), and is halved otherwise, which is free: a cut draws, a shorter window does
// not. False if it can be neither.
bool BalancerWalk::narrow() { return (bridged_ && passes(0) && cut_at_window()) || halve(); }

// Where the learner's mean reward can be over its next plays, the ones before them included. A
// segment whose ends are known is a bridge: its sum stays near the chord. On a chord the mean is
// monotone, so its ends are enough.
Range BalancerWalk::means_of(const Lane& lane, std::uint64_t plays, double log_inverse) {
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
    const double slack = bridge_slack(segment, log_inverse);
    bridged_ = bridged_ || slack > 0;
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

// Makes a boundary `place` plays after the first segment's start, if there is none. A long
// segment is halved on the way, so that what lies ahead is in pieces of the length it will be
// needed in.
bool BalancerWalk::cut(Lane& lane, std::uint64_t place) {
  auto at = lane.segments.begin();
  while (at != lane.segments.end() && place >= at->plays) {
    place -= at->plays;
    ++at;
  }
  if (place == 0 || at == lane.segments.end()) return false;
  while (at->plays / 4 > place)
    at = lane.segments.insert(at, cut_segment(*at, at->plays / 2, resources_));
  lane.segments.insert(at, cut_segment(*at, place, resources_));
  return true;
}

// Boundaries where each learner stands now and where the window ends, where a test would need the
// sums to be exact; false if they were there.
bool BalancerWalk::cut_at_window() {
  bool any = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    any = cut(lane, lane.taken) || any;
    any = cut(lane, lane.taken + plays_[i]) || any;
    if (lane.taken == 0 || lane.taken < lane.segments.front().plays) continue;
    // The first segment is now behind the learner.
    lane.count += lane.taken;
    lane.sum += lane.segments.front().sum;
    lane.segments.pop_front();
    lane.taken = 0;
  }
  return any;
}

// --- Going on

// Plays the window: the arms are known from the segments, and of a segment taken in part only the
// number of plays is needed. The rewards are told when a test needs them (settle).
void BalancerWalk::take(std::span<std::uint64_t> pulls) {
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

// Only where every learner stands at a boundary: elsewhere the sums so far are not known.
void BalancerWalk::settle() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) sums_[i] = lanes_[i].sum;
  balancer_.settle(sums_);
}

// --- Round by round

// The next plays of a learner as segments of one play each: its cards in random order. As many at a
// time as one cut by the hypergeometric law is worth.
void BalancerWalk::shred(Lane& lane) {
  constexpr std::uint64_t kAtATime = 128;
  if (lane.queued == 0) walk_ahead(lane);
  if (lane.segments.front().plays == 1) return;
  cut(lane, kAtATime);
  Segment segment = std::move(lane.segments.front());
  lane.segments.pop_front();
  resources_.rounds_stepped += segment.plays;
  resources_.count_events(segment.plays);
  for (; segment.plays > 0; --segment.plays) {
    std::uint32_t card =
        uniform_index(resources_.stream, static_cast<std::uint32_t>(segment.plays));
    std::size_t v = 0;
    while (card >= segment.value_counts[v])
      card -= static_cast<std::uint32_t>(segment.value_counts[v++]);
    --segment.value_counts[v];
    lane.segments.push_front({segment.arm, 1, resources_.laws.value(v), {}});
  }
}

void BalancerWalk::step(Round rounds, std::span<std::uint64_t> pulls) {
  std::fill(plays_.begin(), plays_.end(), 0);
  cut_at_window();  // an empty window: everybody stands at a boundary from here on
  rounds_ = 1;
  for (Round i = 0; i < rounds; ++i) {
    const std::size_t next = next_learner();
    shred(lanes_[next]);
    plays_[next] = 1;
    take(pulls);
    plays_[next] = 0;
    if (round_ < horizon_) settle();  // as the step engine, which tests before the next choice
  }
}

// Looks back after every kWindows windows: where they were short on average, rounds are stepped for
// a while, and for longer and longer while that does not change.
bool BalancerWalk::chatters() {
  constexpr int kWindows = 32;
  recent_rounds_ += rounds_;
  if (++recent_windows_ < kWindows) return false;
  const bool shorter = recent_rounds_ < kWindows * PolicyWalk::kShortestLeap;
  recent_rounds_ = 0;
  recent_windows_ = 0;
  patience_ = shorter ? std::min<Round>(2 * patience_, 1 << 14) : 64;
  return shorter;
}

// A window that is certain to pass is taken without running the test. The verdict stays, and so
// does what the policy knows of rewards, until a window of one round makes the test run on exact
// sums.
Round BalancerWalk::advance(Round limit, std::span<std::uint64_t> pulls) {
  if (stepping_) {
    stepping_ = false;
    const Round rounds = std::min(limit, patience_);
    step(rounds, pulls);
    return rounds;
  }
  widest_window();
  while (rounds_ > std::min(limit, guess_)) halve();
  bool stays = certified();
  const bool at_once = stays;
  while (!stays && narrow()) stays = certified();
  if (!stays) cut_at_window();  // a single round, to be tested with what it brings
  if (stays && bridged_) resources_.ledger.spend();
  resources_.count_events(1);
  // After a failure windows start from where it ended, and soon widen again: by 32, as a try that
  // fails is halved at no cost, while windows that are too short cost a test each.
  guess_ = at_once ? std::min(guess_, kLongest / 32) * 32 : std::max<Round>(rounds_, 2);
  take(pulls);
  if (!stays && round_ < horizon_) settle();
  stepping_ = chatters();
  return rounds_;
}

}  // namespace armature::leap
