// What a log of these sizes would have shown: the probability that a shift of one action's rewards,
// the same in every context, leads to a rejection, and the least shift that does so four times out
// of five. From counts, by normal approximation, and of the tests context by context alone: what
// combining them adds comes on top.
#pragma once

#include <optional>
#include <vector>

#include "audit/estimates.h"

namespace armature {

enum class TestKind { kExact, kPermutation, kEvidence };

class AuditPower {
 public:
  /// `share` of the rows is what the test looks at (a reservoir).
  AuditPower(const Estimates& estimates, TestKind kind, double level, double share = 1);

  /// A mean is never shifted beyond 0 or 1, and towards ½: there rewards vary most.
  double power(std::size_t action, double violation) const;
  /// None: not even a shift of 1.
  std::optional<double> smallest(std::size_t action) const;
  /// The same of a shift in this context alone.
  std::optional<double> smallest_in(std::size_t action, std::size_t context) const;

  static constexpr double kWanted = 0.8;

 private:
  struct Place {
    double own = 0;     // rows
    double others = 0;  // rows
    double mean = 0;
    double variance = 0;     // of rewards that are not binary
    double degrees = 0;      // of the test in this context
    double critical = 0;     // of that test
    double least_shown = 0;  // of the e-process: the difference that is enough
    bool testable = false;
  };
  double power_in(const Place& place, double violation) const;

  const Estimates& estimates_;
  TestKind kind_;
  std::vector<Place> places_;  // action by action
};

}  // namespace armature
