// Data-driven regret balancing (spec §5; Dann et al. 2024): no coefficients are given, they are
// estimated.
#pragma once

#include "armature/policy.h"
#include "policies/balancing/base_learners.h"

namespace armature {

/// D3RB doubles a learner's estimated coefficient when its rewards show that it was too small;
/// ED2RB estimates it anew every time. Each round goes to the smallest potential φ_i. Promises
/// regret of the order of the best learner's, with its square as the price. Caveat: all learners
/// pay for being compared; there is no dial.
template <bool kEstimating>  // false: D3RB, true: ED2RB
class RegretBalancing {
 public:
  static PolicyFacts facts();
  RegretBalancing(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream& stream);
  void forget(Decision decision);
  bool probabilities(std::span<double> out) const {
    return crew_.probabilities(least_potential(), out);
  }
  Insights explain() const;
  /// For the learners alone: n_i and U_i are of the balancer's own decisions.
  void witness(const Tally& tally, Stream& stream) { crew_.witness(tally, stream); }
  std::string witness_obstacle() const { return crew_.witness_obstacle(); }
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

 private:
  /// What a learner's outcomes say about it.
  struct Judgement {
    double coefficient;
    double potential;
  };
  void update_spread(std::size_t i);
  Judgement judgement(std::size_t i) const;
  double potential(std::size_t i) const;
  std::size_t least_potential() const;

  double delta_;
  double least_;  // d_min
  double width_;  // c
  BaseLearners crew_;
  std::vector<std::uint64_t> played_;  // rounds given to each, lost ones too
  std::vector<std::uint64_t> dispatched_;
  std::vector<std::uint64_t> observed_;  // n_i
  std::vector<double> reward_sums_;      // U_i
  std::vector<double> coefficients_;     // d̂_i
  std::vector<double> potentials_;       // φ_i of ED2RB; D3RB computes its own
  std::vector<std::uint32_t> unjudged_;  // 1: has outcomes its last judgement did not know
  std::uint64_t rounds_ = 0;

  std::vector<double> spreads_;  // derived; each is changed by the learner's own outcomes alone
};

using DoublingBalancing = RegretBalancing<false>;
using EstimatingBalancing = RegretBalancing<true>;

}  // namespace armature
