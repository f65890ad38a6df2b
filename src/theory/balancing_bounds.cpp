// Dynamic balancing (Prop. A.1, A.2; spec §4): rates as printed, and the explicit bounds of the two
// readings of its bias.
#include <cmath>

#include "armature/error.h"
#include "armature/theory.h"
#include "base/mathematics.h"
#include "theory/coefficients.h"
#include "theory/guards.h"

namespace armature {
namespace {

// s = sqrt(log(log T/δ)), the price of the good event.
double event_price(const Setting& setting) {
  return std::sqrt(log_or_zero(guarded_log(setting.horizon) / setting.level()));
}

}  // namespace

BalancedLearner causal_learner(const Setting& setting, CausalLearner kind) {
  const double per_root =
      kind == CausalLearner::kCausalUcb ? c_ucb_bound(setting, 1) : pe_bound(setting, 1);
  return {.coefficient = per_root, .dial = 1};
}

BalancedLearner arbitrary_learner(const Setting& setting) {
  return {.coefficient = ucb_bound(setting, 1), .dial = setting.dial()};
}

// 1 + √T·[d_⋆ + 2Z_⋆d_⋆ + d_j/(4Z_j) + sqrt(Z_⋆d_⋆d_j/Z_j)·(1 + 6√ℓ/d_⋆) + 6√(2ℓ)],
// ℓ = log(2 log(max(T,2))/δ).
double db_corrected_bound(const Setting& setting, BalancedLearner home, BalancedLearner other) {
  const double log_term = portable::log(2 * guarded_log(setting.horizon) / setting.level());
  const double cross = std::sqrt(home.dial * home.coefficient * other.coefficient / other.dial);
  const double per_root =
      home.coefficient + 2 * home.dial * home.coefficient + other.coefficient / (4 * other.dial) +
      cross * (1 + 6 * std::sqrt(log_term) / home.coefficient) + 6 * std::sqrt(2 * log_term);
  return 1 + per_root * std::sqrt(setting.horizon);
}

// (d_1 + d_2·sqrt(κ/(1+κ)))·√T + 1, κ = d_2Z_1/(d_1Z_2).
double db_printed_benign_bound(const Setting& setting, BalancedLearner causal,
                               BalancedLearner arbitrary) {
  const double split =
      arbitrary.coefficient * causal.dial / (causal.coefficient * arbitrary.dial);  // n_2/n_1
  return 1 + (causal.coefficient + arbitrary.coefficient * std::sqrt(split / (1 + split))) *
                 std::sqrt(setting.horizon);
}

double db_rate(const Setting& setting, const std::vector<BalancedLearner>& learners,
               std::size_t home) {
  ARMATURE_CHECK(home < learners.size(), "the well-specified learner is one of them");
  double per_root = learners[home].coefficient + event_price(setting) +
                    learners[home].dial * learners[home].coefficient;
  for (std::size_t i = 0; i < learners.size(); ++i)
    if (i != home) per_root += learners[i].coefficient / learners[i].dial;
  return per_root * std::sqrt(setting.horizon);
}

// (d_1 + s + d_2·R_i/sqrt(|A|T))·√T, with R_1 = max(sqrt(|Z|T), |A|T/R_2).
double db_dial_benign_rate(const Setting& setting) {
  const double best = std::sqrt(setting.contexts / setting.actions);
  return (causal_learner(setting, CausalLearner::kCausalUcb).coefficient + event_price(setting) +
          arbitrary_learner(setting).coefficient * std::max(best, 1 / setting.dial())) *
         std::sqrt(setting.horizon);
}

double db_dial_any_rate(const Setting& setting) {
  return (causal_learner(setting, CausalLearner::kCausalUcb).coefficient + event_price(setting) +
          arbitrary_learner(setting).coefficient * setting.dial()) *
         std::sqrt(setting.horizon);
}

}  // namespace armature
