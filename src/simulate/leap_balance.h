// A balancer in leaps (docs/leap.md, "Balancing"): each learner walks by itself, ahead of the
// schedule; the schedule takes windows of their plays in which the activity test cannot change its
// verdict, and cuts a learner's segments, by the exact conditional law, only where it could. A
// window never reaches past the next checkpoint, and the balancer counts every window it is told
// of, so that at a checkpoint pulls and shares are those of its round, though learners have walked
// on.
#pragma once

#include <deque>

#include "simulate/leap_walk.h"
#include "simulate/replication.h"

namespace armature::leap {

class BalancerWalk final : public Walker {
 public:
  BalancerWalk(Balancer& balancer, Resources& resources, Round horizon);

  Round advance(Round limit, std::span<std::uint64_t> pulls) override;

 private:
  /// A learner's own history: what the schedule has not taken yet.
  struct Lane {
    PolicyWalk walk;
    std::deque<Segment> segments;  // to come; the first one may be taken in part
    std::uint64_t queued = 0;      // plays in them that are not taken
    std::uint64_t taken = 0;       // of the first segment
    std::uint64_t count = 0;       // plays before the first segment
    double sum = 0;                // rewards before the first segment
  };

  void lay_out(std::size_t last, std::uint64_t plays);
  void walk_ahead(Lane& lane);
  void widest_window();
  std::size_t next_learner() const;
  bool halve();
  bool certified();
  bool passes(double log_inverse);
  bool narrow();
  Range means_of(const Lane& lane, std::uint64_t plays, double log_inverse);
  bool cut(Lane& lane, std::uint64_t place);
  bool cut_at_window();
  void take(std::span<std::uint64_t> pulls);
  void settle();
  void shred(Lane& lane);
  void step(Round rounds, std::span<std::uint64_t> pulls);
  bool chatters();

  Balancer& balancer_;
  Resources& resources_;
  Round horizon_;
  Round round_ = 0;
  Round guess_ = 1;  // no window longer than this is tried
  std::vector<Lane> lanes_;
  bool stepping_ = false;    // round by round next
  Round patience_ = 64;      // for how many rounds
  Round recent_rounds_ = 0;  // in the windows since the last look back
  int recent_windows_ = 0;

  // The window under consideration.
  Round rounds_ = 0;
  std::vector<std::uint64_t> plays_;
  std::vector<Range> means_;
  bool bridged_ = false;  // its certificate can fail
  std::vector<double> sums_;
};

}  // namespace armature::leap
