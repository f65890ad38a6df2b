#pragma once

#include "armature/policy.h"
#include "policies/tools/blended_scores.h"
#include "policies/tools/confidence.h"

namespace armature {

/// C-UCB-2 (spec §5): play argmax_a Σ_z ν̃_a(z)μ̂(z) + sqrt(log(|Z|t²)/(2t))·Σ_z ν̃_a(z)/min_b
/// max(ν̃_b(z), 1/T). One bonus for all rounds so far, weighted by how much better than the worst
/// action an action reaches each context. Caveat: contexts that some action hardly reaches make the
/// bonus huge, and it believes the contexts.
class CausalUcb2 {
 public:
  static PolicyFacts facts();
  CausalUcb2(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&) {
    ++rounds_;
    return {best_at(static_cast<double>(rounds_))};
  }
  void observe(Decision, Outcome outcome, Stream&) {
    contexts_.add(outcome.context, outcome.reward);
    update(outcome.context);
  }
  void forget(Decision);
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void witness(const Tally& tally, Stream&) {
    contexts_.add(tally.context, tally.plays, tally.rewards);
    update(tally.context);
    rounds_ += tally.plays;
  }
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }

 private:
  double bonus_at(double t) const;
  double score_of(std::uint32_t row, double bonus) const;
  Arm best_at(double t) const;
  void update(Context z) {
    means_[z] = contexts_.mean(z);
    scores_.set(z, {means_[z], inverse_lows_[z]});
  }
  void follow_all();
  std::uint64_t outcomes() const;

  double scale_;
  Statistics contexts_;
  std::uint64_t rounds_ = 0;                  // t: outcomes known, and plays in flight
  std::shared_ptr<const MarginalRows> rows_;  // shared with copies: scores_ points to it
  std::vector<double> inverse_lows_;          // 1/min_b max(ν̃_b(z), 1/T)
  std::vector<double> reach_;                 // Σ_z ν̃(z)/min_b max(ν̃_b(z), 1/T), per row
  std::vector<double> means_;                 // μ̂(z)
  // Mutable, as a mere look at what comes next may bring it up to date.
  mutable BlendedScores<2> scores_;  // of (μ̂(z), 1/min) with weights (1, the bonus)
};

}  // namespace armature
