// Base learners under one roof: built from `base=…`, played one at a time, each told its own
// outcomes only.
#pragma once

#include "policies/balancing/inner_policy.h"

namespace armature {

class BaseLearners {
 public:
  /// Builds the learners of `base`; delta and scale are handed down to those that take them and
  /// have none of their own.
  BaseLearners(const Problem& problem, const Arguments& arguments, double delta);

  /// The parameter every balancer declares.
  static Parameter base_parameter();

  std::size_t size() const { return learners_.size(); }
  /// Canonical text, numbered where a text occurs more than once.
  const std::string& name(std::size_t i) const { return learners_[i].name; }
  /// The proved coefficient of learner i, or an Error that asks for `d=`.
  double proved_coefficient(std::size_t i, const Problem& problem,
                            const Arguments& arguments) const;

  /// Learner i decides; the ticket says whose decision it is, with the learner's own ticket inside.
  Decision choose(std::size_t i, Stream& stream);
  /// Whose decision it was.
  std::size_t learner_of(Decision decision) const {
    const std::size_t i = decision.ticket & ((1u << kLearnerBits) - 1);
    ARMATURE_CHECK(i < learners_.size(), "a decision was made by one of the learners");
    return i;
  }
  /// Hands the outcome to whose decision it was.
  void observe(Decision decision, Outcome outcome, Stream& stream);
  void forget(Decision decision);
  /// Of learner i's next choice.
  bool probabilities(std::size_t i, std::span<double> out) const {
    return learners_[i].policy->probabilities(out);
  }
  /// Others' decisions: every learner learns from them.
  void witness(const Tally& tally, Stream& stream);
  /// Why some learner cannot, and what to do instead; empty if all can.
  std::string witness_obstacle() const;
  void visit_state(StateVisitor& visitor);

  AnyPolicy& learner(std::size_t i) { return *learners_[i].policy; }
  /// Why its learners cannot be driven one by one in leaps; empty if they can.
  std::string leap_obstacle() const;

 private:
  static constexpr int kLearnerBits = 8;  // of a ticket; the rest is the learner's own ticket

  static Decision own_decision(Decision decision) {
    return {decision.arm, decision.ticket >> kLearnerBits};
  }

  struct Learner {
    InnerPolicy policy;
    std::string name;
    std::string full_text;  // with what was handed down
  };
  std::vector<Learner> learners_;
};

/// The one spelling of a `+`-joined list of policies: each canonical, in parentheses if it has
/// keys.
std::string canonical_policies(const std::string& list, const FormulaVariables& variables);
/// The text of a policy inside another, refused if it is a floor: two of them would share their
/// luck, and a floor below a choice between learners is none.
std::string without_floor(const std::string& text, const Arguments& arguments);
/// The text of a policy inside another, with these values where it takes them and has none of its
/// own.
std::string handed_down(const std::string& text,
                        std::initializer_list<std::pair<const char*, double>> values);
/// The one spelling of a `+`-joined list of numbers.
std::string canonical_numbers(const std::string& list, const FormulaVariables& variables);
/// A `+`-joined list of positive numbers, one per learner.
std::vector<double> number_list(const Arguments& arguments, const std::string& name,
                                std::size_t count);

}  // namespace armature
