// Sentry in lock step: its rule for who plays several replications of it at once, and what
// it tells of what they come to.
#include <tuple>

#include "policies/adaptive/sentry.h"

namespace armature {

std::optional<lock_step::Rule> Sentry::rule() const {
  if (regression_ || action_confidence_.depends_on_mean()) return std::nullopt;
  const auto width_of = [](const Confidence& confidence) -> lock_step::Width {
    return [confidence](std::uint64_t n) { return confidence.hoeffding(n); };
  };
  return lock_step::SentryRule{width_of(action_confidence_),
                               width_of(context_confidence_),
                               rows_,
                               [policy = *this](std::uint64_t t) { return policy.allowance(t); },
                               tolerance_,
                               epsilon_,
                               may_reject_,
                               [policy = *this](const lock_step::SentryState& state) {
                                 Sentry resumed = policy;
                                 resumed.resume(state);
                                 return resumed.diagnostics();
                               }};
}

// A policy that has not begun, as if it had come this far.
void Sentry::resume(const lock_step::SentryState& state) {
  ARMATURE_CHECK(rounds_ == 0, "only a policy that has not begun resumes");
  for (Arm a = 0; a < actions_count_; ++a) actions_.add(a, state.plays[a], state.rewards[a]);
  for (Context z = 0; z < contexts_.size(); ++z)
    contexts_.add(z, state.visits[z], state.context_rewards[z]);
  bar_ = state.bar;
  rounds_ = state.rounds;
  explorations_ = state.explorations;
  rejected_ = state.rejection.has_value();
  if (state.rejection) std::tie(rejection_round_, rejection_action_) = *state.rejection;
  touched_.assign(1, state.last_arm);  // its outcome is judged before the next choice
  rebuild();
}

}  // namespace armature
