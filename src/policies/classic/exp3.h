#pragma once

#include "armature/policy.h"

namespace armature {

/// Exp3 (spec §5; Auer, Cesa-Bianchi, Freund and Schapire 2002): actions drawn with probabilities
/// that grow exponentially with their importance-weighted rewards, mixed with uniform play.
/// Promises an expected regret of 2.63·sqrt(|A|·log|A|·T) whatever the rewards, even chosen by an
/// adversary. `variant = ix` (Neu 2015) weighs losses, biased by γ, and mixes nothing: its promise
/// holds with high probability too. Caveat: where rewards are drawn from fixed laws, as here, that
/// robustness is paid for and of no use.
class Exp3 {
 public:
  static PolicyFacts facts();
  Exp3(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream&);
  void forget(Decision decision);
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const { return {}; }

 private:
  /// A decision whose outcome is outstanding, and what its reward will be divided by: the
  /// probability it was drawn with, in `ix` with γ added.
  struct Open {
    std::uint64_t ticket;
    double divisor;
  };
  /// An outcome to be worked in before the next choice.
  struct Due {
    std::uint64_t ticket;
    Arm arm;
    double divisor;
    double reward;
  };

  double gamma(std::uint64_t round) const;
  void work_in(const Due& due, std::vector<double>& scores) const;
  std::vector<double> next_scores() const;
  void probabilities_of(const std::vector<double>& scores, std::uint64_t round,
                        std::span<double> out) const;

  bool implicit_;                // ix
  std::optional<double> given_;  // γ
  std::optional<double> horizon_;
  std::vector<double> scores_;  // importance-weighted rewards, in ix losses below 0
  std::uint64_t rounds_ = 0;

  // Both by ticket: sums depend on the order, so it is always that of the decisions.
  std::vector<Open> open_;
  std::vector<Due> due_;

  std::vector<double> probabilities_;  // scratch
};

}  // namespace armature
