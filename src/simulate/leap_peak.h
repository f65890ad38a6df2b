// The largest value a statistic had inside blocks of which only the ends are known (docs/leap.md,
// "Peaks"): a bound for each block, and cuts by the exact conditional law where a choice depends on
// more.
#pragma once

#include "simulate/leap_walk.h"

namespace armature {

class LeapPeaks {
 public:
  LeapPeaks(LeapPeak& policy, LeapContext& context) : policy_(policy), context_(context) {}

  /// The arm's next block, before the policy absorbs it: it starts from these plays and rewards.
  void add(Arm arm, std::uint64_t plays, double sum, std::vector<std::uint64_t> value_counts);
  /// Looks closer until the policy's choice does not depend on where the peak is.
  void settle();

 private:
  /// A block whose inside may hold the peak.
  struct Open {
    std::uint64_t before = 0;  // plays and rewards before it
    double rewards = 0;
    Segment segment;
    double bound = 0;
    bool operator<(const Open& other) const { return bound < other.bound; }
  };
  void open(Open block);
  void look_closer();
  void tell_bound();

  LeapPeak& policy_;
  LeapContext& context_;
  std::vector<Open> blocks_;  // a heap, the largest bound first
  std::size_t many_ = 64;     // with more of them, those below the peak are thrown out
};

}  // namespace armature
