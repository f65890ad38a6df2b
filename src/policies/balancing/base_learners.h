// Base learners under one roof: built from `base=…`, played one at a time, each told its own
// outcomes only.
#pragma once

#include "armature/policy.h"

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
    Learner() = default;
    Learner(Learner&&) = default;
    Learner& operator=(Learner&&) = default;
    Learner(const Learner& other);  // with a policy of its own
    ~Learner() = default;

    std::unique_ptr<AnyPolicy> policy;
    std::string name;
    std::string full_text;  // with what was handed down
  };
  std::vector<Learner> learners_;
};

/// The one spelling of a `+`-joined list of numbers.
std::string canonical_numbers(const std::string& list, const FormulaVariables& variables);
/// A `+`-joined list of positive numbers, one per learner.
std::vector<double> number_list(const Arguments& arguments, const std::string& name,
                                std::size_t count);

}  // namespace armature
