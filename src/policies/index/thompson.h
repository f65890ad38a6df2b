// Thompson sampling on actions and on contexts (spec §5). Rewards that are not 0 or 1 become one
// Bernoulli(Y) coin, so that the Beta posterior stays exact. A choice takes one draw of every
// posterior, in the layout of base/beta_draws.h: a block of the stream each, and further words for
// the few that a block does not settle. A coin takes two words.
#pragma once

#include <cmath>
#include <numeric>
#include <span>

#include "armature/policy.h"
#include "base/beta_draws.h"
#include "policies/tools/marginal_rows.h"
#include "policies/tools/row_contest.h"

namespace armature {

/// Beta(1,1) priors and their posteriors.
class BetaPosteriors {
 public:
  explicit BetaPosteriors(std::uint32_t size)
      : successes_(size), failures_(size), laws_(size), draws_(size) {}

  void add(std::uint32_t i, double reward, Stream& stream) {
    const bool success = reward == 1 || (reward != 0 && bernoulli(stream, reward));
    success ? add_successes(i, 1) : add_failures(i, 1);
  }
  /// Of rewards that are added up none can have its coin any more: several must be 0s and 1s.
  void add(std::uint32_t i, const Tally& tally, Stream& stream) {
    if (tally.plays == 1) return add(i, tally.rewards, stream);
    ARMATURE_CHECK(tally.rewards == std::floor(tally.rewards),
                   "rewards added up for a Beta posterior are 0 and 1");
    const auto successes = static_cast<std::uint64_t>(tally.rewards);
    add_successes(i, successes);
    add_failures(i, tally.plays - successes);
  }
  /// One draw of each.
  std::span<const double> draw(Stream& stream) {
    laws_.draw(stream, draws_);
    return draws_;
  }
  double mean(std::uint32_t i) const {
    return (1.0 + static_cast<double>(successes_[i])) /
           (2.0 + static_cast<double>(successes_[i] + failures_[i]));
  }
  double deviation(std::uint32_t i) const {
    return std::sqrt(mean(i) * (1 - mean(i)) /
                     (3.0 + static_cast<double>(successes_[i] + failures_[i])));
  }
  std::uint64_t successes(std::uint32_t i) const { return successes_[i]; }
  std::uint64_t failures(std::uint32_t i) const { return failures_[i]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(successes_.size()); }
  std::uint64_t outcomes() const {
    return std::accumulate(successes_.begin(), successes_.end(),
                           std::accumulate(failures_.begin(), failures_.end(), std::uint64_t{0}));
  }
  void visit_state(StateVisitor& visitor) {
    visitor.field("successes", successes_);
    visitor.field("failures", failures_);
    if (!visitor.reading()) return;
    for (std::uint32_t i = 0; i < size(); ++i) {
      add_successes(i, 0);
      add_failures(i, 0);
    }
  }

 private:
  void add_successes(std::uint32_t i, std::uint64_t count) {
    successes_[i] += count;
    laws_.set_alpha(i, 1.0 + static_cast<double>(successes_[i]));
  }
  void add_failures(std::uint32_t i, std::uint64_t count) {
    failures_[i] += count;
    laws_.set_beta(i, 1.0 + static_cast<double>(failures_[i]));
  }

  std::vector<std::uint64_t> successes_;
  std::vector<std::uint64_t> failures_;
  BetaDraws laws_;  // Beta(1 + successes, 1 + failures)
  std::vector<double> draws_;
};

/// TS: θ_a ~ Beta posterior of action a, play argmax θ_a.
class Thompson {
 public:
  static PolicyFacts facts();
  Thompson(const Problem& problem, const Arguments&) : posteriors_(problem.actions()) {}

  Decision choose(Stream& stream) { return {first_largest(posteriors_.draw(stream))}; }
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
    ++since_;
  }
  void witness(const Tally& tally, Stream& stream) {
    posteriors_.add(tally.context, tally, stream);
    since_ += tally.plays;
  }
  void forget(Decision) {}
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }
  Insights explain() const;

 private:
  void take_centre();

  BetaPosteriors posteriors_;
  MarginalRows rows_;
  // Its centre follows the posteriors' means; where it is leaves no trace in what is chosen.
  RowContest contest_;
  std::uint64_t seen_ = 0;   // outcomes known when the centre was taken
  std::uint64_t since_ = 0;  // and since then
  std::vector<double> means_;
  std::vector<double> deviations_;
};

}  // namespace armature
