// A policy from an index of an action's own outcomes alone.
#pragma once

#include "armature/policy.h"
#include "policies/tools/argmax_tree.h"
#include "policies/tools/certainty.h"
#include "policies/tools/confidence.h"
#include "policies/tools/flights.h"
#include "policies/tools/insights.h"

namespace armature {

/// What moss and kl-ucb share: an index that only the played action's outcome changes.
template <class Index>
class ActionIndexPolicy {
 public:
  static PolicyFacts facts() { return Index::facts(); }
  ActionIndexPolicy(const Problem& problem, const Arguments& arguments)
      : index_(problem, arguments),
        actions_(problem.actions()),
        flights_(problem.actions(), arguments),
        indices_(problem.actions()) {
    rebuild();
  }

  Decision choose(Stream&) {
    if (flights_.due()) [[unlikely]]
      update(flights_.settle());
    const Arm arm = indices_.best();
    flights_.send(arm);
    return {arm};
  }
  void observe(Decision decision, Outcome outcome, Stream&) {
    flights_.land(decision.arm);
    actions_.add(decision.arm, outcome.reward);
    update(decision.arm);
  }
  void forget(Decision decision) {
    if (flights_.land(decision.arm)) update(decision.arm);
  }
  bool probabilities(std::span<double> out) const {
    if (flights_.due()) [[unlikely]]
      update(flights_.settle());
    put_all_on(out, indices_.best());
    return true;
  }
  Insights explain() const {
    if (flights_.due()) update(flights_.settle());
    Insights told;
    tell_indices(
        told, Insight::Of::kActions, actions_.size(), [this](Arm a) { return indices_.value(a); },
        [this](Arm a) { return actions_.mean(a); });
    return told;
  }
  void witness(const Tally& tally, Stream&) {
    actions_.add(tally.arm, tally.plays, tally.rewards);
    update(tally.arm);
  }
  void visit_state(StateVisitor& visitor) {
    actions_.visit_state(visitor, "plays", "reward_sums");
    flights_.visit_state(visitor);
    if (visitor.reading()) rebuild();
  }
  Diagnostics diagnostics() const { return {}; }

 protected:
  void update(Arm a) const {
    std::uint64_t n = actions_.floored_count(a);
    if (flights_.any_counted()) [[unlikely]]
      n = count_ahead(a);
    indices_.set(a, index_(actions_.mean(a), static_cast<double>(n)));
  }

  Index index_;
  Statistics actions_;
  // Mutable, as the last play may be counted by a mere look at what comes next.
  mutable Flights flights_;
  mutable ArgmaxTree indices_;

 private:
  std::uint64_t count_ahead(Arm a) const {
    const std::uint64_t n = actions_.count(a) + flights_.counted(a);
    return n == 0 ? 1 : n;
  }
  void rebuild() {
    for (Arm a = 0; a < actions_.size(); ++a) update(a);
  }
};

}  // namespace armature
