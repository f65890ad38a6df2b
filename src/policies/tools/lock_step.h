// What must be known of a policy to play several replications of it in lock step
// (simulate/lanes.h): the numbers of its rule, handed out by the policy itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "armature/policy.h"
#include "policies/tools/marginal_rows.h"

namespace armature::lock_step {

/// Of a mean of so many samples, at least one; it depends on their number alone. What was never
/// tried has the mean 0 and the width of one sample.
using Width = std::function<double(std::uint64_t samples)>;

/// Plays the lowest argmax_a μ̂(a) + width(n(a)); tells no diagnostics.
struct ActionRule {
  Width width;
};

/// Plays the lowest argmax_a Σ_z ν̃_a(z)·(μ̂(z) + width(n(z))), canonical sums; tells no
/// diagnostics.
struct ContextRule {
  Width width;
  std::shared_ptr<const MarginalRows> rows;
};

/// What sentry has learnt by the end, when the last outcome was observed and not yet judged.
struct SentryState {
  std::vector<std::uint64_t> plays = {};  // per action
  std::vector<double> rewards = {};
  std::vector<std::uint64_t> visits = {};  // per context
  std::vector<double> context_rewards = {};
  double bar;
  std::uint64_t rounds;
  std::uint64_t explorations;
  std::optional<std::pair<std::uint64_t, Arm>> rejection = {};  // its round and action
  Arm last_arm;
};

/// Sentry's (policies/adaptive/sentry.h), whose widths above and below a mean are the same.
struct SentryRule {
  Width action_width;
  Width context_width;
  std::shared_ptr<const MarginalRows> rows;
  std::function<double(std::uint64_t round)> allowance;  // explorations by then
  double tolerance;
  double epsilon;
  bool may_reject;
  std::function<Diagnostics(const SentryState&)> diagnostics;
};

using Rule = std::variant<ActionRule, ContextRule, SentryRule>;

/// A policy that may be played in lock step.
class Follower {
 public:
  virtual ~Follower() = default;
  /// None where these arguments make it choose by something else.
  virtual std::optional<Rule> rule() const = 0;

 protected:
  Follower() = default;
  Follower(const Follower&) = default;
  Follower(Follower&&) = default;
  Follower& operator=(const Follower&) = default;
  Follower& operator=(Follower&&) = default;
};

}  // namespace armature::lock_step
