#include "simulate/leap_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "armature/error.h"
#include "base/discrete.h"
#include "base/mathematics.h"

namespace armature::leap {

// Σ 1/k² = π²/6: a square falls fast enough for the sum to be finite, and slowly enough for
// log(1/η) to grow by no more than 2·log k, which widens later boxes by a few per cent only.
void ErrorLedger::next() {
  const double k = certificates_ + 1;
  failure_ = tolerance_ * 6 / (std::numbers::pi * std::numbers::pi * k * k);
  log_inverse_ = -portable::log(failure_);
}

// A choice that chatters for ever would otherwise run for days without a word.
void Resources::count_events(std::uint64_t more) {
  events += more;
  if (events > max_events)
    throw Error(
        {"", "--max-events", fmt::format("{} events", events),
         fmt::format("at most {}: the choice changes too often to leap here ({} rounds were "
                     "played one by one); a shorter horizon, or more events",
                     max_events, rounds_stepped)});
}

double Resources::error() const {
  return ledger.spent() + kDrawVariation * static_cast<double>(draws);
}

double bridge_slack(const Segment& segment, double log_inverse_probability) {
  if (segment.plays < 2) return 0;
  const auto length = static_cast<double>(segment.plays);
  // Never by more than all its rewards, or all that is missing to one a play: of a segment with
  // hardly any rewards, or hardly any missing, that says more than the inequality does.
  return std::max(0.0, std::min({std::sqrt((length + 2) * log_inverse_probability / 2), segment.sum,
                                 length - segment.sum}));
}

// Which of a segment's plays come first is a uniform choice, as they are independent draws of one
// law: the values among them are hypergeometric.
Segment cut_segment(Segment& segment, std::uint64_t plays, Resources& resources) {
  Segment head{segment.arm, plays, 0, segment.value_counts};
  // Value by value: how many of this one among those still to be drawn, given the ones before.
  std::uint64_t others = segment.plays;
  std::uint64_t draws = plays;
  for (std::size_t v = 0; v < head.value_counts.size(); ++v) {
    const std::uint64_t marked = segment.value_counts[v];
    others -= marked;
    head.value_counts[v] = hypergeometric(resources.stream, marked, others, draws);
    draws -= head.value_counts[v];
    segment.value_counts[v] -= head.value_counts[v];
  }
  resources.count_draws(head.value_counts.size());
  // Both sums anew from the counts: taking one from the other would leave rounding behind.
  head.sum = resources.laws.sum(head.value_counts);
  segment.plays -= plays;
  segment.sum = resources.laws.sum(segment.value_counts);
  resources.count_events(1);
  return head;
}

}  // namespace armature::leap
