// Two policies that learn from others' decisions, simple enough to follow with a pencil.
#pragma once

#include <algorithm>

#include "armature/policy.h"

namespace armature::test {

/// Greedy on contexts: argmax_a Σ_z ν̃_a(z)·m(z), m(z) the average reward of context z, 1 if unseen.
/// Without marginals greedy on actions.
class Watcher {
 public:
  static PolicyFacts facts() {
    return {.name = "test-watcher",
            .summary = "the best average",
            .text = "For tests.",
            .section = "§2",
            .parameters = {Parameter::real("epsilon").defaults_to("0").closed(0, 2).help(
                "kept, and not used", "§2")}};
  }
  Watcher(const Problem& problem, const Arguments& arguments)
      : marginals_(problem.marginals),
        plays_(problem.actions()),
        visits_(problem.contexts()),
        action_sums_(problem.actions()),
        context_sums_(problem.contexts()),
        epsilon_(arguments.real("epsilon")),
        told_epsilon_(problem.epsilon.value_or(-1)) {}

  Decision choose(Stream&) {
    ++rounds_;
    return {best(), rounds_ % 2};
  }
  void observe(Decision decision, Outcome outcome, Stream& stream) {
    witness({decision.arm, outcome.context, 1, outcome.reward}, stream);
    ++own_;
  }
  void forget(Decision) { ++forgotten_; }
  void witness(const Tally& tally, Stream&) {
    plays_[tally.arm] += tally.plays;
    action_sums_[tally.arm] += tally.rewards;
    visits_[tally.context] += tally.plays;
    context_sums_[tally.context] += tally.rewards;
  }
  bool probabilities(std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    out[best()] = 1;
    return true;
  }
  void visit_state(StateVisitor& visitor) {
    visitor.field("plays", plays_);
    visitor.field("visits", visits_);
    visitor.field("action_sums", action_sums_);
    visitor.field("context_sums", context_sums_);
    visitor.field("rounds", rounds_);
    visitor.field("own", own_);
    visitor.field("forgotten", forgotten_);
    visitor.field("epsilon", epsilon_);
    visitor.field("told_epsilon", told_epsilon_);
  }
  Diagnostics diagnostics() const { return {}; }

 private:
  static double average(double sum, std::uint64_t count) {
    return count == 0 ? 1 : sum / static_cast<double>(count);
  }
  double value(Arm a) const {
    if (!marginals_) return average(action_sums_[a], plays_[a]);
    double value = 0;
    for (Context z = 0; z < visits_.size(); ++z)
      value += (*marginals_)(a, z) * average(context_sums_[z], visits_[z]);
    return value;
  }
  Arm best() const {
    Arm best = 0;
    for (Arm a = 1; a < plays_.size(); ++a)
      if (value(a) > value(best)) best = a;
    return best;
  }

  std::shared_ptr<const Matrix> marginals_;
  std::vector<std::uint64_t> plays_, visits_;
  std::vector<double> action_sums_, context_sums_;
  std::uint64_t rounds_ = 0, own_ = 0, forgotten_ = 0;
  double epsilon_, told_epsilon_;
};

/// Tosses a coin for rewards between 0 and 1, as Thompson sampling does, and plays any arm.
class Coiner {
 public:
  static PolicyFacts facts() {
    return {.name = "test-coiner", .summary = "coins", .text = "For tests.", .section = "§5"};
  }
  Coiner(const Problem& problem, const Arguments&) : plays_(problem.actions()), heads_(plays_) {}

  Decision choose(Stream& stream) {
    return {uniform_index(stream, static_cast<std::uint32_t>(plays_.size()))};
  }
  void observe(Decision decision, Outcome outcome, Stream& stream) {
    witness({decision.arm, outcome.context, 1, outcome.reward}, stream);
  }
  void forget(Decision) {}
  void witness(const Tally& tally, Stream& stream) {
    plays_[tally.arm] += tally.plays;
    const auto whole = static_cast<std::uint64_t>(tally.rewards);
    heads_[tally.arm] += whole;
    if (static_cast<double>(whole) != tally.rewards)
      heads_[tally.arm] += bernoulli(stream, tally.rewards - static_cast<double>(whole)) ? 1 : 0;
  }
  void visit_state(StateVisitor& visitor) {
    visitor.field("plays", plays_);
    visitor.field("heads", heads_);
  }
  Diagnostics diagnostics() const { return {}; }

 private:
  std::vector<std::uint64_t> plays_, heads_;
};

/// Registers both, once.
inline void register_watching_policies() {
  static const bool done = [] {
    register_policy(policy_entry<Watcher>());
    register_policy(policy_entry<Coiner>());
    return true;
  }();
  (void)done;
}

}  // namespace armature::test
