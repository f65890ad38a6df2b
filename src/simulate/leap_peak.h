// The largest value a statistic had inside segments of which only the ends are known (docs/leap.md,
// "Peaks"): a bound for each segment, and cuts by the exact conditional law where a choice depends
// on more.
#pragma once

#include "armature/leap.h"
#include "simulate/leap_resources.h"

namespace armature::leap {

class PeakSearch {
 public:
  PeakSearch(PeakKeeper& keeper, Resources& resources) : keeper_(keeper), resources_(resources) {}

  /// The arm's next plays, before the policy absorbs them: they start from its statistics now.
  void add(Segment segment);
  /// Looks closer until the policy's choice does not depend on where the peak is.
  void settle();

 private:
  /// A segment whose inside may hold the peak.
  struct Suspect {
    std::uint64_t before = 0;  // plays and rewards before it
    double rewards = 0;
    Segment segment;
    double bound = 0;
    bool operator<(const Suspect& other) const { return bound < other.bound; }
  };
  void suspect(Suspect suspect);
  void look_closer();
  void tell_bound();

  PeakKeeper& keeper_;
  Resources& resources_;
  std::vector<Suspect> suspects_;  // a heap, the largest bound first
  std::size_t many_ = 64;          // with more of them, those below the peak are thrown out
};

}  // namespace armature::leap
