#pragma once

#include "armature/evidence.h"
#include "policies/balancing/inner_policy.h"
#include "policies/tools/argmax_tree.h"

namespace armature {

/// A causal policy where nobody knows the marginals (given ones are ignored): it plays `base` on
/// marginals learned from the outcomes,
///   ν̂_a(z) = (n(a,z) + prior/|Z|)/(n(a) + prior),
/// which is built anew, and taught all outcomes so far, when their number reaches 1, 2, 4, 8, …
/// times |A|; in between its marginals stand still. Base is told ε, how far they may be off:
///   ε = min(2, max_a sqrt(2(|Z|·log 2 + log(|A|·n(n+1)/δ))/n) + 2·prior/(n + prior)), n = n(a),
/// Weissman's bound on L1, for all actions and all n together (n is the policy's own doing, so no
/// fixed n will do), and what the prior pulls.
/// A causal base may never try an action whose learned row is wrong, so an action with n(a) = 0 or
/// n(a) < sqrt(t/|A|), plays in flight included, is played next, the least played first: at most
/// |A| + sqrt(|A|·t) rounds in all.
/// Promises nothing more than that, and cannot: without marginals no policy is below order
/// sqrt(|A|·T) in all benign worlds (docs/theory.md, Theorem 5.2), and the learned ones come within
/// ε of the truth only at that price (spec §7, zones of ε).
/// What base did not decide itself it witnesses, before the next choice and in the order of cells,
/// so that the order of arrival leaves no trace. Caveat: what base counts of its own decisions,
/// such as sentry's explorations, starts anew with each base.
class LearnedMarginals {
 public:
  static PolicyFacts facts();
  LearnedMarginals(const Problem& problem, const Arguments& arguments);

  Decision choose(Stream& stream);
  void observe(Decision decision, Outcome outcome, Stream& stream);
  void forget(Decision decision);
  void witness(const Tally& tally, Stream& stream);
  bool probabilities(std::span<double> out) const;
  Insights explain() const;
  void visit_state(StateVisitor& visitor);
  Diagnostics diagnostics() const;

 private:
  // Of a ticket: which base decided, 0 for none; the rest is that base's own ticket.
  static constexpr int kGenerationBits = 6;
  static std::uint64_t generation_of(Decision decision) {
    return decision.ticket & ((1u << kGenerationBits) - 1);
  }
  static Decision own_decision(Decision decision) {
    return {decision.arm, decision.ticket >> kGenerationBits};
  }

  std::uint64_t generation_due() const;
  bool base_is_current() const { return due_.empty() && generation_due() == generation_; }
  void bring_base_up_to_date(Stream& stream);
  LearnedMarginals up_to_date() const;
  InnerPolicy untaught_base() const;
  void learn(const Tally& tally);
  void teach_later(const Tally& tally);
  void land(Decision decision);
  bool plays_the_least() const;
  void update_least(Arm arm);
  double tossed(double reward, Stream& stream) const;
  void visit_base(StateVisitor& visitor);
  void rebuild();

  Problem problem_;   // without marginals
  std::string text_;  // of base
  double prior_;
  double delta_;
  bool tosses_coins_;  // base does; then so does this, once, and keeps what came up

  Evidence evidence_;
  Evidence fitted_;                       // as of the last new base: its marginals
  std::vector<std::uint64_t> in_flight_;  // plays whose outcome has not come
  std::uint64_t rounds_ = 0;              // t
  std::uint64_t forced_ = 0;              // of them not base's choice
  std::uint64_t generation_ = 0;          // how often base was built
  InnerPolicy base_;                      // none before the first |A| outcomes
  std::vector<Tally> due_;                // what base has yet to witness, in the order of cells

  // Derived.
  std::vector<std::uint64_t> plays_;  // n(a)
  ArgmaxTree least_;                  // of −(n(a) + in flight)
};

}  // namespace armature
