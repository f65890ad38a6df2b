#include "simulate/leap_peak.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"

namespace armature {

void LeapPeaks::add(Arm arm, std::uint64_t plays, double sum,
                    std::vector<std::uint64_t> value_counts) {
  open({policy_.plays_of(arm),
        policy_.rewards_of(arm),
        {arm, plays, sum, std::move(value_counts)},
        0});
  tell_bound();
}

void LeapPeaks::open(Open block) {
  if (block.segment.plays < 2) return;  // its ends are all there is
  const double slack =
      bridge_slack(block.segment, context_.ledger.log_inverse() + portable::log(4.0));
  const auto length = static_cast<double>(block.segment.plays);
  block.bound = policy_.statistic_bound(block.before, block.rewards,
                                        {length, block.segment.sum / length, slack, slack});
  context_.ledger.spend();
  if (block.bound <= policy_.peak()) return;
  blocks_.push_back(std::move(block));
  std::push_heap(blocks_.begin(), blocks_.end());
}

// Cuts the block with the largest bound in two.
void LeapPeaks::look_closer() {
  std::pop_heap(blocks_.begin(), blocks_.end());
  Open tail = std::move(blocks_.back());
  blocks_.pop_back();
  if (tail.bound <= policy_.peak()) return;
  Open head{tail.before, tail.rewards, cut_segment(tail.segment, tail.segment.plays / 2, context_),
            0};
  tail.before += head.segment.plays;
  tail.rewards += head.segment.sum;
  policy_.raise_peak(policy_.statistic(tail.before, tail.rewards));
  open(std::move(head));
  open(std::move(tail));
}

void LeapPeaks::tell_bound() {
  if (blocks_.size() > many_) {
    std::erase_if(blocks_, [&](const Open& block) { return block.bound <= policy_.peak(); });
    std::make_heap(blocks_.begin(), blocks_.end());
    many_ = std::max(many_, 2 * blocks_.size());
  }
  policy_.bound_peak(blocks_.empty() ? -std::numeric_limits<double>::infinity()
                                     : blocks_.front().bound);
}

void LeapPeaks::settle() {
  while (!policy_.peak_settled()) {
    look_closer();
    tell_bound();
  }
}

}  // namespace armature
