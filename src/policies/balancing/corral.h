#pragma once

#include "armature/policy.h"
#include "policies/tools/blended_scores.h"
#include "policies/tools/rising_indices.h"

namespace armature {

/// Corral over (C-UCB, UCB) (spec §5; Agarwal et al. 2017, bonuses after Arora et al. 2021):
/// log-barrier mirror descent over the two learners' importance-weighted losses. The learners are
/// index policies on importance-weighted rewards with bonuses that grow with 1/p̄. Caveat: cautious
/// to the point of hardly learning at the horizons one sees; a baseline, not a recommendation.
/// `variant = published` reproduces the published script, whose smoothing multiplies where it must
/// add and whose weights are not the smoothed ones.
class Corral {
 public:
  static PolicyFacts facts();
  Corral(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream&);
  void forget(Decision decision);
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

 private:
  enum Learner : std::uint32_t { kCausal = 0, kActions = 1 };

  /// A decision whose outcome is outstanding: whose it was, and the weight it was drawn with.
  struct Open {
    std::uint64_t ticket;
    std::uint32_t learner;
    double weight;
  };
  /// An outcome to be worked in before the next choice.
  struct Due {
    std::uint64_t ticket;
    std::uint32_t learner;
    Arm arm;
    Context context;
    double weight;
    double reward;
  };

  /// All that outcomes change.
  struct Learned {
    // Importance-weighted statistics of each learner's own rounds.
    std::vector<std::uint64_t> visits, plays;
    std::vector<double> context_sums, action_sums;
    double probability = 0.5;  // p of C-UCB
    double smoothed = 0.5;     // p̄ of C-UCB
    double causal_range = 4;   // ρ of C-UCB
    double action_range = 4;   // ρ of UCB
    double rate = 0;           // η
  };

  Arm causal_choice(double log_round);
  Arm action_choice(double log_round);
  Arm plain_causal_choice(const Learned& learned, double log_round) const;
  Arm plain_action_choice(const Learned& learned, double log_round) const;
  void work_in(const Due& due, Learned& learned) const;
  Learned learned_next() const;
  void descend(double causal_loss, double action_loss, Learned& learned) const;
  BlendedScores<3>::Parts parts_of(Context z) const;
  void follow(const Due& due);
  void follow_all();
  void require_sound(const StateVisitor& visitor) const;

  bool published_;
  double smoothing_;                          // γ
  double growth_;                             // β
  std::shared_ptr<const MarginalRows> rows_;  // shared with copies: causal_scores_ points to it
  std::uint32_t actions_;

  Learned learned_;
  std::uint64_t rounds_ = 0;  // t
  std::uint64_t causal_rounds_ = 0;

  // Both by ticket: mirror descent depends on the order, so it is always that of the decisions.
  std::vector<Open> open_;
  std::vector<Due> due_;

  // Derived from what was learned. A learner's index is mean + sqrt(4ρ·log t/n) + (4/3)·ρ·log t/n:
  // what changes with time is the same for all contexts, and for all actions.
  BlendedScores<3> causal_scores_;  // of (mean, 1/√n, 1/n)
  RisingIndices action_indices_;
  std::vector<double> uppers_;  // scratch: of all contexts
};

}  // namespace armature
