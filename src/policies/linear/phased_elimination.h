#pragma once

#include <cmath>

#include "armature/leap.h"
#include "linear/design.h"

namespace armature {

/// PE(δ): phased elimination by reduction to a linear bandit (spec §3, paper Alg. 2). In phase ℓ
/// the active actions' marginals get a G-optimal design, each supported action is played about
/// m_ℓ·π(a) times, and actions whose least-squares value is too far below the best are dropped.
/// Promises, in benign worlds with exact marginals, regret of order sqrt(d·T·log) with d the
/// dimension of the marginals' span, and d·log(T)/Δ_min. Contexts are not used, only their
/// marginals. Caveat: in other worlds it can drop the best action for ever, or never try it
/// (pe-trap).
class PhasedElimination : public leap::Planner {
 public:
  static PolicyFacts facts();
  static std::optional<double> coefficient(const Problem& problem, const Arguments& arguments);
  PhasedElimination(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream&);
  void observe(Decision decision, Outcome outcome, Stream&);
  void forget(Decision decision);
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

 private:
  leap::Plan do_intend(Round rounds) override;
  void do_absorb(const leap::ShareOutcome& outcome) override;

  // Tickets: the phase a play counts for; plays beyond the phase's plan count for none.
  static constexpr std::uint64_t kExtra = 0;

  double phase_plays() const {  // m_ℓ
    return std::ldexp(nominal_plays_, static_cast<int>(phase_) - 1);
  }
  std::size_t next_planned() const;
  void start_phase();
  void plan_phase();
  void end_phase();
  std::size_t close(Decision decision);
  bool lists_fit() const;

  std::uint32_t actions_;
  std::shared_ptr<const Matrix> marginals_;
  DesignOptions design_options_;
  double dimension_;      // d, over all actions
  double nominal_plays_;  // s(d)
  double log_term_;       // log(2|A|·log2(T)/δ)
  double scale_;
  double misspecification_;

  std::uint64_t phase_ = 0;                // ℓ
  std::vector<std::uint32_t> active_;      // A_ℓ, ascending
  std::vector<std::uint64_t> dispatched_;  // plays sent out, per supported action
  std::vector<double> sums_;               // rewards observed, per supported action
  std::uint64_t observed_ = 0;             // outcomes of this phase's plan
  std::uint64_t extra_turn_ = 0;           // whose turn it is while waiting for outcomes
  std::vector<std::uint32_t>
      lost_;  // supported actions whose play was forgotten, to be played again
  std::vector<std::uint64_t> active_history_;     // |A_ℓ| of each phase
  std::vector<std::uint64_t> dimension_history_;  // rank of each phase
  std::uint64_t unconverged_ = 0;                 // exact designs that ran into the iteration limit

  // Derived from the active set.
  Design design_;                       // rows are those of active_
  std::vector<Arm> support_;            // supported actions, ascending
  std::vector<std::uint64_t> planned_;  // T_ℓ(a)
  std::uint64_t planned_total_ = 0;
  std::uint64_t outstanding_ = 0;  // plays of the plan that were neither observed nor lost
  std::size_t next_ = 0;           // the first supported action with plays left to send out
};

}  // namespace armature
