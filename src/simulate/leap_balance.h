// A balancer in leaps (docs/leap.md, "Balancing"): each learner walks by itself, ahead of the
// schedule; the schedule takes windows of their plays in which the activity test cannot change its
// verdict, and cuts a learner's segments, by the exact conditional law, only where it could.
#pragma once

#include <deque>

#include "simulate/leap_walk.h"

namespace armature {

class LeapBalance {
 public:
  LeapBalance(LeapBalancer& balancer, LeapContext& context, Round horizon);

  /// Goes on by at most so many rounds (at least one), counts the pulls of each arm, and returns
  /// how many rounds it went.
  Round advance(Round limit, std::span<std::uint64_t> pulls);

 private:
  /// A learner's own history: what the schedule has not taken yet.
  struct Lane {
    LeapWalk walk;
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

  LeapBalancer& balancer_;
  LeapContext& context_;
  Round horizon_;
  Round round_ = 0;
  Round guess_ = 1;  // no window longer than this is tried
  std::vector<Lane> lanes_;
  bool stepping_ = false;    // round by round next
  Round patience_ = 64;      // for so many rounds
  Round recent_rounds_ = 0;  // in the windows since the last look back
  int recent_windows_ = 0;

  // The window under consideration.
  Round rounds_ = 0;
  std::vector<std::uint64_t> plays_;
  std::vector<Range> means_;
  bool bridged_ = false;  // its certificate can fail
  std::vector<double> sums_;
};

}  // namespace armature
