#pragma once

#include <cmath>

#include "armature/leap.h"
#include "policies/balancing/base_learners.h"

namespace armature {

/// DB(δ): dynamic balancing with the Pareto dial (spec §4, paper Alg. 1, after Cutkosky et al.
/// 2021). Several base learners, each with a coefficient d_i (its regret is d_i·sqrt(n) where it is
/// at home) and a dial Z_i. Each round the active learner with the smallest v_i·d_i·sqrt(n_i) plays
/// and is told the outcome; a learner whose average reward, after its own allowance and bias, falls
/// below another's is inactive for the time. Promises, for any point of the frontier R_1·R_2 ≥
/// |A|·T, rates (R_1, R_2) up to logarithms. Caveat: at the paper's constants the test is slow: a
/// wrong causal learner is noticed after millions of rounds.
class DynamicBalancing : public leap::Balancer {
 public:
  static PolicyFacts facts();
  DynamicBalancing(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream& stream);
  void forget(Decision decision);
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  /// For the learners alone: n_i and U_i are of the balancer's own decisions.
  void witness(const Tally& tally, Stream& stream) { crew_.witness(tally, stream); }
  std::string witness_obstacle() const { return crew_.witness_obstacle(); }
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

  std::string obstacle() const override { return crew_.leap_obstacle(); }
  /// With the corrected bias a throttled learner lives at the edge of its test, where nearly every
  /// round is an event of its own (docs/performance.md).
  Round leaps_well_beyond() const override { return corrected_ ? 10'000'000 : 0; }
  std::size_t learners() const override { return learners_.size(); }

  /// What is compared about a learner.
  struct Terms {
    double coefficient = 0;  // d_i, scaled
    double pull = 0;         // v_i·d_i, v_i = sqrt(Z_i/d_i³)
    double bias = 0;         // 2·Z_i·D_i
    // Changed by the learner's own outcomes alone.
    double mean = 0;       // U_i/n_i
    double spread = 0;     // γ_i
    double allowance = 0;  // d_i/sqrt(n_i)
  };
  /// What its test is made of, for who runs it elsewhere (src/cuda).
  const Terms& terms(std::size_t i) const { return learners_[i]; }
  const std::string& learner_name(std::size_t i) const { return crew_.name(i); }
  double delta() const { return delta_; }
  double scale() const { return scale_; }
  double spread_sign() const { return spread_sign_; }
  /// How a learner fared, in counts of rounds.
  struct Course {
    double played = 0;
    double inactive = 0;
    double deactivations = 0;
    double first_deactivation = 0;  // the round before it; 0: never
  };
  static void tell_course(Diagnostics& diagnostics, const std::string& name, const Course& course,
                          double rounds);

 private:
  AnyPolicy& do_learner(std::size_t i) override { return crew_.learner(i); }
  bool do_active(std::size_t i) const override { return active_[i] == 1; }
  double do_level(std::size_t i, std::uint64_t plays) const final {
    return learners_[i].pull * std::sqrt(static_cast<double>(plays));
  }
  std::uint64_t do_plays_below(std::size_t i, double bar, bool ties) const override;
  bool do_stays(const leap::BalancerWindow& window) const override;
  void do_pass(Round rounds, std::span<const std::uint64_t> plays) override;
  void do_settle(std::span<const double> reward_sums) override;

  void update_terms(std::size_t i);
  bool test_is_due() const { return tested_outcomes_ < outcomes_; }
  template <class Tell>
  bool judge(const Tell& tell) const;
  void test_learners(std::uint64_t round);
  std::vector<std::uint32_t> active_next() const;
  std::size_t least_used(std::span<const std::uint32_t> active) const;
  double log_term(double n) const;
  struct Standing {
    leap::Range reach;  // η_i + γ_i + d_i/sqrt(n_i)
    leap::Range claim;  // η_i ∓ γ_i
  };
  Standing standing_in(const leap::BalancerWindow& window, std::size_t i,
                       const leap::Range& common) const;

  double delta_;
  double scale_;
  double spread_sign_;  // of γ_j on the right of the test: -1 (minus) or +1 (plus)
  bool corrected_;      // the bias: 2·Z_i·d_i, or 2·Z_i as printed
  BaseLearners crew_;
  double count_;  // M
  std::vector<Terms> learners_;

  std::vector<std::uint64_t> played_;      // rounds given to each, lost ones too
  std::vector<std::uint64_t> dispatched_;  // n_i of the choice
  std::vector<std::uint64_t> observed_;    // n_i of the averages
  std::vector<double> reward_sums_;        // U_i
  std::vector<std::uint32_t> active_;      // 1 or 0, as of the last choice
  std::uint64_t rounds_ = 0;               // decisions
  std::uint64_t outcomes_ = 0;             // t of the test
  std::uint64_t tested_outcomes_ = 0;      // how many the last test knew
  std::vector<std::uint64_t> deactivations_;
  std::vector<std::uint64_t> first_deactivation_;  // the round before it; 0: never
  std::vector<std::uint64_t> inactive_rounds_;
  std::vector<std::uint64_t> settled_;  // leaping: plays whose rewards were last told
};

}  // namespace armature
