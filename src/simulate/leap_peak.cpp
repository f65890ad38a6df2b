#include "simulate/leap_peak.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"

namespace armature::leap {

void PeakSearch::add(Segment segment) {
  const Arm arm = segment.arm;
  suspect({keeper_.plays_of(arm), keeper_.rewards_of(arm), std::move(segment), 0});
  tell_bound();
}

// The bound is relied on from now on, whether or not anything comes of it: it is paid for here.
void PeakSearch::suspect(Suspect suspect) {
  if (suspect.segment.plays < 2) return;  // its ends are all there is
  const double slack =
      bridge_slack(suspect.segment, resources_.ledger.log_inverse() + portable::log(4.0));
  const auto length = static_cast<double>(suspect.segment.plays);
  suspect.bound = keeper_.statistic_bound(suspect.before, suspect.rewards,
                                          {length, suspect.segment.sum / length, slack, slack});
  resources_.ledger.spend();
  if (suspect.bound <= keeper_.peak()) return;  // the peak only rises: it is cleared for ever
  suspects_.push_back(std::move(suspect));
  std::push_heap(suspects_.begin(), suspects_.end());
}

// Cuts the segment with the largest bound in two: what is known of its middle raises the peak, or
// each half is bounded more closely. Either way the interval of the peak shrinks.
void PeakSearch::look_closer() {
  std::pop_heap(suspects_.begin(), suspects_.end());
  Suspect tail = std::move(suspects_.back());
  suspects_.pop_back();
  if (tail.bound <= keeper_.peak()) return;  // overtaken since: no draw is wasted on it
  Suspect head{tail.before, tail.rewards,
               cut_segment(tail.segment, tail.segment.plays / 2, resources_), 0};
  tail.before += head.segment.plays;
  tail.rewards += head.segment.sum;
  keeper_.raise_peak(keeper_.statistic(tail.before, tail.rewards));
  suspect(std::move(head));
  suspect(std::move(tail));
}

// Most suspects are overtaken by the peak before they are ever looked at; they are swept out when
// there are many, so that the heap stays as short as what is really open.
void PeakSearch::tell_bound() {
  if (suspects_.size() > many_) {
    std::erase_if(suspects_, [&](const Suspect& one) { return one.bound <= keeper_.peak(); });
    std::make_heap(suspects_.begin(), suspects_.end());
    many_ = std::max(many_, 2 * suspects_.size());
  }
  keeper_.bound_peak(suspects_.empty() ? -std::numeric_limits<double>::infinity()
                                       : suspects_.front().bound);
}

// Ends, as every cut halves a segment and one of a single play holds no secret.
void PeakSearch::settle() {
  while (!keeper_.peak_settled()) {
    look_closer();
    tell_bound();
  }
}

}  // namespace armature::leap
