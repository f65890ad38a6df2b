// What all walks of one leaping replication share: the laws, the streams, what the result may be
// off by, and how much has been done.
#pragma once

#include "armature/simulate.h"
#include "simulate/leap_laws.h"

namespace armature::leap {

/// What a replication may be off by, and what of it is spent. The k-th certificate that is relied
/// on may fail with probability tol·6/(π²(k+1)²), so that all together stay below tol, however many
/// there will be. A certificate that is tried and not relied on costs nothing.
class ErrorLedger {
 public:
  explicit ErrorLedger(double tolerance) : tolerance_(tolerance) { next(); }

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

/// Single rounds meet the luck that the step engine's rounds meet; what is drawn together comes
/// from a stream of its own, so that a leap leaves the luck of later single rounds alone.
struct Resources {
  const Laws& laws;
  Environment environment;
  Stream policy_stream;
  Stream stream;
  ErrorLedger ledger;
  std::uint64_t events = 0;
  std::uint64_t draws = 0;  // of binomials and hypergeometrics
  std::uint64_t rounds_stepped = 0;
  std::uint64_t max_events = 0;

  /// Throws Error beyond the limit.
  void count_events(std::uint64_t events);
  /// Something was divided among so many cells, one draw each; the last one takes what is left.
  void count_draws(std::size_t cells) { draws += cells - 1; }
  /// What the replication may be off by in total variation: certificates that fail, and samplers.
  double error() const;
};

/// A piece of a walk: plays of one arm, their rewards, and how often each reward value of the
/// instance came (left out for a single play, which cannot be cut).
struct Segment {
  Arm arm = 0;
  std::uint64_t plays = 0;
  double sum = 0;
  std::vector<std::uint64_t> value_counts;
};

/// How far the sum is off the chord of a segment on its way, given its ends, except with
/// probability 4·exp(−H): rewards in random order.
double bridge_slack(const Segment& segment, double log_inverse_probability);
/// Cuts the first plays off a segment, by the exact conditional law, and returns them.
Segment cut_segment(Segment& segment, std::uint64_t plays, Resources& resources);

}  // namespace armature::leap
