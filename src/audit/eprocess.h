// Evidence against a separator that may be looked at whenever one likes, in logs of policies that
// learn (docs/audit.md, "The e-process"). Null: given the past, the action and the context z, the
// expected reward is a number m(z) that does not depend on the action. Then the value of the
// process at any stopping time has an expectation of at most 1, and it ever reaches 1/α with
// probability at most α.
//
// In a context with k actions, of which action a has n_a rows with rewards that sum to S_a:
//   E(z) = ½·Σ_a w_a·L(a)·L(all others) + ½·Π_a L(a), each divided by max_m m^S (1−m)^(n−S),
// L(group) = ∫ q^S (1−q)^(n−S) dBeta(½,½)(q). Over contexts: ½·Σ_z w_z·E(z) + ½·Π (½ + ½·E(z)). The
// weights w are fixed before the first row, also of names yet to come (`name_weight`): those sum
// to 1.
#pragma once

#include <vector>

#include "audit/table.h"

namespace armature {

/// Rows, and rewards that sum to so much.
struct RewardGroup {
  double rows = 0;
  double sum = 0;
};
/// log of L(one)·L(other) over the largest likelihood of a common mean.
double log_pair_evidence(const RewardGroup& one, const RewardGroup& other);
/// Of the place-th name (from 0) of actions or of contexts, if so many were known beforehand: these
/// share k/(k+1) evenly, and the i-th name that comes later has 1/(i(i+1)). All there can ever be
/// sum to 1, so that a new name takes nothing from what was seen.
double name_weight(std::size_t place, std::size_t known);
/// log E(z).
double log_context_evidence(const AuditTable& table, std::size_t context);
/// The logarithm of the whole.
double log_evidence(const std::vector<double>& log_of_contexts, std::size_t known);

/// The largest values seen so far: 1 over them are p-values that hold at all looks together.
class EvidenceProcess {
 public:
  /// Looks at the table as it stands, which may have grown.
  void look(const AuditTable& table);
  /// Whether a look is due: after a hundredth part more, or as many rows as there are cells.
  bool due(std::uint64_t rows) const { return rows >= next_look_; }

  double log_largest() const { return largest_; }
  double log_now() const { return now_; }
  double log_largest(std::size_t context) const { return of_contexts_[context]; }
  double log_largest(std::size_t action, std::size_t context) const {
    return of_cells_[action][context];
  }

 private:
  std::vector<double> of_contexts_;
  std::vector<std::vector<double>> of_cells_;  // by action, then context
  double largest_ = 0;
  double now_ = 0;
  std::uint64_t next_look_ = 1;
};

/// min(1, 1/e) for a logarithm.
double anytime_p_value(double log_evidence);

}  // namespace armature
