// One leaping policy on its way: it goes as many rounds at a time as a certificate covers, and
// round by round where none covers enough (docs/leap.md).
#pragma once

#include <deque>

#include "armature/simulate.h"
#include "simulate/leap_laws.h"

namespace armature {

/// What a replication may be off by, and what of it is spent. The k-th certificate that is relied
/// on may fail with probability tol·6/(π²(k+1)²), so that all together stay below tol.
class LeapLedger {
 public:
  explicit LeapLedger(double tolerance) : tolerance_(tolerance) { next(); }

  /// log(1/η) of the next certificate.
  double log_inverse() const { return log_inverse_; }
  void spend() {
    spent_ += failure_;
    ++certificates_;
    next();
  }
  double spent() const { return spent_; }

 private:
  void next();

  double tolerance_;
  double certificates_ = 0;
  double spent_ = 0;
  double failure_ = 0;
  double log_inverse_ = 0;
};

/// What all walks of a replication share.
struct LeapContext {
  const LeapLaws& laws;
  Environment environment;  // for single rounds
  Stream policy_stream;
  Stream stream;  // for blocks
  LeapLedger ledger;
  std::uint64_t events = 0;
  std::uint64_t rounds_stepped = 0;
  std::uint64_t max_events;

  /// Throws Error beyond the limit.
  void count_events(std::uint64_t events);
};

/// A piece of a walk: plays of one arm, their rewards, and how often each reward value of the
/// instance came (left out for a single play, which cannot be cut).
struct Segment {
  Arm arm = 0;
  std::uint64_t plays = 0;
  double sum = 0;
  std::vector<std::uint64_t> value_counts;
};

class LeapWalk {
 public:
  /// A leap shorter than this costs more than its rounds.
  static constexpr Round kShortestLeap = 50;

  LeapWalk(AnyPolicy& policy, LeapContext& context);

  /// Goes on by at most so many rounds (at least one), counts the pulls of each arm, and returns
  /// how many rounds it went.
  Round advance(Round limit, std::span<std::uint64_t> pulls);
  /// The same, written down piece by piece in the order of play.
  void advance(Round limit, std::deque<Segment>& segments);

 private:
  bool certify(Round limit);
  bool certified(Round rounds);
  void lay_out(Round rounds);
  void bound_paths();
  void bound_contexts_of_one(const Share& share, double log_inverse);
  void bound_contexts_of_many(double log_inverse);
  Path shared_path(Context z, double log_inverse) const;
  void draw_shares_at_random();
  double play_share(const Share& share);
  Round rounds_to_step(Round limit);

  AnyPolicy& policy_;
  LeapContext& context_;
  std::vector<Round> guess_;  // how far the last certificate reached, per leading arm
  Round patience_;            // rounds to step after a failed try

  // Scratch.
  Plan plan_;
  std::vector<Path> arm_paths_;
  std::vector<Path> context_paths_;
  std::vector<std::uint64_t> visits_;
  std::vector<double> sums_;
  std::vector<std::uint64_t> value_counts_;    // of the share just played
  std::vector<std::uint64_t> context_values_;  // of one context of it
};

}  // namespace armature
