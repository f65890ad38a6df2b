// Thompson sampling on actions and on contexts (spec §5). Rewards that are not 0 or 1 become one
// Bernoulli(Y) coin, so that the Beta posterior stays exact.
#pragma once

#include <cmath>

#include "armature/policy.h"
#include "policies/tools/marginal_rows.h"

namespace armature {

/// Beta(1,1) priors and their posteriors.
class BetaPosteriors {
 public:
  explicit BetaPosteriors(std::uint32_t size) : successes_(size), failures_(size) {}

  void add(std::uint32_t i, double reward, Stream& stream) {
    const bool success = reward == 1 || (reward != 0 && bernoulli(stream, reward));
    ++(success ? successes_ : failures_)[i];
  }
  /// Of rewards that are added up none can have its coin any more: several must be 0s and 1s.
  void add(std::uint32_t i, const Tally& tally, Stream& stream) {
    if (tally.plays == 1) return add(i, tally.rewards, stream);
    ARMATURE_CHECK(tally.rewards == std::floor(tally.rewards),
                   "rewards added up for a Beta posterior are 0 and 1");
    const auto successes = static_cast<std::uint64_t>(tally.rewards);
    successes_[i] += successes;
    failures_[i] += tally.plays - successes;
  }
  double sample(std::uint32_t i, Stream& stream) const {
    return beta_variate(stream, 1.0 + static_cast<double>(successes_[i]),
                        1.0 + static_cast<double>(failures_[i]));
  }
  double mean(std::uint32_t i) const {
    return (1.0 + static_cast<double>(successes_[i])) /
           (2.0 + static_cast<double>(successes_[i] + failures_[i]));
  }
  std::uint64_t successes(std::uint32_t i) const { return successes_[i]; }
  std::uint64_t failures(std::uint32_t i) const { return failures_[i]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(successes_.size()); }
  void visit_state(StateVisitor& visitor) {
    visitor.field("successes", successes_);
    visitor.field("failures", failures_);
  }

 private:
  std::vector<std::uint64_t> successes_;
  std::vector<std::uint64_t> failures_;
};

/// TS: θ_a ~ Beta posterior of action a, play argmax θ_a.
class Thompson {
 public:
  static PolicyFacts facts();
  Thompson(const Problem& problem, const Arguments&) : posteriors_(problem.actions()) {}

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream& stream) {
    posteriors_.add(decision.arm, outcome.reward, stream);
  }
  void witness(const Tally& tally, Stream& stream) { posteriors_.add(tally.arm, tally, stream); }
  void forget(Decision) {}
  void visit_state(StateVisitor& visitor) { posteriors_.visit_state(visitor); }
  Diagnostics diagnostics() const { return {}; }
  Insights explain() const;

 private:
  BetaPosteriors posteriors_;
};

/// C-TS: θ_z ~ Beta posterior of context z, play argmax_a Σ_z ν̃_a(z)·θ_z.
class CausalThompson {
 public:
  static PolicyFacts facts();
  CausalThompson(const Problem& problem, const Arguments&);

  Decision choose(Stream& stream);
  void observe(Decision, Outcome outcome, Stream& stream) {
    posteriors_.add(outcome.context, outcome.reward, stream);
  }
  void witness(const Tally& tally, Stream& stream) {
    posteriors_.add(tally.context, tally, stream);
  }
  void forget(Decision) {}
  void visit_state(StateVisitor& visitor) { posteriors_.visit_state(visitor); }
  Diagnostics diagnostics() const { return {}; }
  Insights explain() const;

 private:
  BetaPosteriors posteriors_;
  MarginalRows rows_;
  std::vector<double> theta_;
  std::vector<double> sums_;
};

}  // namespace armature
