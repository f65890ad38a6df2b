// Problems small enough to follow with a pencil.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "armature/policy.h"

namespace armature::test {

inline Problem problem_of(const std::vector<std::vector<double>>& marginals, Round horizon) {
  Problem problem;
  problem.action_names = numbered_names('a', marginals.size());
  problem.context_names = numbered_names('z', marginals.front().size());
  problem.horizon = horizon;
  problem.marginals = std::make_shared<const Matrix>(Matrix::from_rows(marginals));
  return problem;
}

/// A policy with its stream, told outcomes by hand.
struct Hand {
  Hand(const std::string& text, const Problem& problem)
      : policy(make_policy(text, problem)), stream({1, 0, Purpose::kPolicy}) {}

  Decision choose() { return policy->choose(stream); }
  void observe(Decision decision, Context context, double reward) {
    policy->observe(decision, {context, reward}, stream);
  }
  /// The outcome of somebody else's decision.
  void witness(Arm arm, Context context, double reward) {
    policy->witness(arm, {context, reward}, stream);
  }
  /// One prompt round with this outcome, whatever the arm.
  Arm round(Context context, double reward) {
    const Decision decision = choose();
    observe(decision, context, reward);
    return decision.arm;
  }
  /// The text after `name = ` in the state dump.
  std::string field(const std::string& name) const {
    const std::string dump = "\n" + policy->dump();
    const std::size_t at = dump.find("\n" + name + " = ");
    if (at == std::string::npos) return "no field " + name;
    const std::size_t start = at + name.size() + 4;
    return dump.substr(start, dump.find('\n', start) - start);
  }

  std::unique_ptr<AnyPolicy> policy;
  Stream stream;
};

}  // namespace armature::test
